// needs: tbb
// Exact sums on host threads, from 4 KB to 256 MB, of numbers whose exponents are alike or differ:
// wf::par and wf::seq beside other exact sums, a plain sum and a compensated one.
//
// Path covered: reduce.hpp -> policy/par.hpp -> host/batch_fold.hpp -> op/exact_batch.hpp; spans.
//
// Peers that are exact: `add`, exact_sum::add for each number, as Neal's small superaccumulator;
// `bins`, one integer for each exponent, as his large one; `fsum`, the partial sums of Shewchuk
// that Python's math.fsum keeps, without its last rounding. They use one thread. `plain` and
// `compensated` are sums of wf::par that round.
// The contenders of a case take turns in random order (host_contenders.hpp).
//
// Writes <variant>.json of the folder `host` in benchmarks/results, or under WARPFOLD_RESULTS.
// WARPFOLD_VARIANT names the compiler and its flags. Arguments: words that the case must contain.
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <oneapi/tbb/global_control.h>

#include <warpfold/op/compensated.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/sum.hpp>

#include "host_contenders.hpp"

namespace wf = warpfold;

namespace {

template <class T>
double sum_by_add(std::span<const T> v) {
  wf::exact_sum<T> sum;
  for (const T x : v) sum.add(x);
  return static_cast<double>(sum.rounded());
}

// One integer for each exponent and sign, in twenty lines. All numbers are normal.
template <class T>
double sum_by_bins(std::span<const T> v) {
  using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  constexpr int digits = std::numeric_limits<T>::digits - 1;
  constexpr std::size_t count = std::size_t{1} << (8 * sizeof(T) - digits);
  static std::uint64_t low[count], high[count];
  for (std::size_t i = 0; i < count; ++i) low[i] = high[i] = 0;
  for (const T x : v) {
    bits b;
    std::memcpy(&b, &x, sizeof b);
    const std::size_t bin = b >> digits;
    const std::uint64_t own = (b & ((bits{1} << digits) - 1)) | bits{1} << digits;
    low[bin] += own;
    high[bin] += low[bin] < own;
  }
  wf::exact_sum<T> sum;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t e = i % (count / 2);
    if ((low[i] | high[i]) == 0 || e == 0) continue;
    sum.add_digits(i != e, low[i], static_cast<int>(e) - 1);
    if (high[i] != 0) sum.add_digits(i != e, high[i], static_cast<int>(e) - 1 + 64);
  }
  return static_cast<double>(sum.rounded());
}

// Partial sums that do not overlap.
template <class T>
double sum_by_partials(std::span<const T> v) {
  double partials[2'200];  // one for each digit, at worst
  int count = 0;
  for (double x : v) {
    int kept = 0;
    for (int k = 0; k < count; ++k) {
      double y = partials[k];
      if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
      const double high = x + y, low = y - (high - x);
      if (low != 0) partials[kept++] = low;
      x = high;
    }
    partials[kept] = x;
    count = kept + 1;
  }
  double sum = 0;
  while (count > 0) sum += partials[--count];
  return static_cast<T>(sum);
}

constexpr const char* kinds[] = {"normal",        "uniform", "lognormal(1)",
                                 "lognormal(10)", "binades", "cancelling"};

/// "binades": each number has another exponent than the one before. "cancelling": pairs, of all
/// exponents of lognormal(10), whose sum is near 0.
template <class T>
std::vector<T> numbers(int kind, std::size_t n) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const int range = std::numeric_limits<T>::max_exponent - 40;
  std::vector<T> v(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double x = normal(random), u = uniform(random);
    const int exponent = static_cast<int>(i * 37 % static_cast<std::size_t>(2 * range)) - range;
    const double of_kind[] = {x, u, std::exp(x), std::exp(10 * x), std::ldexp(1 + u, exponent), 0};
    v[i] = static_cast<T>(of_kind[kind]);
    if (kind == 4 && random() % 2 == 0) v[i] = -v[i];
    if (kind == 5)
      v[i] = static_cast<T>(i % 2 == 0 ? std::exp(10 * x) : -v[i - 1] * (1 + 1e-6 * u));
  }
  return v;
}

template <class T>
void measure_type(const char* type, std::size_t bytes, int threads) {
  for (int kind = 0; kind < 6; ++kind) {
    if (!is_asked_for(kinds[kind], type, bytes)) continue;
    const std::vector<T> all = numbers<T>(kind, bytes / sizeof(T));
    const std::span<const T> v(all);
    std::vector<contender> contenders{
        exactly_by("par", [=] { return wf::sum(wf::par, v, wf::plus{}.exact()); }),
        exactly_by("seq", [=] { return wf::sum(wf::seq, v, wf::plus{}.exact()); }),
        exactly_by("bins", [=] { return sum_by_bins(v); }),
        other_work("plain", [=] { return wf::sum(wf::par, v); }),
        other_work("compensated", [=] { return wf::sum(wf::par, v, wf::plus{}.compensated()); })};
    // Their time for a number does not depend on how many there are.
    if (bytes <= std::size_t{1} << 18) {
      contenders.push_back(exactly_by("add", [=] { return sum_by_add(v); }));
      contenders.push_back(by("fsum", [=] { return sum_by_partials(v); }));
    }
    measure(kinds[kind], type, bytes, threads, std::move(contenders));
  }
}

}  // namespace

int main(int argc, char** argv) {
  words.assign(argv + 1, argv + argc);
  std::printf("%-13s %-4s %10s %3s %6s %-5s  GB/s of each\n", "numbers", "type", "bytes", "thr",
              "x", "best");
  const int all = static_cast<int>(std::thread::hardware_concurrency());
  for (const int threads : {1, all}) {
    const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism,
                                            static_cast<std::size_t>(threads));
    for (const std::size_t bytes :
         {std::size_t{1} << 12, std::size_t{1} << 18, std::size_t{1} << 22, std::size_t{1} << 28}) {
      if (threads > 1 && bytes < std::size_t{1} << 18) continue;
      measure_type<float>("f32", bytes, threads);
      measure_type<double>("f64", bytes, threads);
    }
    if (all == 1) break;
  }
  write_results();
}
