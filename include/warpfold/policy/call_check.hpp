/// @file
/// What a function of a policy and a range says where it was given something else: one error of the compiler, with the
/// remedy, and not a page about each overload.
///
/// Each function has an overload that takes what the others do not, by `misused`, and returns `refuse`. It has an
/// `auto` for a result, so a call in a `requires` expression is an error too: ask `policy_like` and `reducible_range`.
#pragma once

#include <warpfold/policy/concept.hpp>
#include <warpfold/view/range_check.hpp>

namespace warpfold::detail {

/// Whether `P` is a policy; if not, an error says what to do.
template <class P>
constexpr bool check_policy() {
  if constexpr (policy_like<P>) {
    return true;
  } else {
    if constexpr (range_or_iterator<P>) {
      static_assert(never<P>,
                    "warpfold: the policy is missing; pass wf::seq, wf::par or wf::device as the "
                    "first argument, and the range as the second");
    } else {
      static_assert(never<P>,
                    "warpfold: the first argument is not a policy; pass wf::seq, wf::par or "
                    "wf::device, or include warpfold/drop_in.hpp for std's and Thrust's policies");
    }
    return false;
  }
}

/// A call of a function that takes a policy and ranges, with something else in their places. Calls without a policy or a
/// range are no concern of ours, nor are calls of a foreign policy with iterators: argument-dependent lookup finds this
/// overload where Thrust calls its own `reduce` with an iterator of ours.
template <class P, class... Ranges>
concept misused = (policy_like<P> && !(reducible_range<Ranges> && ...)) ||
                  (!policy_like<P> && (range_or_iterator<P> || (reducible_range<Ranges> || ...)));

/// Says which of the arguments is wrong.
template <class P, class... Ranges>
refused refuse() {
  if constexpr (!check_policy<P>()) {
  } else if constexpr (sizeof...(Ranges) == 1) {
    (void)(check_range<Ranges>() && ...);
  } else if constexpr (sizeof...(Ranges) > 1) {
    (void)check_ranges<Ranges...>();
  }
  return {};
}

// Whether the last argument of a call that writes one result is not a pointer.
template <class... Args>
concept lacks_pointer =
    sizeof...(Args) >= 2 &&
    !std::is_pointer_v<std::decay_t<typename decltype((std::type_identity<Args>{}, ...))::type>>;

template <class... Args>
refused refuse_output() {
  static_assert(
      sizeof...(Args) == 0,
      "warpfold: the last argument, where the result goes, is not a pointer; pass &result, "
      "or data() of a container");
  return {};
}

}  // namespace warpfold::detail

#define WARPFOLD_REFUSE_MISUSE(function)                                                \
  template <class Policy = detail::braces, class Range = detail::braces, class... Rest> \
    requires detail::misused<Policy, Range>                                             \
  auto function(const Policy&, const Range& = {}, const Rest&...) {                     \
    return detail::refuse<Policy, Range>();                                             \
  }
