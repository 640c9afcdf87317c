// Sums of float, int and double at every power of two from 2^8 elements to 4 GB: wf::device against
// CUB and, for a value on the host, thrust::reduce.
//
// Path covered: reduce.hpp -> policy/device.hpp -> kernel/automatic.hpp -> single_block up to 64
// KB, then single_pass, and bulk_copy from five times the L2 cache on; with raw pointers.
//
// CUB and Thrust sum in the element type, as their users do; wf::device sums int in 64 bits.
//
// The benchmark compares each case with a sum on the host before it times it. Contenders take turns
// within one run, so that ratios are fair. Three ways to call:
//   cold    one call, enqueued after a write of 256 MB, which flushes the L2 cache
//   hot     one of 20 calls in a graph replay; the data is in the L2 cache if it fits
//   value   one call that returns a value to the host, timed by the host's clock; warm cache
// The same run measures the read ceiling (the best launch shape of plain 16-byte loads over 4 GB,
// cold) and the empty launch. Times are medians.
//
// Writes benchmarks/results/<gpu>/sums.json and sums.md in the current directory, or under
// WARPFOLD_RESULTS.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <warpfold/policy/cub.hpp>
#include <warpfold/policy/thrust.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/runtime/buffer.hpp>

#include "measure.hpp"

namespace wf = warpfold;

