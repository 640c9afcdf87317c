/// @file
/// `reduce_axis<Axis>(policy, in, op, out)`: folds one axis of an array and keeps the others. For a
/// matrix, `reduce_axis<0>` with `plus` gives the sums of the columns, `reduce_axis<1>` those of
/// the rows.
#pragma once

#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/view/axis_shape.hpp>
#include <warpfold/view/element_check.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/work/axis_reduction.hpp>

namespace warpfold {

namespace detail {

// All checks of an array are here, so that misuse gives one error.
template <int Axis, class In>
constexpr bool check_axis_input() {
  constexpr bool array = mdspan_like<In>;
  static_assert(array,
                "warpfold: reduce_axis folds an mdspan; make one from the pointer and the extents");
  if constexpr (array) {
    constexpr int rank = static_cast<int>(In::rank());
    constexpr bool few = rank >= 1 && rank <= max_axes;
    static_assert(few, "warpfold: reduce_axis takes an mdspan of rank 1 to 5");
    constexpr bool inside = !few || (Axis >= 0 && Axis < rank);
    static_assert(inside,
                  "warpfold: the array has no such axis; axes count from 0 to its rank - 1");
    constexpr bool plain = std::is_pointer_v<typename In::data_handle_type> &&
                           std::is_same_v<typename In::reference, typename In::element_type&>;
    static_assert(plain,
                  "warpfold: the mdspan's accessor is not default_accessor, and reduce_axis would "
                  "not call it; use default_accessor, and an op with lift");
    constexpr bool strided = In::is_always_strided();
    static_assert(strided,
                  "warpfold: the mdspan's layout has no strides; use layout_right, layout_left or "
                  "layout_stride");
    constexpr bool copyable = std::is_trivially_copyable_v<typename In::element_type>;
    static_assert(
        copyable,
        "warpfold: the array's elements are not trivially copyable; use elements that are");
    constexpr bool loadable = check_not_volatile<typename In::element_type>();
    return few && inside && plain && strided && copyable && loadable;
  } else {
    return false;
  }
}

// Replaces the output where nothing is written; see explain_axis.hpp.
struct no_output {};

template <int Kept, class Out>
constexpr bool check_axis_output() {
  using plain_out = std::remove_cvref_t<Out>;
  if constexpr (std::is_same_v<plain_out, no_output>) {
    return true;
  } else if constexpr (mdspan_like<plain_out>) {
    constexpr bool one_less = static_cast<int>(plain_out::rank()) == Kept;
    static_assert(one_less,
                  "warpfold: the output's rank is not the input's rank minus 1; pass an mdspan of "
                  "the extents that are kept");
    constexpr bool plain =
        std::is_pointer_v<typename plain_out::data_handle_type> &&
        std::is_same_v<typename plain_out::reference, typename plain_out::element_type&>;
    static_assert(plain,
                  "warpfold: the output's accessor is not default_accessor, and reduce_axis would "
                  "not call it; use default_accessor");
    constexpr bool strided = plain_out::is_always_strided();
    static_assert(strided,
                  "warpfold: the output's layout has no strides; use layout_right, layout_left or "
                  "layout_stride");
    using element_type = typename plain_out::element_type;
    constexpr bool writable = std::is_same_v<element_type, std::remove_cv_t<element_type>>;
    static_assert(writable,
                  "warpfold: the output's elements are const or volatile; pass an output that can "
                  "be written");
    return one_less && plain && strided && writable;
  } else {
    constexpr bool range = sized_output<std::remove_reference_t<Out>>;
    static_assert(range,
                  "warpfold: the output is neither an mdspan nor a container or span with data() "
                  "and size(); pass one of these");
    if constexpr (range) {
      constexpr bool writable = !is_const_output<Out>;
      static_assert(writable,
                    "warpfold: the output's elements are const or volatile; pass an output that "
                    "can be written");
      constexpr bool outlives = outlives_call<Out>;
      static_assert(outlives || !writable,
                    "warpfold: the output is a temporary container, which is destroyed when the "
                    "call returns; give the container a name");
      return outlives && writable;
    } else {
      return false;
    }
  }
}

template <class T, class Op>
constexpr bool check_axis_op() {
  if constexpr (!check_element<T, Op>()) {
    return false;
  } else if constexpr (check_operands<Op, lifted_t<Op, T>, lifted_t<Op, T>>()) {
    using L = lifted_t<Op, T>;
    using A = typename op_traits<Op, typename op_traits<Op, L>::accumulator>::accumulator;
    return check_fold<L, Op, A>();
  } else {
    return false;
  }
}

// The type of a result: the accumulator of elements of type T, after the op's `finish` if there is
// one.
template <class T, class Op>
using axis_result_t = std::remove_cvref_t<decltype(finished(
    std::declval<const Op&>(),
    std::declval<const typename axis_reduction<T, Op, T>::accumulator&>()))>;

template <class AxisReduction>
constexpr bool check_axis_result() {
  using A = typename AxisReduction::accumulator;
  using Out = typename AxisReduction::out_type;
  using result = axis_result_t<typename AxisReduction::value_type, typename AxisReduction::op_type>;
  constexpr bool converts = std::is_same_v<Out, A> || std::is_constructible_v<Out, result>;
  static_assert(converts,
                "warpfold: the op's results do not convert to the output's elements; change the "
                "output's element type");
  constexpr bool copyable = std::is_trivially_copyable_v<Out>;
  static_assert(
      copyable,
      "warpfold: the output's elements are not trivially copyable; use elements that are");
  return converts && copyable;
}

template <class Policy, class AxisReduction>
constexpr bool check_reduces_axis() {
  constexpr bool can = runs<Policy, AxisReduction>;
  static_assert(
      can,
      "warpfold: this policy does not support reduce_axis: it has no run(a) and "
      "enqueue(a) for an axis_reduction. Use wf::seq, wf::par, wf::device or wf::emulated");
  return can;
}

// The memory that the results are written to.
template <class T>
struct axis_target {
  T* data;
  axis_shape shape;
  std::size_t span;  // elements from the first to the last
};

// `Result` is the type of a result where there is no output to take it from.
template <class Result, class Out>
auto axis_target_of(Out& out, const axis_shape& kept) {
  if constexpr (std::is_same_v<std::remove_cv_t<Out>, no_output>) {
    const axis_target<Result> to{nullptr, kept.row_major(), 0};
    to.shape.require_countable("the results", sizeof(Result));
    return to;
  } else if constexpr (mdspan_like<std::remove_cv_t<Out>>) {
    const axis_shape shape = shape_of(out);
    shape.require_countable("an output", sizeof(typename Out::element_type));
    require_same_extents(kept, shape);
    return axis_target<typename Out::element_type>{out.data_handle(), shape, shape.span()};
  } else {
    auto* const data = element_pointer(out);
    if (std::size(out) != kept.count()) {
      throw invalid_range(
          "warpfold: the output has ", std::size(out), " elements, but the reduction produces ",
          kept.count(),
          "; pass an output of that many elements, or an mdspan of the extents that are kept");
    }
    return axis_target<std::remove_pointer_t<decltype(element_pointer(out))>>{
        data, kept.row_major(), kept.count()};
  }
}

template <int Axis, class Policy, class In, class Op, class Out, class Then>
void with_axis_reduction(const Policy& policy, const In& in, const Op& op, Out&& out,
                         const Then& then) {
  if constexpr (check_axis_input<Axis, In>()) {
    using T = std::remove_cv_t<typename In::element_type>;
    if constexpr (check_axis_output<static_cast<int>(In::rank()) - 1, Out>() &&
                  check_axis_op<T, Op>()) {
      const axis_shape whole = shape_of(in);
      whole.require_countable("an array", sizeof(T));
      const axis_shape kept = whole.without(Axis);
      kept.require_countable("the results", 1);
      const auto to = axis_target_of<axis_result_t<T, Op>>(out, kept);
      using out_type = std::remove_pointer_t<decltype(to.data)>;
      using axis_type = axis_reduction<T, Op, out_type>;
      if constexpr (check_axis_result<axis_type>()) {
        const auto own = as_policy(policy);
        if constexpr (check_reduces_axis<decltype(as_policy(policy)), axis_type>()) {
          then(own, axis_type{in.data_handle(), to.data,
                              layout_of(whole.extent[Axis], whole.stride[Axis], kept, to.shape),
                              whole.span(), to.span, op});
        }
      }
    }
  }
}

// The same for an output or `accumulate(output)`, which an axis of extent 0 leaves as it is.
template <int Axis, class Policy, class In, class Op, class Out, class Then>
void with_axis_output(const Policy& policy, const In& in, const Op& op, Out&& out,
                      const Then& then) {
  if constexpr (accumulates<std::remove_cvref_t<Out>>) {
    with_axis_reduction<Axis>(policy, in, op, static_cast<decltype(out.out)>(out.out),
                              [&](const auto& own, const auto& a) {
                                if (a.layout.length != 0) then(own, accumulated(a));
                              });
  } else {
    with_axis_reduction<Axis>(policy, in, op, static_cast<Out&&>(out), then);
  }
}

}  // namespace detail

/// Folds `in` along one axis: each element of `out` becomes the fold of the elements of `in` that
/// have its other indices.
///
/// @tparam Axis the dimension that is folded, counted from 0
/// @param policy `wf::seq`, `wf::par`, `wf::device` or `wf::emulated`; baselines do not compile.
///     `wf::device` chooses the kernel: `with_kernel` and `with(tuning)` do not apply
/// @param in readable from the policy: an mdspan (`cuda::std`, `std`, Kokkos) of rank 1 to 5 with
///     any strides. Rank 1 has one result
/// @param op as for `reduce`; only `wf::seq` keeps the order of the elements. Ops with an index,
///     such as `arg(maximum{})`, get the index along the axis
/// @param out writable from the policy: an mdspan of the remaining extents in their order, with any
///     strides that give each result its own element. Or a named container or span with one element
///     for each result, in row-major order. It must not overlap `in`; gaps between rows count
///     as memory of both. With `accumulate(out)`, each result is `op(what out holds, fold)`
///
/// Each result is the fold in the op's accumulator type, as for `reduce` (64 bits for sums of
/// integers), converted to the output's elements. An op with `finish` (op/lift.hpp) writes the
/// result of `finish`. If the output's elements have the accumulator's type (for example
/// `compensated_sum<T>`), the op's `finish` is not called. Accumulators have at most 1024 bytes.
///
/// - Empty range: an axis of extent 0 writes the op's identity. If there are no results, nothing
///   happens.
/// - Stream: enqueues on the policy's stream and waits (`cudaStreamSynchronize`), so it cannot be
///   captured. `reduce_axis_async` does not wait and can be captured.
/// - Order: fixed for one policy, device, shape and alignment, so every run gives the same bits.
///   `wf::seq` folds strictly from the first element to the last.
/// - Cost: one read of the input. Loads are 16 bytes wide where rows or columns are contiguous and
///   start at multiples of 16 bytes; columns also where several rows together do. Otherwise (a
///   misaligned base, a strided innermost dimension) elements are loaded one by one. `wf::device`
///   makes one launch. It makes two launches if there are too few results to fill the GPU, or if
///   columns are not whole 16-byte words. Two launches need scratch of at most one state per 16
///   elements; small arrays need one state per element. Scratch beyond 64 KB is allocated by the
///   largest call so far and kept, or comes from `with(resource)`. `wf::par` allocates one
///   accumulator for each result and piece of the axis if it cuts the axis.
/// @throws empty_range if the axis has extent 0 and the op has no identity
/// @throws invalid_range if the output has other extents than those that are kept, or overlaps
///     `in`. Also if memory is null, misaligned or not accessible from the policy, or if extents or
///     strides need more than 64 bits
/// @throws no_device,out_of_memory,cuda_error as `reduce`
///
/// Example: test/examples/axis.cpp
template <int Axis, policy_like Policy, class In, class Op, class Out>
void reduce_axis(const Policy& policy, const In& in, Op op, Out&& out) {
  detail::with_axis_output<Axis>(policy, in, op, static_cast<Out&&>(out),
                                 [](const auto& own, const auto& a) { own.run(a); });
}

/// Like `reduce_axis`, but does not wait: host policies return when the results are written. `in`
/// and `out` must live until the stream has finished this work. Can be captured into a graph.
template <int Axis, policy_like Policy, class In, class Op, class Out>
void reduce_axis_async(const Policy& policy, const In& in, Op op, Out&& out) {
  detail::with_axis_output<Axis>(policy, in, op, static_cast<Out&&>(out),
                                 [](const auto& own, const auto& a) { own.enqueue(a); });
}

// Misuse of the above is one error; see policy/call_check.hpp.
template <int Axis, class Policy = detail::braces, class... Rest>
  requires(!policy_like<Policy>)
auto reduce_axis(const Policy&, const Rest&...) {
  return detail::refuse<Policy>();
}

// Misuse of the above is one error; see policy/call_check.hpp.
template <int Axis, class Policy = detail::braces, class... Rest>
  requires(!policy_like<Policy>)
auto reduce_axis_async(const Policy&, const Rest&...) {
  return detail::refuse<Policy>();
}

}  // namespace warpfold
