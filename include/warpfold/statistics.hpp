/// @file
/// `mean`, `variance`, `stddev`, `skewness` and `kurtosis` of numbers. With `_async` behind its
/// name, a function writes its result and does not wait. The last argument, before the output, may
/// be a projection: `mean(policy, range, f)` is `mean(policy, project(range, f))`.
///
/// All five read the range once and accumulate in `double`. The result is a `float` for elements of
/// `float` and 16-bit floats, otherwise a `double` (also for `long double`). Stream, order, cost
/// and errors are those of `reduce`: all policies give the same bits. A state has 24 bytes, for
/// skewness and kurtosis 40.
///
/// `mean`, `variance` and `stddev` also take complex numbers: the mean is complex, the variance is
/// the sum of those of the real and the imaginary parts, as in NumPy. A state has 48 bytes.
///
/// With `plus{}.exact()` (op/exact.hpp), `mean`, `variance` and `stddev` are computed without
/// rounding errors and rounded once. So they do not depend on the policy.
///
/// Of a masked or counted range, the number of elements is known only after the read. Functions
/// that wait then throw `empty_range` if there are too few. The `_async` functions write NaN.
#pragma once

#include <cmath>

#include <warpfold/op/complex_moments.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/moments_to_4.hpp>
#include <warpfold/reduce.hpp>

namespace warpfold {

/// Whether the elements are a population, or a sample of one. For a sample, a variance is divided
/// by n - 1, and skewness and kurtosis are corrected for bias, as by SciPy with `bias=False`.
enum class variance_of { population, sample };

namespace detail {

template <class Range>
inline constexpr bool are_complex = complex_number<reduced_t<view_of_t<Range>>>;

template <template <class> class From, class Range>
constexpr bool are_averaged() {
  constexpr bool numbers = is_number_v<reduced_t<view_of_t<Range>>> || are_complex<Range>;
  static_assert(numbers, "warpfold: statistics are of numbers; project other elements to a number");
  constexpr bool takes = !are_complex<Range> || From<float>::of_complex;
  static_assert(takes,
                "warpfold: skewness and kurtosis are of real numbers; project complex ones, for "
                "example to their real parts");
  return numbers && takes;
}

// The type of the numbers, or of the parts of complex ones.
template <class T>
struct number_or_part {
  using type = T;
};
template <complex_number T>
struct number_or_part<T> {
  using type = complex_part_t<T>;
};
template <class Range>
using averaged_t = typename number_or_part<reduced_t<view_of_t<Range>>>::type;
template <class Range>
using mean_type =
    std::conditional_t<is_half_v<averaged_t<Range>> || std::is_same_v<averaged_t<Range>, float>,
                       float, double>;

// The number of elements that were folded.
template <class Moments>
WARPFOLD_HD constexpr auto count_of(const Moments& m) {
  if constexpr (requires { typename Moments::complex_type; }) {
    return m.real.count;
  } else {
    return m.count;
  }
}

inline void require_count(std::size_t size, std::size_t least, const char* what, const char* of) {
  if (size >= least) return;
  throw_error<empty_range>("warpfold: ", what, of, " needs at least ", least,
                           least == 1 ? " element" : " elements", ", but the range has ", size,
                           "; test the size first");
}

// The statistics, in the type `T`, of moments in double or of exact sums: `least` elements make a
// sample.
template <class T>
struct mean_from {
  static constexpr const char* name = "mean";
  static constexpr std::size_t least = 1;
  static constexpr bool of_complex = true;
  using op = moments_op;
  template <class SumOp>
  using exact_op = typename SumOp::mean_op;

