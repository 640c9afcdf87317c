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

// The elements of one chunk. They are all there, so the op itself folds them, identity or not.
template <class Reduction, class Chunk>
WARPFOLD_DEVICE auto fold_chunk(const Reduction& r, const Chunk& chunk) {
  return fold_tree<0, Reduction::view_type::chunk_size>(
      [f = r.fold()](const auto& a, const auto& b) { return f.apply(a, b); },
      [&](int k) { return r.lift(r.view.get(chunk, k)); });
}

}  // namespace detail

/// How many chunks of a reduction's view a thread loads at once to have about `bytes` in flight: 1 to 8.
template <class Reduction>
constexpr int loads_in_flight(int bytes) {
  const int loads = bytes / static_cast<int>(sizeof(typename Reduction::view_type::chunk_type));
  return loads < 1 ? 1 : loads > 8 ? 8 : loads;
}

/// What thread `thread` of `threads` sees when all of them stride through the range together, a chunk
/// each at a time: neighbouring threads load neighbouring words.
///
/// `Unroll` loads are started before the first is used. Past the end a thread loads the last chunk again
/// and leaves it out: a load behind a condition is one that ptxas may start only when the one before it
/// has come back (2 KB of doubles on an H100: 4.9 us, now 4.0). The elements before the first aligned
/// chunk and after the last whole one fall to the first threads, one each; they are loaded first and used
/// last.
///
/// Result: valid in every thread; a thread with no elements holds `start()`.
/// Order: fixed by the partition and `threads`, which is at most 2^22.
/// @tparam Index  counts elements; `unsigned` where the range is known to be small
template <int Unroll, class Index, class Reduction>
WARPFOLD_DEVICE typename Reduction::state thread_fold(const Reduction& r, const partition& parts,
                                                      const cache_hint& hint, unsigned thread,
                                                      unsigned threads) {
  using view_type = typename Reduction::view_type;
  using value_type = typename Reduction::value_type;
  constexpr Index size = view_type::chunk_size;
  const auto& view = r.view;
  const auto fold = r.fold();
  const Index head = static_cast<Index>(parts.head);
  const Index chunks = static_cast<Index>(parts.chunks);

  [[maybe_unused]] chunk<value_type, 1> edge[2];
  if constexpr (size > 1) {
    if (thread < parts.head) ::new (&edge[0].elements[0]) value_type(view[thread]);
    if (thread < parts.tail) {
      ::new (&edge[1].elements[0]) value_type(view[head + chunks * size + thread]);
    }
  }

  // All threads go round together: `base` is the same for all of them, and what differs fits 32 bits.
  typename Reduction::state state = fold.start();
  const unsigned stride = Unroll * threads;
  for (Index base = 0; base < chunks; base += stride) {
    const Index left = chunks - base;
    const unsigned here = left < stride ? static_cast<unsigned>(left) : stride;
    typename view_type::chunk_type loaded[Unroll];
    WARPFOLD_UNROLL
    for (int u = 0; u < Unroll; ++u) {
      const unsigned own = thread + u * threads;
      view.load(loaded[u], head + (base + (own < here ? own : here - 1)) * size, hint);
    }
    const auto seen = detail::fold_tree<0, Unroll>(
        [&](const auto& s, const auto& t) { return fold.combine(s, t); },
        [&](int u) {
          const bool inside = thread + u * threads < here;
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
