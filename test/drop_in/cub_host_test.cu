// drop_in/cub.hpp without a GPU: the names that an alias finds, which calls CUB itself runs, and
// the codes and messages of errors. Runs on every machine; the test hides existing GPUs.
#include <warpfold/drop_in/cub.hpp>

#include <cstdlib>
#include <string>

#include <thrust/device_ptr.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/block/block_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include <doctest/doctest.h>

#include "drop_in/cub_status.hpp"

namespace wf = warpfold;

/// A program for CUB that is switched by the alias.
namespace program {

namespace cub = wf::drop_in::cub;

static_assert(std::is_same_v<cub::BlockReduce<int, 128>, ::cub::BlockReduce<int, 128>>);
static_assert(std::is_same_v<cub::DeviceScan, ::cub::DeviceScan>);
static_assert(!std::is_same_v<cub::DeviceReduce, ::cub::DeviceReduce>);
using pair = cub::KeyValuePair<int, float>;

// The members that this library leaves to CUB.
auto long_runs(int* keys, int* out, std::size_t& bytes) {
  return cub::DeviceRunLengthEncode::NonTrivialRuns(nullptr, bytes, keys, out, out, out, 3);
}

}  // namespace program

namespace {

using namespace wf::detail::cub_calls;
using reduce = wf::drop_in::cub::DeviceReduce;
using transform = wf::drop_in::cub::DeviceTransform;

// Set before the first CUDA call, which reads the variable.
const bool hidden = setenv("CUDA_VISIBLE_DEVICES", "", 1) == 0;

struct not_trivial {
  int x;
  __host__ __device__ not_trivial(int value) : x(value) {}
  __host__ __device__ not_trivial(const not_trivial& other) : x(other.x) {}
};
/// Its call is not const.
struct changes {
  int calls = 0;
  __host__ __device__ int operator()(int a, int b) { return a + b + calls++; }
};
struct larger {
  __host__ __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};
struct one_more {
  __host__ __device__ int operator()(int x) const { return x + 1; }
};

template <class In, class Out, class Op = cuda::std::plus<>, class Init = int>
inline constexpr bool is_reduced = reduces_input<In, int, Out, Op, Init>();
static_assert(is_reduced<const int*, int*>);
static_assert(is_reduced<int*, thrust::device_ptr<double>>);
static_assert(is_reduced<thrust::transform_iterator<one_more, const int*>, int*>);
static_assert(is_reduced<const int*, long long*, larger>);
static_assert(!is_reduced<const int*, thrust::discard_iterator<>>);
static_assert(!is_reduced<const int*, const int*>);
static_assert(!is_reduced<const not_trivial*, int*>);
static_assert(is_reduced<const int*, int*, changes>);

static_assert(transforms<one_more, int*, const int*>());
static_assert(transforms<larger, int*, const int*, const short*>());
static_assert(!transforms<larger, int*, const int*>());
static_assert(transforms<changes, int*, const int*, const int*>());
static_assert(!transforms<one_more, thrust::discard_iterator<>, const int*>());
static_assert(!transforms<one_more, int*>());
static_assert(!transforms<larger, int*, const int*, thrust::constant_iterator<int>>());

static_assert(stores_pair<program::pair*, float>);
static_assert(!stores_pair<program::pair*, double>);  // CUB compares floats here
static_assert(!stores_pair<float*, float>);

// Addresses that no call may touch.
int* const in = reinterpret_cast<int*>(0x1000);
int* const out = reinterpret_cast<int*>(0x2000);
void* const storage = reinterpret_cast<void*>(0x3000);

}  // namespace

TEST_CASE("without storage, a call only returns its size, and needs no GPU") {
  REQUIRE(hidden);
  const auto check = [](const auto& call) { test::check_only_size(call); };
  check([](std::size_t& b) { return reduce::Sum(nullptr, b, in, out, 5); });
  check([](std::size_t& b) { return reduce::Sum(nullptr, b, in, out, 5, 0); });
  check([](std::size_t& b) { return reduce::Min(nullptr, b, in, out, 5); });
  check([](std::size_t& b) { return reduce::Max(nullptr, b, in, out, 5); });
  check([](std::size_t& b) { return reduce::Reduce(nullptr, b, in, out, 5, larger{}, 0); });
  check([](std::size_t& b) {
    return reduce::TransformReduce(nullptr, b, in, out, 5, larger{}, one_more{}, 0);
  });
  check([](std::size_t& b) { return reduce::ArgMin(nullptr, b, in, out, out, 5); });
  check([](std::size_t& b) { return reduce::ArgMax(nullptr, b, in, out, out, 5, nullptr); });
  check([](std::size_t& b) {
    return reduce::ArgMin(nullptr, b, in, reinterpret_cast<cub::KeyValuePair<int, int>*>(out), 5);
  });
  check([](std::size_t& b) { return transform::Transform(nullptr, b, in, out, 5, one_more{}); });
}

TEST_CASE("without a GPU, a call returns a code, and the message says what to do") {
  REQUIRE(hidden);
  std::size_t bytes = 1;
  const auto check = test::check_without_gpu;
  check(reduce::Sum(storage, bytes, in, out, 5));
  check(reduce::Sum(in, out, 5));
  check(reduce::ArgMin(in, out, out, 5));
  check(reduce::TransformReduce(in, out, 5, larger{}, one_more{}, 0));
  check(transform::Transform(in, out, 5, one_more{}));
}

TEST_CASE("bad arguments are found first, and named") {
  const auto check = test::check_refused;
  std::size_t none = 0;
  check(reduce::Sum(storage, none, in, out, 5), "temp_storage_bytes is 0");
  check(reduce::Sum(in, out, -1), "num_items is -1");
  check(reduce::ArgMax(in, out, out, -7), "num_items is -7");
  check(reduce::Reduce(in, out, ~0ull, larger{}, 0), "num_items is 18446744073709551615");
  check(transform::Transform(in, out, -2, one_more{}), "num_items is -2");
  check(reduce::Sum(in, out, 5, 1), "1 is not a stream");
}
