/// @file
/// `transform_reduce(policy, range, op, f)`: reduces the results of a function without writing
/// them.
#pragma once

#include <warpfold/reduce.hpp>

namespace warpfold {

namespace detail {

// True for Thrust's order of arguments: a function of an element, the init, and the op.
template <class T, class F, class Init, class Op>
concept in_order_of_thrust = callable<F, const T&> && !callable<Init, const T&> &&
                             requires { requires callable<Op, Init, call_result_t<F, const T&>>; };

// False for Thrust's order of arguments, with an error.
template <class T, class Init, class Op, class F>
constexpr bool check_order() {
  constexpr bool ours = !in_order_of_thrust<T, Init, Op, F>;
  static_assert(ours,
                "warpfold: the arguments are in Thrust's order: function, init, op; pass init, op, "
                "function: transform_reduce(policy, range, init, op, function)");
  return ours;
}

}  // namespace detail

/// Returns the reduction of `f(x)` over all elements `x`, starting from `init` if there is one:
/// `reduce(policy, project(range, f), op)` or `reduce(policy, project(range, f), init, op)`.
///
/// @param policy,range,op as for `reduce`
/// @param f as for `project` (view/transform.hpp): callable where the policy runs
/// @param init combined once with the fold of all results
/// @return the fold in the op's accumulator type for `f(x)`, or the op's identity for an empty
///     range; with `init`, in the type of `op(init, f(x))`, or `init` for an empty range
///
/// Stream, order, cost and errors: as `reduce`, with one launch and one read of the range.
///
/// ```cpp
/// std::vector<float> v{1, 2, 3};
/// auto square = [](float x) { return x * x; };
/// auto squares = wf::transform_reduce(wf::seq, v, wf::plus{}, square);  // 14
/// auto more = wf::transform_reduce(wf::seq, v, 100.0f, wf::plus{}, square);  // 114
/// ```
template <policy_like Policy, reducible_range Range, class Init, class Op, class F>
auto transform_reduce(const Policy& policy, const Range& range, Init init, Op op, F f) {
  if constexpr (detail::check_order<detail::reduced_t<view_of_t<Range>>, Init, Op, F>()) {
    return reduce(policy, project(range, f), init, op);
  } else {
    return detail::refused{};
  }
}
template <policy_like Policy, reducible_range Range, class Op, class F>
auto transform_reduce(const Policy& policy, const Range& range, Op op, F f) {
  return reduce(policy, project(range, f), op);
}

/// Returns the reduction of `f(x)` over the elements in [first, last), starting from `init`, in the
/// type of `init`, as `std::transform_reduce` and `thrust::transform_reduce` do.
///
/// @param policy,init,op,f as above
/// @param first,last random-access iterators of one type
/// @return the fold, converted once to the type of `init`; `init` for an empty range
///
/// Stream, order, cost and errors: as `reduce`.
///
/// ```cpp
/// std::vector<float> v{1, 2, 3};
/// auto square = [](float x) { return x * x; };
/// // 14, a double
/// auto squares = wf::transform_reduce(wf::seq, v.begin(), v.end(), 0.0, wf::plus{}, square);
/// ```
template <policy_like Policy, reducible_iterator It, class Init, class Op, class F>
  requires(!reducible_iterator<Init>)
auto transform_reduce(const Policy& policy, It first, It last, Init init, Op op, F f) {
  const auto view = as_view(first, last);
  if constexpr (detail::check_order<typename decltype(view)::value_type, Init, Op, F>()) {
    return detail::reduce_to_init(policy, project(view, f), init, op);
  } else {
    return detail::refused{};
  }
}

/// Writes the reduction of `f(x)` over all elements `x`, starting from `init` if there is one, to
/// `*out`, without waiting.
///
/// @param policy,range,init,op,out as for `reduce_async`
/// @param f as for `transform_reduce`
///
/// An empty range writes `init`, or without one the op's identity. Stream, order, cost and errors:
/// as `reduce_async`.
///
/// ```cpp
/// std::vector<float> v{1, 2, 3};
/// auto square = [](float x) { return x * x; };
/// float squares = 0;
/// wf::transform_reduce_async(wf::seq, v, wf::plus{}, square, &squares);  // squares is 14
/// wf::transform_reduce_async(wf::seq, v, 100.0f, wf::plus{}, square, &squares);  // 114
/// ```
template <policy_like Policy, reducible_range Range, class Init, class Op, class F,
          detail::result_target Out>
void transform_reduce_async(const Policy& policy, const Range& range, Init init, Op op, F f,
                            Out&& out) {
  if constexpr (detail::check_order<detail::reduced_t<view_of_t<Range>>, Init, Op, F>()) {
    reduce_async(policy, project(range, f), init, op, static_cast<Out&&>(out));
  }
}
template <policy_like Policy, reducible_range Range, class Op, class F, detail::result_target Out>
void transform_reduce_async(const Policy& policy, const Range& range, Op op, F f, Out&& out) {
  reduce_async(policy, project(range, f), op, static_cast<Out&&>(out));
}

WARPFOLD_FORMS(transform_reduce, 2, 3, "transform_reduce(policy, range, op, function)")
WARPFOLD_ASYNC_FORMS(transform_reduce_async, 3, 4,
                     "transform_reduce_async(policy, range, op, function, &result)")

}  // namespace warpfold
