// Sums and maxima on host threads: wf::par and wf::seq beside the standard library, OpenMP, Thrust
// and Eigen, and beside only reading the data. Then common reductions (variance, norm, index of the
// least element, least and greatest element, dot product of both halves): wf::par beside the
// standard library and Eigen. Extrema also of bytes, and of sizes that fit the caches.
//
// Path covered: reduce.hpp -> policy/par.hpp -> host/ordered_fold.hpp; for variance, norm
// and index host/batch_fold.hpp; with raw pointers.
//
// All contenders compute the same value: sums of int use 64 bits, and variances and norms use sums
// in double. In two respects wf::par does more: its extrema propagate NaN, and its norms neither
// overflow nor underflow. The benchmark checks each result before it times it. The contenders of a
// case take turns within one run, so that ratios are fair. They pause after each turn, because
// OpenMP's threads spin for a while after their work. Times are medians. `read` loads every word
// and does nearly nothing with it, with several numbers of streams; the best is the bandwidth of
// the memory in the same run.
//
// Writes benchmarks/results/host/host.json in the current directory, or under WARPFOLD_RESULTS.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <execution>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <warpfold/dot.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/policy/std_par.hpp>
#include <warpfold/reduce.hpp>

#if __has_include(<thrust/reduce.h>)
#include <warpfold/policy/thrust_host.hpp>
#define HAS_THRUST
#endif

#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#define HAS_EIGEN
#endif

namespace wf = warpfold;

namespace {

using seconds = std::chrono::duration<double>;

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

template <class T>
constexpr const char* name_of() {
  return std::is_same_v<T, float>         ? "f32"
         : std::is_same_v<T, int>         ? "i32"
         : std::is_same_v<T, signed char> ? "i8"
                                          : "f64";
}

/// 268 MB of numbers whose sums stay small.
template <class T>
const std::vector<T>& data() {
  static const std::vector<T> all = [] {
    std::vector<T> v((std::size_t{1} << 28) / sizeof(T));
    std::mt19937 random(20);
    for (T& x : v) {
      if constexpr (sizeof(T) == 1) {
        x = static_cast<T>(random());
      } else if constexpr (std::is_integral_v<T>) {
        x = static_cast<T>(random() % 2001) - 1000;
      } else {
        x = static_cast<T>(static_cast<double>(random()) / 2147483648.0 - 1.0);
      }
    }
    return v;
  }();
  return all;
}

/// One way to compute the case's value.
struct contender {
  std::string name;
  std::function<double()> call;
  std::vector<double> times{};

  double time() const { return median(times); }
};

/// The measurement of one case.
struct figure {
  std::string op, type;
  std::size_t elements{}, bytes{};
  std::vector<contender> contenders;
  double ceiling = 0;  // bytes per second of only reading; 0: not measured
  bool right = true;

