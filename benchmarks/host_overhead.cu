// Where the host's part of a call that does not wait goes: the queries of CUDA that the checks
// make, each alone, a bare launch, and the calls beside it. Nothing is waited for between calls,
// and the kernels are short, so the times are those of the host.
#include <chrono>
#include <cstdio>
#include <functional>
#include <span>
#include <vector>

#include <cub/device/device_reduce.cuh>

#include <warpfold/reduce.hpp>
#include <warpfold/transform.hpp>
#include <warpfold/view/zip.hpp>

#include "measure.hpp"

namespace wf = warpfold;

namespace {

using namespace measure;

/// The nanoseconds of one call: the median of 41 batches of 200 calls, which the GPU's queue holds.
double nanoseconds_of(const std::function<void()>& call) {
  std::vector<double> t;
  for (int batch = 0; batch < 41; ++batch) {
    check(cudaDeviceSynchronize());
    constexpr int calls = 200;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) call();
    t.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
                calls * 1e9);
  }
  check(cudaDeviceSynchronize());
  return median(t);
}

struct negated {
  WARPFOLD_HD float operator()(float x) const { return -x; }
};

struct sum_of_six {
  WARPFOLD_HD float operator()(float a, float b, float c, float d, float e, float f) const {
    return a + b + c + d + e + f;
  }
};

}  // namespace

int main() {
  if (!measure::has_gpu()) return 0;
  gpu& g = machine();
  constexpr std::size_t n = 4096, many = 1 << 18;
  const wf::device_buffer<float> v(std::vector<float>(many, 1.0f));
  wf::device_buffer<float> to(std::vector<float>(n, 0.0f));
  const std::span<const float> range(v.data(), n), large(v.data(), many);
  const std::span<float> written(to.data(), n);
  float* const out = g.result<float>();
  const auto policy = wf::device.on(g.stream);
  std::size_t bytes = 0;
  check(cub::DeviceReduce::Sum(nullptr, bytes, v.data(), out, static_cast<int>(n), g.stream));
  wf::device_buffer<unsigned char> scratch(bytes + 1);

  double launch = 0;
  const auto row = [&](const char* name, const std::function<void()>& call) {
    const double t = nanoseconds_of(call);
    if (launch == 0) launch = t;
    std::printf("%-44s %7.0f ns  %+7.0f ns beside a launch\n", name, t, t - launch);
  };
  row("a launch of an empty kernel", [&] { nothing<<<1, 256, 0, g.stream>>>(); });
  row("cudaGetDevice", [] {
    int id = 0;
    check(cudaGetDevice(&id));
  });
  row("cudaPointerGetAttributes", [&] {
    cudaPointerAttributes a{};
    check(cudaPointerGetAttributes(&a, out));
  });
  row("cudaStreamIsCapturing", [&] { (void)wf::runtime::is_capturing(g.stream); });
  row("cudaStreamGetId", [&] {
    unsigned long long id = 0;
    check(cudaStreamGetId(g.stream, &id));
  });
  row("reduce_async, 16 KB, one block", [&] { wf::reduce_async(policy, range, wf::plus{}, out); });
  row("reduce_async, 1 MB, a grid", [&] { wf::reduce_async(policy, large, wf::plus{}, out); });
  row("CUB's sum, 16 KB", [&] {
    check(cub::DeviceReduce::Sum(scratch.data(), bytes, v.data(), out, static_cast<int>(n),
                                 g.stream));
  });
  row("transform_async, 16 KB", [&] { wf::transform_async(policy, range, written, negated{}); });
  row("transform_async, six arrays of 16 KB", [&] {
    wf::transform_async(policy, wf::zip(range, range, range, range, range, range), written,
                        sum_of_six{});
  });
}
