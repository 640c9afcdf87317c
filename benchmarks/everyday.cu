// Common reductions, compared with a plain sum of the same bytes: moments (mean and variance),
// norm, argmin, minmax, five ops in one read, a compensated sum, and a dot product of two arrays of
// half the bytes. Sum and argmin are also compared with CUB.
//
// Path covered: reduce.hpp -> op/lift.hpp -> policy/device.hpp -> kernel/automatic.hpp ->
// single_pass, and bulk_copy at 2 GB for small states; with raw pointers.
//
// The elements are multiples of a power of two, so that 64-bit integers hold the exact sums of
// elements, squares and products. The GPU computes these with atomics, and the host too up to 64
// MB. The benchmark compares every result with them before it times anything; a wrong result is
// reported and has no time. Contenders take turns within one run. Each call is enqueued after a
// write of 256 MB, which flushes the L2 cache. The same run measures the read ceiling: the best
// launch shape of plain 16-byte loads over 2 GB. Times are medians.
//
// Writes benchmarks/results/<gpu>/everyday.json and everyday.md in the current directory, or under
// WARPFOLD_RESULTS.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/squares.hpp>
#include <warpfold/policy/cub.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/runtime/buffer.hpp>

#include "measure.hpp"

namespace wf = warpfold;

namespace {

using namespace measure;

template <class T>
constexpr const char* name_of() {
  return std::is_same_v<T, float> ? "f32" : "f64";
}

// --- elements, and their exact results -----------------------------------------------------------

/// An element is a number of units of 2^-fraction_bits.
template <class T>
constexpr int fraction_bits = std::is_same_v<T, float> ? 22 : 30;

/// Uniform from -0.5 to 1.5, so that a sum is large compared with its rounding errors.
template <class T>
__global__ void fill(T* v, std::size_t n) {
  constexpr int bits = fraction_bits<T>;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads) {
    // The i-th number of SplitMix64.
    std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    x ^= x >> 31;
    const auto units =
        static_cast<std::int64_t>(x >> (63 - bits)) - (std::int64_t{1} << (bits - 1));
    v[i] = static_cast<T>(units) / static_cast<T>(std::int64_t{1} << bits);
  }
}

/// Exact results in units, modulo 2^64: sums, with squares and products in two halves; and the
/// first least and the first greatest element, with the value in the high word and the index in the
/// low word. For up to 2^32 elements.
struct facts {
  using word = unsigned long long;  // the type of atomics

  word sum = 0, magnitude = 0;
  word squares_high = 0, squares_low = 0;
  word products_high = 0,
       products_low = 0;  // of the first half of the elements and the second half
  word least = ~word{0}, greatest = 0;

  template <class T>
  __host__ __device__ void see(const T* v, std::size_t n, std::size_t i) {
    const long long x = units(v[i]);
    sum += static_cast<word>(x);
    magnitude += static_cast<word>(x < 0 ? -x : x);
    squares_high += static_cast<word>(x * x >> 32);
    squares_low += static_cast<word>(x * x) & low;
    if (i < n / 2) {
      const long long product = x * units(v[i + n / 2]);
      products_high += static_cast<word>(product >> 32);
      products_low += static_cast<word>(product) & low;
    }
    const word value = static_cast<word>(x + offset) << 32;
    least = least < (value | i) ? least : (value | i);
    greatest = greatest < (value | (low - i)) ? (value | (low - i)) : greatest;
  }
  __device__ void add_to(facts* all) const {
    atomicAdd(&all->sum, sum);
    atomicAdd(&all->magnitude, magnitude);
    atomicAdd(&all->squares_high, squares_high);
    atomicAdd(&all->squares_low, squares_low);
    atomicAdd(&all->products_high, products_high);
    atomicAdd(&all->products_low, products_low);
    atomicMin(&all->least, least);
    atomicMax(&all->greatest, greatest);
  }

  bool operator==(const facts&) const = default;

  static constexpr word low = 0xffffffff;
  static constexpr long long offset = 1ll << 30;  // makes the units positive

 private:
  template <class T>
  static __host__ __device__ long long units(T x) {
    return static_cast<long long>(x * static_cast<T>(1ll << fraction_bits<T>));
  }
};

template <class T>
__global__ void survey(const T* v, std::size_t n, facts* all) {
  facts own;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads) {
    own.see(v, n, i);
  }
  own.add_to(all);
}

