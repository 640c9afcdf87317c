// Folds of runs of equal keys: wf::device against CUB.
//
// Path covered: reduce_by_key.hpp -> policy/device.hpp -> kernel/key_runs.hpp.
//
// Keys are ints, values floats: small integers, so sums of fewer than 2^22 values are exact. The
// results of each case are compared with the host. Times are medians, with a cold cache and in a
// graph of 20 calls. Bytes are those of the keys, the values and the results.
//
//     keys [--most-log2 N]
//
// Writes benchmarks/results/<gpu>/keys.json in the current directory, or under WARPFOLD_RESULTS.
// benchmarks/keys_table.py writes keys.md.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/version.cuh>

#include <warpfold/policy/device.hpp>
#include <warpfold/reduce_by_key.hpp>

#include "measure.hpp"

namespace wf = warpfold;

namespace {

using namespace measure;

struct row {
  std::string lengths, call;
  double mean{};
  std::size_t elements{}, runs{}, bytes{};
  double ours{}, cub{}, graph{}, cub_graph{};  // seconds
  bool right = true;
};
std::vector<row> rows;

/// Keys in runs of such lengths, and where the runs begin.
struct keys_in_runs {
  std::vector<int> keys;
  std::vector<std::size_t> begins;

  keys_in_runs(const std::string& lengths, double mean, std::size_t n) : keys(n) {
    std::mt19937_64 random(7);
    const auto size = static_cast<std::size_t>(mean);
    for (std::size_t at = 0; at < n;) {
      std::size_t length = size;
      if (lengths == "uniform") length = 1 + random() % (2 * size - 1);
      if (lengths == "power law") {
        const double u = static_cast<double>(random() >> 11) * 0x1p-53;
        length = static_cast<std::size_t>(std::min(mean / 2 / std::sqrt(1 - u), 1e7)) + 1;
      }
      if (lengths == "one") length = n;
      const std::size_t end = std::min(n, at + length);
      std::fill(keys.begin() + static_cast<std::ptrdiff_t>(at),
                keys.begin() + static_cast<std::ptrdiff_t>(end), static_cast<int>(begins.size()));
      begins.push_back(at);
      at = end;
    }
    begins.push_back(n);
  }
  std::size_t runs() const { return begins.size() - 1; }
};

void print(const row& r) {
  std::printf(
      "%-10s mean %8.0f %-11s %10zu runs %9.1f us %5.0f GB/s  CUB %5.2f times, in a graph %5.2f "
      "times%s\n",
      r.lengths.c_str(), r.mean, r.call.c_str(), r.runs, r.ours * 1e6,
      static_cast<double>(r.bytes) / r.ours * 1e-9, r.cub / r.ours, r.cub_graph / r.graph,
      r.right ? "" : "  WRONG");
  std::fflush(stdout);
}

void measure_lengths(const std::string& lengths, double mean, const std::vector<float>& values,
                     const wf::device_buffer<float>& v) {
  const std::size_t n = values.size();
  const keys_in_runs own(lengths, mean, n);
  gpu& g = machine();
  const wf::device_buffer<int> k(own.keys);
  wf::device_buffer<int> keys_out(n), count(1), lengths_out(n);
  wf::device_buffer<float> sums(n);
  const auto policy = wf::device.on(g.stream);
  const std::span<const int> keys(k.data(), n);
  const std::span<const float> range(v.data(), n);
  const auto ints = static_cast<int>(n);
  std::size_t bytes = 0;
  wf::device_buffer<unsigned char> scratch(1);
  const auto measure = [&](const char* name, std::size_t moved, const auto& call, const auto& cub,
                           const auto& is_right) {
    row r{lengths, name, mean, n, own.runs(), moved};
    check(cudaMemset(count.data(), 255, sizeof(int)));
    r.ours = cold_time_of(call, 9);
    r.right = count.to_host()[0] == static_cast<int>(own.runs()) && is_right();
    r.graph = graph_time_of(call);
    cub(nullptr);
    scratch = wf::device_buffer<unsigned char>(bytes + 1);
    r.cub = cold_time_of([&] { cub(scratch.data()); }, 9);
    r.cub_graph = graph_time_of([&] { cub(scratch.data()); });
    rows.push_back(r);
    print(r);
  };
  measure(
      "sums", 8 * n + 8 * own.runs(),
      [&] {
        wf::reduce_by_key_async(policy, keys, range, wf::plus{}, keys_out.data(), sums.data(),
                                count.data());
      },
      [&](void* memory) {
        check(cub::DeviceReduce::ReduceByKey(memory, bytes, k.data(), keys_out.data(), v.data(),
                                             sums.data(), count.data(), cuda::std::plus<>{}, ints,
                                             g.stream));
      },
      [&] {
        const auto found = sums.to_host();
        const auto found_keys = keys_out.to_host();
        std::size_t wrong = 0;
        for (std::size_t r = 0; r < own.runs(); ++r) {
          double sum = 0;
          for (std::size_t i = own.begins[r]; i < own.begins[r + 1]; ++i) {
            sum += static_cast<double>(values[i]);
          }
          wrong += found_keys[r] != static_cast<int>(r) ||
                   std::abs(static_cast<double>(found[r]) - sum) > (sum < 0x1p24 ? 0 : sum * 1e-6);
        }
        return wrong == 0;
      });
  measure(
      "lengths", 4 * n + 8 * own.runs(),
      [&] {
        wf::run_lengths_async(policy, keys, keys_out.data(), lengths_out.data(), count.data());
      },
      [&](void* memory) {
        check(cub::DeviceRunLengthEncode::Encode(memory, bytes, k.data(), keys_out.data(),
                                                 lengths_out.data(), count.data(), ints, g.stream));
      },
      [&] {
        const auto found = lengths_out.to_host();
        std::size_t wrong = 0;
        for (std::size_t r = 0; r < own.runs(); ++r) {
          wrong += static_cast<std::size_t>(found[r]) != own.begins[r + 1] - own.begins[r];
        }
        return wrong == 0;
      });
}

void measure_size(int log2) {
  std::vector<float> values(std::size_t{1} << log2);
  std::uint32_t bits = 1;
  for (float& x : values) {
    bits = bits * 1664525 + 1013904223;
    x = static_cast<float>(bits >> 30);
  }
  const wf::device_buffer<float> v(values);
  std::printf("2^%d keys\n", log2);
  for (const double mean : {1., 2., 3., 8., 10., 32., 33., 100., 1000., 1e5}) {
    measure_lengths("equal", mean, values, v);
  }
  for (const double mean : {3., 32., 300.}) measure_lengths("uniform", mean, values, v);
  for (const double mean : {4., 64.}) measure_lengths("power law", mean, values, v);
  measure_lengths("one", static_cast<double>(values.size()), values, v);
}

void write_results() {
  const std::string cub = "  \"cub\": " + std::to_string(CUB_VERSION) + ",\n";
  write_rows("keys.json", cub, rows, [](std::ostream& json, const row& r) {
    json << "\"lengths\": \"" << r.lengths << "\", \"call\": \"" << r.call
         << "\", \"mean\": " << r.mean << ", \"elements\": " << r.elements
         << ", \"runs\": " << r.runs << ", \"bytes\": " << r.bytes
         << ", \"us\": " << fixed(r.ours * 1e6, 2) << ", \"cub_us\": " << fixed(r.cub * 1e6, 2)
         << ", \"graph_us\": " << fixed(r.graph * 1e6, 2)
         << ", \"cub_graph_us\": " << fixed(r.cub_graph * 1e6, 2);
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (!measure::has_gpu()) return 0;
  const int most = measure::most_log2(argc, argv, 28);
  if (most == 0) return 2;
  for (const int log2 : {16, 20, 24, 28}) {
    if (log2 <= most) measure_size(log2);
  }
  write_results();
  return std::all_of(rows.begin(), rows.end(), [](const row& r) { return r.right; }) ? 0 : 1;
}
