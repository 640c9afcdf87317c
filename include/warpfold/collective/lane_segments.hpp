/// @file
/// Folds 32 segments by the lanes of a warp: a few lanes per segment, as many as the lengths ask
/// for.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#include <warpfold/collective/lane_set.hpp>
#include <warpfold/collective/loaded_batch.hpp>
#include <warpfold/collective/shuffle.hpp>
#include <warpfold/collective/warp_reduce.hpp>
#include <warpfold/collective/warp_sum.hpp>
#include <warpfold/op/fold.hpp>
#include <warpfold/op/lift.hpp>
#include <warpfold/op/traits.hpp>
#include <warpfold/view/chunk.hpp>
#include <warpfold/view/global_access.hpp>
#include <warpfold/view/part.hpp>

namespace warpfold::collective {

namespace detail {

/// True if the elements that a lane has loaded are folded as a batch (op/lift.hpp).
template <class Work>
inline constexpr bool folds_lane_batches =
    (lifts_indexed<typename Work::op_type, typename Work::value_type> ||
     lifts_element<typename Work::op_type, typename Work::value_type>) &&
    std::is_same_v<
        typename Work::accumulator,
        typename op_traits<typename Work::op_type, typename Work::lifted_type>::accumulator> &&
    !has_marks<typename Work::fold_type>;

/// The bytes that a lane holds for each element until it combines them.
template <class Work>
inline constexpr std::size_t held_bytes =
    folds_lane_batches<Work> ? sizeof(typename Work::value_type) : sizeof(typename Work::state);

}  // namespace detail

/// The number of elements that a lane loads before it combines them.
template <class Work>
inline constexpr unsigned segment_loads_in_flight = [] {
  constexpr std::size_t bytes = sizeof(typename Work::value_type);
  constexpr std::size_t held = detail::held_bytes<Work>;
  return held <= 16 && bytes <= 8 ? 8u : held <= 32 ? 4u : 1u;
}();

/// A segment, or the part of it that a warp folds.
template <class Index>
struct lane_segment {
  Index begin;      ///< the first element, counted from the `base` of `fold_lane_segments`
  unsigned length;  ///< the number of elements
};

namespace detail {

/// Folds every `1 << lanes_log2`-th element of `length` ones, from element `lane` on. `begin`: the
/// first one; `skipped`: its index in the segment, for ops with an index.
template <class Work>
WARPFOLD_DEVICE typename Work::state fold_strided(const Work& work, std::size_t begin,
                                                  unsigned length, std::size_t skipped,
                                                  unsigned lane, unsigned lanes_log2,
                                                  const global_loads& loads) {
  using accumulator [[maybe_unused]] = typename Work::accumulator;
  constexpr unsigned unroll = segment_loads_in_flight<Work>;
  const auto fold = work.fold();
  typename Work::state seen = fold.start();
  const auto own = warpfold::detail::part_in_kernel(work.view, begin + lane, length);
  const unsigned lanes = 1u << lanes_log2;
  unsigned left = length <= lane ? 0 : ((length - lane - 1) >> lanes_log2) + 1;
  unsigned i = 0;
  WARPFOLD_NO_UNROLL
  while (left != 0) {
    if constexpr (folds_lane_batches<Work>) {
      using value_type = typename Work::value_type;
      const chunk_positions at{skipped, length, lane + i, lanes};
      chunk<value_type, int{unroll}> some;
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < unroll; ++u) {
        // Missing elements load the first one again; the batch leaves them out.
        ::new (static_cast<void*>(&some.elements[u]))
            value_type(u < left ? own.at(i, loads) : some.elements[0]);
        i += lanes;
      }
      const auto get = [&](int u, int) { return work.guarded(some.elements[u]); };
      seen = fold_batch(work.op, seen,
                        loaded_batch<int{unroll}, 1, decltype(get)>(get, at, work.keep));
    } else {
      chunk<accumulator, int{unroll}> some;
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < unroll; ++u) {
        if (u < left) {
          ::new (static_cast<void*>(&some.elements[u]))
              accumulator(work.lift(own.at(i, loads), skipped + lane + i));
        }
        i += lanes;
      }
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < unroll; ++u) {
        if (u < left) seen = fold.combine(seen, fold.state_of(some.elements[u]));
      }
    }
    left = left > unroll ? left - unroll : 0;
  }
  return seen;
}

}  // namespace detail

