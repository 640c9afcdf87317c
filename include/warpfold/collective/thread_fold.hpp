/// @file
/// needs: cuda
/// Folds the elements that fall to one thread.
#pragma once

#include <new>

#include <warpfold/reduction.hpp>

namespace warpfold::collective {

namespace detail {

// The values get(From) ... get(From + N - 1), folded as a balanced tree: as many independent
// operations as there can be, and a rounding error that grows with log N and not with N.
template <int From, int N, class Fold, class Get>
WARPFOLD_DEVICE auto fold_tree(const Fold& fold, const Get& get) {
  if constexpr (N == 1) {
    return get(From);
  } else {
    return fold.apply(fold_tree<From, N / 2>(fold, get),
                      fold_tree<From + N / 2, N - N / 2>(fold, get));
  }
}

template <int N, class Reduction, class Chunks>
WARPFOLD_DEVICE auto fold_chunks(const Reduction& r, const Chunks& chunks) {
  constexpr int size = Reduction::view_type::chunk_size;
  return fold_tree<0, N * size>(
      r.fold(), [&](int k) { return r.lift(r.view.get(chunks[k / size], k % size)); });
}

}  // namespace detail

/// How many chunks of a reduction's view a thread loads at once to have about `bytes` in flight: 1 to 8.
template <class Reduction>
constexpr int loads_in_flight(int bytes) {
  const int loads = bytes / static_cast<int>(sizeof(typename Reduction::view_type::chunk_type));
  return loads < 1 ? 1 : loads > 8 ? 8 : loads;
}

/// What thread `thread` of `threads` sees of the last chunks, from chunk `c` on in strides of `threads`,
/// at most `Unroll` of them, and of the elements before the first chunk and after the last, which fall to
/// the first threads, one each. All loads are started before any is used.
///
/// Result: `state` combined with what was seen; valid in every thread.
template <int Unroll, class Index, class Reduction>
WARPFOLD_DEVICE typename Reduction::state thread_fold_rest(const Reduction& r,
                                                           const partition& parts,
                                                           const cache_hint& hint, Index c,
                                                           unsigned thread, unsigned threads,
                                                           typename Reduction::state state) {
  using view_type = typename Reduction::view_type;
  using value_type = typename Reduction::value_type;
  constexpr Index size = view_type::chunk_size;
  const auto& view = r.view;
  const auto fold = r.fold();
  const Index head = static_cast<Index>(parts.head);
  const Index chunks = static_cast<Index>(parts.chunks);

  typename view_type::chunk_type loaded[Unroll];
  WARPFOLD_UNROLL
  for (int u = 0; u < Unroll; ++u) {
    const Index at = c + static_cast<Index>(u) * threads;
    if (at < chunks) view.load(loaded[u], head + at * size, hint);
  }
  [[maybe_unused]] chunk<value_type, 1> edge[2];
  if constexpr (size > 1) {
    if (thread < parts.head) ::new (&edge[0].elements[0]) value_type(view[thread]);
    if (thread < parts.tail) {
      ::new (&edge[1].elements[0]) value_type(view[head + chunks * size + thread]);
    }
  }

  WARPFOLD_UNROLL
  for (int u = 0; u < Unroll; ++u) {
    if (c + static_cast<Index>(u) * threads < chunks) {
      state = fold.combine(state, fold.state_of(detail::fold_chunks<1>(r, loaded + u)));
    }
  }
  if constexpr (size > 1) {
    if (thread < parts.head)
      state = fold.combine(state, fold.state_of(r.lift(edge[0].elements[0])));
    if (thread < parts.tail)
      state = fold.combine(state, fold.state_of(r.lift(edge[1].elements[0])));
  }
  return state;
}

/// What thread `thread` of `threads` sees when all of them stride through the range together, a chunk
/// each at a time: neighbouring threads load neighbouring words. `Unroll` loads are started before the
/// first is used.
///
/// Result: valid in every thread; a thread with no elements holds `start()`.
/// Order: fixed by the partition and `threads`, which is at most 2^22.
template <int Unroll, class Reduction>
WARPFOLD_DEVICE typename Reduction::state thread_fold(const Reduction& r, const partition& parts,
                                                      const cache_hint& hint, unsigned thread,
                                                      unsigned threads) {
  using view_type = typename Reduction::view_type;
  constexpr std::size_t size = view_type::chunk_size;
  const auto fold = r.fold();

  typename Reduction::state state = fold.start();
  typename view_type::chunk_type loaded[Unroll];
  std::size_t c = thread;
  for (; c + std::size_t{Unroll} * threads < parts.chunks; c += std::size_t{Unroll} * threads) {
    WARPFOLD_UNROLL
    for (int u = 0; u < Unroll; ++u) {
      r.view.load(loaded[u], parts.head + (c + std::size_t(u) * threads) * size, hint);
    }
    state = fold.combine(state, fold.state_of(detail::fold_chunks<Unroll>(r, loaded)));
  }
  return thread_fold_rest<Unroll>(r, parts, hint, c, thread, threads, state);
}

}  // namespace warpfold::collective
