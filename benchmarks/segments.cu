// Folds and transforms of many segments of a range of floats: wf::device against CUB, against plain
// kernels, and against the sum of the whole range.
//
// Path covered: reduce_segments.hpp -> policy/device.hpp -> kernel/segments.hpp (by offsets), or,
// for segments of one size, the rows of kernel/axis/; and transform_segments.hpp ->
// policy/device.hpp -> kernel/elementwise/transformed_segments.hpp.
//
// The plain kernels are those that one writes first: a thread, 4 threads, a warp or a block for
// each segment, which take its elements in turns. The fastest of them is the peer, with a cold
// cache and in a graph of 20 calls.
//
// The results of each case are compared with the host. Sums by offsets are compared with sums of
// integers, and the other cases with wf::seq. The elements are small integers, so sums of floats
// below 2^24 are exact. The peers' results are not compared. Times are medians with a cold cache.
// Bytes are those of the elements, the offsets and the results.
//
//     segments [--most-log2 N]
//
// Writes benchmarks/results/<gpu>/segments.json in the current directory, or under
// WARPFOLD_RESULTS. benchmarks/segments_plot.py draws it and writes segments.md.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <cub/device/device_segmented_reduce.cuh>
#include <cub/version.cuh>

#include <warpfold/op/arg.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/transform_segments.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>

#include "measure.hpp"
#include "plain_segments.hpp"

namespace wf = warpfold;

namespace {

using namespace measure;
using plain::blocks_of;

struct row {
  std::string kind, op;
  double mean{};
  std::size_t elements{}, segments{}, bytes{};
  double ours{}, plain{}, cub{};  // seconds; 0 if not measured
  double peer{}, graph{}, peer_graph{}, cub_graph{};
  bool right = true;
};
std::vector<row> rows;

/// The lengths of the segments of `n` elements.
std::vector<int> offsets_of(const std::string& kind, double mean, std::size_t n) {
  std::vector<int> offsets{0};
  std::mt19937_64 random(7);
  std::size_t at = 0;
  const auto push = [&](double length) {
    at = std::min(n, at + static_cast<std::size_t>(length));
    offsets.push_back(static_cast<int>(at));
  };
  const auto size = static_cast<std::size_t>(mean);
  if (kind == "equal") {
    while (at < n) push(mean);
  } else if (kind == "uniform") {
    while (at < n) push(static_cast<double>(random() % (2 * size + 1)));
  } else if (kind == "power law") {
    while (at < n) {
      const double u = static_cast<double>(random() >> 11) * 0x1p-53;
      push(std::min(mean / 2 / std::sqrt(1 - u), 1e7));
    }
  } else if (kind == "half in one") {
    push(static_cast<double>(n / 2));
    while (at < n) push(1);
  } else if (kind == "every other empty") {
    while (at < n) push(0), push(2 * mean);
  } else if (kind == "all empty but one") {
    offsets.resize(1 + size / 2, 0);
    push(static_cast<double>(n));
    offsets.resize(1 + size, static_cast<int>(n));
  } else {
    push(static_cast<double>(n));
  }
  return offsets;
}

struct inputs {
  std::size_t n;
  std::vector<float> host;
  wf::device_buffer<float> a, b;
  std::vector<std::int32_t> before;  ///< sums of the elements before each, as integers

