/// @file
/// `transform_segments(policy, range, segments, op, out, f)`: writes a function of each element and
/// of the fold of its segment: a softmax or a normalization of segments in one call.
/// `transform_segments(policy, range, segments, values, out, f)` takes a value for each segment
/// instead.
#pragma once

#include <utility>

#include <warpfold/host/host_segments.hpp>
#include <warpfold/kernel/elementwise/folded_segments.hpp>
#include <warpfold/kernel/elementwise/transformed_segments.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/work/segment_fold_transformation.hpp>
#include <warpfold/work/segmented_transformation.hpp>

namespace warpfold {

namespace detail {

template <class F, class In, class Value, class Out>
constexpr bool check_function_of_segment() {
  constexpr bool copyable = std::is_trivially_copyable_v<In> && std::is_trivially_copyable_v<Out>;
  static_assert(copyable,
                "warpfold: the elements of the range or of the output are not trivially copyable; "
                "use elements that are");
  if constexpr (is_device_lambda<F>() || !copyable) {
    return copyable;
  } else {
    constexpr bool takes = callable<F, const In&, const Value&>;
    static_assert(takes,
                  "warpfold: the function cannot be called with an element of the range and the "
                  "value of its segment; without a function, the op's result is called with an "
                  "element");
    if constexpr (takes) {
      return check_function_result<call_result_t<F, const In&, const Value&>, Out>();
    } else {
      return false;
    }
  }
}

// True if a call can take the range, the segments and the output; otherwise reports an error.
template <class Range, class Segments, class Out>
constexpr bool check_segments_and_output() {
  return check_plain_segments<Segments>() && check_unmasked_elements<view_of_t<Range>>() &&
         check_output<Out>();
}

// Calls `then(policy, work)` if the arguments of a call fit; otherwise reports an error.
template <class Policy, class Range, class Segments, class Values, class Out, class F, class Then>
void with_segments_and_values(const Policy& policy, const Range& range, const Segments& segments,
                              const Values& values, Out&& out, const F& f, const Then& then) {
  if constexpr (check_segments_and_output<Range, Segments, Out>() &&
                check_values<view_of_t<Values>>()) {
    const auto in = as_view(range);
    const auto own_segments = segments_in(segments, in.size());
    const auto of_segments = as_view(values);
    const auto to = as_output(out, in.size());
    using work = segmented_transformation<
        std::remove_const_t<decltype(in)>, std::remove_const_t<decltype(own_segments)>,
        std::remove_const_t<decltype(of_segments)>, std::remove_const_t<decltype(to)>, F>;
    if constexpr (check_function_of_segment<F, typename work::in_type, typename work::segment_value,
                                            typename work::out_type>()) {
      if constexpr (check_runs<decltype(as_policy(policy)), work>()) {
        then(as_policy(policy), work{in, own_segments, of_segments, to, f});
      }
    }
  }
}

// The same for an op that folds each segment.
template <class Policy, class Range, class Segments, class Op, class Out, class F, class Then>
void with_folded_segments(const Policy& policy, const Range& range, const Segments& segments,
                          const Op& op, Out&& out, const F& f, const Then& then) {
  if constexpr (check_segments_and_output<Range, Segments, Out>()) {
    const auto in = as_view(range);
    // with_reduction reports misuse of the op.
    with_reduction(in, op, no_init{}, [&](const auto&) {
      const auto own_segments = segments_in(segments, in.size());
      const auto to = as_output(out, in.size());
      using work = segment_fold_transformation<std::remove_const_t<decltype(in)>,
                                               std::remove_const_t<decltype(own_segments)>, Op,
                                               std::remove_const_t<decltype(to)>, F>;
      if constexpr (check_function_of_segment<F, typename work::value_type,
                                              typename work::folded_type,
                                              typename work::out_type>()) {
        if constexpr (check_runs<decltype(as_policy(policy)), work>()) {
          then(as_policy(policy), work(in, own_segments, op, to, f));
        }
      }
    });
  }
}

}  // namespace detail

/// Writes `f(range[i], values[s])` to element `i` of `out`, for each element of each segment `s`.
///
/// @param policy `wf::seq`, `wf::par`, `wf::device` or `wf::emulated`
/// @param range readable from the policy; any range or view that `transform` takes. Elements behind
///     the count of a counted range (view/counted.hpp) are in no segment
/// @param segments as for `reduce_segments`, but without overlaps: no element is in two segments
/// @param values a range with one element for each segment, for example the output of
///     `reduce_segments`
/// @param out writable from the policy, with at least as many elements as `range`: a named
///     container, a span, a pointer or an output view. Elements in no segment stay unchanged. It
///     may be the memory of `range`, element for element
/// @param f callable where the policy runs, in any order except with `wf::seq`. Its result is
///     converted to the output's elements
///
/// - Empty segments: write nothing.
/// - Stream: enqueues on the policy's stream and waits. Host policies have none.
/// - Order and determinism: elements are independent, so the result does not depend on the order.
/// - Cost: one read of the segments' elements and one write of their results, and two reads of the
///   bounds; on a GPU one launch (kernel/elementwise/transformed_segments.hpp). Elements are
///   divided evenly among threads and blocks, whatever the lengths; empty segments are not. No
///   allocation.
/// @throws invalid_range if a segment's bounds decrease or lie outside the range (`wf::device` does
///     not check them: the output is unspecified then), if there is not one value for each segment,
///     or if the output is too short or overlaps in another way than above. Also if memory is null,
///     misaligned or not accessible from the policy. Nothing is written then
///
/// ```cpp
/// std::vector<float> v{1, 3, 5, 5};
/// std::vector<int> offsets{0, 2, 4};
/// std::vector<float> sums(2);
/// wf::reduce_segments(wf::seq, v, offsets, wf::plus{}, sums);
/// const auto share = [](float x, float sum) { return x / sum; };
/// wf::transform_segments(wf::seq, v, offsets, sums, v, share);  // 0.25, 0.75, 0.5, 0.5
/// ```
template <policy_like Policy, reducible_range Range, class Segments, reducible_range Values,
          class Out, class F>
void transform_segments(const Policy& policy, const Range& range, const Segments& segments,
                        const Values& values, Out&& out, F f) {
  detail::with_segments_and_values(policy, range, segments, values, static_cast<Out&&>(out), f,
                                   detail::run_now);
}

/// Writes `f(range[i], values[s])` for each element of each segment, without waiting.
///
/// @param policy,range,segments,values,out,f as for `transform_segments`. They must live until the
///     stream has finished this work
///
/// Host policies return when all elements are written. Empty segments, order, cost and errors: as
/// `transform_segments`.
///
/// ```cpp
/// std::vector<float> v{1, 3, 5, 5}, sums{4, 10};
/// std::vector<int> offsets{0, 2, 4};
/// const auto share = [](float x, float sum) { return x / sum; };
/// wf::transform_segments_async(wf::seq, v, offsets, sums, v, share);  // 0.25, 0.75, 0.5, 0.5
/// ```
template <policy_like Policy, reducible_range Range, class Segments, reducible_range Values,
          class Out, class F>
void transform_segments_async(const Policy& policy, const Range& range, const Segments& segments,
                              const Values& values, Out&& out, F f) {
  detail::with_segments_and_values(policy, range, segments, values, static_cast<Out&&>(out), f,
                                   detail::enqueue_now);
}

/// Folds each segment, and writes `f(range[i], folded)` to element `i` of `out` for each element of
/// each segment, where `folded` is the fold of its segment: a softmax, a normalization.
///
/// @param policy,range,segments,out as for `transform_segments` with values
/// @param op as for `reduce_segments`
/// @param f callable where the policy runs with an element and the fold of its segment: the result
///     of the op's `finish` if it has one, otherwise the accumulator (64 bits for sums of
///     integers). Its result is converted to the output's elements. By default `folded(x)`, for ops
///     whose result is a function: `softmax_op` (op/softmax.hpp), `layer_norm_op`
///     (op/normalization.hpp)
///
/// - Empty segments: write nothing.
/// - Stream: enqueues on the policy's stream and waits. Host policies have none.
/// - Order and determinism: as for `reduce_segments`. A fold has the bits of `reduce` of its
///   segment by `wf::seq`.
/// - Cost: on a GPU one launch without scratch (kernel/elementwise/folded_segments.hpp). Short
///   segments are read once. The second read of longer ones comes mostly from the L1 or L2 cache.
///   Four cases take two launches, and scratch memory for the folds: `segments_between`; elements
///   above 16 bytes; states above 64 bytes; moments of 2 M elements or more.
/// @throws invalid_range as `transform_segments` with values. `wf::device` checks the bounds, too,
///     unless the range is empty: it throws when the kernel has ended, and the output is
///     unspecified then
///
/// ```cpp
/// std::vector<float> v{1, 3, 5, 5};
/// std::vector<int> offsets{0, 2, 4};
/// const auto share = [](float x, float sum) { return x / sum; };
/// wf::transform_segments(wf::seq, v, offsets, wf::plus{}, v, share);  // 0.25, 0.75, 0.5, 0.5
/// ```
template <policy_like Policy, reducible_range Range, class Segments, class Op, class Out,
          class F = detail::call_fold>
  requires(!reducible_range<Op>)
void transform_segments(const Policy& policy, const Range& range, const Segments& segments, Op op,
                        Out&& out, F f = {}) {
  detail::with_folded_segments(policy, range, segments, op, static_cast<Out&&>(out), f,
                               detail::run_now);
}

/// Folds each segment, and writes `f(range[i], folded)` for each of its elements, without waiting.
///
/// @param policy,range,segments,op,out,f as for `transform_segments` with an op. They must live
///     until the stream has finished this work
///
/// Host policies return when all elements are written. Empty segments, order, cost and errors: as
/// `transform_segments`, but `wf::device` does not check the bounds.
///
/// ```cpp
/// std::vector<float> v{1, 3, 5, 5};
/// std::vector<int> offsets{0, 2, 4};
/// const auto share = [](float x, float sum) { return x / sum; };
/// wf::transform_segments_async(wf::seq, v, offsets, wf::plus{}, v, share);
/// // v is 0.25, 0.75, 0.5, 0.5
/// ```
template <policy_like Policy, reducible_range Range, class Segments, class Op, class Out,
          class F = detail::call_fold>
  requires(!reducible_range<Op>)
void transform_segments_async(const Policy& policy, const Range& range, const Segments& segments,
                              Op op, Out&& out, F f = {}) {
  detail::with_folded_segments(policy, range, segments, op, static_cast<Out&&>(out), f,
                               detail::enqueue_now);
}

// Values are no functions of an element, so a call with values has one.
#define WARPFOLD_VALUES_WITHOUT_FUNCTION(function)                                             \
  template <policy_like Policy, reducible_range Range, class Segments, reducible_range Values, \
            class Out>                                                                         \
  void function(const Policy&, const Range&, const Segments&, const Values&, Out&&) {          \
    static_assert(detail::never<Values>,                                                       \
                  "warpfold: too few or too many arguments; call " #function                   \
                  "(policy, range, segments, values or op, output, function)");                \
  }

WARPFOLD_VALUES_WITHOUT_FUNCTION(transform_segments)
WARPFOLD_VALUES_WITHOUT_FUNCTION(transform_segments_async)
#undef WARPFOLD_VALUES_WITHOUT_FUNCTION

WARPFOLD_FORMS(transform_segments, 3, 4,
               "transform_segments(policy, range, segments, values or op, output, function)")
WARPFOLD_FORMS(transform_segments_async, 3, 4,
               "transform_segments_async(policy, range, segments, values or op, output, function)")

}  // namespace warpfold
