// Row and column sums of float matrices: nine of about 2 GB each, some whose rows are no whole
// words, and small ones. wf::reduce_axis_async on wf::device.
//
// Path covered: reduce_axis.hpp -> policy/device.hpp -> kernel/axis/automatic.hpp -> ordered_rows,
// ordered_row_tiles, ordered_long_rows, ordered_columns, ordered_few_rows and, for a large axis
// that is split, ordered_pieces; with cuda::std::mdspan.
//
// The benchmark checks each case before it times it. The elements are small integers, so that every
// sum of floats is exact; a simple kernel sums them in 64 bits. Cold: a write of 256 MB flushes the
// L2 cache before each call. Bytes are those read and written. The same run measures the read
// ceiling: the best launch shape of plain 16-byte loads, cold. Times are medians.
//
// Writes benchmarks/results/<gpu>/axis.json and axis.md in the current directory, or under
// WARPFOLD_RESULTS.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <cuda/std/mdspan>

#include <warpfold/reduce_axis.hpp>
#include <warpfold/runtime/buffer.hpp>

#include "measure.hpp"

namespace wf = warpfold;

namespace {

using namespace measure;

struct shape {
  const char* name;
  std::size_t rows, columns;
};
constexpr shape shapes[] = {{"2^25 x 16", std::size_t{1} << 25, 16},
                            {"2^23 x 64", std::size_t{1} << 23, 64},
                            {"2^19 x 1024", std::size_t{1} << 19, 1024},
                            {"2^14 x 2^15", std::size_t{1} << 14, std::size_t{1} << 15},
                            {"2^10 x 2^19", std::size_t{1} << 10, std::size_t{1} << 19},
                            {"16 x 2^25", 16, std::size_t{1} << 25},
                            {"20000 x 20000", 20000, 20000},
                            {"2^28 x 3", std::size_t{1} << 28, 3},
                            {"100 x 5000000", 100, 5000000},
                            {"2^25 x 17", std::size_t{1} << 25, 17},
                            {"9999 x 3193", 9999, 3193},
                            {"125 x 999999", 125, 999999},
                            {"2 x 150000003", 2, 150000003},
                            {"1000 x 1000", 1000, 1000},
                            {"10000 x 17", 10000, 17}};
constexpr std::size_t max_elements = std::size_t{3} << 28;
constexpr std::size_t most_outputs = std::size_t{1} << 28;

__global__ void fill(float* data, std::size_t n) {
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads) {
    auto h = static_cast<unsigned>(i * 2654435761u + (i >> 32));
    h = (h ^ h >> 15) * 2246822519u;
    data[i] = static_cast<float>(static_cast<int>((h ^ h >> 13) % 5) - 2);
  }
}

// Each thread adds up to 1024 elements of one output.
__global__ void sum_plainly(const float* data, std::size_t outputs, std::size_t length,
                            std::size_t apart, std::size_t step, unsigned long long* sums) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t output = i % outputs, first = i / outputs * 1024;
  if (first >= length) return;
  const std::size_t last = first + 1024 < length ? first + 1024 : length;
  long long sum = 0;
  for (std::size_t k = first; k < last; ++k) {
    sum += static_cast<long long>(data[output * apart + k * step]);
  }
  atomicAdd(sums + output, static_cast<unsigned long long>(sum));
}

__global__ void compare(const float* out, const unsigned long long* sums, std::size_t outputs,
                        unsigned* wrong) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < outputs && out[i] != static_cast<float>(static_cast<long long>(sums[i]))) {
    atomicAdd(wrong, 1);
  }
}

const wf::device_buffer<float>& data() {
  static const wf::device_buffer<float> all = [] {
    wf::device_buffer<float> buffer(max_elements);
    fill<<<4096, 256>>>(buffer.data(), max_elements);
    check(cudaDeviceSynchronize());
    return buffer;
  }();
  return all;
}
float* results() {
  static wf::device_buffer<float> all(most_outputs);
  return all.data();
}

// One line of the table.
struct figure {
  std::string name;
  bool rows{};
  std::size_t bytes{};
  double seconds{}, spread{};
  bool right = true;
};
std::vector<figure> figures;
double ceiling = 0;  // bytes per second

using matrix = cuda::std::mdspan<const float, cuda::std::dextents<std::size_t, 2>>;
using vector = cuda::std::mdspan<float, cuda::std::dextents<std::size_t, 1>>;

template <int Axis>
bool is_right(const shape& s) {
  gpu& g = machine();
  constexpr bool rows = Axis == 1;
  const std::size_t outputs = rows ? s.rows : s.columns, length = rows ? s.columns : s.rows;
  wf::device_buffer<unsigned long long> sums(outputs);
  wf::device_buffer<unsigned> wrong(1);
  check(cudaMemsetAsync(sums.data(), 0, outputs * sizeof(unsigned long long), g.stream));
  check(cudaMemsetAsync(wrong.data(), 0, sizeof(unsigned), g.stream));
  check(cudaMemsetAsync(results(), 0xff, outputs * sizeof(float), g.stream));
  const std::size_t threads = outputs * ((length + 1023) / 1024);
  sum_plainly<<<static_cast<unsigned>((threads + 255) / 256), 256, 0, g.stream>>>(
      data().data(), outputs, length, rows ? s.columns : 1, rows ? 1 : s.columns, sums.data());
  wf::reduce_axis_async<Axis>(wf::device.on(g.stream), matrix(data().data(), s.rows, s.columns),
                              wf::plus{}, vector(results(), outputs));
  compare<<<static_cast<unsigned>((outputs + 255) / 256), 256, 0, g.stream>>>(
      results(), sums.data(), outputs, wrong.data());
  unsigned count = 1;
  check(cudaMemcpyAsync(&count, wrong.data(), sizeof count, cudaMemcpyDeviceToHost, g.stream));
  check(cudaStreamSynchronize(g.stream));
  return count == 0;
}

