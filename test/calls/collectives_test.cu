// warp_reduce and block_reduce in kernels of a user's own, on a GPU, in blocks of any shape.
#include <warpfold/collectives.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include <warpfold/op/all.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/runtime/buffer.hpp>

namespace wf = warpfold;

namespace {

struct result {
  long long sum;
  float most;
  wf::tuple<float, float> both;
};

/// No identity; the call operator is not const.
struct greater {
  int calls = 0;
  __device__ float operator()(float a, float b) { return ++calls == 1 && a > b ? a : b; }
};

__device__ unsigned this_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

// Folds the block three times in a row; each thread writes what it got.
__global__ void fold_block(const int* values, result* results) {
  const int x = values[this_thread()];
  result r{};
  for (int i = 0; i < 3; ++i) {
    const auto sum = wf::block_all_reduce(1000000000ll * x + i);
    const auto most = wf::block_reduce(static_cast<float>(x), greater{});
    const auto both =
        wf::block_all_reduce(static_cast<float>(x + i), wf::all(wf::minimum{}, wf::maximum{}));
    r = {sum, most, both};
  }
  results[this_thread()] = r;
}

__global__ void fold_warps(const int* values, int* first, int* each) {
  const unsigned i = this_thread();
  const int least = wf::warp_reduce(values[i], wf::minimum{});
  if (i % 32 == 0) first[i / 32] = least;
  each[i] = wf::warp_all_reduce(values[i], wf::maximum{});
}

std::vector<int> some_values(unsigned n) {
  std::vector<int> v;
  for (unsigned i = 0; i < n; ++i) v.push_back(static_cast<int>((i * 7919 + 13) % 1009) - 500);
  return v;
}

}  // namespace

TEST_CASE("blocks of any shape") {
  for (const dim3 shape : {dim3(1), dim3(31), dim3(32), dim3(33), dim3(100), dim3(256), dim3(1023),
                           dim3(1024), dim3(16, 16), dim3(8, 3, 5)}) {
    const unsigned threads = shape.x * shape.y * shape.z;
    INFO(threads, " threads");
    const auto values = some_values(threads);
    const wf::device_buffer<int> in(values);
    const wf::device_buffer<result> out(std::vector<result>(threads, result{}));
    fold_block<<<1, shape>>>(in.data(), const_cast<result*>(out.data()));
    std::vector<result> got(threads);
    REQUIRE(cudaMemcpy(got.data(), out.data(), threads * sizeof(result), cudaMemcpyDefault) ==
            cudaSuccess);
    long long sum = 0;
    for (const int x : values) sum += 1000000000ll * x + 2;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    CHECK(got[0].most == static_cast<float>(*most));
    for (const result& r : got) {
      CHECK(r.sum == sum);
      CHECK(wf::get<0>(r.both) == static_cast<float>(*least + 2));
      CHECK(wf::get<1>(r.both) == static_cast<float>(*most + 2));
    }
  }
}

TEST_CASE("warps") {
  const auto values = some_values(96);
  const wf::device_buffer<int> in(values);
  const wf::device_buffer<int> first(std::vector<int>(3)), each(std::vector<int>(96));
  fold_warps<<<1, 96>>>(in.data(), const_cast<int*>(first.data()), const_cast<int*>(each.data()));
  std::vector<int> least(3), most(96);
  REQUIRE(cudaMemcpy(least.data(), first.data(), 3 * sizeof(int), cudaMemcpyDefault) ==
          cudaSuccess);
  REQUIRE(cudaMemcpy(most.data(), each.data(), 96 * sizeof(int), cudaMemcpyDefault) == cudaSuccess);
  for (std::size_t i = 0; i < 96; ++i) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(i / 32 * 32);
    CHECK(least[i / 32] == *std::min_element(begin, begin + 32));
    CHECK(most[i] == *std::max_element(begin, begin + 32));
  }
}
