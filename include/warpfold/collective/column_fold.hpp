/// @file
/// Folds the columns of a matrix by a block, in the declared order (op/fold_order.hpp). The block
/// takes a tile of neighboring rows at a time. A thread folds a run of a power of two of neighbors,
/// and the threads below each other combine their values in shared memory. The first thread of a
/// column keeps the values of the tiles, which are nodes of the declared order.
#pragma once

#include <cstddef>

#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/shuffle.hpp>
#include <warpfold/op/fold_tree.hpp>
#include <warpfold/view/chunk.hpp>

namespace warpfold::collective {

/// Where a thread stands in a block that folds columns: thread `y` of `height` of its columns, and
/// of `width` * `height` threads of its matrix. Threads beyond all matrices are not `inside`.
struct column_place {
  unsigned x, y, width, height;  ///< the height is a power of two
  unsigned first;                ///< the first thread of the matrix
  bool inside;

  WARPFOLD_DEVICE unsigned slot(unsigned row) const { return first + row * width + x; }
};

namespace detail {

/// Values of threads that are combined at once. Code that is long is not repeated.
template <class Fold, class A, int Size>
inline constexpr int columns_at_once = Fold::is_long || sizeof(A) * Size > 32 ? 2 : 8;

/// True if the threads of a column that are in one warp combine their values by shuffles. Not of
/// single columns: then the barriers also separate the tiles that `stage` writes.
template <class Fold, class A, int Size>
inline constexpr bool shuffles_columns = Size > 1 && !Fold::is_long && sizeof(A) * Size <= 16;

/// Combines the values of the first `there` threads of a column, as far as they are in one warp.
/// Returns log2 of the number of threads whose value is then in the first of them.
template <int Size, class Fold, class A>
WARPFOLD_DEVICE unsigned fold_lanes_of_columns(const Fold& fold, chunk<A, Size>& own,
                                               const column_place& at, unsigned there) {
  unsigned level = 0;
  if ((at.width & (at.width - 1)) != 0 || at.width * at.height % warp_size != 0) return level;
  WARPFOLD_NO_UNROLL
  for (; at.width << level < warp_size; ++level) {
    WARPFOLD_UNROLL
    for (int k = 0; k < Size; ++k) {
      const A right = shuffle_down(own.elements[k], at.width << level);
      if (at.y + (1u << level) < there) own.set(k, fold.apply(own.elements[k], right));
    }
  }
  return level;
}

}  // namespace detail

/// Combines the `Size` values of each of the first `there` threads of a column, at least one. The
/// result is in `own` of the first. Shuffles in warps, and then two barriers for eight times the
/// threads. Every thread of the block calls it, with the same `there`.
/// @param storage `Size` values of each thread
template <int Size, class Fold, class A>
WARPFOLD_DEVICE void fold_threads_of_columns(const Fold& fold, chunk<A, Size>& own,
                                             shared_span<A> storage, const column_place& at,
                                             unsigned there) {
  constexpr unsigned some = detail::columns_at_once<Fold, A, Size>;
  const unsigned slots = storage.size() / Size;
  unsigned level = 0;  // log2 of the threads for a value
  if constexpr (detail::shuffles_columns<Fold, A, Size>) {
    level = detail::fold_lanes_of_columns(fold, own, at, there);
    there = ((there - 1) >> level) + 1;
  }
  WARPFOLD_NO_UNROLL
  while (there > 1) {
    const unsigned value = at.y >> level;
    if (at.inside && value << level == at.y && value < there) {
      WARPFOLD_UNROLL
      for (unsigned k = 0; k < Size; ++k)
        storage.store(k * slots + at.slot(value), own.elements[k]);
    }
    __syncthreads();
    const unsigned first = at.y * some;
    if (at.inside && first < there) {
      const unsigned left = there - first;
      WARPFOLD_UNROLL
      for (unsigned k = 0; k < Size; ++k) {
        own.set(k, fold_tree_of_first<0, int{some}>(
                       [&](const A& a, const A& b) { return fold.apply(a, b); },
                       [&](int i) {
                         const auto row = static_cast<unsigned>(i);
                         return storage.load(k * slots +
                                             at.slot(first + (row < left ? row : left - 1)));
                       },
                       [&](int i) { return static_cast<unsigned>(i) < left; }));
      }
    }
    __syncthreads();
    there = (there + some - 1) / some;
    level = 0;
  }
}

/// Folds the values of neighboring columns, each with that of its column.
template <class Fold, class A, int Size>
struct fold_of_columns {
  const Fold& fold;