  explicit inputs(std::size_t n) : n(n), host(n), a(n), b(n), before(n + 1) {
    std::uint32_t bits = 1;
    for (std::size_t i = 0; i < n; ++i) {
      bits = bits * 1664525 + 1013904223;
      host[i] = static_cast<float>(bits >> 30);
      before[i + 1] = before[i] + static_cast<std::int32_t>(bits >> 30);
    }
    check(cudaMemcpy(a.data(), host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    check(cudaMemcpy(b.data(), host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  }
  std::span<const float> range() const { return {a.data(), n}; }
};

/// A plain kernel for transforms: `Threads` threads of a block for each segment.
template <unsigned Threads>
__global__ void transform_by(const float* x, const int* offsets, const float* values, float* out,
                             std::size_t segments) {
  const std::size_t s = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / Threads;
  if (s >= segments) return;
  const int end = offsets[s + 1];
  const float value = values[s];
  for (int i = offsets[s] + static_cast<int>(threadIdx.x % Threads); i < end;
       i += static_cast<int>(Threads)) {
    out[i] = x[i] - value;
  }
}

/// The fastest plain kernel, cold and in a graph. One that takes far longer than `ours` is left
/// out.
void measure_peers(const std::function<void()> (&peers)[4], row& r) {
  for (const auto& peer : peers) {
    if (cold_time_of(peer, 1) > 4 * r.ours) continue;
    const double cold = cold_time_of(peer, 5), graph = graph_time_of(peer);
    if (r.peer == 0 || cold < r.peer) r.peer = cold;
    if (r.peer_graph == 0 || graph < r.peer_graph) r.peer_graph = graph;
  }
}
void measure_folding_peers(const inputs& in, const int* offsets, float* out, row& r) {
  gpu& g = machine();
  const auto n = r.segments;
  const plain::sum_of x{in.a.data()};
  const plain::offsets_at at{offsets};
  using plain::by_lanes, plain::by_block;
  measure_peers({[&] { by_lanes<1><<<blocks_of(n, 1), 256, 0, g.stream>>>(x, at, out, n); },
                 [&] { by_lanes<4><<<blocks_of(n, 4), 256, 0, g.stream>>>(x, at, out, n); },
                 [&] { by_lanes<32><<<blocks_of(n, 32), 256, 0, g.stream>>>(x, at, out, n); },
                 [&] { by_block<256><<<blocks_of(n, 256), 256, 0, g.stream>>>(x, at, out); }},
                r);
}
void measure_transforming_peers(const inputs& in, const int* offsets, const float* v, float* out,
                                row& r) {
  gpu& g = machine();
  const auto n = r.segments;
  const float* const x = in.a.data();
  measure_peers(
      {[&] { transform_by<1><<<blocks_of(n, 1), 256, 0, g.stream>>>(x, offsets, v, out, n); },
       [&] { transform_by<4><<<blocks_of(n, 4), 256, 0, g.stream>>>(x, offsets, v, out, n); },
       [&] { transform_by<32><<<blocks_of(n, 32), 256, 0, g.stream>>>(x, offsets, v, out, n); },
       [&] { transform_by<256><<<blocks_of(n, 256), 256, 0, g.stream>>>(x, offsets, v, out, n); }},
      r);
}

void print(const row& r) {
  std::printf("%-18s %9.0f %-8s %10zu segments %9.1f us %5.0f GB/s  of the sum %5.2f",
              r.kind.c_str(), r.mean, r.op.c_str(), r.segments, r.ours * 1e6,
              static_cast<double>(r.bytes) / r.ours * 1e-9, r.plain / r.ours);
  if (r.cub > 0) std::printf("  CUB %9.1f us, %6.2f times", r.cub * 1e6, r.cub / r.ours);
  if (r.peer > 0)
    std::printf("  plain %5.2f, in a graph %5.2f", r.peer / r.ours, r.peer_graph / r.graph);
  std::printf("%s\n", r.right ? "" : "  WRONG");
  std::fflush(stdout);
}

/// True if the sums are those of the host.
bool are_right(const inputs& in, const std::vector<int>& offsets, const float* out) {
  std::vector<float> got(offsets.size() - 1);
  check(cudaMemcpy(got.data(), out, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::size_t wrong = 0;
  for (std::size_t s = 0; s < got.size(); ++s) {
    const auto want = static_cast<double>(in.before[static_cast<std::size_t>(offsets[s + 1])] -
                                          in.before[static_cast<std::size_t>(offsets[s])]);
    wrong += std::abs(static_cast<double>(got[s]) - want) > (want < 0x1p24 ? 0 : want * 1e-6);
  }
  return wrong == 0;
}

struct less_value {
  WARPFOLD_HD float operator()(float x, float value) const { return x - value; }
};

/// Subtracts the number of its segment, modulo 1000, from each element.
void transform_by_offsets(const inputs& in, const std::vector<int>& offsets,
                          std::span<const int> at, row r) {
  std::vector<float> host(r.segments), want(in.n), got(in.n);
  for (std::size_t s = 0; s < host.size(); ++s) host[s] = static_cast<float>(s % 1000);
  wf::transform_segments(wf::seq, in.host, offsets, host, want, less_value{});
  wf::device_buffer<float> values(r.segments), out(in.n);
  check(
      cudaMemcpy(values.data(), host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
  r = {r.kind, "transform", r.mean, in.n, r.segments, r.bytes + 4 * in.n, 0, r.plain};
  const auto call = [&] {
    wf::transform_segments_async(wf::device.on(machine().stream), in.range(), at, values, out,
                                 less_value{});
  };
  r.ours = cold_time_of(call, 9);
  check(cudaMemcpy(got.data(), out.data(), in.n * sizeof(float), cudaMemcpyDeviceToHost));
  r.right = got == want;
  r.graph = graph_time_of(call);
  measure_transforming_peers(in, at.data(), values.data(), out.data(), r);
  rows.push_back(r);
  print(r);
}

void by_offsets(const inputs& in, const std::string& kind, double mean, double plain) {
  gpu& g = machine();
  const auto offsets = offsets_of(kind, mean, in.n);
  const std::size_t segments = offsets.size() - 1;
  wf::device_buffer<int> bounds(offsets.size());
  wf::device_buffer<float> out(segments);
  check(cudaMemcpy(bounds.data(), offsets.data(), offsets.size() * sizeof(int),
                   cudaMemcpyHostToDevice));
  check(cudaMemset(out.data(), 255, segments * sizeof(float)));
  const std::span<const int> at(bounds.data(), offsets.size());
  const std::span<float> to(out.data(), segments);
  const auto policy = wf::device.on(g.stream);
  row r{kind, "sum", mean, in.n, segments};
  r.bytes = 4 * (in.n + 2 * segments + 1);
  r.plain = plain;
  const auto call = [&] { wf::reduce_segments_async(policy, in.range(), at, wf::plus{}, to); };
  r.ours = cold_time_of(call, 9);
  r.right = are_right(in, offsets, out.data());
  r.graph = graph_time_of(call);
  std::size_t bytes = 0;
  const auto cub = [&](void* scratch) {
    check(cub::DeviceSegmentedReduce::Sum(scratch, bytes, in.a.data(), out.data(),
                                          static_cast<std::int64_t>(segments), bounds.data(),
                                          bounds.data() + 1, g.stream));
  };
  cub(nullptr);
  wf::device_buffer<unsigned char> scratch(bytes + 1);
  r.cub = cold_time_of([&] { cub(scratch.data()); }, segments > in.n / 64 ? 3 : 9);
  if (r.cub < 8 * r.ours) r.cub_graph = graph_time_of([&] { cub(scratch.data()); });
  measure_folding_peers(in, bounds.data(), out.data(), r);
  rows.push_back(r);
  print(r);
  transform_by_offsets(in, offsets, at, r);
}

bool same(float got, float want) { return got == want; }
bool same(const wf::indexed<float>& got, const wf::indexed<float>& want) { return got == want; }
bool same(const wf::moments& got, const wf::moments& want) {
  const auto near = [](double x, double y) { return std::abs(x - y) <= 1e-9 * (1 + std::abs(y)); };
  return got.count == want.count && near(got.mean, want.mean) && near(got.m2, want.m2);
}

/// The arguments of a call: those of the GPU or those of the host.
struct arguments {
  std::span<const float> a, b;
  std::span<const int> offsets;
};

/// Other ops, and segments of one size. `call(policy, arguments, out)` folds the segments.
template <class Out, class Call>
void other(const inputs& in, const char* kind, const char* op, double mean, std::size_t segments,
           std::size_t bytes, double plain, const arguments& there, const arguments& here,
           const Call& call) {
  const auto policy = wf::device.on(machine().stream);
  wf::device_buffer<Out> out(segments);
  check(cudaMemset(out.data(), 255, segments * sizeof(Out)));
  row r{kind, op, mean, in.n, segments, bytes + segments * sizeof(Out)};
  r.plain = plain;
  r.ours = cold_time_of([&] { call(policy, there, std::span<Out>(out.data(), segments)); }, 9);
  std::vector<Out> got(segments), want(segments);
  check(cudaMemcpy(got.data(), out.data(), segments * sizeof(Out), cudaMemcpyDeviceToHost));
  call(wf::seq, here, std::span<Out>(want));
  for (std::size_t s = 0; s < segments; ++s) r.right = r.right && same(got[s], want[s]);
  rows.push_back(r);
  print(r);
}

struct times {
  WARPFOLD_HD float operator()(float x, float y) const { return x * y; }
};

void measure_size(int log2) {
  gpu& g = machine();
  const inputs in(std::size_t{1} << log2);
  const auto policy = wf::device.on(g.stream);
  const double plain = cold_time_of(
      [&] { wf::reduce_async(policy, in.range(), wf::plus{}, g.result<float>()); }, 15);
  std::printf("2^%d floats; the sum of all: %.1f us\n", log2, plain * 1e6);
  for (const double mean : {1., 2., 4., 8., 16., 32., 100., 256., 1024., 10000., 1e5}) {
    by_offsets(in, "equal", mean, plain);
  }
  for (const double mean : {1., 4., 8., 32., 256., 1024., 20000.}) {
    by_offsets(in, "uniform", mean, plain);
  }
  for (const double mean : {2., 8., 32., 256.}) by_offsets(in, "power law", mean, plain);
  by_offsets(in, "half in one", 1, plain);
  by_offsets(in, "every other empty", 8, plain);
  by_offsets(in, "all empty but one", 1e6, plain);
  by_offsets(in, "one", static_cast<double>(in.n), plain);

  const std::size_t bytes = 4 * in.n;
  for (const double mean : {8., 32., 256., 2048.}) {
    const auto offsets = offsets_of("uniform", mean, in.n);
    const std::size_t segments = offsets.size() - 1;
    wf::device_buffer<int> bounds(offsets.size());
    check(cudaMemcpy(bounds.data(), offsets.data(), offsets.size() * sizeof(int),
                     cudaMemcpyHostToDevice));
    const std::size_t read = bytes + 4 * offsets.size();
    const arguments there{in.range(), {in.b.data(), in.n}, {bounds.data(), offsets.size()}};
    const arguments here{in.host, in.host, offsets};
    other<wf::indexed<float>>(in, "uniform", "argmax", mean, segments, read, plain, there, here,
                              [](const auto& policy, const arguments& x, auto to) {
                                wf::reduce_segments_async(policy, x.a, x.offsets,
                                                          wf::arg(wf::maximum{}), to);
                              });
    other<wf::moments>(in, "uniform", "moments", mean, segments, read, plain, there, here,
                       [](const auto& policy, const arguments& x, auto to) {
                         wf::reduce_segments_async(policy, x.a, x.offsets, wf::moments_op{}, to);
                       });
    other<float>(in, "uniform", "dot", mean, segments, read + bytes, plain, there, here,
                 [](const auto& policy, const arguments& x, auto to) {
                   const auto products = wf::project(wf::zip(x.a, x.b), times{});
                   wf::reduce_segments_async(policy, products, x.offsets, wf::plus{}, to);
                 });
  }
  for (const std::size_t n : {1, 3, 7, 8, 24, 31, 32, 64, 100, 127, 128, 1000, 4096}) {
    const std::size_t segments = in.n / n, whole = segments * n;
    other<float>(in, "one size", "sum", static_cast<double>(n), segments, 4 * whole, plain,
                 {in.range().first(whole), {}, {}}, {{in.host.data(), whole}, {}, {}},
                 [n](const auto& policy, const arguments& x, auto to) {
                   wf::reduce_segments_async(policy, x.a, wf::segments_of_size(n), wf::plus{}, to);
                 });
  }
}

void write_results() {
  const std::string cub = "  \"cub\": " + std::to_string(CUB_VERSION) + ",\n";
  write_rows("segments.json", cub, rows, [](std::ostream& json, const row& r) {
    json << "\"kind\": \"" << r.kind << "\", \"op\": \"" << r.op << "\", \"mean\": " << r.mean
         << ", \"elements\": " << r.elements << ", \"segments\": " << r.segments
         << ", \"bytes\": " << r.bytes << ", \"us\": " << fixed(r.ours * 1e6, 2)
         << ", \"sum_us\": " << fixed(r.plain * 1e6, 2);
    const auto optional = [&](const char* name, double seconds) {
      if (seconds > 0) json << ", \"" << name << "\": " << fixed(seconds * 1e6, 2);
    };
    optional("cub_us", r.cub);
    optional("peer_us", r.peer);
    optional("graph_us", r.graph);
    optional("peer_graph_us", r.peer_graph);
    optional("cub_graph_us", r.cub_graph);
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (!measure::has_gpu()) return 0;
  const int most = measure::most_log2(argc, argv, 28);
  if (most == 0) return 2;
  for (const int log2 : {16, 22, 26, 28}) {
    if (log2 <= most) measure_size(log2);
  }
  write_results();
  return std::all_of(rows.begin(), rows.end(), [](const row& r) { return r.right; }) ? 0 : 1;
}
