/// @file
/// Folds one segment by all threads of a block.
#pragma once

#include <cstddef>

#include <warpfold/collective/block_reduce.hpp>
#include <warpfold/collective/lane_segments.hpp>
#include <warpfold/collective/loaded_batch.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/op/fold_tree.hpp>
#include <warpfold/view/concept.hpp>
#include <warpfold/view/global_access.hpp>

namespace warpfold::collective {

/// Folds elements `from` to `to - 1` of a range, which are in one segment. All threads of the block
/// must call it; it has at least `2 * chunk_size` threads. Result: valid in thread 0. Order: fixed
/// by the number of elements and their alignment. Threads load neighboring chunks, four in flight
/// each; the elements before the first and behind the last whole chunk are loaded one by one. Two
/// barriers.
/// @param work a segmented_reduction
/// @param skipped the index in the segment of element `from`, for ops with an index
/// @param states one for each warp
/// @param loads how elements are loaded
template <class Work>
WARPFOLD_DEVICE typename Work::state fold_segment_by_block(const Work& work, std::size_t from,
                                                           std::size_t to, std::size_t skipped,
                                                           shared_span<typename Work::state> states,
                                                           const global_loads& loads) {
  using view_type = typename Work::view_type;
  using state = typename Work::state;
  constexpr unsigned size = view_type::chunk_size;
  constexpr std::size_t held = detail::held_bytes<Work>;
  constexpr unsigned unroll = held * size > 64 ? 1 : held * size > 32 ? 2 : 4;
  constexpr std::size_t most = std::size_t{1} << 31;
  const auto fold = work.fold();
  state seen = fold.start();
  if (!(from < to)) return seen;
  // Chunks begin at the head and at multiples of `size` elements behind it.
  const std::size_t head = work.view.head();
  std::size_t first = head == any_head ? from : from + (head + size - from % size) % size;
  if (first > to) first = to;
  const std::size_t chunks = (to - first) / size, last = first + chunks * size;
  // The elements that are in no whole chunk: those before the first one, and those behind the last.
  const unsigned before = static_cast<unsigned>(first - from);
  state behind = fold.start();
  if (threadIdx.x < before + static_cast<unsigned>(to - last)) {
    const bool is_before = threadIdx.x < before;
    const std::size_t i = is_before ? from + threadIdx.x : last + (threadIdx.x - before);
    const state one = fold.state_of(work.lift(work.view.at(i, loads), skipped + (i - from)));
    if (is_before) {
      seen = one;
    } else {
      behind = one;  // a batch must come behind the elements that were seen
    }
  }
  WARPFOLD_NO_UNROLL
  for (std::size_t c = threadIdx.x; c < chunks; c += unroll * blockDim.x) {
    // Missing chunks load the first one again, and the result is discarded.
    const auto inside = [&](unsigned u) { return u * blockDim.x < chunks - c; };
    typename view_type::chunk_type loaded[std::size_t{unroll}];
    WARPFOLD_UNROLL
    for (unsigned u = 0; u < unroll; ++u) {
      work.view.load(loaded[u], first + (inside(u) ? c + u * blockDim.x : c) * size, loads);
    }
    const std::size_t index = skipped + before + c * size;
    if constexpr (detail::folds_lane_batches<Work>) {
      const auto here = static_cast<unsigned>(chunks - c < most ? chunks - c : most);
      const chunk_positions at{index, here, 0, blockDim.x};
      const auto get = [&](int u, int k) { return work.guarded(work.view.get(loaded[u], k)); };
      seen = fold_batch(work.op, seen,
                        loaded_batch<int{unroll}, int{size}, decltype(get)>(get, at, work.keep));
    } else {
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < unroll; ++u) {
        const state more = fold.combine(
            seen, fold.state_of(fold_tree<0, int{size}>(
                      [&](const auto& a, const auto& b) { return fold.apply(a, b); },
                      [&](int k) {
                        return work.lift(work.view.get(loaded[u], k),
                                         index + u * blockDim.x * size + static_cast<unsigned>(k));
                      })));
        if (inside(u)) seen = more;
      }
    }
  }
  const state folded = block_reduce(fold, fold.combine(seen, behind), states);
  __syncthreads();
  return folded;
}

}  // namespace warpfold::collective