/// Folds the segments of the lanes of a warp, all of which must call it. Returns in each lane the
/// fold of its own segment; `fold.start()` if that has no elements.
///
/// Few lanes fold a short segment: as many as leave each of them `segment_loads_in_flight` elements
/// on average. Segments that are much longer than the others get the whole warp afterwards, one by
/// one. Order: fixed by the lengths of the warp's segments.
///
/// @param work a segmented_reduction
/// @param base the element from which the begins count
/// @param own the lane's segment
/// @param skipped the index of the segment's first element, for ops with an index
/// @param segments_log2 log2 of the number of segments: the other lanes have none
/// @param most longer segments are left out; their lanes get `fold.start()`
/// @param loads how elements are loaded
template <class Work, class Index>
WARPFOLD_DEVICE typename Work::state fold_lane_segments(const Work& work, std::size_t base,
                                                        const lane_segment<Index>& own,
                                                        std::size_t skipped, unsigned segments_log2,
                                                        unsigned most, const global_loads& loads) {
  using state = typename Work::state;
  constexpr unsigned unroll = segment_loads_in_flight<Work>;
  constexpr unsigned unroll_log2 = unroll == 8 ? 3 : unroll == 4 ? 2 : 0;
  constexpr unsigned warp_log2 = 5;
  constexpr unsigned counted = 512;  // longer segments do not count for the number of lanes
  const auto fold = work.fold();
  const unsigned lane = threadIdx.x % warp_size;

  const unsigned total = warp_sum(own.length <= counted ? own.length : 0);
  const unsigned turns_less_one = total == 0 ? 0 : (total - 1) >> (segments_log2 + unroll_log2);
  unsigned width_log2 = turns_less_one == 0 ? 0 : highest_lane(turns_less_one) + 1;
  if (width_log2 > warp_log2) width_log2 = warp_log2;
  if (width_log2 + segments_log2 < warp_log2) width_log2 = warp_log2 - segments_log2;
  const unsigned side_by_side_log2 = warp_log2 - width_log2;  // segments that are folded at once
  const unsigned rounds = 1u << (segments_log2 - side_by_side_log2);
  const unsigned limit = width_log2 == warp_log2 ? most : 4 * unroll << width_log2;
  unsigned long_ones = __ballot_sync(full_warp, own.length > limit && own.length <= most);

  state result = fold.start();
  WARPFOLD_NO_UNROLL
  for (unsigned round = 0; round < rounds || long_ones != 0; ++round) {
    const bool whole_warp = round >= rounds;
    const unsigned lanes_log2 = whole_warp ? warp_log2 : width_log2;
    unsigned of = (round << side_by_side_log2) + (lane >> width_log2);
    unsigned from = (lane & ((1u << side_by_side_log2) - 1)) << width_log2;
    bool is_own = lane >> side_by_side_log2 == round;
    if (whole_warp) {
      of = highest_lane(long_ones);
      long_ones ^= 1u << of;
      from = 0;
      is_own = lane == of;
    }
    lane_segment<Index> segment = own;
    std::size_t index = skipped;
    if (lanes_log2 != 0) {
      segment = {shuffle_from(own.begin, of), shuffle_from(own.length, of)};
      if constexpr (Work::is_indexed) index = shuffle_from(skipped, of);
    }
    if (!whole_warp && segment.length > limit) segment.length = 0;
    state seen = detail::fold_strided(work, base + segment.begin, segment.length, index,
                                      lane & ((1u << lanes_log2) - 1), lanes_log2, loads);
    if (lanes_log2 != 0) {
      seen = reduce_lanes(fold, seen, 1u << lanes_log2);
      seen = shuffle_from(seen, from);
    }
    if (is_own) result = seen;
  }
  return result;
}

}  // namespace warpfold::collective
