/// @file
/// Loads and folds the elements of a warp in the declared order (op/fold_order.hpp). Chunks are
/// counted from the range's first element, not from the first aligned address, so that nothing but
/// its size decides which elements are combined. If the memory is not aligned there, chunks are
/// loaded in narrower parts.
#pragma once

#include <cstddef>

#include <warpfold/collective/block_fold.hpp>
#include <warpfold/collective/row_fold.hpp>
#include <warpfold/collective/term_tile.hpp>
#include <warpfold/collective/thread_fold.hpp>
#include <warpfold/op/fold_order.hpp>
#include <warpfold/view/concept.hpp>

namespace warpfold::collective {

/// The chunks of a range. The last one may have fewer elements than the others.
/// @tparam Index counts chunks; `unsigned` if the range is known to be small
template <class Index>
struct counted_chunks {
  Index count;
  unsigned last;     ///< elements of the last one if they are fewer, otherwise 0
  bool are_aligned;  ///< `load` can load them, not only `load_anywhere`

  WARPFOLD_HD Index whole() const { return count - (last != 0 ? 1 : 0); }
};

template <class Index, class View>
WARPFOLD_HD counted_chunks<Index> chunks_of(const View& view) {
  constexpr std::size_t size = View::chunk_size;
  const std::size_t n = view.size();
  const std::size_t head = view.head();
  return {static_cast<Index>(n / size + (n % size != 0)), static_cast<unsigned>(n % size),
          head == 0 || head == any_head};
}

namespace detail {

// The fold of `count` elements from element `first` on: fewer than a chunk.
template <class Reduction, class Loads>
WARPFOLD_DEVICE typename Reduction::accumulator fold_cut_chunk(const Reduction& r,
                                                               std::size_t first, unsigned count,
                                                               const Loads& loads) {
  using accumulator = typename Reduction::accumulator;
  constexpr int size = Reduction::view_type::chunk_size;
  const auto combine = [f = r.fold()](const accumulator& a, const accumulator& b) {
    return f.apply(a, b);
  };
  const auto element = [&](std::size_t i) { return r.lift(r.view.at(i, loads)); };
  if constexpr (size <= 4) {
    return warpfold::detail::fold_few<accumulator, size / 2>(combine, element, first,
                                                             first + count);
  } else {
    // A loop: the compiler emits the code of an element, perhaps a long function, once.
    fold_stack<accumulator, 5> nodes;
    unsigned k = 0;
    WARPFOLD_NO_UNROLL
    do {
      nodes.push(element(first + k), 1, combine);
    } while (++k < count);
    return nodes.folded(combine);
  }
}

template <int Rows, class Reduction>
using lane_chunks = typename Reduction::view_type::chunk_type[std::size_t{Rows}];

// Calls `use(load)`, where `load(chunk, i)` loads the chunk that starts at element i. Two copies of
// the code: chunks that may be loaded in either way would not stay in registers.
template <class Reduction, class Index, class Loads, class Use>
WARPFOLD_DEVICE auto with_load(const Reduction& r, const counted_chunks<Index>& chunks,
                               const Loads& loads, const Use& use) {
  if (Reduction::view_type::chunk_size == 1 || chunks.are_aligned) [[likely]] {
    return use([&](auto& c, std::size_t i) { r.view.load(c, i, loads); });
  }
  return use(
      [&](auto& c, std::size_t i) { warpfold::detail::load_misaligned(r.view, c, i, loads); });
}

// Loads this lane's chunks: that at `place(own)` from chunk `first` on, `own` of lane and row.
template <int Rows, class Reduction, class Index, class Load, class Place>
WARPFOLD_DEVICE void load_rows(lane_chunks<Rows, Reduction>& loaded, Index first, const Load& load,
                               const Place& place) {
  WARPFOLD_UNROLL
  for (unsigned u = 0; u < Rows; ++u) {
    const std::size_t own = first + place(u * warp_size + threadIdx.x % warp_size);
    load(loaded[u], own * static_cast<std::size_t>(Reduction::view_type::chunk_size));
  }
}
template <int Rows, class Reduction>
WARPFOLD_DEVICE void fold_chunks(const Reduction& r, const lane_chunks<Rows, Reduction>& loaded,
                                 chunk<typename Reduction::accumulator, Rows>& values) {
  WARPFOLD_UNROLL
  for (int u = 0; u < Rows; ++u) {
    if constexpr (requires { r.fold_chunk(loaded[u]); }) {
      values.set(u, r.fold_chunk(loaded[u]));
    } else {
      values.set(u, fold_chunk(r, loaded[u]));
    }
  }
}

// True if the op folds the elements of chunks by terms (op/group_terms.hpp): `r.element(chunk, k)`.
template <class Reduction>
concept folds_terms = requires { typename Reduction::terms::node; };

// The fold of the first `there` of the loaded chunks. Valid in lane 0.
template <int Rows, class Reduction, class There>
WARPFOLD_DEVICE auto fold_loaded(const Reduction& r, const lane_chunks<Rows, Reduction>& loaded,
                                 const There& there) {
  using accumulator = typename Reduction::accumulator;
  if constexpr (folds_terms<Reduction>) {
    constexpr int size = Reduction::view_type::chunk_size;
    constexpr bool are_all = std::is_same_v<There, all_values>;
    unsigned count = Rows * warp_size;
    if constexpr (!are_all) count = there;
    accumulator folded;
    if (fold_as_terms<typename Reduction::terms, Rows, size>(
            folded, [&](int u) { return [&, u](int k) { return r.element(loaded[u], k); }; }, count,
            all_lanes{})) {
      return folded;
    }
  }
  chunk<accumulator, Rows> values;
  fold_chunks<Rows>(r, loaded, values);
  return fold_rows<Rows>(r.fold(), values, there);
}

template <int Rows, class Reduction, class Index, class Loads, class Place>
WARPFOLD_DEVICE void load_tile(const Reduction& r, const counted_chunks<Index>& chunks, Index first,
                               chunk<typename Reduction::accumulator, Rows>& values,
                               const Loads& loads, const Place& place) {
  with_load(r, chunks, loads, [&](const auto& load) {
    lane_chunks<Rows, Reduction> loaded;
    load_rows<Rows, Reduction>(loaded, first, load, place);
    fold_chunks<Rows>(r, loaded, values);
  });
}

}  // namespace detail

/// Loads and folds the first `here` chunks of a tile of 32 * `Rows`, at least one, from chunk
/// `first` on: row by row, one per lane. The last chunk may have fewer elements. All loads start
/// before the first one is used; beyond the end as in fold_round.
///
/// Result: valid in lane 0. All lanes of the warp call it, with the same arguments.
/// @tparam Rows chunks per lane: a power of two up to 32
template <int Rows, class Reduction, class Index, class Loads>
WARPFOLD_DEVICE auto fold_tile(const Reduction& r, const counted_chunks<Index>& chunks, Index first,
                               unsigned here, const Loads& loads) {
  using accumulator = typename Reduction::accumulator;
  constexpr std::size_t size = Reduction::view_type::chunk_size;
  const bool is_cut = size > 1 && chunks.last != 0 && first + here == chunks.count;
  const unsigned whole = here - (is_cut ? 1u : 0u);
  if constexpr (detail::folds_terms<Reduction>) {
    if (!is_cut) [[likely]] {
      return detail::with_load(r, chunks, loads, [&](const auto& load) {
        detail::lane_chunks<Rows, Reduction> loaded;
        detail::load_rows<Rows, Reduction>(
            loaded, first, load, [&](unsigned own) { return own < here ? own : here - 1; });
        return detail::fold_loaded<Rows>(r, loaded, here);
      });
    }
  }
  chunk<accumulator, Rows> values;
  if (whole != 0) [[likely]] {
    detail::load_tile<Rows>(r, chunks, first, values, loads,
                            [&](unsigned own) { return own < whole ? own : whole - 1; });
  }
  if constexpr (size > 1) {
    if (is_cut) [[unlikely]] {
      // In every lane: then all have a value to shuffle, also if there is no whole chunk.
      const accumulator cut =
          detail::fold_cut_chunk(r, (std::size_t{first} + whole) * size, chunks.last, loads);
      const unsigned lane = threadIdx.x % warp_size;
      WARPFOLD_UNROLL
      for (int u = 0; u < Rows; ++u) {
        if (whole == 0 || static_cast<unsigned>(u) * warp_size + lane == whole) values.set(u, cut);
      }
    }
  }
  return fold_rows<Rows>(r.fold(), values, here);
}

/// For tiles of `step` chunks, a power of two up to 32 * `Rows`: fewer rows take fewer steps.
template <int Rows, class Reduction, class Index, class Loads>
WARPFOLD_DEVICE auto fold_tile_of(const Reduction& r, const counted_chunks<Index>& chunks,
                                  Index first, unsigned here, unsigned step, const Loads& loads) {
  if constexpr (Rows > 1) {
    if (step < Rows * warp_size) return fold_tile_of<Rows / 2>(r, chunks, first, here, step, loads);
  }
  return fold_tile<Rows>(r, chunks, first, here, loads);
}

/// The tiles of a node, one after the other. Each lane keeps one, so 32 tiles, a group, are
/// combined by five shuffles. Of the groups, lane k keeps the node of 2^k of them.
template <class Fold>
class tile_values {
  using A = value_of<Fold>;