namespace {

using namespace measure;

template <class T>
constexpr const char* name_of() {
  return std::is_same_v<T, float> ? "f32" : std::is_same_v<T, int> ? "i32" : "f64";
}

// The sum of any 2^30 of these values fits an integer, and is near zero in floating point.
template <class T>
const wf::device_buffer<T>& data() {
  static const wf::device_buffer<T> all = [] {
    const std::size_t n = (std::size_t{4} << 30) / sizeof(T);
    wf::device_buffer<T> buffer(n);
    std::vector<T> host(std::size_t{1} << 24);
    std::mt19937 random(20);
    for (std::size_t at = 0; at < n; at += host.size()) {
      for (T& x : host) {
        if constexpr (std::is_integral_v<T>) {
          x = static_cast<T>(random() % 2001) - 1000;
        } else {
          x = static_cast<T>(static_cast<double>(random()) / 2147483648.0 - 1.0);
        }
      }
      const std::size_t count = std::min(host.size(), n - at);
      check(cudaMemcpy(buffer.data() + at, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    }
    return buffer;
  }();
  return all;
}

// One line of the table.
struct figure {
  std::string type, mode;
  std::size_t elements{}, bytes{};
  double ours{}, cub{}, thrust{};  // seconds
  double ours_spread{}, cub_spread{};
  bool right = true;
};
std::vector<figure> figures;
double ceiling = 0;       // bytes per second
double empty_launch = 0;  // seconds, cold

template <class T, class Result>
bool agrees(Result result, const std::vector<T>& host) {
  long double exact = 0, magnitude = 0;
  for (T x : host) {
    exact += x;
    magnitude += std::abs(static_cast<long double>(x));
  }
  if constexpr (std::is_integral_v<T>) {
    return static_cast<long double>(result) == exact;
  } else {
    // On each path a value takes part in at most log2(n) + 2^10 additions.
    const long double bound = magnitude * std::numeric_limits<T>::epsilon() * 1100;
    return std::abs(static_cast<long double>(result) - exact) <= bound;
  }
}

enum class mode { cold, hot, value };

template <class T>
void sums(benchmark::State& state, mode how, int log2) {
  gpu& g = machine();
  const std::size_t n = std::size_t{1} << log2;
  const std::span<const T> v(data<T>().data(), n);
  const auto ours = wf::device.on(g.stream);
  const auto cub = wf::baseline::cub.on(g.stream);
  const auto thrust = wf::baseline::thrust.on(g.stream);
  using R = wf::wide_sum_t<T>;

  figure f;
  f.type = name_of<T>();
  f.mode = how == mode::cold ? "cold" : how == mode::hot ? "hot" : "value";
  f.elements = n;
  f.bytes = n * sizeof(T);

  // Up to 64 MB the host checks the result; above, the contenders are compared with each other.
  if (f.bytes <= (64u << 20)) {
    std::vector<T> host(n);
    check(cudaMemcpy(host.data(), v.data(), f.bytes, cudaMemcpyDeviceToHost));
    f.right = agrees(wf::reduce(ours, v, wf::plus{}), host) &&
              agrees(wf::reduce(cub, v, T{}, wf::plus{}), host);
  } else {
    const double a = static_cast<double>(wf::reduce(ours, v, wf::plus{}));
    const double b = static_cast<double>(wf::reduce(cub, v, T{}, wf::plus{}));
    const double bound = std::is_integral_v<T>
                             ? 0.0
                             : static_cast<double>(n) * std::numeric_limits<T>::epsilon() * 1100;
    f.right = std::abs(a - b) <= bound;
  }
  if (!f.right) {
    state.SkipWithError("the result is wrong; not timed");
    figures.push_back(f);
    return;
  }

  std::vector<double> t_ours, t_cub, t_thrust;
  if (how == mode::value) {
    const auto timed = [](const auto& call) {
      const auto start = std::chrono::steady_clock::now();
      benchmark::DoNotOptimize(call());
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    for (auto _ : state) {
      t_ours.push_back(timed([&] { return wf::reduce(ours, v, wf::plus{}); }));
      t_cub.push_back(timed([&] { return wf::reduce(cub, v, T{}, wf::plus{}); }));
      t_thrust.push_back(timed([&] { return wf::reduce(thrust, v, T{}, wf::plus{}); }));
      state.SetIterationTime(t_ours.back());
    }
    f.thrust = median(t_thrust);
  } else {
    const auto call_ours = [&] { wf::reduce_async(ours, v, wf::plus{}, g.result<R>()); };
    const auto call_cub = [&] { wf::reduce_async(cub, v, T{}, wf::plus{}, g.result<T>()); };
    if (how == mode::cold) {
      for (auto _ : state) {
        t_ours.push_back(g.cold(call_ours));
        t_cub.push_back(g.cold(call_cub));
        state.SetIterationTime(t_ours.back());
      }
    } else {
      const cudaGraphExec_t graphs[2] = {g.graph_of(call_ours), g.graph_of(call_cub)};
      const auto replay = [&](int i) {
        return g.between([&] { check(cudaGraphLaunch(graphs[i], g.stream)); }) / 20;
      };
      replay(0), replay(1);
      for (auto _ : state) {
        t_ours.push_back(replay(0));
        t_cub.push_back(replay(1));
        state.SetIterationTime(t_ours.back());
      }
      for (cudaGraphExec_t graph : graphs) check(cudaGraphExecDestroy(graph));
    }
  }
  f.ours = median(t_ours);
  f.cub = median(t_cub);
  f.ours_spread = quartiles(t_ours);
  f.cub_spread = quartiles(t_cub);
  figures.push_back(f);
  state.counters["us"] = f.ours * 1e6;
  state.counters["cub_us"] = f.cub * 1e6;
  state.counters["GB/s"] = static_cast<double>(f.bytes) / f.ours * 1e-9;
  state.counters["vs_cub"] = f.cub / f.ours;
  if (how == mode::value) state.counters["vs_thrust"] = f.thrust / f.ours;
}

void ceiling_of_reads(benchmark::State& state) {
  for (auto _ : state) {
    const std::size_t bytes = std::size_t{4} << 30;
    ceiling = read_ceiling(data<float>().data(), bytes);
    state.SetIterationTime(static_cast<double>(bytes) / ceiling);
  }
  state.counters["GB/s"] = ceiling * 1e-9;
}

void empty(benchmark::State& state) {
  gpu& g = machine();
  std::vector<double> t;
  for (auto _ : state) {
    t.push_back(g.cold([&] { nothing<<<1, 32, 0, g.stream>>>(); }));
    state.SetIterationTime(t.back());
  }
  empty_launch = median(t);
}

void write_results() {
  const std::filesystem::path where = results_folder();
  int driver = 0;
  check(cudaDriverGetVersion(&driver));

  std::ofstream json(where / "sums.json");
  json << "{\n  \"gpu\": \"" << gpu_name() << "\",\n  \"commit\": \"" << commit()
       << "\",\n  \"cuda\": " << CUDART_VERSION << ",\n  \"driver_cuda\": " << driver
       << ",\n  \"cub\": " << CUB_VERSION
       << ",\n  \"read_ceiling_gb_s\": " << fixed(ceiling * 1e-9, 1)
       << ",\n  \"empty_launch_us\": " << fixed(empty_launch * 1e6, 2) << ",\n  \"figures\": [\n";
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const figure& f = figures[i];
    json << "    {\"type\": \"" << f.type << "\", \"mode\": \"" << f.mode
         << "\", \"elements\": " << f.elements << ", \"bytes\": " << f.bytes;
    if (f.right) {
      json << ", \"us\": " << fixed(f.ours * 1e6, 3)
           << ", \"iqr_us\": " << fixed(f.ours_spread * 1e6, 3)
           << ", \"cub_us\": " << fixed(f.cub * 1e6, 3)
           << ", \"cub_iqr_us\": " << fixed(f.cub_spread * 1e6, 3);
      if (f.thrust > 0) json << ", \"thrust_us\": " << fixed(f.thrust * 1e6, 3);
    } else {
      json << ", \"wrong\": true";
    }
    json << "}" << (i + 1 < figures.size() ? "," : "") << "\n";
  }
  json << "  ]\n}\n";

  std::ofstream table(where / "sums.md");
  table
      << "# Sums on " << gpu_name() << "\n\nCommit " << commit() << ", CUB " << CUB_VERSION
      << ". Times are medians in us, in parentheses the speedup over CUB; `hot` is a graph replay; "
         "`value` is one call that returns a value to the host, with the speedup over "
         "thrust::reduce "
         "after the comma.\nThe read ceiling of this run is "
      << fixed(ceiling * 1e-9, 0) << " GB/s, an empty launch takes " << fixed(empty_launch * 1e6, 2)
      << " us cold.\n";
  for (const char* type : {"f32", "i32", "f64"}) {
    table << "\n## " << type
          << "\n\n| size | cold | GB/s | of ceiling | hot | value |\n|---:|---:|---:|"
             "---:|---:|---:|\n";
    for (std::size_t bytes = 1024; bytes <= (std::size_t{4} << 30); bytes *= 2) {
      const auto cell = [&](const char* mode) -> const figure* {
        for (const figure& f : figures) {
          if (f.type == type && f.mode == mode && f.bytes == bytes) return &f;
        }
        return nullptr;
      };
      const figure *cold = cell("cold"), *hot = cell("hot"), *value = cell("value");
      if (cold == nullptr) continue;
      const auto text = [](const figure* f) -> std::string {
        if (f == nullptr) return "";
        if (!f->right) return "WRONG";
        std::string t = fixed(f->ours * 1e6, 2) + " (" + fixed(f->cub / f->ours, 2);
        if (f->thrust > 0) t += ", " + fixed(f->thrust / f->ours, 2);
        return t + ")";
      };
      table << "| " << size_text(bytes) << " | " << text(cold) << " | ";
      if (cold->right) {
        const double rate = static_cast<double>(bytes) / cold->ours;
        table << fixed(rate * 1e-9, 0) << " | " << fixed(rate / ceiling * 100, 1) << " % | ";
      } else {
        table << " | | ";
      }
      table << text(hot) << " | " << text(value) << " |\n";
    }
  }
  std::cout << "wrote " << (where / "sums.json").string() << " and sums.md\n";
}

template <class T>
void add(int most) {
  for (const mode how : {mode::cold, mode::hot, mode::value}) {
    for (int log2 = 8; log2 <= most; ++log2) {
      const std::size_t bytes = (std::size_t{1} << log2) * sizeof(T);
      if (how == mode::value && bytes > (std::size_t{64} << 20)) continue;
      const std::string name = std::string(name_of<T>()) + "/" +
                               (how == mode::cold  ? "cold"
                                : how == mode::hot ? "hot"
                                                   : "value") +
                               "/2^" + std::to_string(log2);
      const int samples = bytes >= (std::size_t{256} << 20) ? 11 : how == mode::hot ? 21 : 101;
      benchmark::RegisterBenchmark(name.c_str(),
                                   [=](benchmark::State& s) { sums<T>(s, how, log2); })
          ->UseManualTime()
          ->Iterations(samples)
          ->Unit(benchmark::kMicrosecond);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (!measure::has_gpu()) return 0;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RegisterBenchmark("read_ceiling", ceiling_of_reads)->UseManualTime()->Iterations(1);
  benchmark::RegisterBenchmark("empty_launch", empty)->UseManualTime()->Iterations(101);
  add<float>(30);
  add<int>(30);
  add<double>(29);
  benchmark::RunSpecifiedBenchmarks();
  if (ceiling > 0 && empty_launch > 0 && !figures.empty()) write_results();
  return std::all_of(figures.begin(), figures.end(), [](const figure& f) { return f.right; }) ? 0
                                                                                              : 1;
}
