// Elements that are not one aligned word: structs of 12 to 50 bytes, loaded directly, staged
// through shared memory, or with bulk copies; and elements of one and two bytes, 16 bytes per load.
// CUB is the comparison. Then transformations of such structs, copies between structs and an array
// for each field, and reductions of one and of all fields. The comparison is a copy from device to
// device, or a read of the same bytes. Last, views of some elements, or in another order: with a
// mask of one bit for each element, every second one, from the last to the first, and of a part of
// a three-dimensional array. The comparison is a sum that reads the same bytes.
// needs: boost
//
// Path covered: reduce.hpp -> policy/device.hpp -> kernel/automatic.hpp, and kernel/{single_pass,
// staged, bulk_copy}.hpp by name; with raw pointers.
//
// The benchmark compares results with CUB's before it times anything. Contenders take turns within
// one run. Each call is enqueued after a write of 256 MB, which flushes the L2 cache. The same run
// measures the read ceiling: the best launch shape of plain 16-byte loads over 4 GB. Times are
// medians.
//
// Writes benchmarks/results/<gpu>/layouts.json and layouts.md in the current directory, or under
// WARPFOLD_RESULTS.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <random>
#include <span>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda/std/array>
#include <cuda/std/mdspan>

#include <warpfold/copy.hpp>
#include <warpfold/kernel/bulk_copy.hpp>
#include <warpfold/kernel/staged.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/policy/cub.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/soa.hpp>
#include <warpfold/transform.hpp>
#include <warpfold/view/reverse.hpp>
#include <warpfold/view/strided.hpp>

#include "measure.hpp"

namespace wf = warpfold;

