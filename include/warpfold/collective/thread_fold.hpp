/// @file
/// needs: cuda
/// Folds the elements that fall to one thread.
#pragma once

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
/// and after the last whole one, fewer than a chunk each, fall to the first threads, one each, and
/// are loaded first.
///
/// Result: valid in every thread; a thread with no elements holds `start()`.
/// Order: fixed by the range's size, its alignment and `threads`.
template <int Unroll, class Reduction>
WARPFOLD_DEVICE typename Reduction::state thread_fold(const Reduction& r, std::size_t thread,
                                                      std::size_t threads) {
  using view_type = typename Reduction::view_type;
  constexpr std::size_t size = view_type::chunk_size;
  const auto& view = r.view;
  const auto fold = r.fold();
  const std::size_t n = view.size();

  std::size_t head = 0;
  if constexpr (size > 1) {
    head = view.head();
    if (head == any_head) head = 0;
    if (head > n) head = n;
  }
  const std::size_t chunks = (n - head) / size;

  typename Reduction::state state = fold.start();
  if constexpr (size > 1) {
    const std::size_t tail = head + chunks * size;
    if (thread < head) state = fold.combine(state, fold.state_of(r.lift(view[thread])));
    if (thread < n - tail) state = fold.combine(state, fold.state_of(r.lift(view[tail + thread])));
  }

  std::size_t c = thread;
  typename view_type::chunk_type loaded[Unroll];
  for (; c + (Unroll - 1) * threads < chunks; c += Unroll * threads) {
    WARPFOLD_UNROLL
    for (int u = 0; u < Unroll; ++u) view.load(loaded[u], head + (c + u * threads) * size);
    state = fold.combine(state, fold.state_of(detail::fold_chunks<Unroll>(r, loaded)));
  }
  // Fewer than Unroll chunks are left to this thread: start all of their loads too before using any.
  if constexpr (Unroll > 1) {
    WARPFOLD_UNROLL
    for (int u = 0; u < Unroll - 1; ++u) {
      if (c + u * threads < chunks) view.load(loaded[u], head + (c + u * threads) * size);
    }
    WARPFOLD_UNROLL
    for (int u = 0; u < Unroll - 1; ++u) {
      if (c + u * threads < chunks) {
        state = fold.combine(
            state, fold.state_of(detail::fold_chunks<1>(r, loaded + u)));
      }
    }
  }
  return state;
}

}  // namespace warpfold::collective
