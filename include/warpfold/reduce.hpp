/// @file
/// The entry point: `reduce(policy, range, op)`.
///
/// One call, many ways to run it. `wf::seq` and `wf::device` come with this header; `wf::par`, CUB,
/// Thrust and the standard library's algorithms each with a header of their own in `policy/`.
#pragma once

#include <warpfold/op/bitwise.hpp>
#include <warpfold/op/compensated.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/ignoring_nan.hpp>
#include <warpfold/op/lift.hpp>
#include <warpfold/op/logical.hpp>
#include <warpfold/op/multiplies.hpp>
#include <warpfold/op/operand_check.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/policy/call_check.hpp>
#include <warpfold/policy/concept.hpp>
#include <warpfold/policy/device.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/view/aligned.hpp>
#include <warpfold/view/as_view.hpp>
#include <warpfold/view/counting.hpp>
#include <warpfold/view/field.hpp>
#include <warpfold/view/matrix.hpp>
#include <warpfold/view/packed.hpp>
#include <warpfold/view/staged.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>
#include <warpfold/work/reduction.hpp>

namespace warpfold {

namespace detail {

template <class... T>
inline constexpr bool are_iterators = false;
template <reducible_iterator I, class... Rest>
inline constexpr bool are_iterators<I, I, Rest...> = true;

// The checks of an op and its elements are all here, so that misuse gives one error.
template <class T>
constexpr bool check_element_type() {
  if constexpr (!check_copyable<T>()) {
    return false;
  } else {
    constexpr bool nested = reducible_range<T>;
    constexpr bool copyable = std::is_trivially_copyable_v<T>;
    static_assert(
        copyable || !nested,
        "warpfold: the range's elements are ranges themselves (std::vector, std::string, an "
        "array); put theirs into one std::vector or span, or reduce a projection of them");
    static_assert(copyable || nested,
                  "warpfold: the range's elements are not trivially copyable; reduce a projection "
                  "of them that is, wf::project(range, function)");
    return copyable;
  }
}

// Whether `op.lift` gives a value for an element, if there is an `op.lift`.
template <class T, class Op>
constexpr bool check_lift() {
  if constexpr (lifts_indexed<Op, T> || lifts_element<Op, T>) {
    using lifted = decltype(lift_by(std::declval<const Op&>(), std::declval<const T&>(), 0));
    constexpr bool gives = std::is_copy_constructible_v<lifted>;
    static_assert(gives,
                  "warpfold: the op's lift returns nothing, or what cannot be copied; let it "
                  "return what is to be folded");
    return gives;
  } else {
    return true;
  }
}

template <class T, class Op>
constexpr bool check_element() {
  if constexpr (!check_element_type<T>()) {
    return false;
  } else if constexpr (requires { Op::template check_projections<T>(); }) {
    return Op::template check_projections<T>();
  } else {
    return check_lift<T, Op>();
  }
}

template <class View, class Op, class Init>
constexpr bool check_types() {
  using T = typename View::value_type;
  if constexpr (!std::is_trivially_copyable_v<T>) {
    static_assert(never<T>,
                  "warpfold: the op's lift returns a type that is not trivially copyable");
    return false;
  } else if constexpr (std::same_as<Init, no_init>) {
    return check_operands<Op, T, T>();
  } else {
    return check_operands<Op, Init, T, true>();
  }
}

// `T` is what the elements are when they are folded, and `A` what they are folded in. The first fault is the only error.
template <class T, class Op, class A>
constexpr bool check_fold() {
  constexpr bool copyable = std::is_trivially_copyable_v<A>;
  constexpr bool assignable = std::is_copy_assignable_v<A>;
  constexpr bool lifts = std::is_constructible_v<A, T>;
  constexpr bool folds = reduction_op<Op, A>;
  if constexpr (!copyable) {
    static_assert(copyable, "warpfold: the op's accumulator is not trivially copyable");
  } else if constexpr (!assignable) {
    static_assert(assignable,
                  "warpfold: the op's accumulator cannot be assigned to; has it a const member?");
  } else if constexpr (!lifts) {
    static_assert(lifts, "warpfold: the range's elements do not convert to the op's accumulator");
  } else {
    static_assert(folds, "warpfold: the op cannot combine two of its own results, op(a, a)");
  }
  return copyable && assignable && lifts && folds;
}

template <class Range, class Op, class Init, class Then>
auto with_reduction(const Range& range, const Op& op, const Init& init, const Then& then) {
  if constexpr (check_element<typename Range::value_type, Op>()) {
    const auto view = lifted(range, op);
    using view_type = std::remove_const_t<decltype(view)>;
    if constexpr (check_types<view_type, Op, Init>()) {
      using reduction_type = reduction<view_type, Op, Init>;
      if constexpr (check_fold<typename view_type::value_type, Op,
                               typename reduction_type::accumulator>()) {
        return then(reduction_type{view, op, init});
      } else {
        return refused{};
      }
    } else {
      return refused{};
    }
  } else {
    return refused{};
  }
}

template <class Reduction, class Out>
constexpr bool check_out() {
  constexpr bool writable = std::is_same_v<Out, std::remove_cv_t<Out>> &&
                            std::is_constructible_v<Out, typename Reduction::result_type>;
  static_assert(writable,
                "warpfold: the result cannot be converted to what `out` points to, or that is "
                "const or volatile");
  constexpr bool finished =
      !finishes<typename Reduction::op_type, typename Reduction::result_type> ||
      std::is_same_v<Out, typename Reduction::result_type>;
  static_assert(
      finished,
      "warpfold: reduce_async writes what this op folds, and not what it makes of that at "
      "the end; let `out` point to that, and call the op's finish on the host");
  return writable && finished;
}

}  // namespace detail

/// Reduces `range` with `op`; an empty range yields the op's identity.
///
/// @param policy  who runs it: `wf::seq`, `wf::par`, `wf::device`, `wf::baseline::cub`, ..., or, with
///                `warpfold/drop_in.hpp`, `thrust::device`, `std::execution::par` and the like
/// @param range   readable from the policy; sizes count elements and are 64-bit
/// @param op      associative and commutative (`wf::seq` asks for neither); callable where the policy
///                runs, copied into the kernel's arguments. Without effects, and defined for any of the elements in any
///                number: kernels may combine more than is asked for and leave it out
/// @return the fold, in the op's accumulator for the element: 64 bits for sums of integers, `float`
///         for sums of halves, else what `op(x, x)` gives; of an op that finishes (op/lift.hpp), what it makes of that
///
/// Stream: enqueues on the policy's stream and waits for the result; `reduce_async` does not wait.
/// Order:  fixed for one policy of the library's own, one device, size and alignment: the same bits on every
///         run. The baselines' orders are their libraries'. NaN and -0 do not depend on the order for
///         `minimum` and `maximum` of numbers.
/// Cost:   the range is read once. `wf::device`: one launch, no allocation, one state a block of
///         scratch, the result written by the kernel straight into pinned host memory.
/// @throws empty_range    if the range is empty and the op has no identity
/// @throws invalid_range  if the memory is not reachable from the policy, null or misaligned; of iterators
///                        that hide their memory (a deque's, fancy ones) nothing is known
/// @throws no_device      if the policy needs a GPU and there is none to use
/// @throws out_of_memory  if scratch cannot be allocated: first calls only, unless `with(resource)`
/// @throws unsupported_kernel  if a kernel that was asked for, with_kernel, cannot do it
/// @throws cuda_error     if the launch, or earlier work on the stream, failed
///
/// Example: test/examples/sum.cu
template <policy_like Policy, reducible_range Range, class Op = plus>
auto reduce(const Policy& policy, const Range& range, Op op = {}) {
  return detail::with_reduction(as_view(range), op, no_init{}, [&](const auto& r) {
    return finished(op, as_policy(policy).run(r));
  });
}

/// Reduces `range` with `op`, starting from `init`; an empty range yields `init`.
///
/// As above, but the result's type is that of `op(init, x)`, decayed, as in the standard: a sum of
/// chars from an `int` is an `int`. It is still accumulated in the op's accumulator for that type and
/// rounded once. `init` is combined once, with the fold of all elements; of an op that lifts it is something lifted, what
/// an earlier fold gave, say.
template <policy_like Policy, reducible_range Range, class Init, class Op>
  requires(!(reducible_iterator<Range> && std::same_as<Range, Init>))
auto reduce(const Policy& policy, const Range& range, Init init, Op op) {
  return detail::with_reduction(as_view(range), op, init, [&](const auto& r) {
    return finished(op, as_policy(policy).run(r));
  });
}

/// The sum of the elements from `first` up to `last`, in their own type: Thrust's and std's meaning.
/// Accumulated as `reduce(policy, range, plus)` is, and converted once. Throws what that throws, and
/// `invalid_range` if `last` is before `first`.
template <policy_like Policy, reducible_iterator I>
auto reduce(const Policy& policy, I first, I last) {
  using T = typename std::iterator_traits<I>::value_type;
  return detail::with_reduction(as_view(first, last), plus{}, no_init{}, [&](const auto& r) -> T {
    return static_cast<T>(as_policy(policy).run(r));
  });
}

/// The elements from `first` up to `last` reduced with `op`, starting from `init`, in the type of
/// `init`: Thrust's and std's meaning. Accumulated in the op's accumulator for the type of
/// `op(init, x)`, and converted once. Throws what the above throws.
template <policy_like Policy, reducible_iterator I, class Init, class Op = plus>
auto reduce(const Policy& policy, I first, I last, Init init, Op op = {}) {
  return detail::with_reduction(as_view(first, last), op, init, [&](const auto& r) -> Init {
    return static_cast<Init>(as_policy(policy).run(r));
  });
}

// Misuse of the above is one error; see policy/call_check.hpp.
template <class Policy = detail::braces, class Range = detail::braces, class... Rest>
  requires(detail::misused<Policy, Range> &&
           !(policy_like<Policy> && detail::are_iterators<Range, Rest...>))
auto reduce(const Policy&, const Range& = {}, const Rest&...) {
  return detail::refuse<Policy, Range>();
}

/// Reduces `range` with `op` into `*out`, without waiting.
///
/// @param out  memory that the policy can write: for a GPU, device, managed or pinned host memory. The
///             result is converted to its type. Of an op that finishes (op/lift.hpp) it is of the type that is
///             folded, and not finished: a `compensated_sum<T>`, which converts to a T.
///
/// Stream: enqueues on the policy's stream and returns; host policies return when it is done. `range`
///         and `*out` must live until the stream has come so far. Can be captured into a graph.
/// Order, cost and errors as for `reduce`, but nothing is copied to the host. `out` may lie inside `range`
/// for `wf::device`, which has read all of it by then.
/// @throws invalid_range  if `*out` is null, misaligned, or not reachable from the policy
template <policy_like Policy, reducible_range Range, class Op, class Out>
void reduce_async(const Policy& policy, const Range& range, Op op, Out* out) {
  detail::with_reduction(as_view(range), op, no_init{}, [&](const auto& r) {
    if constexpr (detail::check_out<std::remove_cvref_t<decltype(r)>, Out>()) {
      as_policy(policy).enqueue(r, out);
    }
  });
}

/// As above, starting from `init`; an empty range yields `init`.
template <policy_like Policy, reducible_range Range, class Init, class Op, class Out>
void reduce_async(const Policy& policy, const Range& range, Init init, Op op, Out* out) {
  detail::with_reduction(as_view(range), op, init, [&](const auto& r) {
    if constexpr (detail::check_out<std::remove_cvref_t<decltype(r)>, Out>()) {
      as_policy(policy).enqueue(r, out);
    }
  });
}

WARPFOLD_REFUSE_MISUSE(reduce_async)

// An op or an output that is missing.
template <policy_like Policy, reducible_range Range, class... Rest>
  requires(sizeof...(Rest) < 2)
auto reduce_async(const Policy&, const Range&, const Rest&...) {
  static_assert(detail::never<Range>,
                "warpfold: the op or the pointer to the result is missing; call "
                "reduce_async(policy, range, wf::plus{}, &result)");
  return detail::refused{};
}

// The same for an output that is not a pointer.
template <policy_like Policy, reducible_range Range, class... Rest>
  requires detail::lacks_pointer<Rest...>
auto reduce_async(const Policy&, const Range&, const Rest&...) {
  return detail::refuse_output<Rest...>();
}

}  // namespace warpfold
