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

/// What thread `thread` of `threads` sees when all of them stride through the range together, a chunk
/// each at a time: neighbouring threads load neighbouring words.
///
/// `Unroll` loads are started before the first is used. The elements before the first aligned chunk
/// and after the last whole one fall to the first threads, one each; their loads are started first and
/// used last.
///
/// Result: valid in every thread; a thread with no elements holds `start()`.
/// Order: fixed by the partition and `threads`, which is at most 2^22.
template <int Unroll, class Reduction>
WARPFOLD_DEVICE typename Reduction::state thread_fold(const Reduction& r, const partition& parts,
                                                      const cache_hint& hint, unsigned thread,
                                                      unsigned threads) {
  using view_type = typename Reduction::view_type;
  using value_type = typename Reduction::value_type;
  constexpr std::size_t size = view_type::chunk_size;
  const auto& view = r.view;
  const auto fold = r.fold();

  [[maybe_unused]] chunk<value_type, 1> edge[2];
  if constexpr (size > 1) {
    if (thread < parts.head) ::new (&edge[0].elements[0]) value_type(view[thread]);
    if (thread < parts.tail) {
      ::new (&edge[1].elements[0]) value_type(view[parts.head + parts.chunks * size + thread]);
    }
  }

  typename Reduction::state state = fold.start();
  std::size_t c = thread;
  typename view_type::chunk_type loaded[Unroll];
  // Strictly more than Unroll chunks: a launch of a few kilobytes, for which fetching the code is a
  // good part of the time, never enters the loop and runs straight through.
  while (c + std::size_t{Unroll} * threads < parts.chunks) {
    WARPFOLD_UNROLL
    for (int u = 0; u < Unroll; ++u) {
      view.load(loaded[u], parts.head + (c + std::size_t(u) * threads) * size, hint);
    }
    state = fold.combine(state, fold.state_of(detail::fold_chunks<Unroll>(r, loaded)));
    c += std::size_t{Unroll} * threads;
  }
  // At most Unroll chunks are left to this thread: start all of their loads too before using any.
  WARPFOLD_UNROLL
  for (int u = 0; u < Unroll; ++u) {
    if (c + std::size_t(u) * threads < parts.chunks) {
      view.load(loaded[u], parts.head + (c + std::size_t(u) * threads) * size, hint);
    }
  }
  WARPFOLD_UNROLL
  for (int u = 0; u < Unroll; ++u) {
    if (c + std::size_t(u) * threads < parts.chunks) {
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

}  // namespace warpfold::collective