/// The expected results, and the comparison with them.
template <class T>
class oracle {
 public:
  oracle(const facts& f, std::size_t n) : n_(n) {
    const auto whole = [](facts::word high, facts::word part) {
      return (static_cast<__int128>(static_cast<long long>(high)) << 32) +
             static_cast<__int128>(part);
    };
    const auto of_square = [](__int128 x) { return static_cast<long double>(x) * unit * unit; };
    const auto sum = static_cast<long long>(f.sum);
    const auto count = static_cast<__int128>(n);
    const __int128 squares = whole(f.squares_high, f.squares_low);
    sum_ = static_cast<long double>(sum) * unit;
    magnitude_ = static_cast<long double>(f.magnitude) * unit;
    squares_ = of_square(squares);
    // The difference is exact.
    variance_ = of_square(count * squares - static_cast<__int128>(sum) * sum) / n / n;
    product_ = of_square(whole(f.products_high, f.products_low));
    least_ = {value(f.least), f.least & facts::low};
    greatest_ = {value(f.greatest), facts::low - (f.greatest & facts::low)};
  }

  bool is_sum(T x) const { return near<T>(x, sum_, magnitude_); }
  /// The sum has twice the digits and is rounded once, to one of the two nearest numbers.
  bool is_compensated_sum(T x) const {
    constexpr long double rounding = std::numeric_limits<T>::epsilon();
    const long double squared = roundings * rounding * roundings * rounding;
    return std::abs(x - sum_) <= rounding * std::abs(sum_) + squared * magnitude_;
  }
  /// A product is at most half the sum of the two squares.
  bool is_product(T x) const { return near<T>(x, product_, squares_ / 2); }
  bool are_moments(const wf::moments& m) const {
    const long double mean = sum_ / n_;
    const long double condition = std::sqrt(1 + mean * mean / variance_);
    return m.count == n_ && near<double>(m.mean, mean, magnitude_ / n_) &&
           near<double>(m.variance(), variance_, variance_ * condition);
  }
  bool is_norm(double x) const {
    const long double norm = std::sqrt(squares_);
    return near<double>(x, norm, norm);
  }
  bool is_least(T x) const { return x == least_.value; }
  bool is_greatest(T x) const { return x == greatest_.value; }
  bool is_first_least(const wf::indexed<T>& x) const { return x == least_; }
  bool is_first_greatest(const wf::indexed<T>& x) const { return x == greatest_; }

 private:
  static constexpr long double unit = 1 / static_cast<long double>(1ll << fraction_bits<T>);

  // The most additions on the path of an element: 2^10 in its thread, and then the tree.
  static constexpr long double roundings = 1100;

  template <class Rounded>
  static bool near(long double x, long double want, long double magnitude) {
    return std::abs(x - want) <= roundings * std::numeric_limits<Rounded>::epsilon() * magnitude;
  }
  static T value(facts::word key) {
    return static_cast<T>(unit * (static_cast<long long>(key >> 32) - facts::offset));
  }

  std::size_t n_;
  long double sum_, magnitude_, squares_, variance_, product_;
  wf::indexed<T> least_, greatest_;
};

// --- contenders ----------------------------------------------------------------------------

struct multiply {
  template <class T>
  __host__ __device__ T operator()(const wf::tuple<T, T>& pair) const {
    return wf::get<0>(pair) * wf::get<1>(pair);
  }
};

// CUB's ArgMin with separate outputs. Older versions of CUB have only the deprecated ArgMin.
template <class T>
concept cub_finds_places = requires(std::size_t& bytes, const T* v, T* value, std::int64_t* index) {
  cub::DeviceReduce::ArgMin(nullptr, bytes, v, value, index, std::int64_t{});
};
template <class T>
struct found {
  T value;
  std::int64_t index;
};

/// A call that writes its result to the machine's result memory, and the check of the result.
struct contender {
  std::string op;
  bool is_cub;
  std::function<void()> call;
  std::function<bool()> is_right;
  bool right = true;
  std::vector<double> times{};
};

