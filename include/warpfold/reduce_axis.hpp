/// @file
/// `reduce_axis<Axis>(policy, in, op, out)`: folds one axis of an array and keeps the others. For a
/// matrix, `reduce_axis<0>` with `plus` gives the sums of the columns, `reduce_axis<1>` those of
/// the rows.
#pragma once

#include <utility>

#include <warpfold/host/host_axis.hpp>
#include <warpfold/kernel/axis/automatic.hpp>
#include <warpfold/op/after.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/view/expression.hpp>
#include <warpfold/view/layout.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/view/strided.hpp>
#include <warpfold/work/axis_part.hpp>
#include <warpfold/work/axis_reduction.hpp>
#include <warpfold/work/counted_rows.hpp>
#include <warpfold/work/expression_reduction.hpp>

namespace warpfold {

namespace detail {

// All checks of an array are here, so that misuse gives one error.
template <int... Axes, class In>
constexpr bool check_axis_input(const In*) {
  constexpr bool array = has_axes<In>;
  constexpr bool masked = masked_elements<In>;
  static_assert(array || masked || std::is_same_v<In, refused>,
                "warpfold: a fold along an axis takes an mdspan; make one from the pointer and the "
                "extents");
  static_assert(
      !masked,
      "warpfold: a fold along an axis cannot take a range with a mask; fold project(zip(a, mask), "
      "f) of two mdspans, where f gives the op's identity for elements to leave out");
  if constexpr (array) {
    constexpr int rank = array_node<In>::rank;
    constexpr bool few = rank >= 1 && rank <= max_array_rank;
    static_assert(few, "warpfold: a fold along an axis takes an mdspan of rank 1 to 8");
    constexpr bool inside = !few || ((Axes >= 0 && Axes < rank) && ...);
    static_assert(inside,
                  "warpfold: the array has no such axis; axes count from 0 to its rank - 1");
    constexpr bool distinct = !few || !inside || distinct_dimensions<Axes...>();
    static_assert(distinct, "warpfold: reduce_axes names an axis twice; name each axis once");
    constexpr bool keeps_rows = array_node<In>::counts == 0 || ((Axes != 0) && ...);
    static_assert(!inside || keeps_rows,
                  "warpfold: axis 0 of a counted array is the one that is counted; fold another "
                  "axis, or pass the array without its count");
    if constexpr (few && inside && distinct && keeps_rows && check_counts<In>()) {
      return array_node<In>::check();
    } else {
      return false;
    }
  } else {
    return false;
  }
}

// Replaces the output where nothing is written; see explain_axis.hpp.
template <class T = void>
struct no_output {};
template <class Out>
inline constexpr bool is_no_output = false;
template <class T>
inline constexpr bool is_no_output<no_output<T>> = true;

template <int Kept, class Out>
constexpr bool check_axis_output() {
  using plain_out = std::remove_cvref_t<Out>;
  if constexpr (is_no_output<plain_out>) {
    return true;
  } else if constexpr (mdspan_like<plain_out>) {
    constexpr bool one_less = static_cast<int>(plain_out::rank()) == Kept;
    static_assert(one_less,
                  "warpfold: the output's rank is not the number of dimensions that are kept; pass "
                  "an mdspan of the extents that are kept");
    return one_less && check_array_output<plain_out>();
  } else {
    constexpr bool range = sized_output<std::remove_reference_t<Out>>;
    static_assert(range,
                  "warpfold: the output is neither an mdspan nor a container or span with data() "
                  "and size(); pass one of these");
    if constexpr (range) {
      return check_writable_output<Out, !is_const_output<Out>>();
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
    return check_fold<lifted_t<Op, T>, Op, accumulator_t<Op, T>>();
  } else {
    return false;
  }
}

// Reports the error about the output first, and only that.
template <class Outputs, int Kept, class T, class Op>
constexpr bool check_output_and_op() {
  if constexpr (reducible_range<Op> || has_axes<Op>) {
    static_assert(never<Op>,
                  "warpfold: an array stands where the op goes; the op comes before the output");
    return false;
  } else if constexpr (!Outputs::template check<Kept>()) {
    return false;
  } else {
    return check_axis_op<T, Op>();
  }
}

// The type of a result: the accumulator of elements of type T, after the op's `finish` if there is
// one.
template <class T, class Op>
using axis_result_t = finished_t<Op, accumulator_t<Op, T>>;

// The memory that the results are written to.
template <class T>
struct axis_target {
  T* data;
  array_shape shape;
  std::size_t span;  // elements from the first to the last
};

// The type of the results where there is no output to take it from.
template <class Result, class Out>
struct written {
  using type = Result;
};
template <class Result, class T>
  requires(!std::is_void_v<T>)
struct written<Result, no_output<T>> {
  using type = T;
};
template <class Result, class Out>
using written_t = typename written<Result, Out>::type;

// `Result` is the type of a result.
template <class Result, class Out>
auto axis_target_of(Out& out, const array_shape& kept) {
  if constexpr (is_no_output<std::remove_cv_t<Out>>) {
    const axis_target<written_t<Result, std::remove_cv_t<Out>>> to{nullptr, kept.row_major(), 0};
    to.shape.require_countable("the results", sizeof(*to.data));
    return to;
  } else {
    const array_shape shape = shape_of_output(out, kept, "the reduction produces");
    return axis_target<std::remove_pointer_t<decltype(data_of_output(out))>>{data_of_output(out),
                                                                             shape, shape.span()};
  }
}

template <class Source, class Op, class Targets>
struct expression_of_targets;
template <class Source, class Op, class... Outs>
struct expression_of_targets<Source, Op, tuple<axis_target<Outs>...>> {
  using type = expression_reduction<Source, Op, Outs...>;

  template <class Flat, std::size_t... At>
  static type make(const Flat& in, const bool* folds, const std::size_t* bytes, const Op& op,
                   const tuple<axis_target<Outs>...>& to, std::index_sequence<At...>) {
    const array_shape shapes[] = {warpfold::get<At>(to).shape...};
    type work{in.source,
              tuple_of(warpfold::get<At>(to).data...),
              layout_of<type::arrays, type::outs>(in.shapes, folds, bytes, shapes),
              {},
              op};
    for (int a = 0; a < type::arrays; ++a) work.span[a] = in.shapes[a].span();
    ((work.span[type::arrays + static_cast<int>(At)] = warpfold::get<At>(to).span), ...);
    return work;
  }
};

// Makes the fold of rows of accumulators to the outputs; see axis_part.
template <class A, class Op, bool Moves, class... To>
struct rows_to_targets {
  array_shape kept;
  Op op;
  tuple<axis_target<To>...> to;

  auto operator()(const A* accumulators, std::size_t count, const part_offsets& offsets) const {
    using from = source_of_elements<array_value, tuple<A>>;
    using combining = combining_op<Op, A, Moves>;
    const void* const data[] = {accumulators};
    array_shape whole;
    whole.rank = kept.rank + 1;
    whole.extent[0] = count;
    for (int d = 0; d < kept.rank; ++d) whole.extent[d + 1] = kept.extent[d];
    const struct {
      typename from::type source;
      array_shape shapes[1];
    } in{from::make(data, array_value{}), {whole.row_major()}};
    const bool folds[max_array_rank] = {true};
    return expression_of_targets<typename from::type, combining, tuple<axis_target<To>...>>::make(
        in, folds, from::bytes, combining{op, offsets}, to, std::index_sequence_for<To...>{});
  }
};

// Calls `then` with the work, or, for a policy whose ranks each have a part of the axis, with an
// axis_part. `make` makes the work of another target. The rows of `in` may be counted.
template <class Value, class A, class Policy, class Work, class In, class Make, class Op,
          class... To, class Then>
void then_or_part(const Policy& own, const Work& work, const In& in, std::size_t rows,
                  const Make& make, const array_shape& kept, const Op& op,
                  const tuple<axis_target<To>...>& to, const Then& then) {
  using node = array_node<In>;
  if constexpr (node::counts != 0) {
    const auto counted = of_counted_rows(work, node::count(in), rows);
    if constexpr (check_runs<Policy, std::remove_const_t<decltype(counted)>>()) {
      then(own, counted);
    }
  } else if constexpr (combines_parts<Policy> && !sized_in_memory<Work>) {
    const auto partial = make(axis_target<A>{nullptr, kept.row_major(), kept.count()});
    using targets = rows_to_targets<A, Op, lifts_indexed<Op, Value>, To...>;
    using part = axis_part<Work, std::remove_const_t<decltype(partial)>, Value, Op, targets>;
    using run_type =
        std::conditional_t<requires { requires Policy::takes_shards; }, sharded_axis<part>, part>;
    if constexpr (Work::kind::template check<runs<Policy, run_type>>()) {
      then(own, part{work, partial, kept, op, targets{kept, op, to}});
    }
  } else if constexpr (check_runs<Policy, Work>()) {
    then(own, work);
  }
}

// Folds one array along one axis: `T` and `own_op` are what is loaded and how it is folded, `Value`
// and `op` what the caller sees.
template <int Axis, class Value, class Policy, class In, class T, class OwnOp, class Op, class Out,
          class Then>
void with_one_array(const Policy& policy, const In& in, const T* data, const array_shape& whole,
                    const OwnOp& own_op, const Op& op, Out& out, const Then& then) {
  whole.require_countable("an array", sizeof(T));
  const array_shape kept = whole.without(Axis);
  kept.require_countable("the results", 1);
  const auto to = axis_target_of<axis_result_t<Value, Op>>(out, kept);
  using out_type = std::remove_pointer_t<decltype(to.data)>;
  using axis_type = axis_reduction<T, OwnOp, out_type>;
  if constexpr (check_result<out_type, typename axis_type::accumulator,
                             axis_result_t<Value, Op>>()) {
    const auto make = [&]<class To>(const axis_target<To>& target) {
      return axis_reduction<T, OwnOp, To>{
          data,
          target.data,
          layout_of(whole.extent[Axis], whole.stride[Axis], kept, target.shape),
          whole.span(),
          target.span,
          own_op};
    };
    then_or_part<Value, typename axis_type::accumulator>(
        as_policy(policy), make(to), in, whole.extent[0], make, kept, op, tuple_of(to), then);
  }
}

// An mdspan, or a function of the elements of one.
template <class In>
inline constexpr bool is_one_array = mdspan_like<In>;
template <class Array, class F>
inline constexpr bool is_one_array<projected_array<Array, F>> = is_one_array<Array>;
template <class Array, class Count>
inline constexpr bool is_one_array<counted_array<Array, Count>> = is_one_array<Array>;

// The outputs of a call: one, or several in a zip.
template <class Out, class = std::remove_cvref_t<Out>>
struct axis_outputs {
  static constexpr std::size_t count = 1;
  template <int Kept>
  static constexpr bool check() {
    return check_axis_output<Kept, Out>();
  }
  template <class Result>
  static auto targets(std::remove_reference_t<Out>& out, const array_shape& kept) {
    return tuple_of(axis_target_of<Result>(out, kept));
  }
  template <class A, class Result, class To>
  static constexpr bool check_results(const tuple<axis_target<To>>*) {
    return check_result<To, A, Result>();
  }
};
template <class Out, class... Arrays>
struct axis_outputs<Out, zipped_array<Arrays...>> {
  static constexpr std::size_t count = sizeof...(Arrays);
  template <int Kept>
  static constexpr bool check() {
    return (check_axis_output<Kept, const Arrays&>() && ...);
  }
  template <class>
  static auto targets(const zipped_array<Arrays...>& out, const array_shape& kept) {
    return [&]<std::size_t... At>(std::index_sequence<At...>) {
      return tuple_of(axis_target_of<void>(warpfold::get<At>(out.arrays), kept)...);
    }(std::index_sequence_for<Arrays...>{});
  }
  template <class A, class Result, class... To>
  static constexpr bool check_results(const tuple<axis_target<To>...>*) {
    return detail::check_results<A, Result, To...>();
  }
};

// Folds an expression of any arrays along any axes to any outputs.
template <int... Axes, class Policy, class In, class Op, class Out, class Then>
void with_expression(const Policy& policy, const In& in, const Op& op, Out&& out,
                     const Then& then) {
  using source = array_source_t<In>;
  using T = typename source::value_type;
  using outputs = axis_outputs<Out>;
  const auto e = flat(in);
  constexpr int rank = array_node<In>::rank;
  bool folds[max_array_rank] = {};
  ((folds[Axes] = true), ...);
  const array_shape whole = e.whole();
  array_shape kept;
  kept.has_counted_rows = whole.has_counted_rows;
  for (int d = 0; d < rank; ++d) {
    if (!folds[d]) kept.extent[kept.rank++] = whole.extent[d];
  }
  whole.require_countable("an expression", 1);
  kept.require_countable("the results", 1);
  using result = axis_result_t<T, Op>;
  const auto to = outputs::template targets<result>(out, kept);
  using made = expression_of_targets<source, Op, std::remove_const_t<decltype(to)>>;
  using work_type = typename made::type;
  if constexpr (outputs::template check_results<typename work_type::accumulator, result>(
                    static_cast<std::remove_const_t<decltype(to)>*>(nullptr))) {
    const auto make = [&]<class... To>(const tuple<axis_target<To>...>& targets) {
      return expression_of_targets<source, Op, tuple<axis_target<To>...>>::make(
          e, folds,
          source_of_elements<typename source::function_type, typename source::elements>::bytes, op,
          targets, std::index_sequence_for<To...>{});
    };
    then_or_part<T, typename work_type::accumulator>(
        as_policy(policy), make(to), in, whole.extent[0],
        [&](const auto& target) { return make(tuple_of(target)); }, kept, op, to, then);
  }
}

template <int... Axes, class Policy, class In, class Op, class Out, class Then>
void with_axis_reduction(const Policy& policy, const In& in, const Op& op, Out&& out,
                         const Then& then) {
  if constexpr (check_axis_input<Axes...>(static_cast<const In*>(nullptr))) {
    using node = array_node<In>;
    using T = typename array_source_t<In>::value_type;
    constexpr int kept = node::rank - static_cast<int>(sizeof...(Axes));
    if constexpr (check_output_and_op<axis_outputs<Out>, kept, T, Op>()) {
      if constexpr (is_one_array<In> && sizeof...(Axes) == 1 && axis_outputs<Out>::count == 1 &&
                    node::rank <= axis_layout::max_kept + 1) {
        node::visit(in, [&](const auto* data, const array_shape& whole, const int*) {
          if constexpr (std::is_same_v<typename node::function_type, array_value>) {
            with_one_array<Axes..., T>(policy, in, data, whole, op, op, out, then);
          } else {
            using function = function_of_element<typename node::function_type>;
            with_one_array<Axes..., T>(policy, in, data, whole,
                                       op_after<Op, function>{op, {node::function(in)}}, op, out,
                                       then);
          }
        });
      } else {
        with_expression<Axes...>(policy, in, op, static_cast<Out&&>(out), then);
      }
    }
  }
}

// The same for an array, or for shards of one (view/shards.hpp), whose folds `then` gets together.
template <int... Axes, class Policy, class In, class Op, class Out, class Then>
void with_axis_or_shards(const Policy& policy, const In& in, const Op& op, Out&& out,
                         const Then& then) {
  constexpr bool has_gpus = requires { requires Policy::takes_shards; };
  constexpr bool has_shards = requires { in.arrays(); };
  static_assert(has_gpus || !has_shards,
                "warpfold: shards are for a policy of several GPUs; use "
                "wf::across(wf::devices{0, 1}), or pass one array");
  static_assert(has_shards || !has_gpus,
                "warpfold: a policy of several GPUs folds shards along an axis; pass "
                "wf::shards(array0, array1), the parts of the axis on each GPU");
  if constexpr (has_gpus && has_shards) {
    const auto& arrays = in.arrays();
    const auto with_part = [&](std::size_t i, const auto& take) {
      with_axis_reduction<Axes...>(policy, arrays[i], op, out, take);
    };
    with_part(0, [&](const auto& own, const auto& first) {
      sharded_axis<std::remove_cvref_t<decltype(first)>> all{{first}};
      for (std::size_t i = 1; i < arrays.size(); ++i) {
        with_part(i, [&](const auto&, const auto& part) { all.parts.push_back(part); });
      }
      then(own, all);
    });
  } else if constexpr (!has_gpus && !has_shards) {
    with_axis_reduction<Axes...>(policy, in, op, static_cast<Out&&>(out), then);
  }
}

// The same for an output or `accumulate(output)`, which an axis of extent 0 leaves as it is.
template <int... Axes, class Policy, class In, class Op, class Out, class Then>
void with_axis_output(const Policy& policy, const In& in, const Op& op, Out&& out,
                      const Then& then) {
  const auto make = [&](const auto& take) {
    if constexpr (accumulates<std::remove_cvref_t<Out>>) {
      with_axis_or_shards<Axes...>(policy, in, op, static_cast<decltype(out.out)>(out.out),
                                   [&]<class Own>(const Own& own, const auto& a) {
                                     if constexpr (!combines_parts<Own>) {
                                       if (a.layout.length == 0) return;
                                     }
                                     take(own, accumulated(a));
                                   });
    } else {
      with_axis_or_shards<Axes...>(policy, in, op, static_cast<Out&&>(out), take);
    }
  };
  make_on_all_ranks(policy, make, then);
}

}  // namespace detail

/// Folds `in` along one axis: each element of `out` becomes the fold of the elements of `in` that
/// have its other indices.
///
/// @tparam Axis the dimension that is folded, counted from 0
/// @param policy `wf::seq`, `wf::par`, `wf::device` or `wf::emulated`; baselines do not compile.
///     `wf::device` chooses the kernel: `with_kernel` and `with(tuning)` do not apply. With
///     `wf::across`, each rank passes its part of the axis (policy/across.hpp)
/// @param in readable from the policy: an mdspan (`cuda::std`, `std`, Kokkos) of rank 1 to 8 with
///     any strides. Rank 1 has one result. Or an expression of mdspans: `project(m, f)`,
///     `zip(a, b)`, `zip(m, broadcast<1>(v))` and their combinations; `f` of a zip takes its
///     elements as arguments, or one tuple. All arrays have the same extents. Of counted rows
///     (view/counted.hpp), `Axis` is not 0, and results of rows from `*count` on stay unchanged
/// @param op as for `reduce`. Ops with an index, such as `arg(maximum{})`, get the index along the
/// axis
/// @param out writable from the policy: an mdspan of the remaining extents in their order, in
///     which each stride is larger than the span of the dimensions with smaller strides. Or a named
///     container or span with one element for each result, in row-major order. Or `zip(mdspan...)`,
///     one for each part of `all(...)`. Outputs must not overlap `in` or each other; gaps between
///     rows count as memory of both. With `accumulate(out)`, each result is `op(what out holds,
///     fold)`
///
/// Each result is the fold in the op's accumulator type, as for `reduce` (64 bits for sums of
/// integers), converted to the output's elements. An op with `finish` (op/lift.hpp) writes the
/// result of `finish`. If the output's elements have the accumulator's type, a class (for example
/// `compensated_sum<T>`), they get the accumulator. An output of integers takes the index of
/// `arg(...)` alone. Accumulators have at most 1024 bytes; those of exact sums may be larger.
///
/// - Empty range: an axis of extent 0 writes the op's identity. If there are no results, nothing
///   happens.
/// - Stream: enqueues on the policy's stream and waits (`cudaStreamSynchronize`), so it cannot be
///   captured. `reduce_axis_async` does not wait and can be captured.
/// - Order: the declared one (op/fold_order.hpp) of the indices, on hosts and GPUs. So a row or
///   column of an array has the bits of `reduce` of its elements by wf::seq. `across` combines the
///   ranks' parts of a row in rank order.
/// - Cost: one read of the input. Loads are 16 bytes wide where rows or columns are contiguous and
///   start at multiples of 16 bytes; columns also where several rows together do. Otherwise (a
///   misaligned base, a strided innermost dimension, padded rows that are not whole words)
///   elements are loaded one by one. For expressions this applies to each array; values that repeat
///   come from the caches after the first time. `wf::device` makes one launch. It makes two
///   launches if there are too few results to fill the GPU, and the data exceed the L2 cache or the
///   result does not depend on the order; in the second case also if it merges rows that are not
///   whole 16-byte words. Two launches need scratch of at most one state per 16 elements; small
///   arrays need one state per element. Scratch beyond 64 KB is allocated by the largest call so
///   far and kept, or comes from `with(resource)`. Exact sums take one more launch,
///   which folds again the results that need more digits. If `wf::par` cuts the axis, it allocates
///   one accumulator for each result and piece.
/// @throws empty_range if the axis has extent 0 and the op has no identity
/// @throws invalid_range if the output has other extents than those that are kept, or overlaps
///     `in`. Also if memory is null, misaligned or not accessible from the policy, or if extents or
///     strides need more than 64 bits
/// @throws no_device,out_of_memory,cuda_error as `reduce`
///
/// ```cuda
/// #include <cuda/std/mdspan>
///
/// const float values[] = {1, 2, 3, 4, 5, 6};  // 2 rows of 3
/// const cuda::std::mdspan<const float, cuda::std::dextents<int, 2>> m(values, 2, 3);
/// std::vector<float> sums(2);
/// wf::reduce_axis<1>(wf::seq, m, wf::plus{}, sums);  // 6, 15
/// ```
/// More: test/examples/axis.cpp
template <int Axis, policy_like Policy, class In, class Op, class Out>
void reduce_axis(const Policy& policy, const In& in, Op op, Out&& out) {
  detail::with_axis_output<Axis>(policy, in, op, static_cast<Out&&>(out), detail::run_now);
}

/// Folds one axis of `in` to `out`, without waiting.
///
/// @tparam Axis the dimension that is folded, counted from 0
/// @param policy,in,op,out as for `reduce_axis`. They must live until the stream has finished this
///     work
///
/// Enqueues on the policy's stream and returns; host policies return when the results are written.
/// Can be captured into a graph. Empty range, order, cost and errors: as `reduce_axis`.
///
/// ```cuda
/// #include <cuda/std/mdspan>
///
/// const float values[] = {1, 2, 3, 4, 5, 6};  // 2 rows of 3
/// const cuda::std::mdspan<const float, cuda::std::dextents<int, 2>> m(values, 2, 3);
/// std::vector<float> greatest(3);
/// wf::reduce_axis_async<0>(wf::seq, m, wf::maximum{}, greatest);  // 4, 5, 6
/// ```
template <int Axis, policy_like Policy, class In, class Op, class Out>
void reduce_axis_async(const Policy& policy, const In& in, Op op, Out&& out) {
  detail::with_axis_output<Axis>(policy, in, op, static_cast<Out&&>(out), detail::enqueue_now);
}

/// Folds several axes at once: `reduce_axes<0, 2>` of a cube gives one result for each index of
/// dimension 1. Everything else is as for `reduce_axis`. An op with an index gets the position of
/// an element among those of its result, in the order of their indices: the last axis varies
/// fastest.
///
/// @tparam Axes the dimensions that are folded, counted from 0, each once. At least one
/// @param policy,in,op,out as for `reduce_axis`
///
/// Empty range, stream, order, cost and errors: as `reduce_axis`.
///
/// ```cuda
/// #include <cuda/std/mdspan>
///
/// const float values[] = {1, 2, 3, 4, 5, 6, 7, 8};
/// const cuda::std::mdspan<const float, cuda::std::dextents<int, 3>> cube(values, 2, 2, 2);
/// std::vector<float> sums(2);
/// wf::reduce_axes<0, 2>(wf::seq, cube, wf::plus{}, sums);  // 14, 22
/// ```
template <int... Axes, policy_like Policy, class In, class Op, class Out>
  requires(sizeof...(Axes) > 0)
void reduce_axes(const Policy& policy, const In& in, Op op, Out&& out) {
  detail::with_axis_output<Axes...>(policy, in, op, static_cast<Out&&>(out), detail::run_now);
}

/// Folds several axes of `in` to `out`, without waiting.
///
/// @tparam Axes as for `reduce_axes`
/// @param policy,in,op,out as for `reduce_axis`. They must live until the stream has finished this
///     work
///
/// Can be captured into a graph. Empty range, order, cost and errors: as `reduce_axis`.
///
/// ```cuda
/// #include <cuda/std/mdspan>
///
/// const float values[] = {1, 2, 3, 4, 5, 6};  // 2 rows of 3
/// const cuda::std::mdspan<const float, cuda::std::dextents<int, 2>> m(values, 2, 3);
/// std::vector<float> sum(1);
/// wf::reduce_axes_async<0, 1>(wf::seq, m, wf::plus{}, sum);  // 21
/// ```
template <int... Axes, policy_like Policy, class In, class Op, class Out>
  requires(sizeof...(Axes) > 0)
void reduce_axes_async(const Policy& policy, const In& in, Op op, Out&& out) {
  detail::with_axis_output<Axes...>(policy, in, op, static_cast<Out&&>(out), detail::enqueue_now);
}

// Declares the overloads for misuse of a function of axes, which takes `least` to `most`
// arguments after the policy; see policy/call_check.hpp.
#define WARPFOLD_AXIS_FORMS(function, least, most, usage)                                         \
  template <int... Axes, class Policy = detail::braces, class... Rest>                            \
    requires(sizeof...(Axes) > 0 && !policy_like<Policy>)                                         \
  auto function(const Policy&, const Rest&...) {                                                  \
    return detail::refuse<Policy>();                                                              \
  }                                                                                               \
  template <int... Axes, policy_like Policy, class... Rest>                                       \
    requires(sizeof...(Axes) > 0 && !detail::is_number_between<least, most>(sizeof...(Rest)))     \
  auto function(const Policy&, const Rest&...) {                                                  \
    static_assert(detail::never<Policy>, "warpfold: too few or too many arguments; call " usage); \
    return detail::refused{};                                                                     \
  }                                                                                               \
  template <class Policy, class... Rest>                                                          \
    requires(policy_like<Policy> || detail::has_axes<Policy>)                                     \
  auto function(const Policy&, const Rest&...) {                                                  \
    static_assert(detail::never<Policy>, "warpfold: the axis is missing; call " usage);           \
    return detail::refused{};                                                                     \
  }

WARPFOLD_AXIS_FORMS(reduce_axis, 3, 3, "reduce_axis<0>(policy, mdspan, op, output)")
WARPFOLD_AXIS_FORMS(reduce_axis_async, 3, 3, "reduce_axis_async<0>(policy, mdspan, op, output)")
WARPFOLD_AXIS_FORMS(reduce_axes, 3, 3, "reduce_axes<0, 1>(policy, mdspan, op, output)")
WARPFOLD_AXIS_FORMS(reduce_axes_async, 3, 3, "reduce_axes_async<0, 1>(policy, mdspan, op, output)")

}  // namespace warpfold
