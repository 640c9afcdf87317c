/// @file
/// needs: cuda
/// Functions of the GPU benchmarks: timing of calls with a cold cache or in a graph, medians, the
/// read ceiling, and the folder of the results.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include <warpfold/runtime/buffer.hpp>

namespace measure {

inline void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::cerr << "CUDA: " << cudaGetErrorString(status) << '\n';
  std::exit(1);
}

/// The argument of `--most-log2 N`, the only option: the logarithm of the largest size. Without it
/// `otherwise`; after other arguments 0, and a message.
inline int most_log2(int argc, char** argv, int otherwise) {
  if (argc == 1) return otherwise;
  if (argc == 3 && std::strcmp(argv[1], "--most-log2") == 0) return std::atoi(argv[2]);
  std::cerr << "usage: " << argv[0] << " [--most-log2 N]\n";
  return 0;
}

inline double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

/// The interquartile range.
inline double quartiles(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() * 3 / 4] - v[v.size() / 4];
}

/// A stream, events, and memory for flushing the L2 cache.
struct gpu {
  cudaStream_t stream{};
  cudaEvent_t start{}, stop{};
  warpfold::device_buffer<unsigned char> flush{256u << 20};
  warpfold::device_buffer<double> out{8};

  gpu() {
    check(cudaStreamCreate(&stream));
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&stop));
  }

  template <class T>
  T* result() {
    return reinterpret_cast<T*>(out.data());
  }

  /// The seconds of one call with a cold cache.
  double cold(const std::function<void()>& call) {
    check(cudaMemsetAsync(flush.data(), 1, flush.size(), stream));
    return between(call);
  }
  double between(const std::function<void()>& call) {
    float ms = 0;
    check(cudaEventRecord(start, stream));
    call();
    check(cudaEventRecord(stop, stream));
    check(cudaEventSynchronize(stop));
    check(cudaEventElapsedTime(&ms, start, stop));
    return ms * 1e-3;
  }

  /// A graph of 20 calls.
  cudaGraphExec_t graph_of(const std::function<void()>& call) {
    cudaGraph_t graph{};
    cudaGraphExec_t exec{};
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < 20; ++i) call();
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&exec, graph, 0));
    check(cudaGraphDestroy(graph));
    return exec;
  }
};

inline gpu& machine() {
  static gpu g;
  return g;
}

/// The seconds of one call with a cold cache: the median, after one call more.
inline double cold_time_of(const std::function<void()>& call, int samples) {
  gpu& g = machine();
  call();
  check(cudaStreamSynchronize(g.stream));
  std::vector<double> t;
  for (int i = 0; i < samples; ++i) t.push_back(g.cold(call));
  return median(t);
}

/// The seconds of one call in a graph of 20: the median.
inline double graph_time_of(const std::function<void()>& call) {
  gpu& g = machine();
  cudaGraphExec_t const graph = g.graph_of(call);
  std::vector<double> t;
  for (int i = 0; i < 8; ++i) {
    const double s = g.between([&] { check(cudaGraphLaunch(graph, g.stream)); }) / 20;
    if (i != 0) t.push_back(s);
  }
  check(cudaGraphExecDestroy(graph));
  return median(t);
}

/// An empty kernel, to measure the time of a launch.
static __global__ void nothing() {}

/// Reads every word, with four loads in flight per thread. The result keeps the loads from being
/// optimized away.
static __global__ void read_all(const uint4* words, std::size_t n, unsigned* out) {
  unsigned seen = 0;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + 3 * threads < n; i += 4 * threads) {
    uint4 w[4];
    for (int u = 0; u < 4; ++u) w[u] = __ldg(words + i + u * threads);
    for (int u = 0; u < 4; ++u) seen ^= w[u].x ^ w[u].y ^ w[u].z ^ w[u].w;
  }
  for (; i < n; i += threads) seen ^= __ldg(words + i).x;
  if (seen == 0x12345678) *out = seen;
}

/// The bandwidth of plain 16-byte loads of `bytes` bytes, in bytes per second: the best of several
/// launch shapes, with a cold cache.
inline double read_ceiling(const void* data, std::size_t bytes) {
  gpu& g = machine();
  double best = 1;
  for (unsigned block : {256u, 512u, 1024u}) {
    for (unsigned grid : {132u, 264u, 528u, 1056u, 2112u, 4224u, 16896u}) {
      std::vector<double> t;
      for (int i = 0; i < 5; ++i) {
        t.push_back(g.cold([&] {
          read_all<<<grid, block, 0, g.stream>>>(static_cast<const uint4*>(data),
                                                 bytes / sizeof(uint4), g.result<unsigned>());
        }));
      }
      best = std::min(best, median(t));
    }
  }
  return static_cast<double>(bytes) / best;
}

inline std::string size_text(std::size_t bytes) {
  const char* const units[] = {"B", "KB", "MB", "GB"};
  int u = 0;
  while (bytes >= 1024 && u < 3) bytes /= 1024, ++u;
  return std::to_string(bytes) + " " + units[u];
}

inline std::string fixed(double x, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, x);
  return text;
}

/// False without a GPU; prints that nothing is measured.
inline bool has_gpu() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices != 0) return true;
  std::cout << "no GPU: nothing to measure\n";
  return false;
}

inline std::string gpu_name() {
  cudaDeviceProp p{};
  check(cudaGetDeviceProperties(&p, 0));
  return p.name;
}

/// The folder of the GPU's results, which the function creates. ./dev bench sets its name;
/// otherwise it is the name of the GPU.
inline std::filesystem::path results_folder() {
  const std::string name = gpu_name();
  const std::string folder = name.find("H100") != std::string::npos   ? "h100"
                             : name.find("H200") != std::string::npos ? "h200"
                                                                      : "gpu";
  const char* root = std::getenv("WARPFOLD_RESULTS");
  const char* named = std::getenv("WARPFOLD_GPU_FOLDER");
  const std::filesystem::path where =
      std::filesystem::path(root != nullptr ? root : "benchmarks/results") /
      (named != nullptr ? named : folder);
  std::filesystem::create_directories(where);
  return where;
}

/// The measured commit, which ./dev bench sets.
inline std::string commit() {
  const char* const c = std::getenv("WARPFOLD_COMMIT");
  return c != nullptr ? c : "unknown";
}

/// Writes the record `name`: the GPU, the commit, `more` members, and an object for each row.
/// `members(json, row)` writes those of a row; a row that is not `right` has "wrong", too.
template <class Row, class Members>
void write_rows(const char* name, const std::string& more, const std::vector<Row>& rows,
                const Members& members) {
  const auto where = results_folder() / name;
  std::ofstream json(where);
  json << "{\n  \"gpu\": \"" << gpu_name() << "\",\n  \"commit\": \"" << commit() << "\",\n"
       << more << "  \"rows\": [\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    json << "    {";
    members(json, rows[i]);
    json << (rows[i].right ? "" : ", \"wrong\": true") << "}" << (i + 1 < rows.size() ? "," : "")
         << "\n";
  }
  json << "  ]\n}\n";
  std::cout << "wrote " << where.string() << "\n";
}
}  // namespace measure
