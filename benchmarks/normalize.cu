// Softmax and normalization of ragged rows (segments) and of rows of a matrix, in one call:
// transform_segments with an op, and transform_axis. Against plain kernels and against a copy.
//
// Path covered: transform_segments.hpp -> policy/device.hpp ->
// kernel/elementwise/folded_segments.hpp; transform_axis.hpp -> policy/device.hpp ->
// kernel/axis/automatic_transformation.hpp.
//
// The plain kernels are those that one writes first: a warp, or a block of 256 threads, reads each
// segment to fold it, and once more to write it. The softmax folds maximum and sum in one pass. The
// fastest of them is the peer. A copy of the elements is the floor.
//
// Results are compared with wf::seq. Times are medians with a cold cache, and in a graph of 20
// calls.
//
//     normalize [--most-log2 N]
//
// Writes benchmarks/results/<gpu>/normalize.json in the current directory, or under
// WARPFOLD_RESULTS.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <cuda/std/mdspan>

#include <warpfold/policy/seq.hpp>
#include <warpfold/transform_axis.hpp>
#include <warpfold/transform_segments.hpp>

#include "measure.hpp"
#include "plain_normalization.hpp"

namespace wf = warpfold;

namespace {

using namespace measure;
using namespace plain;

struct row {
  std::string kind, work;
  double mean{};
  std::size_t elements{}, segments{};
  double ours{}, graph{}, copy{}, peer{}, peer_graph{};  // seconds; 0 if not measured
  bool right = true;
};
std::vector<row> rows;

std::vector<int> offsets_of(const std::string& kind, double mean, std::size_t n) {
  std::vector<int> offsets{0};
  std::mt19937_64 random(7);
  std::size_t at = 0;
  while (at < n) {
    const double u = std::uniform_real_distribution(1e-6, 1.)(random);
    double length = mean;
    if (kind == "exponential") length = -std::log(u) * mean;
    if (kind == "power law") length = std::min(1e6, mean / 2.5 / std::pow(u, 1 / 1.5));
    if (kind == "half in one" && offsets.size() == 1) length = static_cast<double>(n) / 2;
    at = std::min(n, at + static_cast<std::size_t>(std::max(1., length)));
    offsets.push_back(static_cast<int>(at));
  }
  return offsets;
}

struct inputs {
  std::vector<float> host;
  wf::device_buffer<float> x, out;