  WARPFOLD_HD constexpr T operator()(const moments& m) const {
    return static_cast<T>(m.count == 0 ? moments::nan : m.mean);
  }
  template <class Complex, class Part>
  WARPFOLD_HD constexpr auto operator()(const complex_moments<Complex, Part>& m) const {
    using result = typename complex_with_parts<Complex, T>::type;
    return __builtin_bit_cast(result, complex_parts<T>{(*this)(m.real), (*this)(m.imag)});
  }
  template <class Exact>
  WARPFOLD_HD constexpr T operator()(const Exact& m) const {
    return m.template mean<T>();
  }
};
template <class T>
struct variance_from {
  static constexpr const char* name = "variance";
  static constexpr std::size_t least = 2;
  static constexpr bool of_complex = true;
  using op = moments_op;
  template <class SumOp>
  using exact_op = typename SumOp::moments_op;

  variance_of what;

  WARPFOLD_HD constexpr double in_double(const moments& m) const {
    return what == variance_of::sample ? m.sample_variance() : m.variance();
  }
  template <class Complex>
  WARPFOLD_HD constexpr double in_double(const complex_moments<Complex, moments>& m) const {
    return in_double(m.real) + in_double(m.imag);
  }
  // The variance of a complex number is that of its parts together, or its root.
  template <bool IsRoot, class Complex, class Exact>
  WARPFOLD_HD constexpr T exactly(const complex_moments<Complex, Exact>& m) const {
    const std::uint64_t n = m.real.count;
    return Exact::template pooled_variance<T, IsRoot>(what == variance_of::sample ? n - 1 : n,
                                                      m.real, m.imag);
  }
  WARPFOLD_HD constexpr T operator()(const moments& m) const {
    return static_cast<T>(in_double(m));
  }
  template <class Complex, class Part>
  WARPFOLD_HD constexpr T operator()(const complex_moments<Complex, Part>& m) const {
    if constexpr (std::is_same_v<Part, moments>) {
      return static_cast<T>(in_double(m));
    } else {
      return exactly<false>(m);
    }
  }
  template <class Exact>
  WARPFOLD_HD constexpr T operator()(const Exact& m) const {
    return what == variance_of::sample ? m.template sample_variance<T>() : m.template variance<T>();
  }
};
template <class T>
struct stddev_from : variance_from<T> {
  static constexpr const char* name = "stddev";

  WARPFOLD_HD T operator()(const moments& m) const {
    return static_cast<T>(std::sqrt(this->in_double(m)));
  }
  template <class Complex, class Part>
  WARPFOLD_HD T operator()(const complex_moments<Complex, Part>& m) const {
    if constexpr (std::is_same_v<Part, moments>) {
      return static_cast<T>(std::sqrt(this->in_double(m)));
    } else {
      return this->template exactly<true>(m);
    }
  }
  template <class Exact>
  WARPFOLD_HD constexpr T operator()(const Exact& m) const {
    return this->what == variance_of::sample ? m.template sample_stddev<T>()
                                             : m.template stddev<T>();
  }
};
template <class T>
struct skewness_from {
  static constexpr const char* name = "skewness";
  static constexpr std::size_t least = 3;
  static constexpr bool of_complex = false;
  using op = moments_to_4_op;

  variance_of what;

  WARPFOLD_HD T operator()(const moments_to_4& m) const {
    return static_cast<T>(what == variance_of::sample ? m.sample_skewness() : m.skewness());
  }
};
template <class T>
struct kurtosis_from {
  static constexpr const char* name = "kurtosis";
  static constexpr std::size_t least = 4;
  static constexpr bool of_complex = false;
  using op = moments_to_4_op;

  variance_of what;

