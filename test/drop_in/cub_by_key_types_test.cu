// drop_in/cub_by_key.hpp: ReduceByKey folds in CUB's types, also with lambdas, classes and
// iterators.
#include "drop_in/cub_runs.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include "contract/policy_contract.hpp"

namespace {

struct negated {
  __host__ __device__ int operator()(int x) const { return -x; }
};
struct tens {
  __host__ __device__ int operator()(int i) const { return i / 10; }
};
struct tenths {
  __host__ __device__ double operator()(int i) const { return i / 10.0; }
};

}  // namespace

TEST_CASE("ReduceByKey: the type of op(value, value), converted to the output") {
  const auto keys = test::keys_in_runs<short>(70001, 300);
  // CUB adds unsigned to unsigned, which wraps before it is converted.
  test::compare_folds<unsigned long long>(keys, std::vector<unsigned>(70001, 4000000000u),
                                          cuda::std::plus<>{});
  test::compare_folds<signed char>(keys, test::small_numbers<signed char>(70001, 100),
                                   cuda::std::plus<>{});
  test::compare_folds<double>(keys, test::small_numbers<float>(70001), cuda::std::plus<double>{});
}

TEST_CASE("ReduceByKey: extrema, lambdas and classes") {
  test::compare_folds<float>(test::keys_in_runs<unsigned char>(70001, 20),
                             test::small_numbers<float>(70001, 1000), cuda::minimum<>{});
  test::compare_folds<int>(test::keys_in_runs<int>(70001, 20),
                           test::small_numbers<int>(70001, 1000),
                           [] __host__ __device__(int a, int b) { return a > b ? a : b; });
  std::vector<test::pair_of_ints> pairs;
  for (unsigned i = 0; i < 70001; ++i) pairs.push_back({static_cast<int>(i), 1});
  test::compare_folds<test::pair_of_ints>(test::keys_in_runs<test::pair_of_ints>(70001, 100), pairs,
                                          cuda::std::plus<>{});
}

TEST_CASE("inputs that are iterators; CUB itself runs outputs that are iterators") {
  const auto keys = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), tens{});
  const thrust::counting_iterator<int> values(1);
  std::vector<int> same(4097);
  for (std::size_t i = 0; i < same.size(); ++i) same[i] = static_cast<int>(i) / 10;
  const auto reduce = [&](auto lib, void* storage, std::size_t& bytes, auto& out, std::size_t n) {
    return decltype(lib)::reduce::ReduceByKey(storage, bytes, keys, out.keys(), values,
                                              out.results(), out.count(), cuda::std::plus<>{},
                                              static_cast<int>(n));
  };
  test::compare_runs<int>(same, reduce);
  test::compare_runs<int>(
      same, [&](auto lib, void* storage, std::size_t& bytes, auto& out, std::size_t n) {
        return decltype(lib)::reduce::ReduceByKey(
            storage, bytes, keys, out.keys(), values,
            thrust::make_transform_output_iterator(out.results(), negated{}), out.count(),
            cuda::std::plus<>{}, static_cast<int>(n));
      });
  const auto lesser = [] __device__(int a, int b) -> int { return a < b ? a : b; };
  test::compare_runs<int>(
      same, [&](auto lib, void* storage, std::size_t& bytes, auto& out, std::size_t n) {
        return decltype(lib)::reduce::ReduceByKey(storage, bytes, keys, out.keys(), values,
                                                  out.results(), out.count(), lesser,
                                                  static_cast<int>(n));
      });
  // CUB compares keys in the type of their output.
  const auto fractions =
      thrust::make_transform_iterator(thrust::counting_iterator<int>(0), tenths{});
  test::compare_runs<int>(
      same, [&](auto lib, void* storage, std::size_t& bytes, auto& out, std::size_t n) {
        return decltype(lib)::run_lengths::Encode(storage, bytes, fractions, out.keys(),
                                                  out.results(), out.count(), static_cast<int>(n));
      });
}