 public:
  WARPFOLD_DEVICE explicit tile_values(const Fold& fold) : fold_(fold) {
    // The first tile and the first group set them, which GCC does not see.
    __builtin_memset(static_cast<void*>(&own_), 0, sizeof own_);
    __builtin_memset(static_cast<void*>(&node_), 0, sizeof node_);
  }

  /// Adds the value of the next tile, which is valid in lane 0. All lanes of the warp call it.
  WARPFOLD_DEVICE void add(const A& tile) {
    const unsigned lane = threadIdx.x % warp_size;
    if (there_ == warp_size) end_group();
    const A all = shuffle_from(tile, 0);
    if (there_ == 0 || lane == there_) own_.set(0, all);
    ++there_;
  }

  /// The fold of all tiles, at least one. Valid in lane 0. All lanes call it.
  WARPFOLD_DEVICE A folded() const {
    A total = fold_lanes(fold_, own_.elements[0], there_);
    for (unsigned k = 0; groups_ >> k != 0; ++k) {
      const A left = shuffle_from(node_.elements[0], k);
      if ((groups_ >> k & 1) != 0) total = fold_.apply(left, total);
    }
    return total;
  }

 private:
  WARPFOLD_DEVICE void end_group() {
    A group = shuffle_from(fold_lanes(fold_, own_.elements[0], there_), 0);
    if (groups_ == 0) node_.set(0, group);
    unsigned k = 0;
    for (; (groups_ >> k & 1) != 0; ++k) {
      group = fold_.apply(shuffle_from(node_.elements[0], k), group);
    }
    if (threadIdx.x % warp_size == k) node_.set(0, group);
    ++groups_;
    there_ = 0;
  }

