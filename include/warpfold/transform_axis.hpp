/// @file
/// `transform_axis<Axis>(policy, in, op, out, f)`: writes a function of each element and of the
/// fold along an axis that it belongs to. A softmax or a normalization of rows in one call.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <warpfold/host/host_axis_transformation.hpp>
#include <warpfold/kernel/axis/automatic_transformation.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/transform.hpp>
#include <warpfold/work/axis_transformation.hpp>

namespace warpfold {

namespace detail {

// The folds along `Axis` beside the elements of an expression, in row-major order, as a `Result`.
// Their memory is not known yet.
template <class T, class Result, int Axis, std::size_t... Kept>
auto beside_elements(const array_shape& kept, std::index_sequence<Kept...>) {
  const broadcast_array<strided_array<T>,
                        (static_cast<int>(Kept) < Axis ? static_cast<int>(Kept)
                                                       : static_cast<int>(Kept) + 1)...>
      folds{{nullptr, kept}};
  if constexpr (std::is_same_v<T, Result>) {
    return folds;
  } else {
    return project(folds, finished_value{});
  }
}

// The work of one launch, which folds the expression `e` of `in` like a `Fold` and writes as `t`
// does.
// @param rows the number of rows of `in`, which may be counted
// @param to the shape of the output
template <int Axis, class Fold, class Transformation, class In, class Flat, class Op>
auto rows_of(const Transformation& t, const In& in, std::size_t rows, const Flat& e, const Op& op,
             const array_shape& to) {
  using source = typename Fold::source_type;
  const array_shape kept = to.without(Axis);
  bool folds[max_array_rank] = {};
  folds[Axis] = true;
  const auto layout = layout_of<source::arrays, 1>(
      e.shapes, folds,
      source_of_elements<typename source::function_type, typename source::elements>::bytes, &kept);
  const row_transformation<Fold, Transformation> all{e.source,        t.out.data(), layout,
                                                     to.stride[Axis], op,           t.f};
  if constexpr (array_node<In>::counts == 0) {
    return all;
  } else {
    return of_counted_rows(all, array_node<In>::count(in), rows);
  }
}

template <class T, class Op>
struct fold_in_memory {
  using result = axis_result_t<T, Op>;
  using type = std::conditional_t<finishes<Op, typename axis_reduction<T, Op, T>::accumulator>,
                                  finished_fold<result>, result>;
};

template <class F, class In, class Fold>
constexpr bool check_function_of_fold() {
  if constexpr (is_device_lambda<F>()) {
    return true;
  } else {
    constexpr bool takes =
        callable<F, const In&, const Fold&> || callable<F, const tuple<In, Fold>&>;
    static_assert(takes,
                  "warpfold: the function cannot be called with an element and the fold of its "
                  "axis; without a function, the op's result is called with an element");
    return takes;
  }
}

template <int Axis, class In, class Op, class Out, class F>
constexpr bool check_axis_transformation() {
  if constexpr (check_axis_input<Axis>(static_cast<const In*>(nullptr))) {
    using T = typename array_source_t<In>::value_type;
    if constexpr (check_output_and_op<axis_outputs<no_output<>>, array_node<In>::rank - 1, T,
                                      Op>()) {
      return check_lasting_output<Out>() &&
             check_function_of_fold<F, T, typename fold_in_memory<T, Op>::result>();
    } else {
      return false;
    }
  } else {
    return false;
  }
}

// Calls `then` with the policy and the work if the arguments fit; otherwise reports one error.
template <int Axis, class Policy, class In, class Op, class Out, class F, class Then>
void with_axis_transformation(const Policy& policy, const In& in, const Op& op, Out&& out,
                              const F& f, const Then& then) {
  if constexpr (check_axis_transformation<Axis, In, Op, Out, F>()) {
    using source = array_source_t<In>;
    using folded = fold_in_memory<typename source::value_type, Op>;
    using folded_type = typename folded::type;
    const no_output<folded_type> to_memory;
    with_axis_reduction<Axis>(policy, in, op, to_memory, [&](const auto& own, const auto& fold) {
      const auto e = flat(in);
      const array_shape whole = e.whole();
      const auto folds = beside_elements<folded_type, typename folded::result, Axis>(
          whole.without(Axis).row_major(),
          std::make_index_sequence<std::size_t{array_node<In>::rank - 1}>{});
      with_expression_transformation(own, zip(in, folds), out, f, [&](const auto&, const auto& t) {
        using row_fold = expression_reduction<source, Op, folded_type>;
        const auto rows = rows_of<Axis, row_fold>(
            t, in, whole.extent[0], e, op, shape_of_output(out, whole, "the expression has"));
        using work_type = axis_transformation<std::remove_cvref_t<decltype(fold)>,
                                              std::remove_cvref_t<decltype(t)>,
                                              std::remove_const_t<decltype(rows)>, folded_type>;
        if constexpr (check_runs<std::remove_cvref_t<decltype(own)>, work_type>()) {
          then(own, work_type{fold, t, rows});
        }
      });
    });
  }
}

}  // namespace detail

/// Folds `in` along one axis, and writes `f(x, folded)` for each element `x`, where `folded` is the
/// fold that it belongs to.
///
/// @tparam Axis the dimension that is folded, counted from 0
/// @param policy `wf::seq`, `wf::par`, `wf::device` or `wf::emulated`
/// @param in readable from the policy: an mdspan of rank 1 to 8 with any strides, or an expression
///     of mdspans, as for `reduce_axis`. Of counted rows (view/counted.hpp), those from `*count` on
///     are neither read nor written, and `Axis` is not 0
/// @param op as for `reduce_axis`
/// @param out writable from the policy: an mdspan of the same extents with strides as for
///     `reduce_axis`, or a named container or span with one element for each of `in`, in row-major
///     order. It may be the memory of `in`, element for element, if that has no gaps
/// @param f callable where the policy runs with an element and the result of its fold: that of the
///     op's `finish` if it has one, otherwise the accumulator (64 bits for sums of integers). Its
///     result is converted to the output's elements. By default `folded(x)`, for ops whose result
///     is a function: `softmax_op` (op/softmax.hpp), `layer_norm_op` (op/normalization.hpp)
///
/// - Empty range: writes nothing.
/// - Stream: enqueues on the policy's stream and waits, so it cannot be captured.
///   `transform_axis_async` does not wait and can be captured.
/// - Order and determinism: as for `reduce_axis`.
/// - Cost: if the elements of the axis are neighbors in memory, and rows are not too long,
///   `wf::device` makes one launch without scratch, which reads and writes every element once. The
///   limit is 128 KB of one array, 32 768 floats, if each row starts at a multiple of 16 bytes and
///   has whole 16-byte words; otherwise 8192 elements. It is lower for several arrays, for states
///   of more than 32 bytes, and for outputs narrower than the input. Longer rows and other axes
///   are folded to scratch and then transformed: two or three launches, and the input is read
///   twice. Host policies do the same with memory that they allocate: one result per fold.
/// @throws invalid_range if the output has other extents than `in`, or overlaps it in another way
///     than above. Also if memory is null, misaligned or not accessible from the policy. Nothing is
///     written then
/// @throws no_device,out_of_memory,cuda_error as `reduce`; also if the stream is being captured
///
/// ```cuda
/// #include <cuda/std/mdspan>
///
/// const float values[] = {1, 2, 3, 4, 5, 6};  // 2 rows of 3
/// const cuda::std::mdspan<const float, cuda::std::dextents<int, 2>> m(values, 2, 3);
/// std::vector<float> shares(6);
/// const auto divide = [](float x, float sum) { return x / sum; };
/// wf::transform_axis<1>(wf::seq, m, wf::plus{}, shares, divide);  // 1/6, 2/6, 3/6, 4/15, ...
/// ```
/// More: test/examples/softmax.cpp
template <int Axis, policy_like Policy, class In, class Op, class Out, class F = detail::call_fold>
void transform_axis(const Policy& policy, const In& in, Op op, Out&& out, F f = {}) {
  detail::with_axis_transformation<Axis>(policy, in, op, static_cast<Out&&>(out), f,
                                         detail::run_now);
}

/// Folds `in` along one axis and writes `f(x, folded)` for each element `x`, without waiting.
///
/// @tparam Axis the dimension that is folded, counted from 0
/// @param policy,in,op,out,f as for `transform_axis`. `in` and `out` must live until the stream has
///     finished this work
///
/// Host policies return when all elements are written. Can be captured into a graph. Empty range,
/// order, cost and errors: as `transform_axis`.
///
/// ```cuda
/// #include <cuda/std/mdspan>
///
/// const float values[] = {1, 2, 3, 4, 5, 6};  // 2 rows of 3
/// const cuda::std::mdspan<const float, cuda::std::dextents<int, 2>> m(values, 2, 3);
/// std::vector<float> below(6);
/// const auto subtract = [](float x, float greatest) { return x - greatest; };
/// wf::transform_axis_async<0>(wf::seq, m, wf::maximum{}, below, subtract);  // -3, -3, -3, 0, ...
/// ```
template <int Axis, policy_like Policy, class In, class Op, class Out, class F = detail::call_fold>
void transform_axis_async(const Policy& policy, const In& in, Op op, Out&& out, F f = {}) {
  detail::with_axis_transformation<Axis>(policy, in, op, static_cast<Out&&>(out), f,
                                         detail::enqueue_now);
}

WARPFOLD_AXIS_FORMS(transform_axis, 3, 4, "transform_axis<0>(policy, mdspan, op, output, function)")
WARPFOLD_AXIS_FORMS(transform_axis_async, 3, 4,
                    "transform_axis_async<0>(policy, mdspan, op, output, function)")

}  // namespace warpfold
