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

template <class Policy, class View>
auto moments_of(const Policy& policy, const View& view, std::size_t least, const char* what) {
  if (view.size() < least) {
    throw empty_range("warpfold: ", what, " needs at least ", least,
                      least == 1 ? " element" : " elements", ", and the range has ", view.size());
  }
  return reduce(policy, view, moments_op{});
}

}  // namespace detail

/// The arithmetic mean: `float` of `float` and 16-bit floats, else `double`.
///
/// One read of the range; waits, costs and throws as `reduce` does. Means of parts are merged by their sizes
/// (op/moments.hpp): no sum overflows.
/// @throws empty_range  if the range is empty
template <policy_like Policy, reducible_range Range>
auto mean(const Policy& policy, const Range& range) {
  return detail::moments_of(policy, as_view(range), 1, "mean").mean;
}

/// The variance, of a population unless said otherwise; types and cost as `mean`. In one pass, and good to the last digits
/// also where the mean is large beside the deviations.
/// @throws empty_range  if there are no elements, or of a sample fewer than two
template <policy_like Policy, reducible_range Range>
auto variance(const Policy& policy, const Range& range,
              variance_of what = variance_of::population) {
  const bool of_sample = what == variance_of::sample;
  const auto m = detail::moments_of(policy, as_view(range), of_sample ? 2 : 1,
                                    of_sample ? "variance of a sample" : "variance");
  return of_sample ? m.sample_variance() : m.variance();
}

/// The square root of `variance`.
template <policy_like Policy, reducible_range Range>
auto stddev(const Policy& policy, const Range& range, variance_of what = variance_of::population) {
  return std::sqrt(variance(policy, range, what));
}

}  // namespace warpfold