  WARPFOLD_DEVICE chunk<A, Size> apply(const chunk<A, Size>& left,
                                       const chunk<A, Size>& right) const {
    chunk<A, Size> both;
    WARPFOLD_UNROLL
    for (int k = 0; k < Size; ++k) both.set(k, fold.apply(left.elements[k], right.elements[k]));
    return both;
  }
};

/// The nodes of a column, of 1, 2, 4 ... tiles, in local memory; touched once for each tile.
template <class Node>
class column_nodes {
 public:
  /// The maximum number of tiles is two to the power of it.
  static constexpr unsigned levels = sizeof(Node) <= 32 ? 24 : sizeof(Node) <= 64 ? 16 : 12;

  inline WARPFOLD_DEVICE void add(const auto& fold, std::size_t k, Node node) {
    unsigned level = 0;
    WARPFOLD_NO_UNROLL
    for (; (k >> level & 1) != 0; ++level) node = fold.apply(of_[level], node);
    of_[level] = node;
  }
  /// The fold of all `count` tiles, at least one.
  inline WARPFOLD_DEVICE Node folded(const auto& fold, std::size_t count) const {
    unsigned level = 0;
    WARPFOLD_NO_UNROLL
    while ((count >> level & 1) == 0) ++level;
    Node total = of_[level];
    WARPFOLD_NO_UNROLL
    while (count >> ++level != 0) {
      if ((count >> level & 1) != 0) total = fold.apply(of_[level], total);
    }
    return total;
  }

 private:
  Node of_[levels + 1];
};

/// Folds `rows` rows of the columns of each thread, at least one, in tiles of `run` rows for each
/// thread of a column. Valid in the first thread of each column. Every thread of the block calls
/// it, with the same `rows` and `run`, a power of two.
/// @param stage `stage(row, count)` prepares the rows of a tile from `row` on. All threads call it
/// @param load `load(row, count)` folds the thread's columns over at most `run` rows from `row` on
/// @param storage `Size` values of each thread
template <int Size, class Fold, class A, class Stage, class Load>
WARPFOLD_DEVICE chunk<A, Size> fold_columns(const Fold& fold, std::size_t rows, unsigned run,
                                            shared_span<A> storage, const column_place& at,
                                            const Stage& stage, const Load& load) {
  const unsigned tile = at.height * run;
  const fold_of_columns<Fold, A, Size> fold_each{fold};
  column_nodes<chunk<A, Size>> nodes;
  chunk<A, Size> own;
  // Threads without rows shuffle what nobody uses.
  if constexpr (detail::shuffles_columns<Fold, A, Size>) {
    __builtin_memset(static_cast<void*>(&own), 0, sizeof own);
  }
  std::size_t k = 0;
  WARPFOLD_NO_UNROLL
  for (std::size_t first = 0;; ++k) {
    const unsigned here = rows - first < tile ? static_cast<unsigned>(rows - first) : tile;
    stage(first, here);
    const unsigned there = (here - 1) / run + 1, begin = at.y * run;
    if (at.inside && begin < here) {
      own = load(first + begin, here - begin < run ? here - begin : run);
    }
    fold_threads_of_columns<Size>(fold, own, storage, at, there);
    first += here;
    if (first == rows && k == 0) return own;
    if (at.inside && at.y == 0) nodes.add(fold_each, k, own);
    if (first == rows) break;
  }
  return at.inside && at.y == 0 ? nodes.folded(fold_each, k + 1) : own;
}

}  // namespace warpfold::collective
