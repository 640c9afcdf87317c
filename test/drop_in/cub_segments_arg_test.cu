// drop_in/cub_segments.hpp: ArgMin and ArgMax give CUB's pairs of index and value.
#include "drop_in/cub_segments.hpp"

#include <limits>

#include "contract/policy_contract.hpp"

namespace {

template <class T>
using pair_of = cub::KeyValuePair<int, T>;

template <class T>
void compare_pairs(const std::vector<T>& values) {
  test::compare_all_segments<pair_of<T>>(
      values, [](auto lib, void* storage, std::size_t& bytes, const T* in, pair_of<T>* out,
                 std::size_t segments, const int* offsets) {
        return decltype(lib)::segmented::ArgMin(
            storage, bytes, in, out, static_cast<std::int64_t>(segments), offsets, offsets + 1);
      });
  test::compare_all_segments<pair_of<T>>(
      values, [](auto lib, void* storage, std::size_t& bytes, const T* in, pair_of<T>* out,
                 std::size_t segments, const int* offsets) {
        return decltype(lib)::segmented::ArgMax(
            storage, bytes, in, out, static_cast<std::int64_t>(segments), offsets, offsets + 1);
      });
}

}  // namespace

TEST_CASE("ArgMin and ArgMax of segments: the lowest index within the segment") {
  compare_pairs(test::small_numbers<float>(1100003, 1000));
  compare_pairs(test::small_numbers<short>(70001, 8));
  compare_pairs(test::small_numbers<double>(70001, 1000));
}

TEST_CASE("ArgMin of segments of one size, with elements beyond the start and without elements") {
  const float infinity = std::numeric_limits<float>::infinity();
  const test::device_memory::array<float> in({3, 2, 2, infinity, infinity, infinity}, 4);
  const auto found = [&](int size) {
    return test::results_of_segments<pair_of<float>>(
        test::ours{}, 2, [&](auto lib, void* storage, std::size_t& bytes, auto* out, std::size_t) {
          return decltype(lib)::segmented::ArgMin(storage, bytes, in.data(), out, 2, size);
        });
  };
  const auto of_three = found(3), of_none = found(0);
  CHECK(test::is_equal(of_three[0], pair_of<float>(1, 2)));
  CHECK(test::is_equal(of_three[1], pair_of<float>(0, infinity)));
  for (const auto& p : of_none) {
    CHECK(test::is_equal(p, pair_of<float>(1, std::numeric_limits<float>::max())));
  }
}
