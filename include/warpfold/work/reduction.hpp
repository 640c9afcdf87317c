/// @file
/// The work object of `reduce`: a view, an op, perhaps an init, and the types that follow from
/// them. `reduce` makes one and hands it to the policy.
#pragma once

#include <concepts>
#include <cstddef>

#include <warpfold/core/error.hpp>
#include <warpfold/op/fold.hpp>
#include <warpfold/op/lift.hpp>
#include <warpfold/view/concept.hpp>
#include <warpfold/work/kinds.hpp>
#include <warpfold/work/stored_value.hpp>

namespace warpfold {

namespace detail {

// Without an init: the op's accumulator for the element type. With an init: the type of op(init,
// x), as in std::ranges::fold_left.
template <class T, class Op, class Init>
struct result_of : op_result<Op, Init, T> {};
template <class T, class Op, class U>
struct result_of<T, Op, stored_value<U>> : result_of<T, Op, U> {};
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
  using kind = kinds::reduction;
  using view_type = View;
  using op_type = Op;
  using value_type = typename View::value_type;
  using result_type = typename detail::result_of<value_type, Op, Init>::type;
  using accumulator = typename op_traits<Op, result_type>::accumulator;
  using fold_type = warpfold::fold<Op, accumulator>;
  using state = typename fold_type::state;

  static constexpr bool tells_memory = tells_memory_v<View>;
  static constexpr bool has_init = !std::same_as<Init, no_init>;
  static constexpr bool is_init_stored = detail::is_stored<Init>;
  static constexpr bool has_identity = op_traits<Op, accumulator>::has_identity;

  View view;
  Op op;
  // Not [[no_unique_address]]: nvcc 13.0 lays out such a member differently for the host and the
  // GPU, and the kernel would read wrong arguments.
  Init init;

  WARPFOLD_HD constexpr fold_type fold() const { return {op}; }

  /// The value of the init, as an `A`. Reads memory if the init is there (`value_at`): call it
  /// where the policy runs.
  WARPFOLD_ANY_SIDE
  template <class A>
  WARPFOLD_HD constexpr A init_as() const {
    return detail::value_of_init<A>(init);
  }

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
      return static_cast<result_type>(fold().apply(init_as<accumulator>(), s));
    } else {
      if (!s.engaged()) return init_as<result_type>();
      return static_cast<result_type>(fold().apply(init_as<accumulator>(), s.value));
    }
  }

  /// The result of an empty range: the init or the identity. Does not call the op.
  /// @throws empty_range if there is neither
  result_type empty_result() const {
    if constexpr (has_init) {
      return init_as<result_type>();
    } else if constexpr (has_identity) {
      return static_cast<result_type>(fold().start());
    } else {
      require_valid();
      __builtin_unreachable();
    }
  }

#if defined(__CUDACC__)
  /// Names every function of the user's that a kernel of this reduction calls: the op, which names
  /// the element's own operators behind one of the library's, its identity, and the functions and
  /// iterators of its view. Never executed; see kernel/body.hpp.
  WARPFOLD_DEVICE void name_user_functions(const accumulator* a = nullptr) const {
    detail::name_call_as<accumulator>(op, *a, *a);
    detail::name_identity<accumulator>(op);
    if constexpr (detail::names_functions<decltype(view)>) view.name_user_functions();
    detail::name_conversion<accumulator, const value_type&>();
    detail::name_init<Init, accumulator, result_type>();
    detail::name_conversion<result_type, accumulator>();
  }
#endif

  /// The number of elements.
  WARPFOLD_HD std::size_t size() const { return view.size(); }

  template <class Visit>
  void visit_read(const Visit& visit) const {
    view.visit_memory(visit);
  }
  template <class Visit>
  void visit_init(const Visit& visit) const {
    if constexpr (is_init_stored) detail::visit_init_memory(init, visit);
  }

  /// @throws empty_range for an empty range with neither identity nor init
  void require_valid() const {
    if (has_init || has_identity || view.size() != 0) return;
    throw_error<empty_range>(
        "warpfold: cannot reduce an empty range: the op has no identity and no init was given. "
        "Pass an init, reduce(policy, range, init, op), or wf::with_identity(op, value).");
  }
};

namespace detail {

// Returns its argument.
struct as_it_is {
  template <class T>
  WARPFOLD_HD constexpr T operator()(const T& x) const {
    return x;
  }
};

}  // namespace detail

/// A reduction with a function of its result, called where the result is written: the op's `finish`
/// if it has one, and then `Finish`.
template <class Reduction, class Finish = detail::as_it_is>
struct finished_reduction : Reduction {
  using unfinished_type = Reduction;
  using result_type = std::remove_cvref_t<decltype(std::declval<const Finish&>()(
      finished(std::declval<const typename Reduction::op_type&>(),
               std::declval<const typename Reduction::result_type&>())))>;

  // Aligned so that it never lies in the padding of the base, where the host compiler and nvcc
  // might place it differently.
  alignas(Reduction) Finish finish;

  finished_reduction(const Reduction& r, const Finish& f) : Reduction(r), finish(f) {}

  const Reduction& unfinished() const { return *this; }

  /// The result for a result of `Reduction`.
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr result_type result_for(const typename Reduction::result_type& a) const {
    return finish(finished(this->op, a));
  }
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr result_type result(const typename Reduction::state& s) const {
    return result_for(Reduction::result(s));
  }
  result_type empty_result() const { return result_for(Reduction::empty_result()); }

#if defined(__CUDACC__)
  WARPFOLD_DEVICE void name_user_functions(
      const typename Reduction::result_type* a = nullptr) const {
    Reduction::name_user_functions();
    detail::name_finish(this->op, *a);
  }
#endif
};

/// True for a `finished_reduction`. A policy that does not call `result` runs `unfinished()` and
/// calls `result_for`.
template <class Work>
concept has_finish = requires { typename Work::unfinished_type; };

/// A reduction of a range in parts (work/sharded_reduction.hpp), perhaps finished.
template <class Work>
concept sharded_work = requires { typename Work::of_part; };

/// A reduction of a range whose size lies in memory (view/counted.hpp). A policy that can read the
/// size runs it as a `settled_reduction`.
template <class Work>
concept counted_work = detail::is_of_kind<Work, kinds::reduction> &&
                       detail::has_size_in_memory<typename Work::view_type> &&
                       !requires { typename Work::counted_type; };

/// The reduction of a range whose size the policy has read, or whose size the kernel will read.
template <counted_work Reduction>
struct settled_reduction : Reduction {
  static_assert(Reduction::has_init || Reduction::has_identity,
                "warpfold: a counted range may have no element; pass an init, or an op with an "
                "identity");

  using counted_type = Reduction;

  explicit settled_reduction(const Reduction& r) : Reduction(r) {}
};

/// A `reduction` of any view, op and init whose size is known, or which a kernel will read.
template <class Work>
concept reduction_work = detail::is_of_kind<Work, kinds::reduction> && !counted_work<Work>;

namespace detail {

/// True if a reduction's accumulator is the op's own for the elements; an init may make it wider.
template <class Reduction>
inline constexpr bool folds_in_own_accumulator = std::same_as<
    typename Reduction::accumulator,
    typename op_traits<typename Reduction::op_type, typename Reduction::value_type>::accumulator>;

/// True if the declared order (op/fold_order.hpp) decides the bits of a reduction.
template <class Reduction>
inline constexpr bool depends_on_order =
    !same_in_any_order<typename Reduction::op_type, typename Reduction::accumulator>;

}  // namespace detail

}  // namespace warpfold