  const contender* find(const std::string& name) const {
    for (const contender& c : contenders) {
      if (c.name == name && !c.times.empty()) return &c;
    }
    return nullptr;
  }
};
std::vector<figure>& figures() {
  static std::vector<figure> all;
  return all;
}

/// Reads `bytes` bytes (a multiple of a cache line) on every core. Each thread reads `Streams`
/// streams at the same time.
template <int Streams>
std::uint64_t read_all(const std::byte* data, std::size_t bytes) {
  const std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t words = bytes / sizeof(std::uint64_t);
  const std::size_t part = words / threads / Streams / 8 * 8;
  std::vector<std::uint64_t> seen(threads * 8);  // a cache line for each thread
  const auto read = [&](std::size_t t) {
    const auto* const own = reinterpret_cast<const std::uint64_t*>(data) + t * Streams * part;
    std::uint64_t x[8] = {};
    for (std::size_t i = 0; i < part; i += 8) {
      for (int s = 0; s < Streams; ++s) {
        for (int k = 0; k < 8; ++k) x[k] ^= own[static_cast<std::size_t>(s) * part + i + k];
      }
    }
    for (const std::uint64_t w : x) seen[t * 8] ^= w;
  };
  std::vector<std::thread> others;
  for (std::size_t t = 1; t < threads; ++t) others.emplace_back(read, t);
  read(0);
  for (std::thread& t : others) t.join();
  return std::accumulate(seen.begin(), seen.end(), std::uint64_t{});
}

template <class T>
using sum_t = std::conditional_t<std::is_integral_v<T>, long long, T>;

template <class T>
std::vector<contender> sums(std::span<const T> v) {
  using S = sum_t<T>;
  return {
      {"par", [=] { return static_cast<double>(wf::reduce(wf::par, v)); }},
      {"seq", [=] { return static_cast<double>(wf::reduce(wf::seq, v)); }},
      {"std_par_unseq",
       [=] {
         return static_cast<double>(
             std::reduce(std::execution::par_unseq, v.begin(), v.end(), S{}));
       }},
      {"accumulate", [=] { return static_cast<double>(std::accumulate(v.begin(), v.end(), S{})); }},
#ifdef _OPENMP
      {"openmp_simd",
       [=] {
         const T* const p = v.data();
         const std::size_t n = v.size();
         S sum{};
#pragma omp parallel for simd reduction(+ : sum)
         for (std::size_t i = 0; i < n; ++i) sum += p[i];
         return static_cast<double>(sum);
       }},
#endif
#ifdef HAS_EIGEN
      {"eigen",
       [=] {
         const Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>> all(
             v.data(), static_cast<Eigen::Index>(v.size()));
         return static_cast<double>(all.template cast<S>().sum());
       }},
#endif
#ifdef HAS_THRUST
#ifdef _OPENMP
      {"thrust_omp",
       [=] {
         return static_cast<double>(
             thrust::reduce(thrust::omp::par, v.data(), v.data() + v.size(), S{}));
       }},
#endif
      {"thrust_tbb",
       [=] {
         return static_cast<double>(
             thrust::reduce(thrust::tbb::par, v.data(), v.data() + v.size(), S{}));
       }},
#endif
  };
}

template <class T>
std::vector<contender> maxima(std::span<const T> v) {
  return {
      {"par", [=] { return static_cast<double>(wf::reduce(wf::par, v, wf::maximum{})); }},
      {"seq", [=] { return static_cast<double>(wf::reduce(wf::seq, v, wf::maximum{})); }},
      {"max_element", [=] { return static_cast<double>(*std::max_element(v.begin(), v.end())); }},
      {"max_element_par_unseq",
       [=] {
         return static_cast<double>(
             *std::max_element(std::execution::par_unseq, v.begin(), v.end()));
       }},
      {"std_par_unseq",
       [=] {
         return static_cast<double>(std::reduce(std::execution::par_unseq, v.begin(), v.end(), v[0],
                                                [](T a, T b) { return a < b ? b : a; }));
       }},
#ifdef _OPENMP
      {"openmp_simd",
       [=] {
         const T* const p = v.data();
         const std::size_t n = v.size();
         T most = p[0];
#pragma omp parallel for simd reduction(max : most)
         for (std::size_t i = 0; i < n; ++i) most = most < p[i] ? p[i] : most;
         return static_cast<double>(most);
       }},
#endif
#ifdef HAS_EIGEN
      {"eigen",
       [=] {
         const Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>> all(
             v.data(), static_cast<Eigen::Index>(v.size()));
         return static_cast<double>(all.maxCoeff());
       }},
#endif
#if defined(HAS_THRUST) && defined(_OPENMP)
      {"thrust_omp",
       [=] {
         return static_cast<double>(thrust::reduce(thrust::omp::par, v.data(), v.data() + v.size(),
                                                   v[0], thrust::maximum<T>{}));
       }},
#endif
  };
}

template <class T>
std::vector<contender> minima(std::span<const T> v) {
  return {
      {"par", [=] { return static_cast<double>(wf::reduce(wf::par, v, wf::minimum{})); }},
      {"seq", [=] { return static_cast<double>(wf::reduce(wf::seq, v, wf::minimum{})); }},
      {"std_par_unseq",
       [=] {
         return static_cast<double>(std::reduce(std::execution::par_unseq, v.begin(), v.end(), v[0],
                                                [](T a, T b) { return b < a ? b : a; }));
       }},
#ifdef HAS_EIGEN
      {"eigen",
       [=] {
         const Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>> all(
             v.data(), static_cast<Eigen::Index>(v.size()));
         return static_cast<double>(all.minCoeff());
       }},
#endif
  };
}

template <class T>
std::vector<contender> variances(std::span<const T> v) {
  return {
      {"par", [=] { return wf::reduce(wf::par, v, wf::moments_op{}).variance(); }},
      {"std_par_unseq",
       [=] {
         const double n = static_cast<double>(v.size());
         const double mean = std::reduce(std::execution::par_unseq, v.begin(), v.end(), 0.0) / n;
         return std::transform_reduce(std::execution::par_unseq, v.begin(), v.end(), 0.0,
                                      std::plus{},
                                      [=](double x) { return (x - mean) * (x - mean); }) /
                n;
       }},
  };
}

template <class T>
std::vector<contender> norms(std::span<const T> v) {
  return {
      {"par", [=] { return wf::norm_2(wf::par, v); }},
      {"std_par_unseq",
       [=] {
         return std::sqrt(std::transform_reduce(std::execution::par_unseq, v.begin(), v.end(), 0.0,
                                                std::plus{}, [](double x) { return x * x; }));
       }},
#ifdef HAS_EIGEN
      {"eigen",
       [=] {
         const Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>> all(
             v.data(), static_cast<Eigen::Index>(v.size()));
         return all.template cast<double>().norm();
       }},
#endif
  };
}

template <class T>
std::vector<contender> places_of_least(std::span<const T> v) {
  return {
      {"par", [=] { return static_cast<double>(wf::argmin(wf::par, v).index); }},
      {"min_element",
       [=] { return static_cast<double>(std::min_element(v.begin(), v.end()) - v.begin()); }},
      {"min_element_par_unseq",
       [=] {
         return static_cast<double>(
             std::min_element(std::execution::par_unseq, v.begin(), v.end()) - v.begin());
       }},
  };
}

/// The greatest minus the least element, because the value of a case is one number.
template <class T>
std::vector<contender> extents(std::span<const T> v) {
  const auto extent = [](double least, double greatest) { return greatest - least; };
  return {
      {"par",
       [=] {
         const auto both = wf::minmax(wf::par, v);
         return extent(both.min, both.max);
       }},
      {"minmax_element",
       [=] {
         const auto [least, greatest] = std::minmax_element(v.begin(), v.end());
         return extent(*least, *greatest);
       }},
      {"minmax_element_par_unseq",
       [=] {
         const auto [least, greatest] =
             std::minmax_element(std::execution::par_unseq, v.begin(), v.end());
         return extent(*least, *greatest);
       }},
  };
}

template <class T>
std::vector<contender> products_of_halves(std::span<const T> v) {
  const auto a = v.first(v.size() / 2), b = v.last(v.size() / 2);
  return {
      {"par", [=] { return static_cast<double>(wf::dot(wf::par, a, b)); }},
      {"std_par_unseq",
       [=] {
         return static_cast<double>(
             std::transform_reduce(std::execution::par_unseq, a.begin(), a.end(), b.begin(), T{}));
       }},
      {"inner_product",
       [=] { return static_cast<double>(std::inner_product(a.begin(), a.end(), b.begin(), T{})); }},
#ifdef HAS_EIGEN
      {"eigen",
       [=] {
         using vector = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>>;
         const auto n = static_cast<Eigen::Index>(a.size());
         return static_cast<double>(vector(a.data(), n).dot(vector(b.data(), n)));
       }},
#endif
  };
}

/// The value in long double, and the largest error of a contender. For sums this is the rounding
/// error of the longest chain of additions, that of one thread.
struct reference {
  long double value, error;
};
template <class T>
constexpr long double unit_roundoff = std::numeric_limits<T>::epsilon() / 2;

template <class T>
reference sum_of(std::span<const T> v) {
  long double sum = 0, magnitude = 0;
  for (const T x : v) {
    sum += x;
    magnitude += std::fabs(static_cast<long double>(x));
  }
  if (std::is_integral_v<T>) return {sum, 0};
  return {sum, unit_roundoff<T> * magnitude * static_cast<long double>(v.size())};
}

template <class T>
reference maximum_of(std::span<const T> v) {
  return {static_cast<long double>(*std::max_element(v.begin(), v.end())), 0};
}

template <class T>
reference minimum_of(std::span<const T> v) {
  return {static_cast<long double>(*std::min_element(v.begin(), v.end())), 0};
}

template <class T>
reference variance_of(std::span<const T> v) {
  const auto n = static_cast<long double>(v.size());
  const long double mean = sum_of(v).value / n;
  long double squares = 0;
  for (const T x : v) squares += (x - mean) * (x - mean);
  return {squares / n, 2 * unit_roundoff<double> * squares};
}

template <class T>
reference norm_of(std::span<const T> v) {
  long double squares = 0;
  for (const T x : v) squares += static_cast<long double>(x) * x;
  const long double norm = std::sqrt(squares);
  return {norm, unit_roundoff<double> * norm * static_cast<long double>(v.size())};
}

template <class T>
reference place_of_least_in(std::span<const T> v) {
  return {static_cast<long double>(std::min_element(v.begin(), v.end()) - v.begin()), 0};
}

template <class T>
reference extent_of(std::span<const T> v) {
  const auto [least, greatest] = std::minmax_element(v.begin(), v.end());
  return {static_cast<double>(*greatest) - static_cast<double>(*least), 0};
}

// The products have both signs and are at most 1, so their sum is at most a few sqrt(n), and the n
// rounding errors partly cancel. The worst-case error would be larger than the value.
template <class T>
reference product_of_halves_of(std::span<const T> v) {
  const std::size_t n = v.size() / 2;
  long double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += static_cast<long double>(v[i]) * v[i + n];
  return {sum, 8 * unit_roundoff<T> * static_cast<long double>(n)};
}

/// One comparison: its contenders, and the expected value.
template <class T>
struct comparison {
  const char* op;
  std::vector<contender> (*contenders)(std::span<const T>);
  reference (*want)(std::span<const T>);
};
template <class T>
constexpr comparison<T> maximum_comparison = {"max", maxima, maximum_of};
template <class T>
constexpr comparison<T> first_comparisons[] = {{"sum", sums, sum_of}, maximum_comparison<T>};
template <class T>
constexpr comparison<T> minimum_comparison = {"min", minima, minimum_of};
template <class T>
constexpr comparison<T> everyday_comparisons[] = {
    {"mean_variance", variances, variance_of},         {"norm_2", norms, norm_of},
    {"argmin", places_of_least, place_of_least_in},    {"minmax", extents, extent_of},
    {"dot", products_of_halves, product_of_halves_of},
};

template <class T>
void compare(benchmark::State& state, const comparison<T>& c, std::size_t elements) {
  const std::span<const T> v(data<T>().data(), elements);
  figure f;
  f.op = c.op;
  f.type = name_of<T>();
  f.elements = elements;
  f.bytes = v.size_bytes();
  f.contenders = c.contenders(v);
  const reference want = c.want(v);
  for (const contender& by : f.contenders) {
    const double got = by.call();
    if (std::fabs(got - want.value) <= want.error) continue;
    f.right = false;
    state.SkipWithError((by.name + " is wrong; nothing is timed").c_str());
    figures().push_back(f);
    return;
  }

  // Only reading, for data larger than the caches. Each number of streams takes its turn.
  std::vector<std::vector<double>> reading(f.bytes >= (std::size_t{64} << 20) ? 4 : 0);
  const auto read = [&, bytes = reinterpret_cast<const std::byte*>(v.data())](std::size_t shape) {
    benchmark::DoNotOptimize(shape == 0   ? read_all<1>(bytes, f.bytes)
                             : shape == 1 ? read_all<2>(bytes, f.bytes)
                             : shape == 2 ? read_all<4>(bytes, f.bytes)
                                          : read_all<8>(bytes, f.bytes));
  };

  // Repeats short cases until a turn takes about a millisecond.
  const int repeats = static_cast<int>(std::max<std::size_t>(1, (std::size_t{8} << 20) / f.bytes));
  for (auto _ : state) {
    for (contender& by : f.contenders) {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < repeats; ++i) benchmark::DoNotOptimize(by.call());
      const seconds turn = std::chrono::steady_clock::now() - start;
      by.times.push_back(turn.count() / repeats);
      if (by.name == "par") state.SetIterationTime(turn.count() / repeats);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    for (std::size_t shape = 0; shape < reading.size(); ++shape) {
      const auto start = std::chrono::steady_clock::now();
      read(shape);
      reading[shape].push_back(seconds(std::chrono::steady_clock::now() - start).count());
    }
  }
  for (const auto& times : reading) {
    f.ceiling = std::max(f.ceiling, static_cast<double>(f.bytes) / median(times));
  }
  for (const contender& by : f.contenders) {
    state.counters[by.name + "_GB/s"] = static_cast<double>(f.bytes) / by.time() * 1e-9;
  }
  figures().push_back(f);
}

// --- the report ----------------------------------------------------------------------------------

std::string fixed(double x, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, x);
  return text;
}

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

