// drop_in/cub_by_key.hpp without a GPU: which calls this library runs, the types of their folds,
// the size of the storage, and errors. Runs on every machine; the test hides existing GPUs.
#include <warpfold/drop_in/cub.hpp>

#include <cstdlib>
#include <string>

#include <cuda_fp16.h>
#include <thrust/device_ptr.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>

#include <doctest/doctest.h>

#include "drop_in/cub_status.hpp"

namespace wf = warpfold;

namespace {

using namespace wf::detail::cub_calls;
using reduce = wf::drop_in::cub::DeviceReduce;
using run_lengths = wf::drop_in::cub::DeviceRunLengthEncode;

// Set before the first CUDA call, which reads the variable.
const bool hidden = setenv("CUDA_VISIBLE_DEVICES", "", 1) == 0;

struct no_equality {
  int x;
};
using sum = cuda::std::plus<>;

template <class Keys, class Unique, class Runs = int*, class Count = int>
inline constexpr bool finds = finds_runs<Keys, Unique, Runs, Count>();
static_assert(finds<const int*, int*>);
static_assert(finds<thrust::counting_iterator<int>, thrust::device_ptr<int>, long long*>);
static_assert(!finds<const int*, long long*>);  // CUB compares the keys as long long
static_assert(!finds<const int*, thrust::discard_iterator<>>);
static_assert(!finds<const int*, int*, float*>);
static_assert(!finds<const no_equality*, no_equality*>);

template <class V, class Out, class Op = sum>
inline constexpr bool folds = reduces_by_key<const int*, int*, V, Out, int*, Op, int>();
static_assert(folds<const float*, double*>);
static_assert(folds<thrust::counting_iterator<int>, int*, cuda::minimum<>>);
static_assert(!folds<const float*, thrust::discard_iterator<>>);
static_assert(!folds<const float*, const float*>);

// The library's own ops, if they give what CUB gives; otherwise CUB's op in CUB's type.
template <class T, class Out, class Op = sum>
using op_for = decltype(op_of_runs<T, cub_accumulator_t<Op, T, T>, Out>(std::declval<const Op&>()));
static_assert(std::is_same_v<op_for<int, int>, wf::plus>);
static_assert(std::is_same_v<op_for<unsigned char, int>, wf::plus>);
static_assert(std::is_same_v<op_for<float, double>, wf::plus>);
static_assert(std::is_same_v<op_for<__half, __half>, wf::plus>);
static_assert(std::is_same_v<op_for<long long, unsigned>, wf::plus>);
static_assert(std::is_same_v<op_for<int, long long>, op_on<sum, int>>);
static_assert(std::is_same_v<op_for<int, float>, op_on<sum, int>>);
static_assert(std::is_same_v<op_for<int, bool>, op_on<sum, int>>);
static_assert(std::is_same_v<op_for<__half, float>, op_on<sum, __half>>);
static_assert(std::is_same_v<op_for<float, double, cuda::std::plus<double>>,
                             op_on<cuda::std::plus<double>, double>>);

// Addresses that no call may touch: outputs one after the other, with less room than keys.
int* const in = reinterpret_cast<int*>(0x1000);
int* const unique = reinterpret_cast<int*>(0x2000);
int* const results = unique + 2;
int* const runs = results + 2;
void* const storage = reinterpret_cast<void*>(0x3000);

}  // namespace

TEST_CASE("without storage, a call only returns its size, and needs no GPU") {
  REQUIRE(hidden);
  std::size_t bytes = 77;
  CHECK(reduce::ReduceByKey(nullptr, bytes, in, unique, in, results, runs, sum{}, 5) ==
        cudaSuccess);
  CHECK(bytes == 1);
  bytes = 77;
  CHECK(run_lengths::Encode(nullptr, bytes, in, unique, results, runs, 5, nullptr) == cudaSuccess);
  CHECK(bytes == 1);
}

TEST_CASE("outputs without spare room need only a GPU") {
  REQUIRE(hidden);
  std::size_t bytes = 1;
  const auto check = test::check_without_gpu;
  check(reduce::ReduceByKey(in, unique, in, results, runs, sum{}, 5));
  check(reduce::ReduceByKey(storage, bytes, in, unique, in, results, runs, sum{}, 5));
  check(run_lengths::Encode(in, unique, results, runs, 5));
  // A narrow number of runs suffices if there are few.
  auto* const narrow = reinterpret_cast<signed char*>(runs);
  check(run_lengths::Encode(in, unique, results, narrow, 300));
}

TEST_CASE("bad arguments are found first, and named") {
  const auto check = test::check_refused;
  std::size_t none = 0;
  check(reduce::ReduceByKey(storage, none, in, unique, in, results, runs, sum{}, 5),
        "temp_storage_bytes is 0");
  check(reduce::ReduceByKey(in, unique, in, results, runs, sum{}, -1), "num_items is -1");
  check(run_lengths::Encode(in, unique, results, runs, -7), "num_items is -7");
  check(run_lengths::Encode(in, unique, results, unique, 5), "overlap");
  check(run_lengths::Encode(in, unique, results, in + 4, 5), "overlaps the input");
}
