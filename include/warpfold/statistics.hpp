/// @file
/// `mean`, `variance`, `stddev`, `skewness` and `kurtosis` of numbers.
///
/// All five read the range once and accumulate in `double`. The result is a `float` for elements
/// of `float` and 16-bit floats, otherwise a `double` (also for `long double`). Stream, order, cost
/// and errors are those of `reduce`. A state has 24 bytes,
/// for skewness and kurtosis 40.
#pragma once

#include <cmath>

#include <warpfold/op/moments.hpp>
#include <warpfold/op/moments_to_4.hpp>
#include <warpfold/reduce.hpp>

namespace warpfold {

/// What a statistic describes. For variances, `population` divides by n and `sample` by n - 1; for
/// skewness and kurtosis, `sample` is the unbiased estimate.
enum class variance_of { population, sample };

namespace detail {

template <class Range>
constexpr bool are_averaged() {
  constexpr bool numbers = is_number_v<reduced_t<view_of_t<Range>>>;
  static_assert(numbers,
                "warpfold: mean and variance are of numbers; project other elements to a number");
  return numbers;
}

template <class Range>
using mean_type = std::conditional_t<is_half_v<reduced_t<view_of_t<Range>>> ||
                                         std::is_same_v<reduced_t<view_of_t<Range>>, float>,
                                     float, double>;

template <class Policy, class View, class Op = moments_op>
auto moments_of(const Policy& policy, const View& view, std::size_t least, const char* what,
                const char* of = "", Op op = {}) {
  const auto require = [&](std::size_t size) {
    if (size >= least) return;
    throw empty_range("warpfold: ", what, of, " needs at least ", least,
                      least == 1 ? " element" : " elements", ", but the range has ", size,
                      "; test the size first");
  };
  require(view.size());
  const auto m = reduce(policy, view, op);
  require(m.count);  // of `where` the elements whose bit is set
  return m;
}

// The variance in `double`; `name` is the function that the caller called.
template <class Policy, class View>
double variance_in_double(const Policy& policy, const View& view, variance_of what,
                          const char* name) {
  const bool of_sample = what == variance_of::sample;
  const auto m = moments_of(policy, view, of_sample ? 2 : 1, name, of_sample ? " of a sample" : "");
  return of_sample ? m.sample_variance() : m.variance();
}

// The moments up to the fourth, for a function that needs `least` elements of a sample.
template <class Policy, class View>
moments_to_4 moments_to_4_of(const Policy& policy, const View& view, variance_of what,
                             std::size_t least, const char* name) {
  const bool of_sample = what == variance_of::sample;
  return moments_of(policy, view, of_sample ? least : 1, name, of_sample ? " of a sample" : "",
                    moments_to_4_op{});
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
/// ```cpp
/// std::vector<float> v{1, 2, 6};
/// float m = wf::mean(wf::seq, v);  // 3
/// ```
template <policy_like Policy, reducible_range Range>
auto mean(const Policy& policy, const Range& range) {
  if constexpr (detail::are_averaged<Range>()) {
    return static_cast<detail::mean_type<Range>>(
        detail::moments_of(policy, as_view(range), 1, "mean").mean);
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
/// ```cpp
/// std::vector<float> v{1, 3};
/// float p = wf::variance(wf::seq, v);  // 1
/// float s = wf::variance(wf::seq, v, wf::variance_of::sample);  // 2
/// ```
template <policy_like Policy, reducible_range Range>
auto variance(const Policy& policy, const Range& range,
              variance_of what = variance_of::population) {
  if constexpr (detail::are_averaged<Range>()) {
    return static_cast<detail::mean_type<Range>>(
        detail::variance_in_double(policy, as_view(range), what, "variance"));
  } else {
    return detail::refused{};
  }
}

/// Returns the standard deviation: the square root of the variance. It is correct even if the
/// variance overflows `float`. Otherwise like `variance`.
template <policy_like Policy, reducible_range Range>
auto stddev(const Policy& policy, const Range& range, variance_of what = variance_of::population) {
  if constexpr (detail::are_averaged<Range>()) {
    return static_cast<detail::mean_type<Range>>(
        std::sqrt(detail::variance_in_double(policy, as_view(range), what, "stddev")));
  } else {
    return detail::refused{};
  }
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
/// ```cpp
/// std::vector<float> v{0, 0, 0, 1};
/// float s = wf::skewness(wf::seq, v);  // 1.1547
/// ```
template <policy_like Policy, reducible_range Range>
auto skewness(const Policy& policy, const Range& range,
              variance_of what = variance_of::population) {
  if constexpr (detail::are_averaged<Range>()) {
    const auto m = detail::moments_to_4_of(policy, as_view(range), what, 3, "skewness");
    return static_cast<detail::mean_type<Range>>(what == variance_of::sample ? m.sample_skewness()
                                                                             : m.skewness());
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
/// @param what population (default), as `scipy.stats.kurtosis`; or sample: the unbiased estimate,
/// as
///     `kurt` of pandas and `kurtosis` of SciPy with `bias=False`
/// @return the kurtosis, `float` or `double` as described at the top of this file; NaN if all
///     elements are equal
/// @throws empty_range if the range is empty, or if a sample has fewer than four elements
///
/// ```cpp
/// std::vector<float> v{1, 2, 3, 4};
/// float k = wf::kurtosis(wf::seq, v);  // -1.36
/// ```
template <policy_like Policy, reducible_range Range>
auto kurtosis(const Policy& policy, const Range& range,
              variance_of what = variance_of::population) {
  if constexpr (detail::are_averaged<Range>()) {
    const auto m = detail::moments_to_4_of(policy, as_view(range), what, 4, "kurtosis");
    return static_cast<detail::mean_type<Range>>(what == variance_of::sample ? m.sample_kurtosis()
                                                                             : m.kurtosis());
  } else {
    return detail::refused{};
  }
}

WARPFOLD_FORMS(skewness, 0)
WARPFOLD_FORMS(kurtosis, 0)
WARPFOLD_FORMS(mean, 0)
WARPFOLD_FORMS(variance, 0)
WARPFOLD_FORMS(stddev, 0)

}  // namespace warpfold