void print_table() {
  std::cout << "\nGB/s, and the speedup of par over each; read: only reading\n";
  for (const figure& f : figures()) {
    std::cout << "\n" << f.op << " of " << f.type << ", " << f.elements << " elements\n";
    const contender* const par = f.find("par");
    if (par == nullptr) {
      std::cout << "  WRONG\n";
      continue;
    }
    for (const contender& c : f.contenders) {
      char line[100];
      std::snprintf(line, sizeof line, "  %-24s %7.1f %8.2f x\n", c.name.c_str(),
                    static_cast<double>(f.bytes) / c.time() * 1e-9, c.time() / par->time());
      std::cout << line;
    }
    if (f.ceiling > 0) {
      char line[100];
      std::snprintf(line, sizeof line, "  %-24s %7.1f %8.2f x\n", "read", f.ceiling * 1e-9,
                    static_cast<double>(f.bytes) / f.ceiling / par->time());
      std::cout << line;
    }
  }
}

void write_results() {
  const char* const root = std::getenv("WARPFOLD_RESULTS");
  const std::filesystem::path where =
      std::filesystem::path(root != nullptr ? root : "benchmarks/results") / "host";
  std::filesystem::create_directories(where);
  const char* const commit = std::getenv("WARPFOLD_COMMIT");
  std::ofstream json(where / "host.json");
  json << "{\n  \"cpu\": \"" << cpu_model()
       << "\",\n  \"cores\": " << std::thread::hardware_concurrency() << ",\n  \"compiler\": \""
       << __VERSION__ << "\",\n  \"commit\": \"" << (commit != nullptr ? commit : "unknown")
       << "\",\n  \"figures\": [\n";
  for (const figure& f : figures()) {
    json << "    {\"op\": \"" << f.op << "\", \"type\": \"" << f.type
         << "\", \"elements\": " << f.elements << ", \"bytes\": " << f.bytes;
    if (f.ceiling > 0) json << ", \"read_gb_s\": " << fixed(f.ceiling * 1e-9, 2);
    if (f.right) {
      json << ", \"gb_s\": {";
      for (const contender& c : f.contenders) {
        json << (&c == f.contenders.data() ? "" : ", ") << "\"" << c.name
             << "\": " << fixed(static_cast<double>(f.bytes) / c.time() * 1e-9, 2);
      }
      json << "}";
    } else {
      json << ", \"wrong\": true";
    }
    json << "}" << (&f == &figures().back() ? "" : ",") << "\n";
  }
  json << "  ]\n}\n";
  std::cout << "\nwrote " << (where / "host.json").string() << "\n";
}

