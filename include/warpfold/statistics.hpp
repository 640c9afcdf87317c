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
/// With `plus{}.exact()` (op/exact.hpp), `mean`, `variance` and `stddev` are computed without
/// rounding errors and rounded once. So they do not depend on the policy.
///
/// Of a masked or counted range, the number of elements is known only after the read. Functions
/// that wait then throw `empty_range` if there are too few. The `_async` functions write NaN.
#pragma once

#include <cmath>

#include <warpfold/op/moments.hpp>
#include <warpfold/op/moments_to_4.hpp>
#include <warpfold/reduce.hpp>

namespace warpfold {

/// Whether the elements are a population, or a sample of one. For a sample, a variance is divided
/// by n - 1, and skewness and kurtosis are corrected for bias, as by SciPy with `bias=False`.
enum class variance_of { population, sample };

namespace detail {

template <class Range>
constexpr bool are_averaged() {
  constexpr bool numbers = is_number_v<reduced_t<view_of_t<Range>>>;
  static_assert(numbers, "warpfold: statistics are of numbers; project other elements to a number");
  return numbers;
}

template <class Range>
using mean_type = std::conditional_t<is_half_v<reduced_t<view_of_t<Range>>> ||
                                         std::is_same_v<reduced_t<view_of_t<Range>>, float>,
                                     float, double>;

inline void require_count(std::size_t size, std::size_t least, const char* what,
                          const char* of = "") {
  if (size >= least) return;
  throw empty_range("warpfold: ", what, of, " needs at least ", least,
                    least == 1 ? " element" : " elements", ", but the range has ", size,
                    "; test the size first");
}
// `name` is the function that the caller called.
inline void require_count(std::size_t size, variance_of what, const char* name) {
  const bool of_sample = what == variance_of::sample;
  require_count(size, of_sample ? 2 : 1, name, of_sample ? " of a sample" : "");
}

// The moments of a range; `need` is what `require_count` takes after the number of elements.
template <class Policy, class View, class Op, class... Need>
auto moments_of(const Policy& policy, const View& view, const Op& op, const Need&... need) {
  const auto check = [&](std::size_t size) { require_count(size, need...); };
  const auto m = reduce(requiring_count(policy, view, check), view, op);
  require_count(m.count, need...);  // of `where` the elements whose bit is set
  return m;
}

// Writes `finish` of the moments, without waiting; otherwise like `moments_of`.
template <class Policy, class View, class Op, class Out, class Finish, class... Need>
void enqueue_moments(const Policy& policy, const View& view, const Op& op, Out&& out,
                     const Finish& finish, const Need&... need) {
  const auto check = [&](std::size_t size) { require_count(size, need...); };
  enqueue_reduction(requiring_count(policy, view, check), view, op, no_init{},
                    static_cast<Out&&>(out), finish);
}

// The results of the moments, in the type `T`.
template <class T>
struct mean_from {
  WARPFOLD_HD constexpr T operator()(const moments& m) const {
    return static_cast<T>(m.count == 0 ? moments::nan : m.mean);
  }
};
template <class T>
struct variance_from {
  variance_of what;

  WARPFOLD_HD constexpr T operator()(const moments& m) const {
    return static_cast<T>(in_double(m));
  }
  WARPFOLD_HD constexpr double in_double(const moments& m) const {
    return what == variance_of::sample ? m.sample_variance() : m.variance();
  }
};
template <class T>
struct stddev_from : variance_from<T> {
  WARPFOLD_HD T operator()(const moments& m) const {
    return static_cast<T>(std::sqrt(this->in_double(m)));
  }
};

// True if `SumOp` is `plus{}.exact()`, and it adds the elements.
template <class Range, class SumOp>
constexpr bool are_averaged_exactly() {
  if constexpr (are_averaged<Range>() && check_exact_plus<SumOp>()) {
    using T = reduced_t<view_of_t<Range>>;
    constexpr bool floating = std::is_same_v<T, float> || std::is_same_v<T, double> || is_half_v<T>;
    static_assert(floating,
                  "warpfold: statistics with plus{}.exact() require elements of float, double or "
                  "16-bit floats; project others to double");
    return floating;
  } else {
    return false;
  }
}
template <class Range, class SumOp>
using exact_mean_type = typename SumOp::template rounded_type<mean_type<Range>>;

// The results of exact sums, in the type `T`.
template <class T>
struct exact_mean_from {
  template <class Mean>
  WARPFOLD_HD constexpr T operator()(const Mean& m) const {
    return m.template mean<T>();
  }
};
template <class T>
struct exact_variance_from {
  variance_of what;