namespace {

using namespace measure;

/// N floats: structs of 12, 20, 28 and 36 bytes.
template <int N>
struct floats {
  float x[N];
};
/// A triangle of an STL file: 50 bytes without alignment.
struct facet {
  unsigned char bytes[50];
};

/// Adds by component; for a facet, the twelve floats.
struct add {
  template <class T>
  __host__ __device__ T identity() const {
    T zero;
    memset(static_cast<void*>(&zero), 0, sizeof zero);
    return zero;
  }
  template <int N>
  __host__ __device__ floats<N> operator()(const floats<N>& a, const floats<N>& b) const {
    floats<N> sum;
    for (int i = 0; i < N; ++i) sum.x[i] = a.x[i] + b.x[i];
    return sum;
  }
  __host__ __device__ facet operator()(const facet& a, const facet& b) const {
    facet sum = a;
    for (int i = 0; i < 12; ++i) {
      float x, y;
      memcpy(&x, a.bytes + 4 * i, 4);
      memcpy(&y, b.bytes + 4 * i, 4);
      x += y;
      memcpy(sum.bytes + 4 * i, &x, 4);
    }
    return sum;
  }
};

constexpr std::size_t all_bytes = std::size_t{4} << 30;

// Values that are finite and small as floats, halves and integers: quarters from -4 to 4 in every 4
// bytes.
template <class T>
void fill(const wf::device_buffer<unsigned char>& memory) {
  std::mt19937 random(20);
  std::vector<T> host((std::size_t{32} << 20) / sizeof(T));
  for (T& x : host) {
    if constexpr (std::is_integral_v<T>) {
      x = static_cast<T>(random());
    } else {
      x = static_cast<T>(static_cast<float>(static_cast<int>(random() % 33) - 16) / 4);
    }
  }
  const std::size_t step = host.size() * sizeof(T);
  for (std::size_t at = 0; at < memory.size(); at += step) {
    check(cudaMemcpy(const_cast<unsigned char*>(memory.data()) + at, host.data(),
                     std::min(step, memory.size() - at), cudaMemcpyHostToDevice));
  }
}
wf::device_buffer<unsigned char>& memory() {
  static wf::device_buffer<unsigned char> all(all_bytes);
  return all;
}

struct figure {
  std::string type, op, kernel;
  std::size_t bytes{};
  double seconds{}, spread{};
  bool right = true;
  bool first = false;  // the first of a comparison
};
std::vector<figure> figures;
double ceiling = 0;

// Floats may be added in another order; integers must be equal.
template <class T>
bool close(const T& a, const T& b, std::size_t n) {
  if constexpr (std::is_integral_v<T>) {
    return a == b;
  } else if constexpr (sizeof(T) <= 8) {
    const double x = static_cast<double>(a), y = static_cast<double>(b);
    return std::abs(x - y) <= 1e-3 * static_cast<double>(n) + std::abs(x) * 1e-3;
  } else {
    float x[sizeof(T) / 4], y[sizeof(T) / 4];
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    for (std::size_t i = 0; i < std::min<std::size_t>(12, sizeof(T) / 4); ++i) {
      if (!(std::abs(x[i] - y[i]) <= 1e-3f * static_cast<float>(n))) return false;
    }
    return true;
  }
}

template <class T, class Op>
void compare(benchmark::State& state, const char* type, const char* op_name, std::size_t bytes,
             Op op, bool structs) {
  gpu& g = machine();
  const std::size_t n = bytes / sizeof(T);
  const std::span<const T> v(reinterpret_cast<const T*>(memory().data()), n);
  using R = decltype(wf::reduce(wf::device, v, op));
  static wf::device_buffer<unsigned char> results(64 * sizeof(R));
  auto* const out = reinterpret_cast<R*>(results.data());
  const auto here = wf::device.on(g.stream);

  std::vector<std::pair<std::string, std::function<void()>>> calls;
  const auto add_call = [&](const std::string& name, const auto& policy) {
    calls.emplace_back(name, [=] { wf::reduce_async(policy, v, op, out); });
  };
  add_call("CUB", wf::baseline::cub.on(g.stream));
  add_call("automatic", here);
  if (structs) {
    add_call("single_pass", here.with_kernel(wf::kernel::single_pass<>{}));
    add_call("staged", here.with_kernel(wf::kernel::staged<>{}));
  }
  add_call("bulk_copy", here.with_kernel(wf::kernel::bulk_copy{}));

  std::vector<bool> right;
  R want{};
  for (std::size_t i = 0; i < calls.size(); ++i) {
    R got{};
    calls[i].second();
    check(cudaStreamSynchronize(g.stream));
    check(cudaMemcpy(&got, out, sizeof(R), cudaMemcpyDeviceToHost));
    if (i == 0) want = got;
    right.push_back(close(got, want, n));
  }
  std::vector<std::vector<double>> times(calls.size());
  for (auto _ : state) {
    for (std::size_t i = 0; i < calls.size(); ++i) times[i].push_back(g.cold(calls[i].second));
    state.SetIterationTime(times[1].back());
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    figures.push_back({type, op_name, calls[i].first, bytes, median(times[i]), quartiles(times[i]),
                       right[i], i == 0});
    state.counters[calls[i].first] = static_cast<double>(bytes) / median(times[i]) * 1e-9;
    if (!right[i]) state.SkipWithError(("wrong result: " + calls[i].first).c_str());
  }
}

template <class T, class Op>
void add_cases(const char* type, const char* op_name, Op op, bool structs) {
  constexpr std::size_t KB = 1024, MB = 1024 * KB;
  for (const std::size_t bytes : {64 * KB, 256 * KB, 1 * MB, 4 * MB, 16 * MB, 32 * MB, 64 * MB,
                                  100 * MB, structs ? 3072 * MB : 4096 * MB}) {
    const std::string name =
        std::string(type) + "/" + op_name + "/" + std::to_string(bytes / KB) + " KB";
    benchmark::RegisterBenchmark(
        name.c_str(),
        [=](benchmark::State& s) { compare<T>(s, type, op_name, bytes, op, structs); })
        ->UseManualTime()
        ->Iterations(bytes >= 1024 * MB ? 7 : 31)
        ->Unit(benchmark::kMicrosecond);
  }
}

template <class T>
void add_number(const char* type) {
  benchmark::RegisterBenchmark((std::string("fill/") + type).c_str(), [](benchmark::State& s) {
    for (auto _ : s) fill<T>(memory());
  })->Iterations(1);
  add_cases<T>(type, "plus", wf::plus{}, false);
  add_cases<T>(type, "minimum", wf::minimum{}, false);
  add_cases<T>(type, "maximum", wf::maximum{}, false);
}

/// Seven floats, such as a particle of a simulation.
struct particle {
  BOOST_HANA_DEFINE_STRUCT(particle, (float, x), (float, y), (float, z), (float, mass), (float, u),
                           (float, v), (float, w));
};
struct seven_sums {
  float x[7];
  friend __host__ __device__ seven_sums operator+(const seven_sums& a, const seven_sums& b) {
    seven_sums s;
    for (int i = 0; i < 7; ++i) s.x[i] = a.x[i] + b.x[i];
    return s;
  }
};
struct all_fields {
  __host__ __device__ seven_sums operator()(const particle& p) const {
    return {{p.x, p.y, p.z, p.mass, p.u, p.v, p.w}};
  }
};
struct add_to_each {
  float value;
  template <int N>
  __host__ __device__ floats<N> operator()(floats<N> v) const {
    for (int i = 0; i < N; ++i) v.x[i] += value;
    return v;
  }
};

struct alternative {
  std::string name;
  std::function<void()> call;
};

/// Times calls that move `bytes`. The others are compared with the first.
void take_turns(benchmark::State& state, const char* type, const char* what, std::size_t bytes,
                const std::vector<alternative>& all) {
  gpu& g = machine();
  std::vector<std::vector<double>> times(all.size());
  for (const alternative& a : all) a.call();
  check(cudaStreamSynchronize(g.stream));
  for (auto _ : state) {
    for (std::size_t i = 0; i < all.size(); ++i) times[i].push_back(g.cold(all[i].call));
    state.SetIterationTime(times[1].back());
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    figures.push_back(
        {type, what, all[i].name, bytes, median(times[i]), quartiles(times[i]), true, i == 0});
    state.counters[all[i].name] = static_cast<double>(bytes) / median(times[i]) * 1e-9;
  }
}

// Copies one half of the memory to the other.
template <class T>
alternative plain_copy(T* to, const T* from, std::size_t n) {
  return {
      "cudaMemcpyAsync", [=] {
        check(cudaMemcpyAsync(to, from, n * sizeof(T), cudaMemcpyDeviceToDevice, machine().stream));
      }};
}

template <int N>
void transforms(benchmark::State& state, const char* type, std::size_t bytes) {
  using T = floats<N>;
  const std::size_t n = bytes / 2 / sizeof(T);
  T* const from = reinterpret_cast<T*>(memory().data());
  T* const to = reinterpret_cast<T*>(memory().data() + all_bytes / 2);
  const std::span<const T> in(from, n);
  const std::span<T> out(to, n);
  const auto here = wf::device.on(machine().stream);
  const add_to_each f{0.25f};
  take_turns(state, type, "transform", 2 * n * sizeof(T),
             {plain_copy(to, from, n),
              {"direct", [=] { wf::transform_async(here, in, out, f); }},
              {"staged", [=] { wf::transform_async(here, wf::staged(in), wf::staged(out), f); }}});
}

wf::soa<particle>& apart() {
  static wf::soa<particle> all;
  return all;
}

void aos_and_soa(benchmark::State& state, std::size_t bytes) {
  const std::size_t n = bytes / 2 / sizeof(particle);
  auto* const from = reinterpret_cast<particle*>(memory().data());
  auto* const to = reinterpret_cast<particle*>(memory().data() + all_bytes / 2);
  apart() = {};
  apart() = wf::soa<particle>(n);
  const std::span<const particle> in(from, n);
  const std::span<particle> out(to, n);
  const auto here = wf::device.on(machine().stream);
  take_turns(state, "28 bytes", "copy to and from soa", 2 * n * sizeof(particle),
             {plain_copy(to, from, n),
              {"to soa, direct", [=] { wf::copy_async(here, in, apart()); }},
              {"to soa, staged", [=] { wf::copy_async(here, wf::staged(in), apart()); }},
              {"to structs, direct", [=] { wf::copy_async(here, apart(), out); }},
              {"to structs, staged", [=] { wf::copy_async(here, apart(), wf::staged(out)); }}});
  apart() = {};
}

void fields(benchmark::State& state, std::size_t bytes) {
  const std::size_t n = bytes / sizeof(particle);
  const std::span<const particle> structs(reinterpret_cast<const particle*>(memory().data()), n);
  const std::span<const float> raw(reinterpret_cast<const float*>(memory().data()), n * 7);
  apart() = {};
  apart() = wf::soa<particle>(n);
  const auto here = wf::device.on(machine().stream);
  wf::copy(here, wf::staged(structs), apart());
  auto* const out = machine().result<float>();
  auto* const sums = machine().result<seven_sums>();
  const auto all_of = [=](const auto& range) {
    wf::reduce_async(here, wf::project(range, all_fields{}), wf::plus{}, sums);
  };
  take_turns(
      state, "28 bytes", "fields", bytes,
      {{"sum of as many floats", [=] { wf::reduce_async(here, raw, wf::plus{}, out); }},
       {"one field of structs",
        [=] { wf::reduce_async(here, wf::field<&particle::mass>(structs), wf::plus{}, out); }},
       {"one field of soa",
        [=] { wf::reduce_async(here, apart().field<&particle::mass>(), wf::plus{}, out); }},
       {"all fields of structs", [=] { all_of(structs); }},
       {"all fields of structs, staged", [=] { all_of(wf::staged(structs)); }},
       {"all fields of soa", [=] { all_of(apart().view()); }}});
  apart() = {};
}

void views_of_floats(benchmark::State& state, std::size_t bytes) {
  const std::size_t n = bytes / sizeof(float);
  const auto* const data = reinterpret_cast<const float*>(memory().data());
  const std::span<const float> floats(data, n);
  const std::span<const unsigned> mask(
      reinterpret_cast<const unsigned*>(memory().data() + all_bytes / 2), n / 32);
  const auto here = wf::device.on(machine().stream);
  auto* const out = machine().result<float>();
  auto* const place = machine().result<wf::indexed<float>>();
  const auto sum_of = [=](const auto& range) { wf::reduce_async(here, range, wf::plus{}, out); };
  const auto some = wf::where(floats, mask);
  // 15 of 16 rows, and 960 of 1024 columns.
  using extents = cuda::std::dextents<std::size_t, 3>;
  using part = cuda::std::layout_stride::mapping<extents>;
  const cuda::std::mdspan<const float, extents, cuda::std::layout_stride> inside(
      data, part(extents(n / (16 * 1024), 15, 960),
                 cuda::std::array<std::size_t, 3>{16 * 1024, 1024, 1}));
  take_turns(state, "float", "views", bytes,
             {{"sum of as many floats", [=] { sum_of(floats); }},
              {"sum where a bit is set", [=] { sum_of(some); }},
              {"least where a bit is set, and its index",
               [=] { wf::reduce_async(here, some, wf::arg(wf::minimum{}), place); }},
              {"sum of every second", [=] { sum_of(wf::strided(floats, 2)); }},
              {"sum from the end", [=] { sum_of(wf::reverse(floats)); }},
              {"sum of a part of three dimensions (88 %)", [=] { sum_of(inside); }}});
}

template <class Run>
void add_moves(const std::string& name, const Run& run) {
  constexpr std::size_t MB = 1024 * 1024;
  for (const std::size_t bytes : {16 * MB, 100 * MB, 2048 * MB}) {
    benchmark::RegisterBenchmark((name + "/" + std::to_string(bytes / MB) + " MB").c_str(),
                                 [=](benchmark::State& s) { run(s, bytes); })
        ->UseManualTime()
        ->Iterations(bytes >= 1024 * MB ? 11 : 31)
        ->Unit(benchmark::kMicrosecond);
  }
}

void write_results() {
  const std::filesystem::path where = results_folder();
  std::ofstream json(where / "layouts.json");
  json << "{\n  \"gpu\": \"" << gpu_name() << "\",\n  \"commit\": \"" << commit()
       << "\",\n  \"cub\": " << CUB_VERSION
       << ",\n  \"read_ceiling_gb_s\": " << fixed(ceiling * 1e-9, 1) << ",\n  \"figures\": [\n";
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const figure& f = figures[i];
    json << "    {\"type\": \"" << f.type << "\", \"op\": \"" << f.op << "\", \"kernel\": \""
         << f.kernel << "\", \"bytes\": " << f.bytes << ", \"us\": " << fixed(f.seconds * 1e6, 3)
         << ", \"iqr_us\": " << fixed(f.spread * 1e6, 3) << (f.right ? "" : ", \"wrong\": true")
         << "}" << (i + 1 < figures.size() ? "," : "") << "\n";
  }
  json << "  ]\n}\n";