template <class T>
void add(const comparison<T>& c, std::size_t elements, int iterations) {
  const std::string name = std::string(c.op) + "/" + name_of<T>() + "/" + std::to_string(elements);
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& s) { compare<T>(s, c, elements); })
      ->UseManualTime()
      ->Iterations(iterations)
      ->Unit(benchmark::kMicrosecond);
}

template <class T>
void add_all() {
  constexpr std::size_t few = 16384, many = (std::size_t{1} << 28) / sizeof(T);
  for (const auto& c : first_comparisons<T>) add(c, few, 101);
  for (const auto& c : first_comparisons<T>) add(c, many, 31);
  if constexpr (std::is_floating_point_v<T>) {
    for (const auto& c : everyday_comparisons<T>) add(c, few, 101);
    for (const auto& c : everyday_comparisons<T>) add(c, many, 15);
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  add_all<float>();
  add_all<int>();
  add_all<double>();
  add(minimum_comparison<double>, 17070, 101);
  add(maximum_comparison<signed char>, 6'300'000, 101);
  add(maximum_comparison<signed char>, std::size_t{1} << 28, 31);
  benchmark::RunSpecifiedBenchmarks();
  if (figures().empty()) return 0;
  print_table();
  write_results();
  return std::all_of(figures().begin(), figures().end(), [](const figure& f) { return f.right; })
             ? 0
             : 1;
}