template <class Result>
contender one(const char* op, bool is_cub, const std::function<void(Result*)>& call,
              const std::function<bool(const Result&)>& judge) {
  static_assert(sizeof(Result) <= 8 * sizeof(double),
                "the machine's memory for a result is too small");
  Result* const out = machine().result<Result>();
  const auto is_right = [=] {
    gpu& g = machine();
    Result result;
    // Removes the result of the previous call.
    check(cudaMemsetAsync(out, 0xff, sizeof(Result), g.stream));
    call(out);
    check(cudaStreamSynchronize(g.stream));
    check(cudaMemcpy(&result, out, sizeof(Result), cudaMemcpyDeviceToHost));
    return judge(result);
  };
  return {op, is_cub, [=] { call(out); }, is_right};
}

template <class Result, class T, class Op>
contender ours(const char* name, std::span<const T> v, const Op& op,
               const std::function<bool(const Result&)>& judge) {
  const auto here = wf::device.on(machine().stream);
  return one<Result>(name, false, [=](Result* out) { wf::reduce_async(here, v, op, out); }, judge);
}

/// All contenders for `v`; CUB follows warpfold. `scratch` is CUB's memory.
template <class T>
std::vector<contender> contenders(std::span<const T> v, const oracle<T>& right,
                                  wf::device_buffer<unsigned char>& scratch) {
  using squares = decltype(wf::squares_op{}.lift(T{}));
  using place = wf::indexed<T>;
  using two = wf::tuple<T, T>;
  using five = wf::tuple<T, T, T, place, wf::moments>;
  using compensated = wf::compensated_sum<T>;
  const auto stream = machine().stream;
  std::vector<contender> all;

  const auto is_sum = [=](T x) { return right.is_sum(x); };
  all.push_back(ours<T>("sum", v, wf::plus{}, is_sum));
  const auto cub = wf::baseline::cub.on(stream);
  all.push_back(
      one<T>("sum", true, [=](T* out) { wf::reduce_async(cub, v, T{}, wf::plus{}, out); }, is_sum));

  all.push_back(ours<wf::moments>("mean_variance", v, wf::moments_op{},
                                  [=](const wf::moments& m) { return right.are_moments(m); }));

  all.push_back(ours<squares>("norm_2", v, wf::squares_op{}, [=](const squares& s) {
    if constexpr (std::is_same_v<squares, double>) {
      return right.is_norm(std::sqrt(s));
    } else {
      return right.is_norm(s.root());
    }
  }));

  all.push_back(ours<place>("argmin", v, wf::arg(wf::minimum{}),
                            [=](const place& p) { return right.is_first_least(p); }));
  if constexpr (cub_finds_places<T>) {
    const auto argmin = [=](void* memory, std::size_t& bytes, found<T>* out) {
      check(cub::DeviceReduce::ArgMin(memory, bytes, v.data(), &out->value, &out->index,
                                      static_cast<std::int64_t>(v.size()), stream));
    };
    std::size_t bytes = 0;
    argmin(nullptr, bytes, machine().result<found<T>>());
    scratch = wf::device_buffer<unsigned char>(bytes);
    const auto call = [=, memory = scratch.data()](found<T>* out) {
      std::size_t size = bytes;
      argmin(memory, size, out);
    };
    all.push_back(one<found<T>>("argmin", true, call, [=](const found<T>& f) {
      return right.is_first_least({f.value, static_cast<std::size_t>(f.index)});
    }));
  }

  all.push_back(ours<two>("minmax", v, wf::all(wf::minimum{}, wf::maximum{}), [=](const two& t) {
    return right.is_least(wf::get<0>(t)) && right.is_greatest(wf::get<1>(t));
  }));

  const auto five_ops =
      wf::all(wf::plus{}, wf::minimum{}, wf::maximum{}, wf::arg(wf::maximum{}), wf::moments_op{});
  all.push_back(ours<five>("five_fused", v, five_ops, [=](const five& t) {
    return right.is_sum(wf::get<0>(t)) && right.is_least(wf::get<1>(t)) &&
           right.is_greatest(wf::get<2>(t)) && right.is_first_greatest(wf::get<3>(t)) &&
           right.are_moments(wf::get<4>(t));
  }));

  all.push_back(ours<compensated>(
      "compensated_sum", v, wf::plus{}.compensated(),
      [=](const compensated& s) { return right.is_compensated_sum(static_cast<T>(s)); }));

  const auto here = wf::device.on(stream);
  const auto products =
      wf::project(wf::zip(v.first(v.size() / 2), v.last(v.size() / 2)), multiply{});
  all.push_back(one<T>(
      "dot", false, [=](T* out) { wf::reduce_async(here, products, wf::plus{}, out); },
      [=](T x) { return right.is_product(x); }));
  return all;
}

