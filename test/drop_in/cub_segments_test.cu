// drop_in/cub_segments.hpp: Reduce, Sum, Min and Max give CUB's results in CUB's types.
#include "drop_in/cub_segments.hpp"

#include "contract/policy_contract.hpp"

namespace {

constexpr std::size_t most = 1100003;

using test::pair_of_ints;

template <class Out, class T>
void compare_sums(const std::vector<T>& values) {
  test::compare_all_segments<Out>(
      values, [](auto lib, void* storage, std::size_t& bytes, const T* in, Out* out,
                 std::size_t segments, const int* offsets) {
        return decltype(lib)::segmented::Sum(
            storage, bytes, in, out, static_cast<std::int64_t>(segments), offsets, offsets + 1);
      });
}
template <class Out, class T, class Op, class Init>
void compare_folds(const std::vector<T>& values, const Op& op, const Init& init) {
  test::compare_all_segments<Out>(
      values, [&](auto lib, void* storage, std::size_t& bytes, const T* in, Out* out,
                  std::size_t segments, const int* offsets) {
        return decltype(lib)::segmented::Reduce(storage, bytes, in, out,
                                                static_cast<std::int64_t>(segments), offsets,
                                                offsets + 1, op, init);
      });
}
template <class T>
void compare_extrema(const std::vector<T>& values) {
  test::compare_all_segments<T>(values, [](auto lib, void* storage, std::size_t& bytes, const T* in,
                                           T* out, std::size_t segments, const int* offsets) {
    return decltype(lib)::segmented::Min(storage, bytes, in, out,
                                         static_cast<std::int64_t>(segments), offsets, offsets + 1);
  });
  test::compare_all_segments<T>(values, [](auto lib, void* storage, std::size_t& bytes, const T* in,
                                           T* out, std::size_t segments, const int* offsets) {
    return decltype(lib)::segmented::Max(storage, bytes, in, out,
                                         static_cast<std::int64_t>(segments), offsets, offsets + 1);
  });
}

}  // namespace

TEST_CASE("Sum of segments: floats, ints, and a wider output") {
  compare_sums<float>(test::small_numbers<float>(most, 4));
  compare_sums<int>(test::small_numbers<int>(most, 1000));
  compare_sums<long long>(std::vector<unsigned>(70001, 4000000000u));
}

TEST_CASE("Reduce of segments: lambdas, classes, and the type of the init") {
  compare_folds<int>(
      test::small_numbers<int>(most, 30000),
      [] __host__ __device__(int a, int b) { return a > b ? a : b; }, -5);
  compare_folds<pair_of_ints>(std::vector<pair_of_ints>(70001, pair_of_ints{1, -2}),
                              cuda::std::plus<>{}, pair_of_ints{5, 6});
  compare_folds<int>(test::small_numbers<signed char>(70001, 100), cuda::std::plus<>{}, 1ll << 40);
}

TEST_CASE("Min and Max of segments") {
  compare_extrema(test::small_numbers<float>(most, 1000));
  compare_extrema(test::small_numbers<signed char>(70001, 127));
}
