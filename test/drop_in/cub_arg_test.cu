// drop_in/cub.hpp: ArgMin and ArgMax give CUB's values and indices, with two outputs and with one
// pair, for ties, empty ranges and NaN.
#include "drop_in/cub_calls.hpp"

#include <cstdint>
#include <limits>
#include <utility>

#include <thrust/iterator/counting_iterator.h>

#include "contract/policy_contract.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // CUB deprecates ArgMin with one output

namespace {

template <class T>
using pair_of = cub::KeyValuePair<int, T>;

/// Compares the pairs that `call` writes for each library.
template <class T, class Call>
void compare_pairs(const std::vector<T>& values, const Call& call) {
  test::for_each_array(values, [&](const T* data, std::size_t n) {
    const auto on = [&](const auto& library) {
      return test::result_of<pair_of<T>>(
          library, [&](auto lib, void* storage, std::size_t& bytes, pair_of<T>* out) {
            return call(lib, storage, bytes, data, out, static_cast<int>(n));
          });
    };
    const pair_of<T> found = on(test::ours{}), expected = on(test::theirs{});
    CHECK(found.key == expected.key);
    CHECK(found.value == expected.value);
  });
}

/// The same for calls with two outputs. CUB 3.0 writes nothing for an empty range, although it
/// documents a result, so that is tested apart.
template <class T, class Call>
void compare_outputs(const std::vector<T>& values, const Call& call) {
  test::for_each_array(values, [&](const T* data, std::size_t n) {
    if (n == 0) return;
    const auto on = [&](const auto& library) {
      test::guarded_slot<T> value;
      const auto index = test::result_of<std::int64_t>(
          library, [&](auto lib, void* storage, std::size_t& bytes, std::int64_t* out) {
            return call(lib, storage, bytes, data, value.pointer(), out, n);
          });
      return std::pair(value.value(), index);
    };
    const auto found = on(test::ours{}), expected = on(test::theirs{});
    CHECK(found.first == expected.first);
    CHECK(found.second == expected.second);
  });
}

template <class T>
void compare_all(const std::vector<T>& values) {
  compare_pairs(
      values, [](auto lib, void* storage, std::size_t& bytes, const T* in, pair_of<T>* out, int n) {
        return decltype(lib)::reduce::ArgMin(storage, bytes, in, out, n);
      });
  compare_pairs(
      values, [](auto lib, void* storage, std::size_t& bytes, const T* in, pair_of<T>* out, int n) {
        return decltype(lib)::reduce::ArgMax(storage, bytes, in, out, n);
      });
  compare_outputs(values, [](auto lib, void* storage, std::size_t& bytes, const T* in, T* value,
                             std::int64_t* index, std::size_t n) {
    return decltype(lib)::reduce::ArgMin(storage, bytes, in, value, index,
                                         static_cast<std::int64_t>(n));
  });
  compare_outputs(values, [](auto lib, void* storage, std::size_t& bytes, const T* in, T* value,
                             std::int64_t* index, std::size_t n) {
    return decltype(lib)::reduce::ArgMax(storage, bytes, in, value, index,
                                         static_cast<std::int64_t>(n));
  });
}

template <class T>
struct outputs {
  test::guarded_slot<T> value;
  test::guarded_slot<int> index;

  void check(T expected, int at) const {
    CHECK(value.value() == expected);
    CHECK(index.value() == at);
  }
};

}  // namespace

TEST_CASE("ArgMin and ArgMax give CUB's value and index; the lowest index of equal elements") {
  compare_all(test::small_numbers<int>(1000003, 100000));  // the extrema occur several times
  compare_all(test::small_numbers<float>(65537, 8));
}

TEST_CASE("ArgMin and ArgMax of an empty range give the start at index 1") {
  outputs<float> least, greatest;
  const float* const nothing = nullptr;
  REQUIRE(test::ours::reduce::ArgMin(nothing, least.value.pointer(), least.index.pointer(), 0) ==
          cudaSuccess);
  REQUIRE(test::ours::reduce::ArgMax(nothing, greatest.value.pointer(), greatest.index.pointer(),
                                     0) == cudaSuccess);
  least.check(std::numeric_limits<float>::max(), 1);
  greatest.check(std::numeric_limits<float>::lowest(), 1);
}

TEST_CASE("ArgMin finds elements beyond the start, and numbers among NaN") {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto check = [](const std::vector<float>& values, float expected, int at) {
    const test::device_memory::array<float> placed(values, 4);
    outputs<float> out;
    REQUIRE(test::ours::reduce::ArgMin(placed.data(), out.value.pointer(), out.index.pointer(),
                                       static_cast<std::int64_t>(values.size())) == cudaSuccess);
    out.check(expected, at);
  };
  check({infinity, infinity}, infinity, 0);
  check({nan, 3, nan, 2, 5}, 2, 3);
  std::vector<float> many(70001, nan);
  many[69999] = 4;
  check(many, 4, 69999);
}

TEST_CASE("an index beyond 32 bits of an input that computes its elements") {
  if (wf::runtime::current_device_info().multiprocessors < 60) {
    MESSAGE("this GPU is too slow");
    return;
  }
  const std::int64_t n = (std::int64_t{1} << 32) + 10;
  outputs<long long> out;
  test::guarded_slot<std::int64_t> index;
  const thrust::counting_iterator<long long> from_one(1);
  REQUIRE(test::ours::reduce::ArgMax(from_one, out.value.pointer(), index.pointer(), n) ==
          cudaSuccess);
  CHECK(out.value.value() == n);
  CHECK(index.value() == n - 1);
}