  WARPFOLD_HD T operator()(const moments_to_4& m) const {
    return static_cast<T>(what == variance_of::sample ? m.sample_kurtosis() : m.kurtosis());
  }
};

template <class Op, bool OfComplex>
using moments_op_of = std::conditional_t<OfComplex, complex_moments_op<Op>, Op>;

// A statistic of the elements of a range: its function of the moments, and the op that folds these.
template <template <class> class From, class Range, class... SumOp>
struct statistic_of {
  using function = From<mean_type<Range>>;
  using op = moments_op_of<typename function::op, are_complex<Range>>;
};
template <template <class> class From, class Range, class SumOp>
struct statistic_of<From, Range, SumOp> {
  using function = From<typename SumOp::template rounded_type<mean_type<Range>>>;
  using op = moments_op_of<typename function::template exact_op<SumOp>, are_complex<Range>>;
};

// True if the elements have statistics: exact ones if there is a `SumOp`, which is
// `plus{}.exact()`.
template <template <class> class From, class Range, class... SumOp>
constexpr bool have_statistics() {
  if constexpr (!are_averaged<From, Range>()) {
    return false;
  } else if constexpr ((check_exact_plus<SumOp>() && ...) && sizeof...(SumOp) == 1) {
    using T = averaged_t<Range>;
    constexpr bool floating = std::is_same_v<T, float> || std::is_same_v<T, double> || is_half_v<T>;
    static_assert(floating,
                  "warpfold: statistics with plus{}.exact() require elements of float, double or "
                  "16-bit floats; project others to double");
    return floating;
  } else {
    return sizeof...(SumOp) == 0;
  }
}

// Calls `then(op, function, need...)` for a statistic; `need` is what `require_count` takes after
// the number of elements.
template <template <class> class From, class Range, class... SumOp, class Then>
auto with_statistic(variance_of what, const Then& then) {
  if constexpr (have_statistics<From, Range, SumOp...>()) {
    using of = statistic_of<From, Range, SumOp...>;
    using function = typename of::function;
    const bool of_sample = what == variance_of::sample;
    const auto call = [&](const function& f) {
      return then(typename of::op{}, f, of_sample ? function::least : std::size_t{1},
                  function::name, of_sample ? " of a sample" : "");
    };
    if constexpr (std::is_empty_v<function>) {
      return call(function{});
    } else {
      return call(function{what});
    }
  } else {
    return refused{};
  }
}

template <template <class> class From, class Policy, class Range, class... SumOp>
auto statistic(const Policy& policy, const Range& range, variance_of what, const SumOp&...) {
  return with_statistic<From, Range, SumOp...>(
      what, [&](const auto& op, const auto& function, const auto&... need) {
        const auto view = as_view(range);
        const auto check = [&](std::size_t size) { require_count(size, need...); };
        const auto m = reduce(requiring_count(policy, view, check), view, op);
        require_count(count_of(m), need...);  // of `where` the elements whose bit is set
        return function(m);
      });
}

// The same without waiting.
template <template <class> class From, class... SumOp, class Policy, class Range, class Out>
void enqueue_statistic(const Policy& policy, const Range& range, variance_of what, Out&& out) {
  (void)with_statistic<From, Range, SumOp...>(
      what, [&](const auto& op, const auto& function, const auto&... need) {
        const auto view = as_view(range);
        const auto check = [&](std::size_t size) { require_count(size, need...); };
        enqueue_reduction(requiring_count(policy, view, check), view, op, no_init{},
                          static_cast<Out&&>(out), function);
        return refused{};
      });
}
template <template <class> class From, class Policy, class Range, class SumOp, class Out>
void enqueue_statistic(const Policy& policy, const Range& range, variance_of what, const SumOp&,
                       Out&& out) {
  enqueue_statistic<From, SumOp>(policy, range, what, static_cast<Out&&>(out));
}

// True if an output follows, or an op and an output.
template <class Range, class... Rest>
inline constexpr bool is_op_and_output = false;
template <class Range, result_target Out>
inline constexpr bool is_op_and_output<Range, Out> = true;
template <class Range, class SumOp, result_target Out>
inline constexpr bool is_op_and_output<Range, SumOp, Out> =
    !projection_of<std::remove_cvref_t<SumOp>, Range>;

// True if an argument stands where a `variance_of` goes.
template <int Outputs, class Range, class Other, class... Out>
concept replaces_variance_of =
    !std::is_same_v<Other, variance_of> && !is_form<Outputs, Range, Other, Out...> &&
    !projection_of<Other, Range>;

template <class What>
refused refuse_variance_of() {
  static_assert(never<What>,
                "warpfold: the argument after the range is not a variance_of; pass "
                "wf::variance_of::population or wf::variance_of::sample");
  return {};
}

}  // namespace detail

/// Returns the arithmetic mean.
///
/// Means of parts of the range are merged, weighted by their sizes (op/moments.hpp), so no sum
/// overflows.
///
/// @param policy,range as for `reduce`
/// @param sum_op none; or `plus{}.exact()`, or `plus{}.exact<double>()` for a `double`, of
///     floating-point elements: the exact sum divided by the number of elements, rounded once
/// @return the mean, `float` or `double` as described at the top of this file, or a complex number
///     with such parts; with `sum_op`, the number nearest to the mathematical one
/// @throws empty_range if the range is empty
///
/// Stream, order, cost and other errors: as `reduce`, with one read of the range. With `sum_op` the
/// cost is that of `plus{}.exact()`; a state has 136 bytes, for `double` 592; of complex numbers
/// twice as many.
///
/// ```cpp
/// #include <warpfold/op/exact.hpp>
///
/// std::vector<float> v{1, 2, 6};
/// float m = wf::mean(wf::seq, v);  // 3
/// auto size = wf::mean(wf::seq, v, [](float x) { return x > 1; });  // 2 / 3 of the elements
/// std::vector<double> large{1e300, 1, 5, -1e300};
/// double exact = wf::mean(wf::seq, large, wf::plus{}.exact());  // 1.5
/// ```
template <policy_like Policy, reducible_range Range, class... SumOp>
  requires(sizeof...(SumOp) <= 1 && !detail::is_form<0, Range, SumOp...> &&
           !(detail::projection_of<SumOp, Range> || ...))
auto mean(const Policy& policy, const Range& range, const SumOp&... sum_op) {
  return detail::statistic<detail::mean_from>(policy, range, variance_of::population, sum_op...);
}

/// Returns the variance, computed in one read.
///
/// No cancellation when |mean| ≫ stddev: only the rounding of the mean contributes. op/moments.hpp
/// states the bound.
///
/// @param policy,range as for `reduce`
/// @param what divisor: n for a population (default), n - 1 for a sample
/// @param sum_op none; or `plus{}.exact()`, or `plus{}.exact<double>()` for a `double`, of
///     floating-point elements: n times the exact sum of squares, minus the square of the exact
///     sum, divided by n^2 or n (n - 1), rounded once. `what` may be left out before it, too
/// @return the variance, `float` or `double` as described at the top of this file; with `sum_op`,
///     the number nearest to the mathematical one
/// @throws empty_range if the range is empty, or if a sample has fewer than two elements
///
/// Stream, order, cost and other errors: as `reduce`, with one read of the range. With `sum_op` the
/// cost is that of `plus{}.exact()` of the elements and of their squares; a state has 336 bytes,
/// for `double` 1704.
///
/// ```cpp
/// #include <warpfold/op/exact.hpp>
///
/// std::vector<float> v{1, 3};
/// float p = wf::variance(wf::seq, v);  // 1
/// float s = wf::variance(wf::seq, v, wf::variance_of::sample);  // 2
/// std::vector<double> large{1e16, 1e16 + 4};
/// double exact = wf::variance(wf::seq, large, wf::plus{}.exact());  // 4
/// double sample = wf::variance(wf::seq, large, wf::variance_of::sample, wf::plus{}.exact());  // 8
/// ```
template <policy_like Policy, reducible_range Range, class... SumOp>
  requires(sizeof...(SumOp) <= 1 && !(detail::projection_of<SumOp, Range> || ...))
auto variance(const Policy& policy, const Range& range, variance_of what = variance_of::population,
              const SumOp&... sum_op) {
  return detail::statistic<detail::variance_from>(policy, range, what, sum_op...);
}

/// Returns the standard deviation, computed in one read: the square root of the variance. It is
/// correct even if the variance overflows `float`.
///
/// @param policy,range as for `reduce`
/// @param what population (default) or sample, as for `variance`
/// @param sum_op as for `variance`: with it, the root of the exact variance, rounded once
/// @return the standard deviation, `float` or `double` as described at the top of this file; with
///     `sum_op`, in the type of its result
/// @throws empty_range if the range is empty, or if a sample has fewer than two elements
///
/// Stream, order, cost and other errors: as `variance`.
///
/// ```cpp
/// #include <warpfold/op/exact.hpp>
///
/// std::vector<float> v{1, 1, 5, 5};
/// float s = wf::stddev(wf::seq, v);  // 2
/// std::vector<double> large{1e16, 1e16 + 4};
/// double exact = wf::stddev(wf::seq, large, wf::plus{}.exact());  // 2
/// ```
template <policy_like Policy, reducible_range Range, class... SumOp>
  requires(sizeof...(SumOp) <= 1 && !(detail::projection_of<SumOp, Range> || ...))
auto stddev(const Policy& policy, const Range& range, variance_of what = variance_of::population,
            const SumOp&... sum_op) {
  return detail::statistic<detail::stddev_from>(policy, range, what, sum_op...);
}

/// Returns the skewness, computed in one read: the mean third power of the deviations, divided by
/// the third power of the standard deviation.
///
/// A symmetric distribution has 0. No cancellation when |mean| ≫ stddev (op/moments_to_4.hpp).
///
/// @param policy,range as for `reduce`
/// @param what population (default), as `scipy.stats.skew`; or sample: the adjusted Fisher-Pearson
///     coefficient, as `skew` of pandas and of SciPy with `bias=False`
/// @return the skewness, `float` or `double` as described at the top of this file; NaN if all
///     elements are equal
/// @throws empty_range if the range is empty, or if a sample has fewer than three elements
///
/// Stream, order, cost and other errors: as `reduce`, with one read of the range.
///
/// ```cpp
/// std::vector<float> v{0, 0, 0, 1};
/// float s = wf::skewness(wf::seq, v);  // 1.1547
/// ```
template <policy_like Policy, reducible_range Range>
auto skewness(const Policy& policy, const Range& range,
              variance_of what = variance_of::population) {
  return detail::statistic<detail::skewness_from>(policy, range, what);
}

/// Returns the excess kurtosis, computed in one read: the mean fourth power of the deviations,
/// divided by the squared variance, minus 3.
///
/// A normal distribution has 0; add 3 for the plain kurtosis.
///
/// @param policy,range as for `reduce`
/// @param what population (default), as `scipy.stats.kurtosis`; or sample: corrected for bias, as
///     `kurt` of pandas and `kurtosis` of SciPy with `bias=False`
/// @return the kurtosis, `float` or `double` as described at the top of this file; NaN if all
///     elements are equal
/// @throws empty_range if the range is empty, or if a sample has fewer than four elements
///
/// Stream, order, cost and other errors: as `reduce`, with one read of the range.
///
/// ```cpp
/// std::vector<float> v{1, 2, 3, 4};
/// float k = wf::kurtosis(wf::seq, v);  // -1.36
/// ```
template <policy_like Policy, reducible_range Range>
auto kurtosis(const Policy& policy, const Range& range,
              variance_of what = variance_of::population) {
  return detail::statistic<detail::kurtosis_from>(policy, range, what);
}

/// Writes the arithmetic mean to `*out`, without waiting: `mean_async(policy, range, out)`.
///
/// @param policy,range as for `mean`
/// @param rest `out` as for `reduce_async`; the mean, in the type that `mean` returns, is converted
///     to the type of `*out`. Before it, perhaps the `sum_op` of `mean`
/// @throws empty_range if the range is empty, before anything is launched; otherwise as
///     `reduce_async`
///
/// Stream, order and other errors: as `reduce_async`. Cost: as `mean`.
///
/// ```cpp
/// #include <warpfold/op/exact.hpp>
///
/// std::vector<double> v{1e300, 1, 5, -1e300};
/// double m = 0;
/// wf::mean_async(wf::seq, v, &m);
/// wf::mean_async(wf::seq, v, wf::plus{}.exact(), &m);  // m is 1.5
/// ```
template <policy_like Policy, reducible_range Range, class... Rest>
  requires(detail::is_op_and_output<Range, Rest...> && !detail::is_form<1, Range, Rest...>)
void mean_async(const Policy& policy, const Range& range, Rest&&... rest) {
  detail::enqueue_statistic<detail::mean_from>(policy, range, variance_of::population,
                                               static_cast<Rest&&>(rest)...);
}

/// Writes the variance to `*out`, without waiting: `variance_async(policy, range, what, out)`.
///
/// @param policy,range as for `variance`
/// @param what as for `variance`; may be left out
/// @param rest `out` as for `reduce_async`; the variance is converted to the type of `*out`. Before
///     it, perhaps the `sum_op` of `variance`
/// @throws empty_range as `variance`, before anything is launched; otherwise as `reduce_async`
///
/// Stream and order: as `reduce_async`. Cost: as `variance`.
///
/// ```cpp
/// #include <warpfold/op/exact.hpp>
///
/// std::vector<double> v{1e16, 1e16 + 4};
/// double s = 0;
/// wf::variance_async(wf::seq, v, &s);  // s is 4
/// wf::variance_async(wf::seq, v, wf::variance_of::sample, wf::plus{}.exact(), &s);  // s is 8
/// ```
template <policy_like Policy, reducible_range Range, class... Rest>
  requires detail::is_op_and_output<Range, Rest...>
void variance_async(const Policy& policy, const Range& range, variance_of what, Rest&&... rest) {
  detail::enqueue_statistic<detail::variance_from>(policy, range, what,
                                                   static_cast<Rest&&>(rest)...);
}

/// Writes the standard deviation to `*out`, without waiting: `stddev_async(policy, range, what,
/// out)`.
///
/// @param policy,range as for `stddev`
/// @param what as for `variance`; may be left out
/// @param rest `out` as for `reduce_async`; the deviation is converted to the type of `*out`.
///     Before it, perhaps the `sum_op` of `variance`
/// @throws empty_range as `stddev`, before anything is launched; otherwise as `reduce_async`
///
/// Stream and order: as `reduce_async`. Cost: as `variance`.
///
/// ```cpp
/// #include <warpfold/op/exact.hpp>
///
/// std::vector<double> v{1e16, 1e16 + 2, 1e16 + 4};
/// double s = 0;
/// wf::stddev_async(wf::seq, v, wf::variance_of::sample, &s);  // s is 2.5: the mean is rounded
/// wf::stddev_async(wf::seq, v, wf::variance_of::sample, wf::plus{}.exact(), &s);  // s is 2
/// ```
template <policy_like Policy, reducible_range Range, class... Rest>
  requires detail::is_op_and_output<Range, Rest...>
void stddev_async(const Policy& policy, const Range& range, variance_of what, Rest&&... rest) {
  detail::enqueue_statistic<detail::stddev_from>(policy, range, what, static_cast<Rest&&>(rest)...);
}

/// Writes the skewness to `*out`, without waiting.
///
/// @param policy,range,out as for `reduce_async`; the skewness is converted to the type of `*out`
/// @param what as for `skewness`; may be left out
/// @throws empty_range as `skewness`, before anything is launched; otherwise as `reduce_async`
///
/// Stream, order and cost: as `reduce_async`, with one read of the range.
///
/// ```cpp
/// std::vector<float> v{0, 0, 0, 1};
/// float s = 0;
/// wf::skewness_async(wf::seq, v, wf::variance_of::population, &s);  // s is 1.1547
/// ```
template <policy_like Policy, reducible_range Range, detail::result_target Out>
void skewness_async(const Policy& policy, const Range& range, variance_of what, Out&& out) {
  detail::enqueue_statistic<detail::skewness_from>(policy, range, what, static_cast<Out&&>(out));
}

/// Writes the excess kurtosis to `*out`, without waiting.
///
/// @param policy,range,out as for `reduce_async`; the kurtosis is converted to the type of `*out`
/// @param what as for `kurtosis`; may be left out
/// @throws empty_range as `kurtosis`, before anything is launched; otherwise as `reduce_async`
///
/// Stream, order and cost: as `reduce_async`, with one read of the range.
///
/// ```cpp
/// std::vector<float> v{1, 2, 3, 4};
/// float k = 0;
/// wf::kurtosis_async(wf::seq, v, wf::variance_of::population, &k);  // k is -1.36
/// ```
template <policy_like Policy, reducible_range Range, detail::result_target Out>
void kurtosis_async(const Policy& policy, const Range& range, variance_of what, Out&& out) {
  detail::enqueue_statistic<detail::kurtosis_from>(policy, range, what, static_cast<Out&&>(out));
}

// Without a `variance_of`: the statistic of a population, exact if `takes_exact` and `other` is
// `plus{}.exact()`. Reports another argument in its place, such as NumPy's `ddof`.
#define WARPFOLD_OF_POPULATION(function, takes_exact)                                              \
  template <policy_like Policy, reducible_range Range, class Other>                                \
    requires detail::replaces_variance_of<0, Range, Other>                                         \
  auto function(const Policy& policy, const Range& range, const Other& other) {                    \
    if constexpr (takes_exact && detail::is_exact_plus<Other>) {                                   \
      return function(policy, range, variance_of::population, other);                              \
    } else {                                                                                       \
      return detail::refuse_variance_of<Other>();                                                  \
    }                                                                                              \
  }                                                                                                \
  template <policy_like Policy, reducible_range Range, class Other, detail::result_target Out>     \
    requires detail::replaces_variance_of<1, Range, Other, Out>                                    \
  auto function##_async(const Policy& policy, const Range& range, const Other& other, Out&& out) { \
    if constexpr (takes_exact && detail::is_exact_plus<Other>) {                                   \
      function##_async(policy, range, variance_of::population, other, static_cast<Out&&>(out));    \
    } else {                                                                                       \
      return detail::refuse_variance_of<Other>();                                                  \
    }                                                                                              \
  }                                                                                                \
  template <policy_like Policy, reducible_range Range, detail::result_target Out>                  \
  void function##_async(const Policy& policy, const Range& range, Out&& out) {                     \
    function##_async(policy, range, variance_of::population, static_cast<Out&&>(out));             \
  }
WARPFOLD_OF_POPULATION(variance, true)
WARPFOLD_OF_POPULATION(stddev, true)
WARPFOLD_OF_POPULATION(skewness, false)
WARPFOLD_OF_POPULATION(kurtosis, false)
#undef WARPFOLD_OF_POPULATION

WARPFOLD_PROJECTED_FORMS_OF_BOTH(mean, 0, 1, "policy, range")
WARPFOLD_PROJECTED_FORMS_OF_BOTH(variance, 0, 2, "policy, range")
WARPFOLD_PROJECTED_FORMS_OF_BOTH(stddev, 0, 2, "policy, range")
WARPFOLD_PROJECTED_FORMS_OF_BOTH(skewness, 0, 1, "policy, range")
WARPFOLD_PROJECTED_FORMS_OF_BOTH(kurtosis, 0, 1, "policy, range")

}  // namespace warpfold
