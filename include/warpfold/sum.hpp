/// @file
/// `sum` and `product` of a range, and `sum_async` and `product_async`, which do not wait. `sum`
/// also takes the op: `plus{}.exact()` is the sum without rounding errors (op/exact.hpp).
///
/// The last argument, before the output, may be a projection: `sum(policy, range, f)` is
/// `sum(policy, project(range, f))`. Stream, order, cost and errors are those of `reduce`: one
/// read, and one launch on a GPU.
#pragma once

#include <warpfold/reduce.hpp>

namespace warpfold {

namespace detail {

template <class SumOp>
constexpr bool check_sum_op() {
  static_assert(is_sum_op<SumOp>,
                "warpfold: sum takes plus{}, plus{}.compensated() or plus{}.exact(); call reduce "
                "for other ops");
  return is_sum_op<SumOp>;
}

}  // namespace detail

/// Returns the sum of the elements, plain or as `sum_op` adds it: `reduce(policy, range, sum_op)`.
///
/// @param policy,range as for `reduce`
/// @param sum_op `plus{}` (default), `plus{}.compensated()` or `plus{}.exact()`
/// @return the sum, with 64 bits for integers and as `float` for 16-bit floats, or in the type that
///     `sum_op` has for it; 0 for an empty range
///
/// Stream, order, cost and errors: as `reduce`, with one read of the range.
///
/// ```cpp
/// #include <warpfold/op/exact.hpp>
///
/// std::vector<int> v{1, 2, 3};
/// long long s = wf::sum(wf::seq, v);  // 6
/// long long squares = wf::sum(wf::seq, v, [](int x) { return x * x; });  // 14
/// std::vector<float> w{1e20f, 1, -1e20f};
/// float exact = wf::sum(wf::seq, w, wf::plus{}.exact());  // 1
/// ```
template <policy_like Policy, reducible_range Range, class... SumOp>
  requires(sizeof...(SumOp) <= 1 && !detail::is_form<0, std::decay_t<const Range&>, SumOp...> &&
           !(detail::projection_of<SumOp, Range> || ...))
auto sum(const Policy& policy, const Range& range, const SumOp&... sum_op) {
  if constexpr ((detail::check_sum_op<SumOp>() && ...)) {
    return reduce(policy, range, sum_op...);
  } else {
    return detail::refused{};
  }
}

/// Returns the product of the elements: `reduce(policy, range, multiplies{})`.
///
/// @param policy,range as for `reduce`
/// @return the product, with 64 bits for integers and as `float` for 16-bit floats; 1 for an empty
///     range
///
/// Stream, order, cost and errors: as `reduce`.
///
/// ```cpp
/// std::vector<int> v{2, 3, 4};
/// long long p = wf::product(wf::seq, v);  // 24
/// ```
template <policy_like Policy, reducible_range Range>
auto product(const Policy& policy, const Range& range) {
  return reduce(policy, range, multiplies{});
}

/// Writes the sum to `*out`, without waiting, plain or as `sum_op` adds it:
/// `reduce_async(policy, range, sum_op, out)`.
///
/// @param policy,range,out as for `reduce_async`; the sum is converted to the type of `*out`
/// @param sum_op none, or as for `sum`
///
/// An empty range writes 0. Stream, order, cost and errors: as `reduce_async`, with one read of the
/// range.
///
/// ```cpp
/// #include <warpfold/op/exact.hpp>
///
/// std::vector<float> v{1e20f, 1, -1e20f};
/// float s = 0;
/// wf::sum_async(wf::seq, v, &s);  // s is 0
/// wf::sum_async(wf::seq, v, wf::plus{}.exact(), &s);  // s is 1
/// ```
template <policy_like Policy, reducible_range Range, class SumOp, detail::result_target Out>
  requires(!detail::is_form<1, std::decay_t<const Range&>, SumOp, Out> &&
           !detail::projection_of<SumOp, Range>)
void sum_async(const Policy& policy, const Range& range, const SumOp& sum_op, Out&& out) {
  if constexpr (detail::check_sum_op<SumOp>()) {
    reduce_async(policy, range, sum_op, static_cast<Out&&>(out));
  }
}
template <policy_like Policy, reducible_range Range, detail::result_target Out>
void sum_async(const Policy& policy, const Range& range, Out&& out) {
  reduce_async(policy, range, plus{}, static_cast<Out&&>(out));
}

/// Writes the product to `*out`, without waiting: `reduce_async(policy, range, multiplies{}, out)`.
///
/// @param policy,range,out as for `reduce_async`; the product is converted to the type of `*out`
///
/// An empty range writes 1. Stream, order, cost and errors: as `reduce_async`.
///
/// ```cpp
/// std::vector<int> v{2, 3, 4};
/// long long p = 0;
/// wf::product_async(wf::seq, v, &p);  // p is 24
/// ```
template <policy_like Policy, reducible_range Range, detail::result_target Out>
void product_async(const Policy& policy, const Range& range, Out&& out) {
  reduce_async(policy, range, multiplies{}, static_cast<Out&&>(out));
}

WARPFOLD_PROJECTED_FORMS_OF_BOTH(sum, 0, 1, "policy, range")
WARPFOLD_PROJECTED_FORMS_OF_BOTH(product, 0, 0, "policy, range")

}  // namespace warpfold
