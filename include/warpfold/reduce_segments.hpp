/// @file
/// `reduce_segments(policy, range, offsets, op, out)`: folds many segments of a range, each to a
/// result of its own.
#pragma once

#include <utility>

#include <warpfold/host/host_segments.hpp>
#include <warpfold/kernel/axis/automatic.hpp>
#include <warpfold/kernel/segments.hpp>
#include <warpfold/op/after.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/transform.hpp>
#include <warpfold/view/segments.hpp>
#include <warpfold/work/segment_rows.hpp>
#include <warpfold/work/segmented_reduction.hpp>

namespace warpfold {

namespace detail {

// True if segments, keys and labels can divide a view; otherwise reports an error.
template <class View>
constexpr bool check_unmasked_elements() {
  constexpr bool unmasked = !masked_elements<View>;
  static_assert(unmasked,
                "warpfold: segments, keys and labels need every element, so the call cannot take a "
                "range with a mask; project the elements that the mask leaves out to the op's "
                "identity");
  return unmasked;
}
// The same for values beside segments, keys or labels.
template <class View>
constexpr bool check_values() {
  constexpr bool sized = !has_size_in_memory<View>;
  static_assert(sized,
                "warpfold: the values of segments, keys and labels cannot be counted; count the "
                "segments, keys or labels");
  return sized && check_unmasked_elements<View>();
}
// True if `S` are segments without `with_range_index`; otherwise reports an error.
template <class S>
constexpr bool check_plain_segments() {
  if constexpr (check_segments<S>()) {
    constexpr bool plain = !gives_range_index<S>;
    static_assert(plain,
                  "warpfold: only reduce_segments takes with_range_index(segments); pass the "
                  "segments themselves");
    return plain;
  } else {
    return false;
  }
}

// True if the results of an op can have the index in the range; otherwise reports an error.
template <class Op, class T, class R, class Init>
constexpr bool check_range_index() {
  constexpr bool has_index = lifts_indexed<Op, T>;
  static_assert(has_index,
                "warpfold: with_range_index(segments) is for ops with an index, such as "
                "arg(maximum{}); pass the segments themselves");
  constexpr bool moves = moves_indices_of<Op, T, R>;
  static_assert(moves || !has_index,
                "warpfold: the op cannot move the index in its accumulator, which "
                "with_range_index(segments) needs; give the op `moved` (op/index_offset.hpp)");
  constexpr bool starts_alone = std::is_same_v<Init, no_init>;
  static_assert(starts_alone || !has_index || !moves,
                "warpfold: reduce_segments takes no init with with_range_index(segments), which "
                "would move its index; leave the init out, or use accumulate(out)");
  return has_index && moves && starts_alone;
}
// True for segments without that option, or if it fits; otherwise reports an error.
template <class Segments, class Op, class T, class R, class Init>
constexpr bool check_index_of_results() {
  if constexpr (gives_range_index<Segments>) {
    return check_range_index<Op, T, R, Init>();
  } else {
    return true;
  }
}

// The noun for what each result belongs to, in messages.
struct result_noun {
  const char* plural = "segments";
  const char* singular = "segment";
  bool by_offsets = false;
};

// An output of one result for each segment.
template <class Out>
struct segment_output {
  static constexpr bool check() {
    using plain = std::remove_cvref_t<Out>;
    if constexpr (mdspan_like<plain>) {
      constexpr bool one_rank = plain::rank() == 1;
      static_assert(one_rank,
                    "warpfold: the output is an mdspan of another rank than 1; pass one with an "
                    "element for each result");
      return one_rank && check_array_output<plain>();
    } else {
      return check_output<Out>();
    }
  }

  // @throws invalid_range if the output does not have one element for each segment
  static auto view(std::remove_reference_t<Out>& out, std::size_t segments, const result_noun& of) {
    if constexpr (mdspan_like<std::remove_cvref_t<Out>>) {
      const array_shape shape = shape_of(out);
      shape.require_countable("an output", sizeof(typename std::remove_cvref_t<Out>::element_type));
      require_size(shape.extent[0], segments, of);
      shape.require_nested();
      using element = typename std::remove_cvref_t<Out>::element_type;
      return strided_output<element>(out.data_handle(), shape);
    } else {
      const auto view = as_output(out, segments);
      require_size(view.size(), segments, of);
      return view;
    }
  }

