/// @file
/// The entry point: `reduce(policy, range, op)` and `reduce_async`.
///
/// This header provides the policies `wf::seq` and `wf::device`. The other policies have one header
/// each in `policy/`: `wf::par`, `wf::emulated`, CUB, Thrust and the standard library's algorithms.
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
#include <warpfold/view/counted.hpp>
#include <warpfold/view/counting.hpp>
#include <warpfold/view/field.hpp>
#include <warpfold/view/mdspan.hpp>
#include <warpfold/view/packed.hpp>
#include <warpfold/view/staged.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/where.hpp>
#include <warpfold/view/zip.hpp>
#include <warpfold/work/masked_reduction.hpp>
#include <warpfold/work/reduction.hpp>

namespace warpfold {

namespace detail {

// All checks of an op and its elements are here, so that misuse gives one error.
template <class T>
constexpr bool check_element_type() {
  if constexpr (!check_copyable<T>()) {
    return false;
  } else if constexpr (is_masked<T>) {
    static_assert(never<T>,
                  "warpfold: the range is a view of a range with a mask; call where last: "
                  "where(reverse(range), bits)");
    return false;
  } else {
    constexpr bool nested = reducible_range<T>;
    constexpr bool copyable = std::is_trivially_copyable_v<T>;
    static_assert(
        copyable || !nested,
        "warpfold: the range's elements are ranges themselves (std::vector, std::string, an "
        "array); put all elements into one std::vector or span, or reduce a projection of them");
    static_assert(copyable || nested,
                  "warpfold: the range's elements are not trivially copyable; reduce a projection "
                  "that is: wf::project(range, function)");
    return copyable;
  }
}

// Checks that `op.lift`, if present, returns a value for an element.
template <class T, class Op>
constexpr bool check_lift() {
  if constexpr (lifts_indexed<Op, T> || lifts_element<Op, T>) {
    using lifted = decltype(lift_by(std::declval<const Op&>(), std::declval<const T&>(), 0));
    constexpr bool gives = std::is_copy_constructible_v<lifted>;
    static_assert(gives,
                  "warpfold: the op's lift returns nothing, or a value that cannot be copied; "
                  "return the value to fold");
    return gives;
  } else {
    constexpr bool is_mutable = requires(Op& op, T& x) { op.lift(x); } ||
                                requires(Op& op, T& x, std::size_t i) { op.lift(x, i); };
    static_assert(!is_mutable,
                  "warpfold: the op's lift is not const, or takes the element by a reference to "
                  "non-const; declare it lift(const T& x) const");
    return !is_mutable;
  }
}

template <class T, class Op>
constexpr bool check_element() {
  constexpr bool copies = std::is_copy_constructible_v<Op>;
  static_assert(
      copies, "warpfold: the op cannot be copied; let it hold a pointer to what cannot be copied");
  if constexpr (!copies || !check_element_type<T>()) {
    return false;
  } else if constexpr (requires { Op::template check_projections<T>(); }) {
    return Op::template check_projections<T>();
  } else {
    return check_lift<T, Op>();
  }
}

template <class View, class Op, class GivenInit>
constexpr bool check_types() {
  using Init = init_value_t<GivenInit>;
  using T = typename View::value_type;
  if constexpr (!std::is_trivially_copyable_v<T>) {
    static_assert(never<T>,
                  "warpfold: the op's lift returns a type that is not trivially copyable; return "
                  "one that is");
    return false;
  } else if constexpr (std::same_as<Init, no_init>) {
    return check_operands<Op, T, T>();
  } else {
    return check_operands<Op, Init, T, true>();
  }
}

// `T` is the type of the elements after `lift`, and `A` is the accumulator. Only the first fault is
// reported.
template <class T, class Op, class A>
constexpr bool check_fold() {
  constexpr bool copyable = std::is_trivially_copyable_v<A>;
  constexpr bool assignable = std::is_copy_assignable_v<A>;
  constexpr bool lifts = std::is_constructible_v<A, T>;
  constexpr bool folds = reduction_op<Op, A>;
  if constexpr (!copyable) {
    static_assert(
        copyable,
        "warpfold: the op's accumulator is not trivially copyable; use an accumulator that is");
  } else if constexpr (!assignable) {
    static_assert(
        assignable,
        "warpfold: the op's accumulator is not assignable; remove const and reference members");
  } else if constexpr (!lifts) {
    static_assert(lifts,
                  "warpfold: the range's elements do not convert to the op's accumulator; project "
                  "them, or give the op a lift");
  } else {
    static_assert(folds,
                  "warpfold: the op cannot combine two of its own results; make op(a, a) valid and "
                  "convertible to a");
  }
  return copyable && assignable && lifts && folds;
}

// Makes one work object of those of the parts of a range; see work/sharded_reduction.hpp.
template <class Shards, class Make, class Then>
auto sharded(const Shards& range, const Make& make, const Then& then);

template <class Range, class Op, class Init, class Then>
auto with_reduction(const Range& range, const Op& op, const Init& init, const Then& then) {
  if constexpr (sharded_view<Range>) {
    return sharded(
        range,
        [&](const auto& part, const auto& made) { return with_reduction(part, op, init, made); },
        then);
  } else if constexpr (masked_elements<Range>) {
    return with_reduction(range.values(), op, init, [&](const auto& all) {
      return with_elements_that_are_set(range, all, then);
    });
  } else if constexpr (check_element<typename Range::value_type, Op>()) {
    using view_type = decltype(lifted(range, op));
    if constexpr (check_types<view_type, Op, Init>()) {
      using reduction_type = reduction<view_type, Op, Init>;
      if constexpr (check_fold<typename view_type::value_type, Op,
                               typename reduction_type::accumulator>()) {
        // Made in place: GCC copies a view, whose members were just stored, with one load that
        // waits for both stores. Norm of 16 floats by wf::par, EPYC 9004: 26 -> 8 ns.
        return then(reduction_type{lifted(range, op), op, init});
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

// `Output` is the type of the argument, and `Out` that of the object that it refers to.
template <class Reduction, class Output, class Out>
constexpr bool check_out() {
  constexpr bool writable = std::is_same_v<Out, std::remove_cv_t<Out>> && !std::is_array_v<Out> &&
                            std::is_constructible_v<Out, typename Reduction::result_type>;
  static_assert(writable,
                "warpfold: the result does not convert to the type that `out` points to, or that "
                "type is const or volatile");
  if constexpr (sized_output<std::remove_reference_t<Output>>) {
    return check_lasting_output<Output>() && writable;
  } else {
    return writable;
  }
}

template <class Policy, class Reduction>
constexpr bool check_counted() {
  constexpr bool has_gpus = !sharded_work<Reduction> || requires { requires Policy::takes_shards; };
  static_assert(has_gpus,
                "warpfold: shards are for a policy of several GPUs; use "
                "wf::across(wf::devices{0, 1}), or pass one range");
  if constexpr (!has_gpus) return false;
  constexpr bool runs =
      !counted_work<Reduction> || requires(const Policy& p, const Reduction& r) { p.run(r); };
  return check_reads_size<Reduction, runs>();
}

template <class Policy, class Reduction>
auto run_reduction(const Policy& policy, const Reduction& r) {
  const auto own = as_policy(policy);
  if constexpr (check_counted<decltype(as_policy(policy)), Reduction>()) {
    return own.run(r);
  } else {
    return refused{};
  }
}

// Returns a reduction in the type of its init, as the standard library does.
template <class Policy, class View, class Init, class Op>
auto reduce_to_init(const Policy& policy, const View& view, const Init& init, const Op& op) {
  return with_reduction(view, op, init, [&](const auto& r) -> Init {
    auto result = detail::run_reduction(policy, r);
    if constexpr (std::is_constructible_v<Init, decltype(finished(op, result))>) {
      return static_cast<Init>(finished(op, result));
    } else {
      return static_cast<Init>(result);
    }
  });
}

// Calls `then` with a finished_reduction if there is a function of the result: `Finish`, or the
// `finish` of the op unless the output holds the accumulator. Otherwise calls it with `r`.
template <class Out, bool Accumulates, class Reduction, class Finish, class Then>
void with_finish(const Reduction& r, const Finish& finish, const Then& then) {
  using result_type = typename Reduction::result_type;
  using result = decltype(finished(r.op, std::declval<const result_type&>()));
  constexpr bool is_accumulator = holds_accumulator<Out, result_type, result, Accumulates>;
  if constexpr (std::is_same_v<Finish, as_it_is> &&
                (!finishes<typename Reduction::op_type, result_type> || is_accumulator)) {
    then(r);
  } else {
    then(finished_reduction<Reduction, Finish>(r, finish));
  }
}

// Writes `finish` of a reduction to `out`, without waiting.
template <bool Accumulates = false, class Policy, class Range, class Op, class Init, class Out,
          class Finish = as_it_is>
void enqueue_reduction(const Policy& policy, const Range& range, const Op& op, const Init& init,
                       Out&& out, const Finish& finish = {}) {
  if constexpr (accumulates<std::remove_cvref_t<Out>>) {
    constexpr bool combines = std::is_same_v<Init, no_init> && std::is_same_v<Finish, as_it_is>;
    static_assert(combines,
                  "warpfold: accumulate(out) is an init, and the function's result must be a fold: "
                  "pass no other init, and `out` itself to functions such as mean_async");
    if constexpr (combines && result_output<decltype(out.out)>) {
      auto* const to = result_address(out.out);
      enqueue_reduction<true>(policy, range, op, value_at(to),
                              static_cast<decltype(out.out)>(out.out));
    } else if constexpr (combines) {
      (void)refuse_output<decltype(out.out)>();
    }
  } else {
    auto* const to = result_address(out);
    using out_type = std::remove_pointer_t<decltype(result_address(out))>;
    with_reduction(as_view(range), op, init, [&](const auto& r) {
      with_finish<out_type, Accumulates>(r, finish, [&](const auto& work) {
        using work_type = std::remove_cvref_t<decltype(work)>;
        if constexpr (check_out<work_type, Out, out_type>() &&
                      check_counted<decltype(as_policy(policy)), work_type>()) {
          as_policy(policy).enqueue(work, to);
        }
      });
    });
  }
}

}  // namespace detail

/// Returns the reduction of `range` with `op`, starting from `init` if there is one.
///
/// @param policy who runs it: `wf::seq`, `wf::par`, `wf::device`, `wf::emulated` or a baseline such
///     as `wf::baseline::cub`. With `warpfold/drop_in.hpp` also `thrust::device`,
///     `std::execution::par` and similar
/// @param range readable from the policy; sizes count elements and are 64-bit
/// @param op associative. The baselines, and named kernels other than in_order, may exchange
///     its operands. It must be callable where the policy runs and is copied into the kernel's
///     arguments. It must have no side effects: kernels may evaluate the op on extra elements and
///     discard the result
/// @return the fold, in the op's accumulator type for the element. Sums of integers have 64 bits,
///     sums of 16-bit floats are `float`, other ops have the type of `op(x, x)`. An op with
///     `finish` (op/lift.hpp) returns the result of `finish`. With `init`, the type is the decayed
///     one of `op(init, x)`, as in the standard library: a sum of `char` from an `int` is an `int`.
///     It is accumulated in the op's accumulator for that type and rounded once
///
/// - Init: `reduce(policy, range, init, op)` is `op(init, fold of all elements)`; ranks combine the
///   init once. If the op has `lift`, `init` is a lifted value, for example the result of an
///   earlier fold.
/// - Empty range: returns `init`, or without one the op's identity.
/// - Stream: enqueues on the policy's stream and waits for the result. `reduce_async` does not
///   wait.
/// - Order: the declared one (op/fold_order.hpp), so `wf::seq`, `wf::par` with any number of
///   threads, and `wf::device` on any GPU give the same bits. docs/correctness.md lists the
///   exceptions: named kernels other than `kernel::in_order`, `wf::nccl` without `starting_at`,
///   counted shards of `wf::devices`, and the baselines, whose libraries choose the order.
///   `minimum` and `maximum` of numbers give the same NaN and -0 in any order.
/// - Cost: one read of the range. `wf::device` makes one launch and allocates nothing after the
///   first calls. Its scratch is one state per block, and the kernel writes the result to pinned
///   host memory.
/// @throws empty_range if the range is empty, without `init`, and the op has no identity
/// @throws invalid_range if the memory is null, misaligned or not accessible from the policy.
///     Iterators that hide their memory (a deque's, fancy iterators) are not checked
/// @throws no_device if the policy needs a GPU and none is usable
/// @throws out_of_memory if scratch cannot be allocated: in first calls only, or with
///     `with(resource)`
/// @throws unsupported_kernel if the kernel of `with_kernel` cannot run this reduction
/// @throws cuda_error if the launch, or earlier work on the stream, failed, or if the stream is
///     being captured
///
/// ```cpp
/// std::vector<float> v{1, 2, 3};
/// auto total = wf::reduce(wf::seq, v);  // 6, by wf::plus
/// auto least = wf::reduce(wf::seq, v, wf::minimum{});  // 1
/// auto more = wf::reduce(wf::seq, v, 10.0f, wf::plus{});  // 16
/// ```
/// On a GPU: test/examples/sum.cu
template <policy_like Policy, reducible_range Range, class Op = plus>
auto reduce(const Policy& policy, const Range& range, Op op = {}) {
  return detail::with_reduction(as_view(range), op, no_init{}, [&](const auto& r) {
    return finished(r.op, detail::run_reduction(policy, r));
  });
}
template <policy_like Policy, reducible_range Range, class Init, class Op>
  requires(!(reducible_iterator<Range> && std::same_as<Range, Init>))
auto reduce(const Policy& policy, const Range& range, Init init, Op op) {
  return detail::with_reduction(as_view(range), op, init, [&](const auto& r) {
    return finished(r.op, detail::run_reduction(policy, r));
  });
}

/// Returns the sum of the elements in [first, last) in the element's type, or their reduction with
/// `op`, starting from `init`, in the type of `init`, as `std::reduce` and `thrust::reduce` do.
///
/// @param policy,op as above
/// @param first,last random-access iterators of one type
/// @param init combined once with the fold of all elements
/// @return the sum, accumulated as by `reduce(policy, range, plus{})` and converted once. Or the
///     result, accumulated in the op's accumulator for the type of `op(init, x)` and converted
///     once, after the op's `finish` if the type of `init` can hold its result. `init`, or 0, for
///     an empty range
///
/// Stream, order and cost: as above.
/// @throws invalid_range if `last` is before `first`; otherwise as above
///
/// ```cpp
/// std::vector<float> v{1, 2, 3};
/// float total = wf::reduce(wf::seq, v.begin(), v.end());  // 6
/// double more = wf::reduce(wf::seq, v.begin(), v.end(), 10.0);  // 16, a double
/// ```
template <policy_like Policy, reducible_iterator It, class Init, class Op = plus>
auto reduce(const Policy& policy, It first, It last, Init init, Op op = {}) {
  return detail::reduce_to_init(policy, as_view(first, last), init, op);
}
template <policy_like Policy, reducible_iterator It>
auto reduce(const Policy& policy, It first, It last) {
  using T = typename std::iterator_traits<It>::value_type;
  return detail::with_reduction(as_view(first, last), plus{}, no_init{}, [&](const auto& r) -> T {
    return static_cast<T>(detail::run_reduction(policy, r));
  });
}

// Reports arguments after the op.
template <policy_like Policy, reducible_range Range, class... Rest>
  requires(sizeof...(Rest) > 2 && !detail::is_form<0, Range, Rest...>)
auto reduce(const Policy&, const Range&, const Rest&...) {
  static_assert(detail::never<Range>,
                "warpfold: too few or too many arguments; call reduce(policy, range, op) or "
                "reduce(policy, range, init, op)");
  return detail::refused{};
}

/// Returns the reduction of the `count` elements from `pointer` on.
///
/// @param policy as above
/// @param pointer,count a pointer to the first element, and the number of elements
/// @param rest `op`, or `init` and `op`; without them, the sum
/// @return the result of `reduce(policy, range, rest...)`
/// @throws invalid_range if `count` is negative; otherwise as above
///
/// Empty range, stream, order and cost: as above.
///
/// ```cpp
/// const int v[] = {1, 2, 3};
/// long long sum = wf::reduce(wf::seq, &v[0], 3);  // 6
/// ```
template <policy_like Policy, class Pointer, class Count, class... Rest>
  requires(detail::element_pointer_like<Pointer> && detail::element_count<Count>)
auto reduce(const Policy& policy, Pointer pointer, Count count, const Rest&... rest) {
  return warpfold::reduce(policy, as_view(pointer, count), rest...);
}

// Misuse of the above is one error; see policy/call_check.hpp.
template <class Policy = detail::braces, class Range = detail::braces, class... Rest>
  requires(detail::misused<Policy, Range> &&
           !(policy_like<Policy> && detail::is_form<0, Range, Rest...>))
auto reduce(const Policy&, const Range& = {}, const Rest&...) {
  return detail::refuse<Policy, Range>();
}

/// Writes the reduction of `range` with `op`, starting from `init` if there is one, to `*out`,
/// without waiting.
///
/// @param policy,range,op as for `reduce`
/// @param init combined once with the fold of all elements. `value_at(pointer)` is the value that
///     is there when the call runs (work/stored_value.hpp)
/// @param out memory that the policy can write; for a GPU device, managed or pinned host memory. A
///     pointer or other contiguous iterator, a `thrust::device_ptr`, or a span or named container
///     of at least one element. The result is converted to its type. An op with `finish`
///     (op/lift.hpp) writes the result of `finish`, or its accumulator if that is a class and
///     `*out` has its type: `compensated_plus` writes the sum, or a `compensated_sum<T>`. With
///     `accumulate(out)`, writes `op(*out, fold)`
///
/// - Empty range: writes `init`, or without one the op's identity; `accumulate(out)` keeps its
///   value.
/// - Stream: enqueues on the policy's stream and returns; host policies return when the result is
///   written. `range` and `*out` must live until the stream has finished this work. Can be captured
///   into a graph.
/// - Order, cost and errors: as `reduce`, but nothing is copied to the host. With `wf::device`,
///   `out` may lie inside `range`: the kernel writes it after it has read all elements.
/// @throws invalid_range if `out` has no elements, or is null, misaligned or not accessible from
///     the policy; otherwise as `reduce`
///
/// ```cpp
/// std::vector<float> v{1, 2, 3};
/// float total = 0;
/// wf::reduce_async(wf::seq, v, wf::plus{}, &total);  // total is 6
/// wf::reduce_async(wf::seq, v, 10.0f, wf::plus{}, &total);  // total is 16
/// ```
/// On a GPU: test/examples/async_graph.cu
template <policy_like Policy, reducible_range Range, class Init, class Op,
          detail::result_target Out>
void reduce_async(const Policy& policy, const Range& range, Init init, Op op, Out&& out) {
  detail::enqueue_reduction(policy, range, op, init, static_cast<Out&&>(out));
}
template <policy_like Policy, reducible_range Range, class Op, detail::result_target Out>
void reduce_async(const Policy& policy, const Range& range, Op op, Out&& out) {
  detail::enqueue_reduction(policy, range, op, no_init{}, static_cast<Out&&>(out));
}

WARPFOLD_ASYNC_FORMS(reduce_async, 2, 3, "reduce_async(policy, range, op, &result)")

}  // namespace warpfold