  std::ofstream table(where / "layouts.md");
  table
      << "# Layouts on " << gpu_name() << "\n\nCommit " << commit() << ", CUB " << CUB_VERSION
      << ". Cold cache; medians in us, in parentheses the speedup over the first column. GB/s and "
         "the share of the ceiling refer to the second column. For transformations and copies the "
         "bytes read and written count. The read ceiling of this run is "
      << fixed(ceiling * 1e-9, 0) << " GB/s.\n";
  std::string head;
  for (std::size_t i = 0; i < figures.size();) {
    std::size_t end = i + 1;
    while (end < figures.size() && !figures[end].first) ++end;
    const figure& base = figures[i];
    const std::string title = base.type + ", " + base.op;
    if (title != head) {
      head = title;
      table << "\n## " << title << "\n\n| size | " << base.kernel << " |";
      for (std::size_t k = i + 1; k < end; ++k) table << " " << figures[k].kernel << " |";
      table << " GB/s | of ceiling |\n|---:|---:|";
      for (std::size_t k = i + 1; k < end; ++k) table << "---:|";
      table << "---:|---:|\n";
    }
    table << "| " << size_text(base.bytes) << " | " << fixed(base.seconds * 1e6, 2) << " |";
    for (std::size_t k = i + 1; k < end; ++k) {
      const figure& f = figures[k];
      table << " "
            << (f.right
                    ? fixed(f.seconds * 1e6, 2) + " (" + fixed(base.seconds / f.seconds, 2) + ")"
                    : "WRONG")
            << " |";
    }
    const double rate = static_cast<double>(base.bytes) / figures[i + 1].seconds;
    table << " " << fixed(rate * 1e-9, 0) << " | " << fixed(rate / ceiling * 100, 1) << " % |\n";
    i = end;
  }
  std::cout << "wrote " << (where / "layouts.json").string() << " and layouts.md\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (!measure::has_gpu()) return 0;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RegisterBenchmark("read_ceiling", [](benchmark::State& s) {
    for (auto _ : s) ceiling = read_ceiling(memory().data(), all_bytes);
    s.counters["GB/s"] = ceiling * 1e-9;
  })->Iterations(1);
  benchmark::RegisterBenchmark("fill/float", [](benchmark::State& s) {
    for (auto _ : s) fill<float>(memory());
  })->Iterations(1);
  add_cases<floats<3>>("float3", "add", add{}, true);
  add_cases<floats<5>>("20 bytes", "add", add{}, true);
  add_cases<floats<7>>("28 bytes", "add", add{}, true);
  add_cases<floats<9>>("36 bytes", "add", add{}, true);
  add_cases<facet>("50 bytes", "add", add{}, true);
  add_moves("float3/transform",
            [](benchmark::State& s, std::size_t bytes) { transforms<3>(s, "float3", bytes); });
  add_moves("20 bytes/transform",
            [](benchmark::State& s, std::size_t bytes) { transforms<5>(s, "20 bytes", bytes); });
  add_moves("28 bytes/soa", aos_and_soa);
  add_moves("28 bytes/fields", fields);
  add_moves("float/views", views_of_floats);
  add_number<signed char>("int8");
  add_number<unsigned char>("uint8");
  add_number<short>("int16");
  add_number<__half>("half");
  add_number<__nv_bfloat16>("bfloat16");
  benchmark::RunSpecifiedBenchmarks();
  if (ceiling > 0 && !figures.empty()) write_results();
  return std::all_of(figures.begin(), figures.end(), [](const figure& f) { return f.right; }) ? 0
                                                                                              : 1;
}
