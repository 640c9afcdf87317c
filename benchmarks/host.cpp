// needs: tbb
// Everyday reductions on host threads from 64 bytes to 64 MB, for one thread and for all: wf::par
// and wf::seq beside Eigen, a loop with `omp simd`, and the standard library.
//
// Path covered: reduce.hpp, dot.hpp, extrema.hpp, norm.hpp, statistics.hpp and reduce_segments.hpp
// -> policy/par.hpp -> host/ordered_fold.hpp and host/host_segments.hpp; with spans.
//
// The peers may compute less: extrema of wf::par propagate NaN, its float sums have the declared
// order, its norms add in `double` and do not overflow. Sums of integers use 64 bits everywhere.
// `read` only loads 64 MB.
// The contenders of a case take turns in random order (host_contenders.hpp).
//
// Writes <variant>.json of the folder `host` in benchmarks/results, or under WARPFOLD_RESULTS.
// WARPFOLD_VARIANT names the compiler and its flags. Arguments: words that the case must contain.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <execution>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <oneapi/tbb/global_control.h>

#include <warpfold/dot.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/statistics.hpp>

#include "host_contenders.hpp"

#if defined(_OPENMP)
#include <omp.h>
#endif
#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#define HAS_EIGEN
#endif

namespace wf = warpfold;