  template <class Moments>
  WARPFOLD_HD constexpr T operator()(const Moments& m) const {
    return what == variance_of::sample ? m.template sample_variance<T>() : m.template variance<T>();
  }
};
template <class T>
struct exact_stddev_from {
  variance_of what;

  template <class Moments>
  WARPFOLD_HD constexpr T operator()(const Moments& m) const {
    return what == variance_of::sample ? m.template sample_stddev<T>() : m.template stddev<T>();
  }
};

// Skewness and kurtosis, with the elements that a sample needs for each.
template <class T>
struct skewness_from {
  static constexpr std::size_t least = 3;
  static constexpr const char* name = "skewness";
  variance_of what;

  WARPFOLD_HD T operator()(const moments_to_4& m) const {
    return static_cast<T>(what == variance_of::sample ? m.sample_skewness() : m.skewness());
  }
};
template <class T>
struct kurtosis_from {
  static constexpr std::size_t least = 4;
  static constexpr const char* name = "kurtosis";
  variance_of what;

  WARPFOLD_HD T operator()(const moments_to_4& m) const {
    return static_cast<T>(what == variance_of::sample ? m.sample_kurtosis() : m.kurtosis());
  }
};

template <class What>
concept other_than_variance_of = !std::is_same_v<What, variance_of>;

template <class What>
refused refuse_variance_of() {
  static_assert(never<What>,
                "warpfold: the argument after the range is not a variance_of; pass "
                "wf::variance_of::population or wf::variance_of::sample");
  return {};
}

template <class Policy, class View, class Shape>
auto shape_of_values(const Policy& policy, const View& view, const Shape& shape) {
  const bool of_sample = shape.what == variance_of::sample;
  return shape(moments_of(policy, view, moments_to_4_op{},
                          of_sample ? Shape::least : std::size_t{1}, Shape::name,
                          of_sample ? " of a sample" : ""));
}
template <class Policy, class View, class Out, class Shape>
void enqueue_shape_of_values(const Policy& policy, const View& view, Out&& out,
                             const Shape& shape) {
  const bool of_sample = shape.what == variance_of::sample;
  enqueue_moments(policy, view, moments_to_4_op{}, static_cast<Out&&>(out), shape,
                  of_sample ? Shape::least : std::size_t{1}, Shape::name,
                  of_sample ? " of a sample" : "");
}

}  // namespace detail

/// Returns the arithmetic mean.
///
/// Means of parts of the range are merged, weighted by their sizes (op/moments.hpp), so no sum
/// overflows.
///
/// @param policy,range as for `reduce`
/// @return the mean, `float` or `double` as described at the top of this file
/// @throws empty_range if the range is empty
///
/// Stream, order, cost and other errors: as `reduce`, with one read of the range.
///
/// ```cpp
/// std::vector<float> v{1, 2, 6};
/// float m = wf::mean(wf::seq, v);  // 3
/// auto size = wf::mean(wf::seq, v, [](float x) { return x > 1; });  // 2 / 3 of the elements
/// ```
template <policy_like Policy, reducible_range Range>
auto mean(const Policy& policy, const Range& range) {
  if constexpr (detail::are_averaged<Range>()) {
    return detail::mean_from<detail::mean_type<Range>>{}(
        detail::moments_of(policy, as_view(range), moments_op{}, std::size_t{1}, "mean"));
  } else {
    return detail::refused{};
  }
}

/// Returns the mean without rounding errors: the exact sum divided by the number of elements,
/// rounded once.
///
/// @param policy,range as for `mean` above; elements are floating-point numbers
/// @tparam SumOp that of the argument: `plus{}.exact()`, or `plus{}.exact<double>()` for a `double`
/// @return the mean, the number nearest to the mathematical one
/// @throws empty_range if the range is empty
///
/// Cost: as for `plus{}.exact()`. A state has 136 bytes, for `double` 592.
///
/// ```cpp
/// #include <warpfold/op/exact.hpp>
///
/// std::vector<double> v{1e300, 1, 5, -1e300};
/// double m = wf::mean(wf::seq, v, wf::plus{}.exact());  // 1.5
/// ```
template <policy_like Policy, reducible_range Range, class SumOp>
  requires(!detail::is_form<0, Range, SumOp> && !detail::projection_of<SumOp, Range>)
auto mean(const Policy& policy, const Range& range, SumOp) {
  if constexpr (detail::are_averaged_exactly<Range, SumOp>()) {
    return detail::exact_mean_from<detail::exact_mean_type<Range, SumOp>>{}(detail::moments_of(
        policy, as_view(range), typename SumOp::mean_op{}, std::size_t{1}, "mean"));
  } else {
    return detail::refused{};
  }
}

/// Returns the variance, computed in one read.
///
/// No cancellation when |mean| ≫ stddev: only the rounding of the mean contributes. op/moments.hpp
/// states the bound.
///
/// @param policy,range as for `reduce`
/// @param what divisor: n for a population (default), n - 1 for a sample
/// @return the variance, `float` or `double` as described at the top of this file
/// @throws empty_range if the range is empty, or if a sample has fewer than two elements
///
/// Stream, order, cost and other errors: as `reduce`, with one read of the range.
///
/// ```cpp
/// std::vector<float> v{1, 3};
/// float p = wf::variance(wf::seq, v);  // 1
/// float s = wf::variance(wf::seq, v, wf::variance_of::sample);  // 2
/// ```
template <policy_like Policy, reducible_range Range>
auto variance(const Policy& policy, const Range& range,
              variance_of what = variance_of::population) {
  if constexpr (detail::are_averaged<Range>()) {
    return detail::variance_from<detail::mean_type<Range>>{what}(
        detail::moments_of(policy, as_view(range), moments_op{}, what, "variance"));
  } else {
    return detail::refused{};
  }
}

/// Returns the standard deviation, computed in one read: the square root of the variance. It is
/// correct even if the variance overflows `float`.
///
/// @param policy,range as for `reduce`
/// @param what population (default) or sample, as for `variance`
/// @return the standard deviation, `float` or `double` as described at the top of this file
/// @throws empty_range if the range is empty, or if a sample has fewer than two elements
///
/// Stream, order, cost and other errors: as `variance`.
///
/// ```cpp
/// std::vector<float> v{1, 1, 5, 5};
/// float s = wf::stddev(wf::seq, v);  // 2
/// ```
template <policy_like Policy, reducible_range Range>
auto stddev(const Policy& policy, const Range& range, variance_of what = variance_of::population) {
  if constexpr (detail::are_averaged<Range>()) {
    return detail::stddev_from<detail::mean_type<Range>>{{what}}(
        detail::moments_of(policy, as_view(range), moments_op{}, what, "stddev"));
  } else {
    return detail::refused{};
  }
}

/// Returns the variance without rounding errors: n times the exact sum of squares, minus the square
/// of the exact sum, divided by n^2 or n (n - 1), rounded once.
///
/// @param policy,range,what as for `variance` above; elements are floating-point numbers
/// @tparam SumOp that of the argument: `plus{}.exact()`, or `plus{}.exact<double>()` for a `double`
/// @return the variance, the number nearest to the mathematical one
/// @throws empty_range as `variance` above
///
/// Cost: as for `plus{}.exact()` of the elements and of their squares. A state has 336 bytes, for
/// `double` 1704.
///
/// ```cpp
/// #include <warpfold/op/exact.hpp>
///
/// std::vector<double> v{1e16, 1e16 + 2, 1e16 + 4};
/// double s = wf::variance(wf::seq, v, wf::variance_of::sample, wf::plus{}.exact());  // 4
/// ```
template <policy_like Policy, reducible_range Range, class SumOp>
  requires(!detail::projection_of<SumOp, Range>)
auto variance(const Policy& policy, const Range& range, variance_of what, SumOp) {
  if constexpr (detail::are_averaged_exactly<Range, SumOp>()) {
    return detail::exact_variance_from<detail::exact_mean_type<Range, SumOp>>{what}(
        detail::moments_of(policy, as_view(range), typename SumOp::moments_op{}, what, "variance"));
  } else {
    return detail::refused{};
  }
}

/// Returns the variance of a population without rounding errors.
///
/// @param policy,range as for `variance` above
/// @param sum_op `plus{}.exact()`, or `plus{}.exact<double>()` for a `double`
/// @return the variance, the number nearest to the mathematical one
/// @throws empty_range if the range is empty
///
/// Stream, order, cost and other errors: as above.
///
/// ```cpp
/// #include <warpfold/op/exact.hpp>
///
/// std::vector<double> v{1e16, 1e16 + 4};
/// double s = wf::variance(wf::seq, v, wf::plus{}.exact());  // 4
/// ```
template <policy_like Policy, reducible_range Range, class SumOp>
  requires detail::is_exact_plus<SumOp>
auto variance(const Policy& policy, const Range& range, SumOp sum_op) {
  return variance(policy, range, variance_of::population, sum_op);
}

/// Returns the standard deviation without rounding errors: the root of the exact variance, rounded
/// once.
///
/// @param policy,range,what as for `variance` with `plus{}.exact()`
/// @tparam SumOp that of the argument: `plus{}.exact()`, or `plus{}.exact<double>()` for a `double`
/// @return the standard deviation, in the type of `SumOp`'s result
/// @throws empty_range as `variance`
///
/// Cost: as for `variance` with `plus{}.exact()`.
///
/// ```cpp
/// #include <warpfold/op/exact.hpp>
///
/// std::vector<double> v{1e16, 1e16 + 2, 1e16 + 4};
/// double s = wf::stddev(wf::seq, v, wf::variance_of::sample, wf::plus{}.exact());  // 2
/// ```
template <policy_like Policy, reducible_range Range, class SumOp>
  requires(!detail::projection_of<SumOp, Range>)
auto stddev(const Policy& policy, const Range& range, variance_of what, SumOp) {
  if constexpr (detail::are_averaged_exactly<Range, SumOp>()) {
    return detail::exact_stddev_from<detail::exact_mean_type<Range, SumOp>>{what}(
        detail::moments_of(policy, as_view(range), typename SumOp::moments_op{}, what, "stddev"));
  } else {
    return detail::refused{};
  }
}

/// Returns the standard deviation of a population without rounding errors.
///
/// @param policy,range as for `variance` above
/// @param sum_op `plus{}.exact()`, or `plus{}.exact<double>()` for a `double`
/// @return the standard deviation, the root of the exact variance, rounded once
/// @throws empty_range if the range is empty
///
/// Stream, order, cost and other errors: as above.
///
/// ```cpp
/// #include <warpfold/op/exact.hpp>
///
/// std::vector<double> v{1e16, 1e16 + 4};
/// double s = wf::stddev(wf::seq, v, wf::plus{}.exact());  // 2
/// ```
template <policy_like Policy, reducible_range Range, class SumOp>
  requires detail::is_exact_plus<SumOp>
auto stddev(const Policy& policy, const Range& range, SumOp sum_op) {
  return stddev(policy, range, variance_of::population, sum_op);
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
  if constexpr (detail::are_averaged<Range>()) {
    return detail::shape_of_values(policy, as_view(range),
                                   detail::skewness_from<detail::mean_type<Range>>{what});
  } else {
    return detail::refused{};
  }
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
  if constexpr (detail::are_averaged<Range>()) {
    return detail::shape_of_values(policy, as_view(range),
                                   detail::kurtosis_from<detail::mean_type<Range>>{what});
  } else {
    return detail::refused{};
  }
}

/// Writes the arithmetic mean to `*out`, without waiting.
///
/// @param policy,range,out as for `reduce_async`; the mean, in the type that `mean` returns, is
///     converted to the type of `*out`
/// @throws empty_range if the range is empty, before anything is launched; otherwise as
///     `reduce_async`
///
/// Stream, order, cost and other errors: as `reduce_async`, with one read of the range.
///
/// ```cpp
/// std::vector<float> v{1, 2, 6};
/// float m = 0;
/// wf::mean_async(wf::seq, v, &m);  // m is 3
/// ```
template <policy_like Policy, reducible_range Range, detail::result_target Out>
void mean_async(const Policy& policy, const Range& range, Out&& out) {
  if constexpr (detail::are_averaged<Range>()) {
    detail::enqueue_moments(policy, as_view(range), moments_op{}, static_cast<Out&&>(out),
                            detail::mean_from<detail::mean_type<Range>>{}, std::size_t{1}, "mean");
  }
}

/// Writes the variance to `*out`, without waiting.
///
/// @param policy,range,out as for `reduce_async`; the variance is converted to the type of `*out`
/// @param what as for `variance`
/// @throws empty_range as `variance`, before anything is launched; otherwise as `reduce_async`
///
/// Stream, order and cost: as `reduce_async`, with one read of the range.
///
/// ```cpp
/// std::vector<float> v{1, 1, 5, 5};
/// float s = 0;
/// wf::variance_async(wf::seq, v, wf::variance_of::population, &s);  // s is 4
/// ```
template <policy_like Policy, reducible_range Range, detail::result_target Out>
void variance_async(const Policy& policy, const Range& range, variance_of what, Out&& out) {
  if constexpr (detail::are_averaged<Range>()) {
    detail::enqueue_moments(policy, as_view(range), moments_op{}, static_cast<Out&&>(out),
                            detail::variance_from<detail::mean_type<Range>>{what}, what,
                            "variance");
  }
}

/// Writes the variance of a population to `*out`, without waiting.
///
/// @param policy,range,out as for `reduce_async`; the variance is converted to the type of `*out`
/// @throws empty_range if the range is empty, before anything is launched; otherwise as
///     `reduce_async`
///
/// Stream, order and cost: as `reduce_async`, with one read of the range.
///
/// ```cpp
/// std::vector<float> v{1, 1, 5, 5};
/// float s = 0;
/// wf::variance_async(wf::seq, v, &s);  // s is 4
/// ```
template <policy_like Policy, reducible_range Range, detail::result_target Out>
void variance_async(const Policy& policy, const Range& range, Out&& out) {
  variance_async(policy, range, variance_of::population, static_cast<Out&&>(out));
}

/// Writes the standard deviation to `*out`, without waiting.
///
/// @param policy,range,out as for `reduce_async`; the deviation is converted to the type of `*out`
/// @param what as for `variance`
/// @throws empty_range as `variance`, before anything is launched; otherwise as `reduce_async`
///
/// Stream, order and cost: as `reduce_async`, with one read of the range.
///
/// ```cpp
/// std::vector<float> v{1, 1, 5, 5};
/// float s = 0;
/// wf::stddev_async(wf::seq, v, wf::variance_of::population, &s);  // s is 2
/// ```
template <policy_like Policy, reducible_range Range, detail::result_target Out>
void stddev_async(const Policy& policy, const Range& range, variance_of what, Out&& out) {
  if constexpr (detail::are_averaged<Range>()) {
    detail::enqueue_moments(policy, as_view(range), moments_op{}, static_cast<Out&&>(out),
                            detail::stddev_from<detail::mean_type<Range>>{{what}}, what, "stddev");
  }
}

/// Writes the standard deviation of a population to `*out`, without waiting.
///
/// @param policy,range,out as for `reduce_async`; the deviation is converted to the type of `*out`
/// @throws empty_range if the range is empty, before anything is launched; otherwise as
///     `reduce_async`
///
/// Stream, order and cost: as `reduce_async`, with one read of the range.
///
/// ```cpp
/// std::vector<float> v{1, 1, 5, 5};
/// float s = 0;
/// wf::stddev_async(wf::seq, v, &s);  // s is 2
/// ```
template <policy_like Policy, reducible_range Range, detail::result_target Out>
void stddev_async(const Policy& policy, const Range& range, Out&& out) {
  stddev_async(policy, range, variance_of::population, static_cast<Out&&>(out));
}

/// Writes the mean without rounding errors to `*out`, without waiting.
///
/// @param policy,range as for `mean` with `plus{}.exact()`
/// @param out as for `reduce_async`; the mean is converted to the type of `*out`
/// @tparam SumOp that of the argument, as for `mean`
/// @throws empty_range as `mean`, before anything is launched; otherwise as `reduce_async`
///
/// Stream and order: as `reduce_async`. Cost: as for `mean` with `plus{}.exact()`.
///
/// ```cpp
/// #include <warpfold/op/exact.hpp>
///
/// std::vector<double> v{1e300, 1, 5, -1e300};
/// double m = 0;
/// wf::mean_async(wf::seq, v, wf::plus{}.exact(), &m);  // m is 1.5
/// ```
template <policy_like Policy, reducible_range Range, class SumOp, detail::result_target Out>
  requires(!detail::is_form<1, Range, SumOp, Out> && !detail::projection_of<SumOp, Range>)
void mean_async(const Policy& policy, const Range& range, SumOp, Out&& out) {
  if constexpr (detail::are_averaged_exactly<Range, SumOp>()) {
    detail::enqueue_moments(
        policy, as_view(range), typename SumOp::mean_op{}, static_cast<Out&&>(out),
        detail::exact_mean_from<detail::exact_mean_type<Range, SumOp>>{}, std::size_t{1}, "mean");
  }
}

/// Writes the variance without rounding errors to `*out`, without waiting.
///
/// @param policy,range,what as for `variance` with `plus{}.exact()`
/// @param out as for `reduce_async`; the variance is converted to the type of `*out`
/// @tparam SumOp that of the argument, as for `variance`
/// @throws empty_range as `variance`, before anything is launched; otherwise as `reduce_async`
///
/// Stream and order: as `reduce_async`. Cost: as for `variance` with `plus{}.exact()`.
///
/// ```cpp
/// #include <warpfold/op/exact.hpp>
///
/// std::vector<double> v{1e16, 1e16 + 2, 1e16 + 4};
/// double s = 0;
/// wf::variance_async(wf::seq, v, wf::variance_of::sample, wf::plus{}.exact(), &s);  // s is 4
/// ```
template <policy_like Policy, reducible_range Range, class SumOp, detail::result_target Out>
  requires(!detail::projection_of<SumOp, Range>)
void variance_async(const Policy& policy, const Range& range, variance_of what, SumOp, Out&& out) {
  if constexpr (detail::are_averaged_exactly<Range, SumOp>()) {
    detail::enqueue_moments(
        policy, as_view(range), typename SumOp::moments_op{}, static_cast<Out&&>(out),
        detail::exact_variance_from<detail::exact_mean_type<Range, SumOp>>{what}, what, "variance");
  }
}

/// Writes the variance of a population without rounding errors to `*out`, without waiting.
///
/// @param policy,range,sum_op as for `variance`
/// @param out as for `reduce_async`; the variance is converted to the type of `*out`
/// @throws empty_range if the range is empty, before anything is launched; otherwise as
///     `reduce_async`
///
/// Stream and order: as `reduce_async`. Cost: as for `variance` with `plus{}.exact()`.
///
/// ```cpp
/// #include <warpfold/op/exact.hpp>
///
/// std::vector<double> v{1e16, 1e16 + 4};
/// double s = 0;
/// wf::variance_async(wf::seq, v, wf::plus{}.exact(), &s);  // s is 4
/// ```
template <policy_like Policy, reducible_range Range, class SumOp, detail::result_target Out>
  requires detail::is_exact_plus<SumOp>
void variance_async(const Policy& policy, const Range& range, SumOp sum_op, Out&& out) {
  variance_async(policy, range, variance_of::population, sum_op, static_cast<Out&&>(out));
}

/// Writes the standard deviation without rounding errors to `*out`, without waiting.
///
/// @param policy,range,what as for `stddev` with `plus{}.exact()`
/// @param out as for `reduce_async`; the deviation is converted to the type of `*out`
/// @tparam SumOp that of the argument, as for `stddev`
/// @throws empty_range as `stddev`, before anything is launched; otherwise as `reduce_async`
///
/// Stream and order: as `reduce_async`. Cost: as for `stddev` with `plus{}.exact()`.
///
/// ```cpp
/// #include <warpfold/op/exact.hpp>
///
/// std::vector<double> v{1e16, 1e16 + 2, 1e16 + 4};
/// double s = 0;
/// wf::stddev_async(wf::seq, v, wf::variance_of::sample, wf::plus{}.exact(), &s);  // s is 2
/// ```
template <policy_like Policy, reducible_range Range, class SumOp, detail::result_target Out>
  requires(!detail::projection_of<SumOp, Range>)
void stddev_async(const Policy& policy, const Range& range, variance_of what, SumOp, Out&& out) {
  if constexpr (detail::are_averaged_exactly<Range, SumOp>()) {
    detail::enqueue_moments(
        policy, as_view(range), typename SumOp::moments_op{}, static_cast<Out&&>(out),
        detail::exact_stddev_from<detail::exact_mean_type<Range, SumOp>>{what}, what, "stddev");
  }
}

/// Writes the standard deviation of a population without rounding errors to `*out`, without
/// waiting.
///
/// @param policy,range,sum_op as for `stddev`
/// @param out as for `reduce_async`; the deviation is converted to the type of `*out`
/// @throws empty_range if the range is empty, before anything is launched; otherwise as
///     `reduce_async`
///
/// Stream and order: as `reduce_async`. Cost: as for `variance` with `plus{}.exact()`.
///
/// ```cpp
/// #include <warpfold/op/exact.hpp>
///
/// std::vector<double> v{1e16, 1e16 + 4};
/// double s = 0;
/// wf::stddev_async(wf::seq, v, wf::plus{}.exact(), &s);  // s is 2
/// ```
template <policy_like Policy, reducible_range Range, class SumOp, detail::result_target Out>
  requires detail::is_exact_plus<SumOp>
void stddev_async(const Policy& policy, const Range& range, SumOp sum_op, Out&& out) {
  stddev_async(policy, range, variance_of::population, sum_op, static_cast<Out&&>(out));
}

/// Writes the skewness to `*out`, without waiting.
///
/// @param policy,range,out as for `reduce_async`; the skewness is converted to the type of `*out`
/// @param what as for `skewness`
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
  if constexpr (detail::are_averaged<Range>()) {
    detail::enqueue_shape_of_values(policy, as_view(range), static_cast<Out&&>(out),
                                    detail::skewness_from<detail::mean_type<Range>>{what});
  }
}