template <int Axis>
void sums(benchmark::State& state, const shape& s) {
  gpu& g = machine();
  const std::size_t outputs = Axis == 1 ? s.rows : s.columns;
  figure f;
  f.name = s.name;
  f.rows = Axis == 1;
  f.bytes = (s.rows * s.columns + outputs) * sizeof(float);
  f.right = is_right<Axis>(s);
  if (!f.right) {
    state.SkipWithError("the result is wrong; not timed");
    figures.push_back(f);
    return;
  }
  const auto policy = wf::device.on(g.stream);
  std::vector<double> t;
  for (auto _ : state) {
    t.push_back(g.cold([&] {
      wf::reduce_axis_async<Axis>(policy, matrix(data().data(), s.rows, s.columns), wf::plus{},
                                  vector(results(), outputs));
    }));
    state.SetIterationTime(t.back());
  }
  f.seconds = median(t);
  f.spread = quartiles(t);
  figures.push_back(f);
  const double rate = static_cast<double>(f.bytes) / f.seconds;
  state.counters["GB/s"] = rate * 1e-9;
  if (ceiling > 0) state.counters["of_ceiling"] = rate / ceiling;
}

void ceiling_of_reads(benchmark::State& state) {
  for (auto _ : state) {
    const std::size_t bytes = max_elements * sizeof(float);
    ceiling = read_ceiling(data().data(), bytes);
    state.SetIterationTime(static_cast<double>(bytes) / ceiling);
  }
  state.counters["GB/s"] = ceiling * 1e-9;
}

void write_results() {
  const std::filesystem::path where = results_folder();
  std::ofstream json(where / "axis.json");
  json << "{\n  \"gpu\": \"" << gpu_name() << "\",\n  \"commit\": \"" << commit()
       << "\",\n  \"cuda\": " << CUDART_VERSION
       << ",\n  \"read_ceiling_gb_s\": " << fixed(ceiling * 1e-9, 1) << ",\n  \"figures\": [\n";
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const figure& f = figures[i];
    json << "    {\"shape\": \"" << f.name << "\", \"sums\": \"" << (f.rows ? "rows" : "columns")
         << "\", \"bytes\": " << f.bytes;
    if (f.right) {
      json << ", \"us\": " << fixed(f.seconds * 1e6, 3)
           << ", \"iqr_us\": " << fixed(f.spread * 1e6, 3)
           << ", \"gb_s\": " << fixed(static_cast<double>(f.bytes) / f.seconds * 1e-9, 1);
    } else {
      json << ", \"wrong\": true";
    }
    json << "}" << (i + 1 < figures.size() ? "," : "") << "\n";
  }
  json << "  ]\n}\n";

  std::ofstream table(where / "axis.md");
  table << "# Row and column sums on " << gpu_name() << "\n\nCommit " << commit()
        << ". float, cold cache, medians; bytes read and written. The read ceiling of this run is "
        << fixed(ceiling * 1e-9, 0)
        << " GB/s.\n\n| rows x columns | sums of | us | GB/s | of ceiling |\n|---:|:---|---:|---:|"
           "---:|\n";
  for (const figure& f : figures) {
    table << "| " << f.name << " | " << (f.rows ? "rows" : "columns") << " | ";
    if (f.right) {
      const double rate = static_cast<double>(f.bytes) / f.seconds;
      table << fixed(f.seconds * 1e6, 1) << " | " << fixed(rate * 1e-9, 0) << " | "
            << fixed(rate / ceiling * 100, 1) << " % |\n";
    } else {
      table << "WRONG | | |\n";
    }
  }
  std::cout << "wrote " << (where / "axis.json").string() << " and axis.md\n";
}

template <int Axis>
void add() {
  for (const shape& s : shapes) {
    const std::string name = std::string(Axis == 1 ? "rows/" : "columns/") + s.name;
    benchmark::RegisterBenchmark(name.c_str(), [&s](benchmark::State& b) { sums<Axis>(b, s); })
        ->UseManualTime()
        ->Iterations(15)
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (!measure::has_gpu()) return 0;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RegisterBenchmark("read_ceiling", ceiling_of_reads)->UseManualTime()->Iterations(1);
  add<1>();
  add<0>();
  benchmark::RunSpecifiedBenchmarks();
  if (ceiling > 0 && !figures.empty()) write_results();
  return std::all_of(figures.begin(), figures.end(), [](const figure& f) { return f.right; }) ? 0
                                                                                              : 1;
}