namespace {

// --- the peers, functions of their own: in a lambda GCC does not vectorize some of them ----------

template <class T>
using wide = std::conditional_t<std::is_integral_v<T>, long long, T>;

#if defined(_OPENMP)
#define LOOP(clauses, body)                                                                \
  if (threads == 1) {                                                                      \
    _Pragma(TEXT(omp simd clauses)) for (std::size_t i = 0; i < n; ++i) body;              \
  } else {                                                                                 \
    _Pragma(TEXT(omp parallel for simd clauses)) for (std::size_t i = 0; i < n; ++i) body; \
  }
#define TEXT(...) #__VA_ARGS__

template <class T>
wide<T> omp_sum(const T* p, std::size_t n, int threads) {
  wide<T> s{};
  LOOP(reduction(+ : s), s += p[i])
  return s;
}
template <class T>
wide<T> omp_dot(const T* p, const T* q, std::size_t n, int threads) {
  wide<T> s{};
  LOOP(reduction(+ : s), s += static_cast<wide<T>>(p[i]) * static_cast<wide<T>>(q[i]))
  return s;
}
template <class T>
T omp_max(const T* p, std::size_t n, int threads) {
  T s = p[0];
  LOOP(reduction(max : s), s = s < p[i] ? p[i] : s)
  return s;
}
template <class T>
double omp_minmax(const T* p, std::size_t n, int threads) {
  T s = p[0], l = p[0];
  LOOP(reduction(max : s) reduction(min : l), (s = s < p[i] ? p[i] : s, l = p[i] < l ? p[i] : l))
  return static_cast<double>(s) - static_cast<double>(l);
}
#endif

/// Loads every word on `threads` threads, and does nearly nothing with it. Each thread reads four
/// streams at the same time: a core prefetches each.
std::uint64_t read_all(const void* data, std::size_t bytes, int threads) {
  constexpr std::size_t streams = 4;
  const auto count = static_cast<std::size_t>(threads);
  const std::size_t part = bytes / sizeof(std::uint64_t) / count / streams / 8 * 8;
  std::vector<std::uint64_t> seen(count * 8);  // a cache line for each thread
  const auto read = [&](std::size_t t) {
    const auto* const own = static_cast<const std::uint64_t*>(data) + t * streams * part;
    std::uint64_t x[8] = {};
    for (std::size_t i = 0; i < part; i += 8) {
      for (std::size_t s = 0; s < streams; ++s) {
        for (std::size_t k = 0; k < 8; ++k) x[k] ^= own[s * part + i + k];
      }
    }
    for (const std::uint64_t w : x) seen[t * 8] ^= w;
  };
  std::vector<std::thread> others;
  for (std::size_t t = 1; t < count; ++t) others.emplace_back(read, t);
  read(0);
  for (std::thread& t : others) t.join();
  return std::accumulate(seen.begin(), seen.end(), std::uint64_t{});
}

template <class T>
const std::vector<T>& numbers(std::size_t n) {
  static std::vector<T> v;
  if (v.size() < n) {
    v.resize(n);
    std::mt19937 random(1);
    for (T& x : v) {
      x = std::is_integral_v<T>
              ? static_cast<T>(random() % 100)
              : static_cast<T>(static_cast<double>(random()) / 4294967296.0 - 0.5);
    }
  }
  return v;
}

template <class T>
void measure_type(const char* type, std::size_t bytes, int threads) {
  const std::size_t n = bytes / sizeof(T);
  const T* const p = numbers<T>(n).data();
  const T* const q = p + n / 2;
  const std::span<const T> v(p, n), a(p, n / 2), b(q, n / 2);
  std::vector<contender> sum{by("par", [=] { return wf::reduce(wf::par, v); }),
                             by("seq", [=] { return wf::reduce(wf::seq, v); })};
  std::vector<contender> dot{by("par", [=] { return wf::dot(wf::par, a, b); }),
                             by("seq", [=] { return wf::dot(wf::seq, a, b); })};
  std::vector<contender> max{by("par", [=] { return wf::reduce(wf::par, v, wf::maximum{}); }),
                             by("seq", [=] { return wf::reduce(wf::seq, v, wf::maximum{}); })};
  const auto extent = [](const auto& both) {
    return static_cast<double>(both.max) - static_cast<double>(both.min);
  };
  std::vector<contender> minmax{by("par", [=] { return extent(wf::minmax(wf::par, v)); }),
                                by("seq", [=] { return extent(wf::minmax(wf::seq, v)); })};
  std::vector<contender> argmin{by("par", [=] { return wf::argmin(wf::par, v).index; }),
                                by("seq", [=] { return wf::argmin(wf::seq, v).index; })};
  std::vector<contender> norm, variance;
  constexpr bool is_real = std::is_floating_point_v<T>;
  if constexpr (is_real) {
    norm = {by("par", [=] { return wf::norm_2(wf::par, v); }),
            by("seq", [=] { return wf::norm_2(wf::seq, v); })};
    variance = {by("par", [=] { return wf::variance(wf::par, v); }),
                by("seq", [=] { return wf::variance(wf::seq, v); })};
  }
#if defined(HAS_EIGEN)
  using array = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;
  const auto size = static_cast<Eigen::Index>(n);
  const array all(p, size), first(p, size / 2), second(q, size / 2);
  using w = wide<T>;
  sum.push_back(by("eigen", [=] { return all.template cast<w>().sum(); }));
  dot.push_back(
      by("eigen", [=] { return (first.template cast<w>() * second.template cast<w>()).sum(); }));
  max.push_back(by("eigen", [=] { return all.maxCoeff(); }));
  minmax.push_back(by("eigen", [=] {
    return static_cast<double>(all.maxCoeff()) - static_cast<double>(all.minCoeff());
  }));
  argmin.push_back(by("eigen", [=] {
    Eigen::Index at;
    all.minCoeff(&at);
    return at;
  }));
  if constexpr (is_real) {
    norm.push_back(by("eigen", [=] { return all.matrix().norm(); }));
    variance.push_back(by("eigen", [=] {
      const T mean = all.mean();
      return (all - mean).square().sum() / static_cast<T>(n);
    }));
  }
#endif
#if defined(_OPENMP)
  sum.push_back(by("omp", [=] { return omp_sum(p, n, threads); }));
  dot.push_back(by("omp", [=] { return omp_dot(p, q, n / 2, threads); }));
  max.push_back(by("omp", [=] { return omp_max(p, n, threads); }));
  minmax.push_back(by("omp", [=] { return omp_minmax(p, n, threads); }));
  if constexpr (is_real) {
    norm.push_back(by("omp", [=] { return std::sqrt(omp_dot(p, p, n, threads)); }));
  }
#endif
  const auto policy = std::execution::par_unseq;
  // Below, its threads cost more than everything else.
  if (bytes >= std::size_t{1} << 14) {
    sum.push_back(by("std", [=] { return std::reduce(policy, p, p + n, wide<T>{}); }));
    dot.push_back(by("std", [=] {
      return std::transform_reduce(policy, p, p + n / 2, q, wide<T>{}, std::plus{},
                                   [](wide<T> x, wide<T> y) { return x * y; });
    }));
    argmin.push_back(by("std", [=] { return std::min_element(policy, p, p + n) - p; }));
  }
  if (bytes >= std::size_t{1} << 26) {
    sum.push_back(other_work("read", [=] { return read_all(p, bytes, threads); }));
  }
  measure("sum", type, bytes, threads, std::move(sum));
  measure("dot", type, bytes, threads, std::move(dot));
  measure("max", type, bytes, threads, std::move(max));
  measure("minmax", type, bytes, threads, std::move(minmax));
  measure("argmin", type, bytes, threads, std::move(argmin));
  if constexpr (is_real) {
    measure("norm_2", type, bytes, threads, std::move(norm));
    measure("variance", type, bytes, threads, std::move(variance));
  }
}

// Sums and maxima of segments, with equal lengths and with exponential ones.
template <class T>
void measure_segments(const char* type, std::size_t bytes, int threads) {
  using sum = wide<T>;
  const std::size_t n = bytes / sizeof(T);
  const std::vector<T>& v = numbers<T>(n);
  const std::span<const T> elements(v.data(), n);
  for (const bool are_equal : {true, false}) {
    for (const std::size_t mean :
         {std::size_t{3}, std::size_t{8}, std::size_t{32}, std::size_t{256}, std::size_t{4096}}) {
      std::vector<int> ends{0};
      std::mt19937 random(3);
      std::exponential_distribution<double> length(1.0 / static_cast<double>(mean));
      while (static_cast<std::size_t>(ends.back()) < n) {
        const std::size_t next = static_cast<std::size_t>(ends.back()) +
                                 (are_equal ? mean : static_cast<std::size_t>(length(random)));
        ends.push_back(static_cast<int>(std::min(n, next)));
      }
      std::vector<sum> out(ends.size() - 1), theirs(out.size());
      std::vector<T> most(out.size()), their_most(out.size());
      const auto begin = [&](std::size_t s) { return v.data() + ends[s]; };
      const auto size = [&](std::size_t s) {
        return static_cast<std::size_t>(ends[s + 1] - ends[s]);
      };
      const auto by_library = [&](const char* name, auto policy, const auto& op, auto& results) {
        return by(name, [&elements, &ends, &results, policy, op] {
          wf::reduce_segments(policy, elements, ends, op, results);
          return results.back();
        });
      };
      const auto by_each = [&](const char* name, auto& results, auto fold) {
        return by(name, [&results, fold] {
          for (std::size_t s = 0; s < results.size(); ++s) results[s] = fold(s);
          return results.back();
        });
      };
      std::vector<contender> sums{by_library("par", wf::par, wf::plus{}, out),
                                  by_library("seq", wf::seq, wf::plus{}, out)};
      std::vector<contender> maxima{by_library("par", wf::par, wf::maximum{}, most),
                                    by_library("seq", wf::seq, wf::maximum{}, most)};
#if defined(HAS_EIGEN)
      using array = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;
      const auto part = [=](std::size_t s) {
        return array(begin(s), static_cast<Eigen::Index>(size(s)));
      };
      sums.push_back(by_each("eigen", theirs,
                             [=](std::size_t s) { return part(s).template cast<sum>().sum(); }));
      maxima.push_back(by_each("eigen", their_most, [=](std::size_t s) {
        return size(s) == 0 ? T{} : part(s).maxCoeff();
      }));
#endif
#if defined(_OPENMP)
      sums.push_back(
          by_each("omp", theirs, [=](std::size_t s) { return omp_sum(begin(s), size(s), 1); }));
      maxima.push_back(by_each("omp", their_most, [=](std::size_t s) {
        return size(s) == 0 ? T{} : omp_max(begin(s), size(s), 1);
      }));
#endif
      const std::string lengths = (are_equal ? "equal " : "exp ") + std::to_string(mean);
      measure(lengths.c_str(), type, bytes, threads, std::move(sums));
      measure(("max " + lengths).c_str(), type, bytes, threads, std::move(maxima));
    }
  }
}

void measure_size(std::size_t bytes, int threads) {
  measure_type<float>("f32", bytes, threads);
  measure_type<double>("f64", bytes, threads);
  measure_type<signed char>("i8", bytes, threads);
  measure_type<unsigned char>("u8", bytes, threads);
  measure_type<short>("i16", bytes, threads);
  measure_type<int>("i32", bytes, threads);
  measure_type<long long>("i64", bytes, threads);
}

}  // namespace

int main(int argc, char** argv) {
  words.assign(argv + 1, argv + argc);
  std::printf("%-13s %-4s %10s %3s %6s %-5s  GB/s of each\n", "op", "type", "bytes", "thr", "x",
              "best");
  const int all = static_cast<int>(std::thread::hardware_concurrency());
  for (const int threads : {1, all}) {
    const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism,
                                            static_cast<std::size_t>(threads));
#if defined(_OPENMP)
    omp_set_num_threads(threads);
#endif
    for (const std::size_t bytes :
         {std::size_t{64}, std::size_t{1} << 10, std::size_t{1} << 14, std::size_t{1} << 18,
          std::size_t{1} << 20, std::size_t{1} << 24, std::size_t{1} << 26}) {
      if (threads == 1 || bytes >= std::size_t{1} << 18) measure_size(bytes, threads);
    }
    if (threads == 1) {
      for (const std::size_t bytes : {std::size_t{1} << 20, std::size_t{1} << 26}) {
        measure_segments<float>("f32", bytes, threads);
        measure_segments<double>("f64", bytes, threads);
        measure_segments<int>("i32", bytes, threads);
      }
    }
    if (all == 1) break;
  }
  write_results();
}
