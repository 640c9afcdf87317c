// drop_in/cub.hpp: Reduce and TransformReduce give CUB's results in CUB's types, also with
// iterators for inputs and outputs, and in both forms of the calls.
#include "drop_in/cub_calls.hpp"

#include <limits>
#include <numeric>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include "contract/policy_contract.hpp"

namespace {

constexpr std::size_t most = 1000003;

struct square {
  __host__ __device__ long long operator()(int x) const { return static_cast<long long>(x) * x; }
};
struct negated {
  __host__ __device__ int operator()(int x) const { return -x; }
};
/// Keeps the operand with the larger remainder, and of equals the larger: commutative and
/// associative, but no sum and no extremum.
struct larger_remainder {
  __host__ __device__ int operator()(int a, int b) const {
    const int x = a % 5, y = b % 5;
    return x != y ? (x > y ? a : b) : (a > b ? a : b);
  }
};
/// A class with an addition, but without a known zero.
struct pair_of_ints {
  int x, y;
  friend __host__ __device__ pair_of_ints operator+(const pair_of_ints& a, const pair_of_ints& b) {
    return {a.x + b.x, a.y + b.y};
  }
};

}  // namespace

TEST_CASE("Reduce with an init, whose type counts") {
  const auto values = test::small_numbers<int>(most, 30000);
  test::compare_with_cub<int>(values, [](auto lib, void* storage, std::size_t& bytes, const int* in,
                                         int* out, std::size_t n) {
    return decltype(lib)::reduce::Reduce(storage, bytes, in, out, static_cast<int>(n),
                                         larger_remainder{}, 3);
  });
  // The op converts to long long, and the output to int.
  test::compare_with_cub<int>(values, [](auto lib, void* storage, std::size_t& bytes, const int* in,
                                         int* out, std::size_t n) {
    return decltype(lib)::reduce::Reduce(storage, bytes, in, out, n, cuda::std::plus<>{},
                                         1ll << 40);
  });
  // Products of unsigned wrap modulo 2^32, also into a wider output.
  const std::vector<unsigned> odd(4099, 3u);
  test::compare_with_cub<unsigned long long>(odd, [](auto lib, void* storage, std::size_t& bytes,
                                                     const unsigned* in, unsigned long long* out,
                                                     std::size_t n) {
    return decltype(lib)::reduce::Reduce(storage, bytes, in, out, n, cuda::std::multiplies<>{}, 1u);
  });
}

TEST_CASE("Reduce of a class with its own addition") {
  const std::vector<pair_of_ints> values(4099, pair_of_ints{1, -2});
  test::for_each_array(values, [](const pair_of_ints* data, std::size_t n) {
    const auto found = test::result_of<pair_of_ints>(
        test::ours{}, [&](auto lib, void* storage, std::size_t& bytes, pair_of_ints* out) {
          return decltype(lib)::reduce::Reduce(storage, bytes, data, out, n, cuda::std::plus<>{},
                                               pair_of_ints{5, 6});
        });
    CHECK(found.x == 5 + static_cast<int>(n));
    CHECK(found.y == 6 - 2 * static_cast<int>(n));
  });
}

TEST_CASE("TransformReduce, and inputs and outputs that are iterators") {
  const auto values = test::small_numbers<int>(most, 1000);
  test::compare_with_cub<long long>(values, [](auto lib, void* storage, std::size_t& bytes,
                                               const int* in, long long* out, std::size_t n) {
    return decltype(lib)::reduce::TransformReduce(storage, bytes, in, out, n, cuda::std::plus<>{},
                                                  square{}, 7ll);
  });
  test::compare_with_cub<int>(values, [](auto lib, void* storage, std::size_t& bytes, const int* in,
                                         int* out, std::size_t n) {
    return decltype(lib)::reduce::Max(storage, bytes,
                                      thrust::make_transform_iterator(in, negated{}), out, n);
  });
  // CUB itself runs this one.
  test::compare_with_cub<int>(values, [](auto lib, void* storage, std::size_t& bytes, const int* in,
                                         int* out, std::size_t n) {
    return decltype(lib)::reduce::Reduce(storage, bytes, in,
                                         thrust::make_transform_output_iterator(out, negated{}), n,
                                         cuda::std::plus<>{}, 1);
  });
  const thrust::counting_iterator<long long> from_one(1);
  test::guarded_slot<long long> out;
  REQUIRE(test::ours::reduce::Sum(from_one, out.pointer(), 1000000) == cudaSuccess);
  CHECK(out.value() == 500000500000ll);
}

TEST_CASE("calls without temporary storage give the same, forwarded ones too") {
  const auto values = test::small_numbers<int>(4099, 1000);
  const test::device_memory::array<int> placed(values, 0);
  const int n = static_cast<int>(values.size());
  const int sum = std::accumulate(values.begin(), values.end(), 0);
  const auto check = [&](int expected, const auto& call) {
    test::guarded_slot<int> out;
    REQUIRE(call(out.pointer()) == cudaSuccess);
    CHECK(out.value() == expected);
  };
  using reduce = test::ours::reduce;
  check(sum, [&](int* out) { return reduce::Sum(placed.data(), out, n); });
  check(sum + 5,
        [&](int* out) { return reduce::Reduce(placed.data(), out, n, cuda::std::plus<>{}, 5); });
  check(-1000, [&](int* out) { return reduce::Min(placed.data(), out, n); });
  check(1000, [&](int* out) { return reduce::Max(placed.data(), out, n); });
  check(3 - sum, [&](int* out) {
    return reduce::TransformReduce(placed.data(), out, n, cuda::std::plus<>{}, negated{}, 3);
  });
  check(-sum - 5, [&](int* out) {
    return reduce::Reduce(placed.data(), thrust::make_transform_output_iterator(out, negated{}), n,
                          cuda::std::plus<>{}, 5);
  });
  check(std::numeric_limits<int>::max(),
        [&](int* out) { return reduce::Min(placed.data(), out, 0); });
}