/// One line of the table. Times are in seconds; 0 means that there is none.
struct figure {
  std::string op, type;
  std::size_t bytes{};
  double ours{}, spread{}, sum{};
  double cub{}, cub_spread{};
  bool right = true, cub_right = true;

  double rate() const { return static_cast<double>(bytes) / ours * 1e-9; }
};
std::vector<figure> figures;
double ceiling = 0;  // bytes per second

template <class T>
void everyday(benchmark::State& state, std::size_t bytes) {
  gpu& g = machine();
  const std::size_t n = bytes / sizeof(T);
  wf::device_buffer<T> memory(n);
  fill<<<1024, 256, 0, g.stream>>>(memory.data(), n);

  wf::device_buffer<facts> on_gpu(std::vector<facts>(1));
  survey<<<1024, 256, 0, g.stream>>>(memory.data(), n, on_gpu.data());
  check(cudaGetLastError());
  check(cudaStreamSynchronize(g.stream));
  const facts known = on_gpu.to_host()[0];
  if (bytes <= (64u << 20)) {
    const std::vector<T> host = memory.to_host();
    facts on_host;
    for (std::size_t i = 0; i < n; ++i) on_host.see(host.data(), n, i);
    if (on_host != known) {
      state.SkipWithError("the exact results of the GPU are wrong; nothing is timed");
      figures.push_back({.op = "elements", .type = name_of<T>(), .bytes = bytes, .right = false});
      return;
    }
  }
  if (bytes >= (std::size_t{2} << 30) && ceiling == 0) ceiling = read_ceiling(memory.data(), bytes);

  wf::device_buffer<unsigned char> scratch;
  std::vector<contender> all =
      contenders<T>(std::span<const T>(memory.data(), n), oracle<T>(known, n), scratch);
  std::string wrong;
  for (contender& c : all) {
    c.right = c.is_right();
    if (!c.right) wrong += (c.is_cub ? " CUB's " : " ") + c.op + ";";
  }
  for (auto _ : state) {
    double turn = 0;
    for (contender& c : all) {
      if (!c.right) continue;
      c.times.push_back(g.cold(c.call));
      turn += c.times.back();
    }
    state.SetIterationTime(turn);
  }
  if (!wrong.empty()) state.SkipWithError(("wrong results, not timed:" + wrong).c_str());

  const double sum = all[0].right ? median(all[0].times) : 0;
  for (const contender& c : all) {
    if (!c.is_cub) {
      figures.push_back(
          {.op = c.op, .type = name_of<T>(), .bytes = bytes, .sum = sum, .right = c.right});
    }
    figure& f = figures.back();  // CUB shares the figure of warpfold, which precedes it
    (c.is_cub ? f.cub_right : f.right) = c.right;
    if (!c.right) continue;
    (c.is_cub ? f.cub : f.ours) = median(c.times);
    (c.is_cub ? f.cub_spread : f.spread) = quartiles(c.times);
  }
}

// --- the report ----------------------------------------------------------------------------------

std::string microseconds(double seconds) { return seconds > 0 ? fixed(seconds * 1e6, 2) : ""; }
// Computed from whole nanoseconds, as in everyday.json, so that a reader of the file computes the
// same rounded ratio. Times are multiples of 32 ns, so ratios such as 14.4 / 12.8 = 1.125 are
// common.
std::string ratio(double a, double b) {
  return a > 0 && b > 0 ? fixed(std::round(a * 1e9) / std::round(b * 1e9), 2) : "";
}
std::string rate_text(const figure& f) { return f.ours > 0 ? fixed(f.rate(), 0) : ""; }
std::string ours_text(const figure& f) { return f.right ? microseconds(f.ours) : "WRONG"; }
std::string cub_text(const figure& f) { return f.cub_right ? microseconds(f.cub) : "WRONG"; }

