/// @file
/// `mean`, `variance` and `stddev` of numbers.
///
/// All three read the range once and accumulate in `double`. The result is a `float` for elements
/// of `float` and 16-bit floats, otherwise a `double` (also for `long double`). Stream, order, cost
/// and errors are those of `reduce`. A state has 24 bytes.
#pragma once

#include <cmath>

#include <warpfold/op/moments.hpp>
#include <warpfold/reduce.hpp>

namespace warpfold {

/// The divisor of the squared deviations: `population` divides by n, `sample` by n - 1.
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

template <class Policy, class View>
auto moments_of(const Policy& policy, const View& view, std::size_t least, const char* what,
                const char* of = "") {
  const auto require = [&](std::size_t size) {
    if (size >= least) return;
    throw empty_range("warpfold: ", what, of, " needs at least ", least,
                      least == 1 ? " element" : " elements", ", but the range has ", size,
                      "; test the size first");
  };
  require(view.size());
  const auto m = reduce(policy, view, moments_op{});
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

WARPFOLD_REFUSE_MISUSE(mean)
WARPFOLD_REFUSE_MISUSE(variance)
WARPFOLD_REFUSE_MISUSE(stddev)

}  // namespace warpfold
