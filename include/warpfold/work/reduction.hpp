/// @file
/// The work object of `reduce`: a view, an op, perhaps an init, and the types that follow from
/// them. `reduce` makes one and hands it to the policy.
#pragma once

#include <concepts>
#include <cstddef>

#include <warpfold/core/error.hpp>
#include <warpfold/op/fold.hpp>
#include <warpfold/view/concept.hpp>

namespace warpfold {

/// Replaces the init: the reduction starts from the first element, and an empty range gives the
/// op's identity.
struct no_init {};

namespace detail {

// Without an init: the op's accumulator for the element type. With an init: the type of op(init,
// x), as in std::ranges::fold_left.
template <class T, class Op, class Init>
struct result_of : op_result<Op, Init, T> {};
template <class T, class Op>
struct result_of<T, Op, no_init> {
  using type = typename op_traits<Op, T>::accumulator;
};

}  // namespace detail

/// A reduction, ready for a policy to run. Kernels take it by value; it is trivially copyable if
/// its parts are.
///
/// - `result_type`: without an init, the op's accumulator (64 bits for sums of integers, `float`
///   for sums of 16-bit floats); with an init, the decayed type of `op(init, x)`.
/// - `accumulator`: the type of the fold. It is as wide as the op requires, also if the result is
///   narrower; the result is rounded once at the end.
template <view View, class Op, class Init = no_init>
struct reduction {
  using view_type = View;
  using op_type = Op;
  using value_type = typename View::value_type;
  using result_type = typename detail::result_of<value_type, Op, Init>::type;
  using accumulator = typename op_traits<Op, result_type>::accumulator;
  using fold_type = warpfold::fold<Op, accumulator>;
  using state = typename fold_type::state;

  static constexpr bool has_init = !std::same_as<Init, no_init>;
  static constexpr bool has_identity = op_traits<Op, accumulator>::has_identity;

  View view;
  Op op;
  // Not [[no_unique_address]]: nvcc 13.0 lays out such a member differently for the host and the
  // GPU, and the kernel would read wrong arguments.
  Init init;

  WARPFOLD_HD constexpr fold_type fold() const { return {op}; }

  /// Converts an element to the accumulator.
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr accumulator lift(const value_type& x) const {
    return static_cast<accumulator>(x);
  }

  /// The result of the final state. A state without elements contributes nothing.
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr result_type result(const state& s) const {
    if constexpr (!has_init) {
      return static_cast<result_type>(fold().value(s));
    } else if constexpr (has_identity) {
      return static_cast<result_type>(fold().apply(static_cast<accumulator>(init), s));
    } else {
      if (!s.engaged()) return static_cast<result_type>(init);
      return static_cast<result_type>(fold().apply(static_cast<accumulator>(init), s.value));
    }
  }

  /// The result of an empty range: the init or the identity. Does not call the op.
  /// @throws empty_range if there is neither
  result_type empty_result() const {
    if constexpr (has_init) {
      return static_cast<result_type>(init);
    } else if constexpr (has_identity) {
      return static_cast<result_type>(fold().start());
    } else {
      require_valid();
      __builtin_unreachable();
    }
  }

  /// False for an empty range with neither identity nor init.
  bool has_result() const { return has_init || has_identity || view.size() != 0; }

#if defined(__CUDACC__)
  /// Names every function of the user's that a kernel of this reduction calls: the op, which names
  /// the element's own operators behind one of the library's, its identity, and the functions and
  /// iterators of its view. Never executed; see kernel/body.hpp.
  WARPFOLD_DEVICE void name_user_functions(const accumulator* a = nullptr) const {
    detail::name_call(op, *a, *a);
    detail::name_identity<accumulator>(op);
    if constexpr (requires { view.name_user_functions(); }) view.name_user_functions();
    detail::name_conversion<accumulator>(static_cast<const value_type*>(nullptr));
  }
#endif

  /// The number of elements.
  WARPFOLD_HD std::size_t size() const { return view.size(); }

  /// @throws empty_range if there is no result
  void require_valid() const {
    if (has_result()) return;
    throw empty_range(
        "warpfold: cannot reduce an empty range: the op has no identity and no init was given. "
        "Pass an init, reduce(policy, range, init, op), or wf::with_identity(op, value).");
  }
};

namespace detail {
template <class Work>
inline constexpr bool is_reduction = false;
template <class View, class Op, class Init>
inline constexpr bool is_reduction<reduction<View, Op, Init>> = true;
}  // namespace detail

/// The `reduction` of any view, op and init, for the overloads of a policy.
template <class Work>
concept reduction_work = detail::is_reduction<Work>;

/// True if a reduction's accumulator is the op's own for the elements; an init may make it wider.
template <reduction_work Reduction>
inline constexpr bool folds_in_own_accumulator = std::same_as<
    typename Reduction::accumulator,
    typename op_traits<typename Reduction::op_type, typename Reduction::value_type>::accumulator>;

}  // namespace warpfold
