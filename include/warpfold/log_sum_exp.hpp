/// @file
/// `log_sum_exp`: the logarithm of a sum of exponentials, for softmax. With `_async` behind its
/// name, the function writes its result and does not wait. The last argument, before the output,
/// may be a projection: `log_sum_exp(policy, range, f)` is `log_sum_exp(policy, project(range,
/// f))`.
///
/// The op, `log_sum_exp_op` (op/exponential_sum.hpp), also folds axes, segments and lists.
#pragma once

#include <type_traits>

#include <warpfold/op/exponential_sum.hpp>
#include <warpfold/reduce.hpp>

namespace warpfold {

namespace detail {

template <class Range>
constexpr bool have_exponentials() {
  constexpr bool numbers = is_number_v<reduced_t<view_of_t<Range>>>;
  static_assert(numbers,
                "warpfold: log_sum_exp is of real numbers; project other elements to a number");
  return numbers;
}

template <class Range>
using logarithm_t = std::conditional_t<is_half_v<reduced_t<view_of_t<Range>>> ||
                                           std::is_same_v<reduced_t<view_of_t<Range>>, float>,
                                       float, double>;

}  // namespace detail

/// Returns log(e^x0 + e^x1 + ...), which neither overflows nor underflows.
///
/// @param policy,range as for `reduce`; elements are real numbers
/// @return the logarithm: a `float` for elements of `float` and 16-bit floats, otherwise a
///     `double`; -infinity without elements, NaN if any element is NaN
///
/// - Rounding: see `log_sum_exp_op`; the sum is in `double`.
/// - Cost: one read of the range and one exponential for each element. A state has 16 bytes.
/// - Stream, order and errors: as `reduce`.
///
/// ```cpp
/// std::vector<float> v{1000, 1000};
/// float s = wf::log_sum_exp(wf::seq, v);  // 1000.69
/// ```
template <policy_like Policy, reducible_range Range>
auto log_sum_exp(const Policy& policy, const Range& range) {
  if constexpr (detail::have_exponentials<Range>()) {
    return static_cast<detail::logarithm_t<Range>>(reduce(policy, range, log_sum_exp_op{}));
  } else {
    return detail::refused{};
  }
}

/// Writes `log_sum_exp` to `*out`, without waiting.
///
/// @param policy,range,out as for `reduce_async`; the logarithm is converted to the type of `*out`.
///     An `exponential_sum` gets the sum itself
///
/// An empty range writes -infinity. Stream, order, cost and errors: as `reduce_async`.
///
/// ```cpp
/// std::vector<float> v{1000, 1000};
/// float s = 0;
/// wf::log_sum_exp_async(wf::seq, v, &s);  // s is 1000.69
/// ```
template <policy_like Policy, reducible_range Range, detail::result_target Out>
void log_sum_exp_async(const Policy& policy, const Range& range, Out&& out) {
  if constexpr (detail::have_exponentials<Range>()) {
    reduce_async(policy, range, log_sum_exp_op{}, static_cast<Out&&>(out));
  }
}

WARPFOLD_PROJECTED_FORMS_OF_BOTH(log_sum_exp, 0, 0, "policy, range")

}  // namespace warpfold