/// Writes the skewness of a population to `*out`, without waiting.
///
/// @param policy,range,out as for `reduce_async`; the skewness is converted to the type of `*out`
/// @throws empty_range if the range is empty, before anything is launched; otherwise as
///     `reduce_async`
///
/// Stream, order and cost: as `reduce_async`, with one read of the range.
///
/// ```cpp
/// std::vector<float> v{0, 0, 0, 1};
/// float s = 0;
/// wf::skewness_async(wf::seq, v, &s);  // s is 1.1547
/// ```
template <policy_like Policy, reducible_range Range, detail::result_target Out>
void skewness_async(const Policy& policy, const Range& range, Out&& out) {
  skewness_async(policy, range, variance_of::population, static_cast<Out&&>(out));
}

/// Writes the excess kurtosis to `*out`, without waiting.
///
/// @param policy,range,out as for `reduce_async`; the kurtosis is converted to the type of `*out`
/// @param what as for `kurtosis`
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
  if constexpr (detail::are_averaged<Range>()) {
    detail::enqueue_shape_of_values(policy, as_view(range), static_cast<Out&&>(out),
                                    detail::kurtosis_from<detail::mean_type<Range>>{what});
  }
}

/// Writes the excess kurtosis of a population to `*out`, without waiting.
///
/// @param policy,range,out as for `reduce_async`; the kurtosis is converted to the type of `*out`
/// @throws empty_range if the range is empty, before anything is launched; otherwise as
///     `reduce_async`
///
/// Stream, order and cost: as `reduce_async`, with one read of the range.
///
/// ```cpp
/// std::vector<float> v{1, 2, 3, 4};
/// float s = 0;
/// wf::kurtosis_async(wf::seq, v, &s);  // s is -1.36
/// ```
template <policy_like Policy, reducible_range Range, detail::result_target Out>
void kurtosis_async(const Policy& policy, const Range& range, Out&& out) {
  kurtosis_async(policy, range, variance_of::population, static_cast<Out&&>(out));
}

