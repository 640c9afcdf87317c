/// @file
/// Folds expressions of several arrays along axes whose elements are not neighbors in memory.
///
/// - Idea: a thread holds a chunk of neighboring results and walks down the folded elements.
///   Neighboring threads hold neighboring chunks, then neighboring folded elements, then
///   neighboring outer results. The threads of a block combine their states in shared memory.
///   Arrays are loaded as by kernel/axis/expression_rows.hpp; an array that repeats across the
///   results is loaded once per chunk.
/// - Split: if there are too few results to fill the GPU, blocks take pieces of the folded
///   elements, and a second launch (kernel/axis/pieces.hpp) folds their states.
/// - Order: fixed by the shapes, the alignments and the GPU.
/// - Cost: one or two launches. Every element is loaded once for each result that it belongs to;
///   elements that repeat come from the caches after the first time.
#pragma once

#include <cstddef>

#include <warpfold/collective/column_reduce.hpp>
#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/axis/expression_loads.hpp>
#include <warpfold/kernel/axis/pieces.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/work/expression_reduction.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct expression_columns {
  static constexpr const char* name() { return "expression_columns"; }

  /// The arrangement of the threads, and the share of each block.
  struct division {
    unsigned width, height, depth;  ///< threads: along the results, down the axis, across outers
    unsigned tiles;                 ///< blocks along the results
    unsigned pieces;                ///< blocks down the axis
    std::size_t outers;             ///< results / those of the first dimension
    std::size_t piece_elements;     ///< folded elements per piece
  };

  /// The code that runs on the GPU.
  /// @tparam Size results per thread
  template <class Work, int Size>
  struct body {
    using source = typename Work::source_type;
    using state = typename Work::state;

    static constexpr int elements_a_load = Size;  // for explain_axis
    static constexpr int threads = sizeof(state) * Size <= 256 ? 256
                                   : sizeof(state) <= 512      ? 64
                                                               : 32;
    static constexpr int max_block = threads;
    static constexpr int unroll = chunks_in_flight<source, state, Size>;

    Work reduction;
    array_loads<Work::arrays> how;
    division part;
    caching cache;
    collective::global_array<state> states;

    WARPFOLD_HD const Work& work() const { return reduction; }
    WARPFOLD_DEVICE void operator()() const {
      if (part.pieces != 1) collective::let_next_launch_start();
      const unsigned tile = blockIdx.x % part.tiles;
      const unsigned above = blockIdx.x / part.tiles;
      const unsigned piece = above % part.pieces;
      const unsigned x = threadIdx.x % part.width;
      const unsigned y = threadIdx.x / part.width % part.height;
      const unsigned z = threadIdx.x / (part.width * part.height);
      const std::size_t outer = std::size_t{above / part.pieces} * part.depth + z;
      const auto& across = reduction.layout.kept.dims[0];
      const std::size_t column = (std::size_t{tile} * part.width + x) * Size;
      const bool inside = z < part.depth && outer < part.outers && column < across.extent;
      const std::size_t left = inside ? across.extent - column : 0;
      const int here = left < Size ? static_cast<int>(left) : Size;

      const auto fold = reduction.fold();
      chunk<state, Size> seen;
      WARPFOLD_UNROLL
      for (int k = 0; k < Size; ++k) {
        ::new (static_cast<void*>(&seen.elements[k])) state(fold.start());
      }
      array_offsets<places> at{};
      if (inside) {
        at = reduction.layout.kept.place(outer, 1);
        WARPFOLD_UNROLL
        for (int a = 0; a < places; ++a) at.of[a] += column * across.stride[a];
        walk(seen, at.of, here, piece, y);
      }
      meet(seen, x, y, z);
      if (!inside || y != 0) return;
      const global_access stores;
      WARPFOLD_UNROLL
      for (int k = 0; k < Size; ++k) {
        if (k >= here) break;
        if (part.pieces == 1) {
          array_offsets<places> own = at;
          WARPFOLD_UNROLL
          for (int a = arrays; a < places; ++a) {
            own.of[a] += static_cast<unsigned>(k) * across.stride[a];
          }
          reduction.write(own.of, fold.value(seen.elements[k]), stores);
        } else {
          const std::size_t result = outer * across.extent + column + static_cast<unsigned>(k);
          states.store(std::size_t{piece} * reduction.layout.outputs + result, seen.elements[k]);
        }
      }
    }

   private:
    static constexpr int arrays = Work::arrays;
    static constexpr int places = arrays + Work::outs;

    /// Folds a thread's elements of one piece: every `height`-th, starting at the `y`-th.
    WARPFOLD_DEVICE void walk(chunk<state, Size>& seen, const std::size_t* first, int here,
                              unsigned piece, unsigned y) const {
      const auto fold = reduction.fold();
      const global_loads loads(cache);
      const auto& layout = reduction.layout;
      const std::size_t* const across = layout.kept.dims[0].stride;
      const std::size_t begin = piece * part.piece_elements;
      const std::size_t end =
          layout.length - begin < part.piece_elements ? layout.length : begin + part.piece_elements;
      const auto apply = [&](const auto& a, const auto& b) { return fold.apply(a, b); };
      WARPFOLD_NO_UNROLL
      for (std::size_t i = begin + y; i < end; i += std::size_t{unroll} * part.height) {
        typename source::template chunk_type<Size> loaded[std::size_t{unroll}];
        std::size_t index[std::size_t{unroll}];
        const auto inside = [&](int u) { return i + static_cast<unsigned>(u) * part.height < end; };
        WARPFOLD_UNROLL
        for (int u = 0; u < unroll; ++u) {
          // Missing elements load the first one again, and the result is discarded.
          auto at = layout.folded.place(inside(u) ? i + static_cast<unsigned>(u) * part.height : i);
          index[u] = at.of[arrays];
          WARPFOLD_UNROLL
          for (int a = 0; a < arrays; ++a) at.of[a] += first[a];
          reduction.source.template load<Size>(loaded[u], at.of, across, how.of, here, loads);
        }
        WARPFOLD_UNROLL
        for (int k = 0; k < Size; ++k) {
          seen.elements[k] =
              fold.combine(seen.elements[k],
                           fold.state_of(fold_tree_of_first<0, unroll>(
                               apply,
                               [&](int u) {
                                 return reduction.lift(
                                     reduction.source.template get<Size>(loaded[u], k), index[u]);
                               },
                               inside)));
        }
      }
    }

    /// Combines the states of the threads with the same columns; the result is in the first thread.
    WARPFOLD_DEVICE void meet(chunk<state, Size>& seen, unsigned x, unsigned y, unsigned z) const {
      WARPFOLD_SHARED collective::shared_array<state, unsigned{threads / 2 * Size}> storage;
      const unsigned most = part.height / 2;
      collective::column_reduce<Size>(reduction.fold(), seen.elements, storage, y, part.height,
                                      z < part.depth,
                                      [&](unsigned i) { return (z * most + i) * part.width + x; });
    }
  };

  /// Launches once or twice.
  template <class Work, class Launcher>
  void enqueue(const Work& work, Launcher& launcher) const {
    constexpr int size = Work::source_type::chunk_size;
    const auto& across = work.layout.kept.dims[0];
    const auto how = loads_of(work, across.stride, across.extent);
    // A thread must be able to keep the states of a chunk in registers.
    if constexpr (size > 1 && sizeof(typename Work::state) * size <= 256) {
      if (how.any_words()) return enqueue_as<size>(work, how, launcher);
    }
    enqueue_as<1>(work, how, launcher);
  }

 private:
  static constexpr std::size_t divided(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

  template <int Size, class Work, class Launcher>
  static void enqueue_as(const Work& work, const array_loads<Work::arrays>& how,
                         Launcher& launcher) {
    using body_type = body<Work, Size>;
    using state = typename Work::state;
    constexpr std::size_t block = body_type::threads;
    const std::size_t extent = work.layout.kept.dims[0].extent, length = work.layout.length;
    const auto multiprocessors = static_cast<std::size_t>(launcher.gpu().multiprocessors);

    // As kernel/axis/columns.hpp: whole cache lines along the results, then as many threads down
    // the axis as have work, then outer results.
    const std::size_t chunks = divided(extent, Size);
    const std::size_t tiles = divided(chunks, block);
    std::size_t width = divided(chunks, tiles);
    if (tiles > 1) width = divided(width, 8) * 8;
    std::size_t height = block / width;
    std::size_t useful = divided(length, body_type::unroll);
    if (useful == 0) useful = 1;
    if (height > useful) height = useful;
    division p{};
    p.outers = work.layout.kept.size(1);
    std::size_t depth = block / (width * height);
    if (depth > p.outers) depth = p.outers;
    p.width = static_cast<unsigned>(width);
    p.height = static_cast<unsigned>(height);
    p.depth = static_cast<unsigned>(depth);
    p.tiles = static_cast<unsigned>(divided(chunks, width));

    const std::size_t blocks = divided(p.outers, depth) * p.tiles;
    std::size_t pieces = 4 * multiprocessors / blocks;
    if (pieces > length / (height * 16)) pieces = length / (height * 16);
    if (pieces == 0) pieces = 1;
    p.piece_elements = divided(divided(length, pieces), height) * height;
    pieces = length == 0 ? 1 : divided(length, p.piece_elements);
    p.pieces = static_cast<unsigned>(pieces);

    collective::global_array<state> states{};
    if (pieces != 1) states = launcher.template scratch<state>(pieces * work.layout.outputs);
    const caching cache = tuning::row_for(work.bytes(), launcher.gpu()).cache;
    const auto threads = static_cast<unsigned>(divided(width * height * depth, 32) * 32);
    launcher.launch(name(), body_type{work, how, p, cache, states},
                    {grid_of(blocks * pieces), threads});
    if (pieces != 1) axis_pieces{}.enqueue(work, states, pieces, launcher);
  }
};

}  // namespace warpfold::kernel