  explicit inputs(std::size_t n) : host(n), x(n), out(n) {
    std::uint32_t bits = 1;
    for (float& value : host) {
      bits = bits * 1664525 + 1013904223;
      value = static_cast<float>(bits >> 8) * 0x1p-22f + 0.5f;
    }
    check(cudaMemcpy(x.data(), host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  }
};

void print(const row& r) {
  std::printf(
      "%-12s %-10s %8.0f %10zu %9zu %8.1f us  of a copy %5.2f  plain %5.2f, in a graph %5.2f%s\n",
      r.work.c_str(), r.kind.c_str(), r.mean, r.elements, r.segments, r.ours * 1e6, r.copy / r.ours,
      r.peer / r.ours, r.peer_graph / r.graph, r.right ? "" : "  WRONG");
  std::fflush(stdout);
}

bool near(float got, float want) {
  return std::abs(got - want) <= 2e-5f * (1e-3f + std::abs(want));
}

template <class F>
void measure_work(inputs& in, const std::vector<int>& offsets, const wf::device_buffer<int>& at,
                  row r, bool is_matrix) {
  gpu& g = machine();
  r.work = F::name;
  const std::size_t n = in.host.size(), width = static_cast<std::size_t>(offsets[1]);
  const auto policy = wf::device.on(g.stream);
  const auto call = [&] {
    if (is_matrix) {
      using matrix = cuda::std::mdspan<const float, cuda::std::dextents<std::size_t, 2>>;
      wf::transform_axis_async<1>(policy, matrix(in.x.data(), r.segments, width), typename F::op{},
                                  in.out, function_of<F>());
    } else {
      wf::transform_segments_async(policy, in.x, at, typename F::op{}, in.out, function_of<F>());
    }
  };
  check(cudaMemset(in.out.data(), 255, n * sizeof(float)));
  r.ours = cold_time_of(call, 7);
  std::vector<float> got(n), want(n);
  check(cudaMemcpy(got.data(), in.out.data(), n * sizeof(float), cudaMemcpyDeviceToHost));
  const std::size_t some =
      std::min<std::size_t>(r.segments, 1 + (std::size_t{1} << 22) / (n / r.segments));
  const std::size_t end = static_cast<std::size_t>(offsets[some]);
  wf::transform_segments(wf::seq, std::span(in.host).first(end), std::span(offsets).first(some + 1),
                         typename F::op{}, std::span(want).first(end), function_of<F>());
  for (std::size_t i = 0; i < end; ++i) r.right = r.right && near(got[i], want[i]);
  r.graph = graph_time_of(call);
  const auto try_peer = [&](const std::function<void()>& peer) {
    if (cold_time_of(peer, 1) > 4 * r.ours) return;
    const double cold = cold_time_of(peer, 5), graph = graph_time_of(peer);
    if (r.peer == 0 || cold < r.peer) r.peer = cold;
    if (r.peer_graph == 0 || graph < r.peer_graph) r.peer_graph = graph;
  };
  const auto blocks = static_cast<unsigned>(r.segments);
  try_peer([&] {
    by_warps<F, 1>
        <<<(blocks + 7) / 8, 256, 0, g.stream>>>(in.x.data(), at.data(), in.out.data(), r.segments);
  });
  try_peer([&] {
    by_warps<F, 8><<<blocks, 256, 0, g.stream>>>(in.x.data(), at.data(), in.out.data(), r.segments);
  });
  rows.push_back(r);
  print(r);
}

void measure_segments(inputs& in, const std::string& kind, double mean, double copy,
                      bool is_matrix = false) {
  const auto offsets = offsets_of(kind, mean, in.host.size());
  wf::device_buffer<int> at(offsets.size());
  check(
      cudaMemcpy(at.data(), offsets.data(), offsets.size() * sizeof(int), cudaMemcpyHostToDevice));
  row r{is_matrix ? "matrix" : kind, "", mean, in.host.size(), offsets.size() - 1};
  r.copy = copy;
  measure_work<share>(in, offsets, at, r, is_matrix);
  measure_work<softmax>(in, offsets, at, r, is_matrix);
  measure_work<layer_norm>(in, offsets, at, r, is_matrix);
}

double copy_time(inputs& in) {
  return cold_time_of(
      [&] {
        check(cudaMemcpyAsync(in.out.data(), in.x.data(), in.host.size() * sizeof(float),
                              cudaMemcpyDeviceToDevice, machine().stream));
      },
      9);
}

void measure_size(int log2) {
  inputs in(std::size_t{1} << log2);
  const double copy = copy_time(in);
  std::printf("2^%d floats; a copy %.1f us\n", log2, copy * 1e6);
  for (const double mean : {3., 33., 256., 1000., 5000., 100000.}) {
    measure_segments(in, "equal", mean, copy);
  }
  for (const double mean : {8., 33., 256., 5000.}) measure_segments(in, "exponential", mean, copy);
  for (const double mean : {8., 33., 256.}) measure_segments(in, "power law", mean, copy);
  measure_segments(in, "half in one", 33, copy);
}

void measure_matrix(std::size_t height, std::size_t width) {
  inputs in(height * width);
  measure_segments(in, "equal", static_cast<double>(width), copy_time(in), true);
}

void write_results() {
  write_rows("normalize.json", "", rows, [](std::ostream& json, const row& r) {
    json << "\"work\": \"" << r.work << "\", \"kind\": \"" << r.kind << "\", \"mean\": " << r.mean
         << ", \"elements\": " << r.elements << ", \"segments\": " << r.segments
         << ", \"us\": " << fixed(r.ours * 1e6, 2) << ", \"graph_us\": " << fixed(r.graph * 1e6, 2)
         << ", \"copy_us\": " << fixed(r.copy * 1e6, 2);
    if (r.peer > 0) {
      json << ", \"peer_us\": " << fixed(r.peer * 1e6, 2)
           << ", \"peer_graph_us\": " << fixed(r.peer_graph * 1e6, 2);
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (!measure::has_gpu()) return 0;
  const int most = measure::most_log2(argc, argv, 26);
  if (most == 0) return 2;
  for (const int log2 : {16, 22, 26}) {
    if (log2 <= most) measure_size(log2);
  }
  measure_matrix(8192, 1024);
  measure_matrix(32768, 768);
  measure_matrix(1000000, 33);
  measure_matrix(262144, 128);
  measure_matrix(500000, 67);
  measure_matrix(65536, 512);
  measure_matrix(8192, 1000);
  measure_matrix(30000, 1001);
  measure_matrix(8192, 4096);
  measure_matrix(4096, 8191);
  measure_matrix(2000, 32768);
  write_results();
  return std::all_of(rows.begin(), rows.end(), [](const row& r) { return r.right; }) ? 0 : 1;
}
