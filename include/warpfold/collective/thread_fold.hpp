/// @file
/// needs: cuda
/// Folds the elements that fall to one thread.
#pragma once

#include <new>

#include <warpfold/reduction.hpp>

namespace warpfold::collective {

namespace detail {

// The values get(From) ... get(From + N - 1), combined as a balanced tree: as many independent
// operations as there can be, and a rounding error that grows with log N and not with N.
template <int From, int N, class Combine, class Get>
WARPFOLD_DEVICE auto fold_tree(const Combine& combine, const Get& get) {
  if constexpr (N == 1) {
    return get(From);
  } else {
    return combine(fold_tree<From, N / 2>(combine, get),
                   fold_tree<From + N / 2, N - N / 2>(combine, get));
  }
}

// The elements of one chunk. They are all there, so the op itself folds them, identity or not; 16 chars
// in 32 bits, where the op allows it, instead of 16 additions of two words each.
template <class Reduction, class Chunk>
WARPFOLD_DEVICE typename Reduction::accumulator fold_chunk(const Reduction& r, const Chunk& chunk) {
  using op_type = typename Reduction::op_type;
  using value_type = typename Reduction::value_type;
  using accumulator = typename Reduction::accumulator;
  constexpr int size = Reduction::view_type::chunk_size;
  if constexpr (folds_partially<op_type, value_type, accumulator>) {
    static_assert(size <= op_type::partial_run);
    using partial = typename op_type::template partial<value_type>;
    return static_cast<accumulator>(
        fold_tree<0, size>([&](partial a, partial b) { return static_cast<partial>(r.op(a, b)); },
                           [&](int k) { return static_cast<partial>(r.view.get(chunk, k)); }));
  } else {
    return fold_tree<0, size>(
        [f = r.fold()](const auto& a, const auto& b) { return f.apply(a, b); },
        [&](int k) { return r.lift(r.view.get(chunk, k)); });
  }
}

}  // namespace detail

/// How many chunks of a reduction's view a thread loads at once to have about `bytes` in flight: 1 to 8.
template <class Reduction>
constexpr int loads_in_flight(int bytes) {
  const int loads = bytes / static_cast<int>(sizeof(typename Reduction::view_type::chunk_type));
  return loads < 1 ? 1 : loads > 8 ? 8 : loads;
}

/// Where a thread stands among those of its launch.
struct thread_place {
  unsigned block;    ///< of the grid
  unsigned blocks;   ///< in the grid
  unsigned thread;   ///< of the block
  unsigned threads;  ///< in the block
};

/// What one thread sees when all threads of a launch go through the range together.
///
/// They go in rounds of `Unroll` chunks a thread, and start all loads of a round before they use the
/// first. In a whole round each block takes a contiguous piece (4 GB on an H100: 1371 us, a stride across
/// the grid 1381); the last round, which is not whole, is spread over all blocks.
/// Past the end a thread loads the last chunk again and leaves it out: a load behind a condition is one
/// that ptxas may start only when the one before it has come back (2 KB of doubles on an H100: 4.9 us,
/// now 3.9). The elements before the first aligned chunk and after the last whole one fall to the first
/// threads, one each; they are loaded first and used last.
///
/// Result: valid in every thread; a thread with no elements holds `start()`.
/// Order: fixed by the partition and the shape of the launch, which has at most 2^22 threads.
/// @tparam Index  counts elements; `unsigned` where the range is known to be small
template <int Unroll, class Index, class Reduction>
WARPFOLD_DEVICE typename Reduction::state thread_fold(const Reduction& r, const partition& parts,
                                                      const cache_hint& hint,
                                                      const thread_place& at) {
  using view_type = typename Reduction::view_type;
  using value_type = typename Reduction::value_type;
  constexpr Index size = view_type::chunk_size;
  const auto& view = r.view;
  const auto fold = r.fold();
  const Index head = static_cast<Index>(parts.head);
  const Index chunks = static_cast<Index>(parts.chunks);

  const unsigned thread = at.block * at.threads + at.thread;
  const unsigned threads = at.blocks * at.threads;

  [[maybe_unused]] chunk<value_type, 1> edge[2];
  if constexpr (size > 1) {
    if (thread < parts.head) ::new (&edge[0].elements[0]) value_type(view[thread]);
    if (thread < parts.tail) {
      ::new (&edge[1].elements[0]) value_type(view[head + chunks * size + thread]);
    }
  }

  // `base` is the same for all threads, and what differs fits 32 bits.
  typename Reduction::state state = fold.start();
  const unsigned round = Unroll * threads;
  for (Index base = 0; base < chunks; base += round) {
    const Index left = chunks - base;
    const bool whole = left >= round;
    const unsigned here = whole ? round : static_cast<unsigned>(left);
    const unsigned first = whole ? at.block * at.threads * Unroll + at.thread : thread;
    const unsigned step = whole ? at.threads : threads;
    typename view_type::chunk_type loaded[Unroll];
    WARPFOLD_UNROLL
    for (int u = 0; u < Unroll; ++u) {
      const unsigned own = first + u * step;
      view.load(loaded[u], head + (base + (own < here ? own : here - 1)) * size, hint);
    }
    const auto seen = detail::fold_tree<0, Unroll>(
        [&](const auto& s, const auto& t) { return fold.combine(s, t); },
        [&](int u) {
          const bool inside = first + u * step < here;
          return inside ? fold.state_of(detail::fold_chunk(r, loaded[u])) : fold.start();
        });
    state = fold.combine(state, seen);
  }

  if constexpr (size > 1) {
    if (thread < parts.head)
      state = fold.combine(state, fold.state_of(r.lift(edge[0].elements[0])));
    if (thread < parts.tail)
      state = fold.combine(state, fold.state_of(r.lift(edge[1].elements[0])));
  }
  return state;
}

}  // namespace warpfold::collective