  const Fold& fold_;
  chunk<A, 1> own_, node_;
  unsigned there_ = 0;      // tiles of the last group
  std::size_t groups_ = 0;  // before it
};

/// Combines the values `from` to `end - 1` by a warp: `load(i)` returns one. Valid in lane 0.
template <class Fold, class Index>
WARPFOLD_DEVICE value_of<Fold> fold_values(const Fold& fold, Index from, Index end,
                                           const auto& load) {
  const unsigned lane = threadIdx.x % warp_size;
  tile_values rows(fold);
  WARPFOLD_NO_UNROLL
  for (Index first = from; first < end; first += warp_size) {
    const unsigned here = end - first < warp_size ? static_cast<unsigned>(end - first) : warp_size;
    rows.add(fold_lanes(fold, load(first + (lane < here ? lane : here - 1)), here));
  }
  return rows.folded();
}

/// Combines `count` values, at least one, by all threads of a block: `load(i)` returns one. Thread
/// 0 calls `use(value)`. The first barrier comes after the loads.
/// @param storage one value for each warp
template <class Fold>
WARPFOLD_DEVICE void fold_values_of_block(const Fold& fold, shared_span<value_of<Fold>> storage,
                                          unsigned count, const auto& load, const auto& use) {
  const unsigned warps = blockDim.x / warp_size, lane = threadIdx.x % warp_size;
  unsigned each = warp_size;
  while (each * warps < count) each *= 2;
  const unsigned from = threadIdx.x / warp_size * each;
  if (from < count) {
    // As fold_values, inline: nvcc 13.0 generates other code for the call.
    tile_values rows(fold);
    const unsigned end = count - from < each ? count : from + each;
    WARPFOLD_NO_UNROLL
    for (unsigned first = from; first < end; first += warp_size) {
      const unsigned here = end - first < warp_size ? end - first : warp_size;
      rows.add(fold_lanes(fold, load(first + (lane < here ? lane : here - 1)), here));
    }
    store_of_warp(storage, rows.folded());
  }
  fold_block(fold, storage, (count - 1) / each + 1, use);
}

/// Folds the chunks `first` to `end - 1` of a node, in tiles of 32 * `Rows` chunks; the next tile
/// is loaded ahead. Valid in lane 0. All lanes of the warp call it, with the same arguments.
template <int Rows, class Reduction, class Index, class Loads>
WARPFOLD_DEVICE auto fold_tiles(const Reduction& r, const counted_chunks<Index>& chunks,
                                Index first, Index end, const Loads& loads) {
  using accumulator = typename Reduction::accumulator;
  constexpr Index step = Rows * warp_size;
  const auto fold = r.fold();
  const Index whole_chunks = chunks.whole();
  const Index last =
      first + (end < whole_chunks ? end - first : whole_chunks - first) / step * step;
  tile_values tiles(fold);
  detail::with_load(r, chunks, loads, [&](const auto& load) {
    const auto place = [](unsigned own) { return own; };
    detail::lane_chunks<Rows, Reduction> loaded;
    if (first < last) detail::load_rows<Rows, Reduction>(loaded, first, load, place);
    WARPFOLD_NO_UNROLL
    while (first < last) {
      if constexpr (detail::folds_terms<Reduction>) {
        const accumulator tile = detail::fold_loaded<Rows>(r, loaded, all_values{});
        first += step;
        if (first < last) detail::load_rows<Rows, Reduction>(loaded, first, load, place);
        tiles.add(tile);
      } else {
        chunk<accumulator, Rows> values;
        detail::fold_chunks<Rows>(r, loaded, values);
        first += step;
        if (first < last) detail::load_rows<Rows, Reduction>(loaded, first, load, place);
        tiles.add(fold_rows<Rows>(fold, values, all_values{}));
      }
    }
  });
  if (first < end)
    tiles.add(fold_tile<Rows>(r, chunks, first, static_cast<unsigned>(end - first), loads));
  return tiles.folded();
}

}  // namespace warpfold::collective