// Reports another argument in the place of a `variance_of`, such as NumPy's `ddof`. `takes_exact`:
// true if the function takes `plus{}.exact()` there.
#define WARPFOLD_OTHER_THAN_VARIANCE_OF(function, takes_exact)                                     \
  template <policy_like Policy, reducible_range Range, class What>                                 \
    requires(detail::other_than_variance_of<What> && !detail::is_form<0, Range, What> &&           \
             !detail::projection_of<What, Range> && !(takes_exact && detail::is_exact_plus<What>)) \
  auto function(const Policy&, const Range&, const What&) {                                        \
    return detail::refuse_variance_of<What>();                                                     \
  }                                                                                                \
  template <policy_like Policy, reducible_range Range, class What, detail::result_target Out>      \
    requires(detail::other_than_variance_of<What> && !detail::is_form<0, Range, What> &&           \
             !detail::projection_of<What, Range> && !(takes_exact && detail::is_exact_plus<What>)) \
  auto function##_async(const Policy&, const Range&, const What&, Out&&) {                         \
    return detail::refuse_variance_of<What>();                                                     \
  }
WARPFOLD_OTHER_THAN_VARIANCE_OF(variance, true)
WARPFOLD_OTHER_THAN_VARIANCE_OF(stddev, true)
WARPFOLD_OTHER_THAN_VARIANCE_OF(skewness, false)
WARPFOLD_OTHER_THAN_VARIANCE_OF(kurtosis, false)
#undef WARPFOLD_OTHER_THAN_VARIANCE_OF

WARPFOLD_PROJECTED_FORMS(mean, 0, 1, "mean(policy, range)")
WARPFOLD_PROJECTED_FORMS(variance, 0, 2, "variance(policy, range)")
WARPFOLD_PROJECTED_FORMS(stddev, 0, 2, "stddev(policy, range)")
WARPFOLD_PROJECTED_FORMS(skewness, 0, 1, "skewness(policy, range)")
WARPFOLD_PROJECTED_FORMS(kurtosis, 0, 1, "kurtosis(policy, range)")
WARPFOLD_PROJECTED_ASYNC_FORMS(mean_async, 1, 2, "mean_async(policy, range, &result)")
WARPFOLD_PROJECTED_ASYNC_FORMS(variance_async, 1, 3, "variance_async(policy, range, &result)")
WARPFOLD_PROJECTED_ASYNC_FORMS(stddev_async, 1, 3, "stddev_async(policy, range, &result)")
WARPFOLD_PROJECTED_ASYNC_FORMS(skewness_async, 1, 2, "skewness_async(policy, range, &result)")
WARPFOLD_PROJECTED_ASYNC_FORMS(kurtosis_async, 1, 2, "kurtosis_async(policy, range, &result)")

}  // namespace warpfold