void print_table() {
  const auto line = [](const std::array<std::string, 10>& cells) {
    constexpr int widths[10] = {-16, -4, 6, 9, 8, 6, 6, 9, 8, 6};
    for (std::size_t i = 0; i < cells.size(); ++i) {
      char text[40];
      std::snprintf(text, sizeof text, "%*s%s", widths[i], cells[i].c_str(), i < 9 ? " " : "\n");
      std::cout << text;
    }
  };
  std::cout
      << "\nCold cache. us: the median; iqr: the interquartile range; of sum: the time relative to "
         "a plain sum\nof the same bytes; x CUB: the speedup over CUB\n\n";
  line({"op", "type", "bytes", "us", "iqr", "GB/s", "of sum", "CUB us", "iqr", "x CUB"});
  for (const figure& f : figures) {
    if (f.op == "sum") std::cout << '\n';
    line({f.op, f.type, size_text(f.bytes), ours_text(f), microseconds(f.spread), rate_text(f),
          ratio(f.ours, f.sum), cub_text(f), microseconds(f.cub_spread), ratio(f.cub, f.ours)});
  }
}

void write_results() {
  const std::filesystem::path where = results_folder();
  std::ofstream json(where / "everyday.json");
  json << "{\n  \"gpu\": \"" << gpu_name() << "\",\n  \"commit\": \"" << commit()
       << "\",\n  \"cuda\": " << CUDART_VERSION << ",\n  \"cub\": " << CUB_VERSION;
  if (ceiling > 0) json << ",\n  \"read_ceiling_gb_s\": " << fixed(ceiling * 1e-9, 1);
  json << ",\n  \"figures\": [\n";
  for (const figure& f : figures) {
    json << "    {\"op\": \"" << f.op << "\", \"type\": \"" << f.type
         << "\", \"bytes\": " << f.bytes;
    if (f.right) {
      json << ", \"us\": " << fixed(f.ours * 1e6, 3) << ", \"iqr_us\": " << fixed(f.spread * 1e6, 3)
           << ", \"gb_s\": " << fixed(f.rate(), 1);
      if (f.sum > 0) json << ", \"of_sum\": " << fixed(f.ours / f.sum, 3);
    } else {
      json << ", \"wrong\": true";
    }
    if (f.cub > 0) {
      json << ", \"cub_us\": " << fixed(f.cub * 1e6, 3)
           << ", \"cub_iqr_us\": " << fixed(f.cub_spread * 1e6, 3);
      if (f.right) json << ", \"vs_cub\": " << fixed(f.cub / f.ours, 3);
    }
    if (!f.cub_right) json << ", \"cub_wrong\": true";
    json << "}" << (&f == &figures.back() ? "" : ",") << "\n";
  }
  json << "  ]\n}\n";

  std::ofstream table(where / "everyday.md");
  table << "# Everyday reductions on " << gpu_name() << "\n\nCommit " << commit() << ", CUB "
        << CUB_VERSION
        << ". Cold cache; medians in us, with the interquartile range in parentheses. `of sum` is "
           "the "
           "time relative to a plain sum of the same bytes; `× CUB` is the speedup over CUB.";
  if (ceiling > 0)
    table << " The read ceiling of this run is " << fixed(ceiling * 1e-9, 0) << " GB/s.";
  table << "\n\n| op | type | bytes | us | GB/s | of sum | CUB us | × CUB |\n"
           "|---|---|---:|---:|---:|---:|---:|---:|\n";
  const auto with_spread = [](const std::string& time, double spread) {
    return spread > 0 ? time + " (" + microseconds(spread) + ")" : time;
  };
  for (const figure& f : figures) {
    table << "| " << f.op << " | " << f.type << " | " << size_text(f.bytes) << " | "
          << with_spread(ours_text(f), f.spread) << " | " << rate_text(f) << " | "
          << ratio(f.ours, f.sum) << " | " << with_spread(cub_text(f), f.cub_spread) << " | "
          << ratio(f.cub, f.ours) << " |\n";
  }
  std::cout << "\nwrote " << (where / "everyday.json").string() << " and everyday.md\n";
}

template <class T>
void add() {
  for (const std::size_t bytes : {std::size_t{16} << 20, std::size_t{2} << 30}) {
    const std::string name = std::string(name_of<T>()) + "/" + size_text(bytes);
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& s) { everyday<T>(s, bytes); })
        ->UseManualTime()
        ->Iterations(bytes >= (std::size_t{256} << 20) ? 31 : 101)
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (!measure::has_gpu()) return 0;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  add<float>();
  add<double>();
  benchmark::RunSpecifiedBenchmarks();
  if (figures.empty()) return 0;
  print_table();
  write_results();
  return std::all_of(figures.begin(), figures.end(),
                     [](const figure& f) { return f.right && f.cub_right; })
             ? 0
             : 1;
}