 private:
  static void require_size(std::size_t size, std::size_t segments, const result_noun& of) {
    if (size == segments) return;
    if (of.by_offsets) require_last_offset("the output has", size, segments);
    throw_error<invalid_range>("warpfold: the output has ", size, " elements, but there are ",
                               segments, " ", of.plural,
                               "; pass an output with one element for each ", of.singular);
  }
};

// The outputs of a call: one, or several in a zip of mdspans.
template <class Out, class = std::remove_cvref_t<Out>>
struct segment_outputs {
  static constexpr bool check() { return segment_output<Out>::check(); }
  static auto views(std::remove_reference_t<Out>& out, std::size_t segments,
                    const result_noun& of) {
    return tuple_of(segment_output<Out>::view(out, segments, of));
  }
  template <class A, class Result, class View>
  static constexpr bool check_results(const tuple<View>*) {
    return check_result<typename View::value_type, A, Result>();
  }
};
template <class Out, class... Arrays>
struct segment_outputs<Out, zipped_array<Arrays...>> {
  static constexpr bool check() { return (segment_output<const Arrays&>::check() && ...); }
  static auto views(const zipped_array<Arrays...>& out, std::size_t segments,
                    const result_noun& of) {
    return [&]<std::size_t... At>(std::index_sequence<At...>) {
      return tuple_of(
          segment_output<const Arrays&>::view(warpfold::get<At>(out.arrays), segments, of)...);
    }(std::index_sequence_for<Arrays...>{});
  }
  template <class A, class Result, class... Views>
  static constexpr bool check_results(const tuple<Views...>*) {
    return detail::check_results<A, Result, typename Views::value_type...>();
  }
};

template <class Policy, class Work>
constexpr bool check_reduces_segments() {
  constexpr bool has_gpus =
      !sharded_view<typename Work::view_type> || requires { requires Policy::takes_shards; };
  static_assert(has_gpus,
                "warpfold: shards are for a policy of several GPUs; use "
                "wf::across(wf::devices{0, 1}), or pass one range");
  if constexpr (has_gpus) return check_runs<Policy, Work>();
  return false;
}

// True if each segment has a result, also if a count leaves no elements in it; otherwise reports an
// error.
template <class Work>
constexpr bool check_counted_elements() {
  constexpr bool has_result =
      !has_size_in_memory<typename Work::view_type> || Work::takes_empty_segments;
  static_assert(has_result,
                "warpfold: the count of the range may leave no element in a segment; pass an init, "
                "or an op with an identity");
  return has_result;
}

// True if the policy folds the segments as rows: it prefers that, or has no code for segments.
template <class Policy, class Work>
constexpr bool folds_segments_as_rows() {
  constexpr bool prefers = requires { requires Policy::prefers_segment_rows; };
  if constexpr (has_segment_rows<Work> && (prefers || !runs<Policy, Work>)) {
    return runs<Policy, decltype(segment_rows_of(std::declval<const Work&>()))>;
  } else {
    return false;
  }
}

template <class Policy, class Work, class Then>
void with_segmented_work(const Policy& policy, const Work& work, const Then& then) {
  if constexpr (folds_segments_as_rows<Policy, Work>()) {
    then(policy, segment_rows_of(work));
  } else if constexpr (check_reduces_segments<Policy, Work>() && check_counted_elements<Work>()) {
    then(policy, work);
  }
}

template <class View, class Segments, class Op, class Init, class Outs>
struct segmented_reduction_of;
template <class View, class Segments, class Op, class Init, class... Outs>
struct segmented_reduction_of<View, Segments, Op, Init, tuple<Outs...>> {
  using type = segmented_reduction<View, Segments, Op, Init, Outs...>;
  using accumulating = accumulating_segmented_reduction<View, Segments, Op, Outs...>;
};

// Calls `then` with the segmented_reduction of these arguments, if they can be those of a call;
// otherwise reports an error.
template <bool Accumulates, class View, class Segments, class Op, class Init, class Out, class Then>
void with_segment_folds(const View& view, const Segments& segments, const Op& op, const Init& init,
                        Out&& out, const result_noun& noun, const Then& then) {
  using outputs = segment_outputs<Out>;
  if constexpr (outputs::check()) {
    // with_reduction reports misuse of the op and the init.
    with_reduction(view, op, init, [&]<class Reduction>(const Reduction&) {
      using result_type = typename Reduction::result_type;
      const auto own_segments = segments_in(segments, view.size());
      const auto outs = outputs::views(out, own_segments.size(), noun);
      using of = segmented_reduction_of<View, std::remove_const_t<decltype(own_segments)>, Op, Init,
                                        std::remove_const_t<decltype(outs)>>;
      if constexpr (outputs::template check_results<result_type, finished_t<Op, result_type>>(
                        static_cast<std::remove_const_t<decltype(outs)>*>(nullptr)) &&
                    check_index_of_results<Segments, Op, typename View::value_type, result_type,
                                           Init>()) {
        const typename of::type work{view, own_segments, op, init, outs};
        if constexpr (Accumulates) {
          using accumulating = typename of::accumulating;
          if constexpr (check_accumulates<accumulating::combines()>()) then(accumulating(work));
        } else {
          then(work);
        }
      }
    });
  }
}

// True if `A` is the init and `B` the op: only `B` can be called with two values that it folds.
template <class View, class A, class B>
constexpr bool is_init_first() {
  constexpr auto folds = []<class Op>(const Op*) {
    using T = decltype(lift_by(std::declval<const Op&>(),
                               std::declval<const typename View::value_type&>(), 0));
    return gives_value<Op, T, T>();
  };
  return !std::is_same_v<B, no_init> && !folds(static_cast<const A*>(nullptr)) &&
         folds(static_cast<const B*>(nullptr));
}

// The same for an op and an init in any order, and an output that may be `accumulate(out)`.
template <class View, class Segments, class Op, class Init, class Out, class Then>
void with_segment_folds_into(const View& view, const Segments& segments, const Op& op,
                             const Init& init, Out&& out, const result_noun& noun,
                             const Then& then) {
  if constexpr (is_init_first<View, Op, Init>()) {
    with_segment_folds_into(view, segments, init, op, static_cast<Out&&>(out), noun, then);
  } else if constexpr (accumulates<std::remove_cvref_t<Out>>) {
    constexpr bool combines = std::is_same_v<Init, no_init>;
    static_assert(combines,
                  "warpfold: accumulate(out) is an init, and the function's result must be a "
                  "fold: pass no other init, and `out` itself to functions such as mean_async");
    if constexpr (combines) {
      with_segment_folds<true>(view, segments, op, init, static_cast<decltype(out.out)>(out.out),
                               noun, then);
    }
  } else {
    with_segment_folds<false>(view, segments, op, init, static_cast<Out&&>(out), noun, then);
  }
}

template <class Policy, class Range, class Segments, class Op, class Init, class Out, class Then>
void with_segments(const Policy& policy, const Range& range, const Segments& segments, const Op& op,
                   const Init& init, Out&& out, const Then& then) {
  if constexpr (check_segments<Segments>() && check_unmasked_elements<view_of_t<Range>>()) {
    const auto make = [&](const auto& take) {
      with_segment_folds_into(
          as_view(range), segments, op, init, static_cast<Out&&>(out),
          result_noun{.by_offsets = reducible_range<Segments> || is_by_offsets<Segments>},
          [&](const auto& work) { with_segmented_work(as_policy(policy), work, take); });
    };
    make_on_all_ranks(policy, make, then);
  }
}

}  // namespace detail

/// Folds each segment of `range` to an element of `out`, starting from `init` if there is one.
///
/// @param policy `wf::seq`, `wf::par`, `wf::device` or `wf::emulated`. With `wf::across`, each rank
///     passes its elements and the offsets of the whole (policy/across.hpp)
/// @param range readable from the policy; any range or view that `reduce` takes, except those with
///     a mask. Elements behind the count of a counted range (view/counted.hpp) are in no segment
/// @param segments which elements each segment has, readable from the policy. A range of S + 1
///     offsets of any integer type for S segments: segment `s` begins at index `offsets[s]` and
///     ends before `offsets[s + 1]`. Or `segments_between(begins, ends)`, with gaps and overlaps;
///     or `segments_of_size(n)`. Equal offsets make an empty segment. The first offset may be
///     greater than 0, and the last one less than the size of the range. `counted(offsets, count)`
///     has `*count` segments, read when the work runs. It counts segments, as
///     `reduce_by_key_async` does, and not offsets
/// @param op as for `reduce`. Ops with an index, such as `arg(maximum{})`, get the index within the
///     segment, or that in the range if the segments are `with_range_index(segments)`
/// @param init combined once with each segment. If the op has `lift`, `init` is a lifted value. The
///     results have the type of `op(init, x)`, as for `reduce` with an init. The op and the init
///     may come in any order, that of CUB or that of `reduce`, unless both can be called as an op
/// @param out writable from the policy, with one element for each segment that there may be: a
///     named container, a span, a pointer, an output view, or an mdspan of rank 1 with any stride.
///     Or `zip(mdspan...)`, one for each part of `all(...)`. With `accumulate(out)`, without
///     `init`, each result is `op(what out holds, fold)`. Outputs must not overlap what is read, or
///     each other
///
/// Each result is what `reduce` of the segment returns (64 bits for sums of integers, the result of
/// `finish`), converted to the output's elements. If these have the accumulator's type, a class,
/// they get the accumulator, as for `reduce_async`. An output of integers takes the index of
/// `arg(...)` alone.
///
/// - Empty segments: write `init`, or without one the op's identity; `accumulate(out)` keeps its
///   value. Without segments, nothing happens.
/// - Counts: host policies and the emulation throw for a count that is negative or too large. On a
///   GPU, a count above the number of segments or elements is clamped to it, and a negative one to
///   0. Elements of `out` from index `*count` on stay unchanged. The launch is that of all
///   segments.
/// - Stream: enqueues on the policy's stream and waits; it cannot be captured, but
///   `reduce_segments_async` can. Host policies have none.
/// - Order: the declared one (op/fold_order.hpp), on hosts and GPUs. So a segment has the bits of
///   `reduce` of its elements by wf::seq. `across` combines the ranks' parts of a segment in rank
///   order.
/// - Cost: one read of the segments' elements, and two of the bounds. `wf::par` divides elements
///   and segments evenly among the threads, whatever the lengths; several threads share a segment
///   of more than 16384 elements. No allocation. `wf::device`: one launch and the policy's scratch;
///   exact sums take two launches.
///   A few lanes, a warp or a block folds a segment, depending on its length. Several blocks share
///   the longest ones, if offsets bound them. Segments of one size of arrays, projections and zips
///   cost what `reduce_axis` of the rows of a matrix costs.
/// - Wrong bounds: host policies and `wf::emulated` check the bounds before they write. On a GPU,
///   `wf::device` checks them while it folds, and throws when the kernel has ended. The results are
///   unspecified then, but no other memory is read or written. The GPU, streams and memory stay
///   usable. `across` and calls that do not wait do not check the bounds on GPUs.
///   `wf::baseline::cub` and `thrust` check nothing, and may read other memory.
/// - On a GPU, an empty segment of an op without an identity leaves its element of `out` as it was.
/// @throws invalid_range if a segment's bounds decrease or lie outside the range; the message has
///     the number of the first such segment. Also if the output has another size than there are
///     segments, or overlaps what is read, or if memory is null, misaligned or not accessible from
///     the policy. Nothing is written then, except by `wf::device` for wrong bounds
/// @throws empty_range if a segment is empty and the op has no identity; the message has its number
///
/// ```cpp
/// std::vector<float> v{1, 2, 3, 4, 5};
/// std::vector<int> offsets{0, 2, 2, 5};
/// std::vector<float> sums(3);
/// wf::reduce_segments(wf::seq, v, offsets, wf::plus{}, sums);  // 3, 0, 12
/// wf::reduce_segments(wf::seq, v, offsets, wf::maximum{}, 0.0f, sums);  // 2, 0, 5
/// std::size_t count = 1;
/// wf::reduce_segments(wf::seq, v, wf::counted(offsets, &count), wf::plus{}, sums);  // only the 3
/// ```
template <policy_like Policy, reducible_range Range, class Segments, class Op, class Init,
          class Out>
void reduce_segments(const Policy& policy, const Range& range, const Segments& segments, Op op,
                     Init init, Out&& out) {
  detail::with_segments(policy, range, segments, op, init, static_cast<Out&&>(out),
                        detail::run_now);
}
template <policy_like Policy, reducible_range Range, class Segments, class Op, class Out>
void reduce_segments(const Policy& policy, const Range& range, const Segments& segments, Op op,
                     Out&& out) {
  detail::with_segments(policy, range, segments, op, no_init{}, static_cast<Out&&>(out),
                        detail::run_now);
}

/// Folds each segment of `range` to an element of `out`, starting from `init` if there is one,
/// without waiting.
///
/// @param policy,range,segments,op,init,out as for `reduce_segments`. `range`, the arrays of the
///     segments and `out` must live until the stream has finished this work
///
/// Host policies return when the results are written. Can be captured into a graph. Empty segments,
/// order, cost and errors: as `reduce_segments`, but `wf::device` does not check the bounds.
///
/// ```cpp
/// std::vector<float> v{1, 2, 3, 4, 5};
/// std::vector<int> offsets{0, 2, 2, 5};
/// std::vector<float> sums(3);
/// wf::reduce_segments_async(wf::seq, v, offsets, wf::plus{}, sums);  // 3, 0, 12
/// ```
template <policy_like Policy, reducible_range Range, class Segments, class Op, class Init,
          class Out>
void reduce_segments_async(const Policy& policy, const Range& range, const Segments& segments,
                           Op op, Init init, Out&& out) {
  detail::with_segments(policy, range, segments, op, init, static_cast<Out&&>(out),
                        detail::enqueue_now);
}
template <policy_like Policy, reducible_range Range, class Segments, class Op, class Out>
void reduce_segments_async(const Policy& policy, const Range& range, const Segments& segments,
                           Op op, Out&& out) {
  detail::with_segments(policy, range, segments, op, no_init{}, static_cast<Out&&>(out),
                        detail::enqueue_now);
}

WARPFOLD_FORMS(reduce_segments, 3, 4, "reduce_segments(policy, range, segments, op, output)")
WARPFOLD_FORMS(reduce_segments_async, 3, 4,
               "reduce_segments_async(policy, range, segments, op, output)")

}  // namespace warpfold
