/// @file
/// `mean`, `variance` and `stddev` of numbers, each in one read of them.
#pragma once

#include <cmath>

#include <warpfold/op/moments.hpp>
#include <warpfold/reduce.hpp>

namespace warpfold {

/// What the squared deviations are divided by: how many there are, or, to estimate the variance of what they are a sample
/// of, one less.
enum class variance_of { population, sample };

namespace detail {

template <class Range>
constexpr bool are_averaged() {
  constexpr bool numbers = is_number_v<typename view_of_t<Range>::value_type>;
  static_assert(numbers, "warpfold: mean and variance are of numbers; of others project one");
  return numbers;
}

template <class Range>
using mean_type =
    std::conditional_t<is_half_v<typename view_of_t<Range>::value_type> ||
                           std::is_same_v<typename view_of_t<Range>::value_type, float>,
                       float, double>;

template <class Policy, class View>
auto moments_of(const Policy& policy, const View& view, std::size_t least, const char* what,
                const char* of = "") {
  if (view.size() < least) {
    throw empty_range("warpfold: ", what, of, " needs at least ", least,
                      least == 1 ? " element" : " elements", ", and the range has ", view.size());
  }
  return reduce(policy, view, moments_op{});
}

// Of a population or a sample, not yet rounded to the type of a mean; `name` is what was asked for.
template <class Policy, class View>
double variance_in_double(const Policy& policy, const View& view, variance_of what,
                          const char* name) {
  const bool of_sample = what == variance_of::sample;
  const auto m = moments_of(policy, view, of_sample ? 2 : 1, name, of_sample ? " of a sample" : "");
  return of_sample ? m.sample_variance() : m.variance();
}

}  // namespace detail

/// The arithmetic mean, folded in `double`: a `float` of `float` and 16-bit floats, else a `double` (of `long double` too).
///
/// One read of the range; waits, costs and throws as `reduce` does. Means of parts are merged by their sizes
/// (op/moments.hpp): no sum overflows.
/// @throws empty_range  if the range is empty
///
/// Example: test/examples/vectors.cu
template <policy_like Policy, reducible_range Range>
auto mean(const Policy& policy, const Range& range) {
  if constexpr (detail::are_averaged<Range>()) {
    return static_cast<detail::mean_type<Range>>(
        detail::moments_of(policy, as_view(range), 1, "mean").mean);
  } else {
    return detail::refused{};
  }
}

/// The variance, of a population unless said otherwise; types and cost as `mean`. In one pass; nothing cancels where the
/// mean is large beside the deviations but for the rounding of the mean itself (op/moments.hpp has the bound).
/// @throws empty_range  if there are no elements, or of a sample fewer than two
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

/// The square root of the variance, which itself a `float` need not hold; otherwise as `variance`.
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
