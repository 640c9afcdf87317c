/// @file
/// Transforms expressions of arrays line by line: the second pass of a softmax or a normalization,
/// with one value for each row or column.
///
/// - Idea: a line is the elements along the dimension that varies fastest. A block, or a part of
///   it, takes a tile of one line. A thread finds its place once, and all of its loads are a
///   constant distance apart; in kernel/elementwise/elementwise.hpp each load waits for a division.
///   A matrix with a factor for each row, 2 GB, H200: 774 -> 519 us (a copy: 505).
/// - Loads: arrays that repeat along the line are loaded once per thread, after the others. If the
///   others and the output start each line at a word, chunks are words; otherwise single elements.
/// - Cost: one launch; no scratch, shared memory or barriers. Every element is read once and
///   written once.
/// - Needs: compute capability 7.0; lines of at least 64 elements.
#pragma once

#include <cstddef>
#include <new>

#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/view/global_access.hpp>
#include <warpfold/work/transformation.hpp>

namespace warpfold::kernel {

/// One launch with a tile of a line per block or part of a block; see the top of this file.
struct elementwise_lines {
  static constexpr const char* name() { return "elementwise_lines"; }

  /// @tparam Size elements per chunk: 1, or those of whole words
  template <class Transformation, int Size>
  struct body {
    using in_view = typename Transformation::in_view;
    using out_view = typename Transformation::out_view;
    using in_chunk = typename in_view::template line_chunk<Size>;

    static constexpr int max_block = 256;
    // Second pass of a softmax, 1024 x 50256, H200, 2 -> 3: 209 -> 170 us.
    static constexpr int min_blocks_per_multiprocessor = 3;
    static constexpr bool waits_for_launch_before = true;
    static constexpr int unroll = Size == 1 ? 8 : sizeof(in_chunk) > 32 ? 2 : 4;

    Transformation transformation;
    std::size_t line_size;  ///< elements
    std::size_t lines;
    unsigned tiles;       ///< of each line
    unsigned lanes_log2;  ///< log2 of the threads that share a tile

    WARPFOLD_HD const Transformation& work() const { return transformation; }
    WARPFOLD_DEVICE void operator()() const {
      const unsigned lanes = 1u << lanes_log2;
      const unsigned lane = threadIdx.x & (lanes - 1);
      const unsigned tile = blockIdx.x % tiles;
      const std::size_t line = std::size_t{blockIdx.x / tiles} * (blockDim.x >> lanes_log2) +
                               (threadIdx.x >> lanes_log2);
      if (line >= lines) return;
      collective::wait_for_launch_before();
      const auto from = transformation.in.line_start(line, line_size);
      const std::size_t to = transformation.out.line_start(line, line_size);
      const std::size_t chunks = line_size / Size;
      const std::size_t first = std::size_t{tile} * unroll * lanes + lane;
      if (first + (unroll - 1) * lanes < chunks) {
        put<unroll, Size>(from, to, first, lanes);
      } else {
        WARPFOLD_NO_UNROLL
        for (std::size_t c = first; c < chunks; c += lanes) put<1, Size>(from, to, c, lanes);
      }
      if constexpr (Size > 1) {
        if (tile != tiles - 1) return;
        WARPFOLD_NO_UNROLL
        for (std::size_t i = chunks * Size + lane; i < line_size; i += lanes) {
          put<1, 1>(from, to, i, lanes);
        }
      }
    }

   private:
    /// Processes chunks `first`, `first + step`, ... of the line. All loads start before a store.
    template <int Count, int Width, class Place>
    WARPFOLD_DEVICE void put(const Place& from, std::size_t to, std::size_t first,
                             unsigned step) const {
      const global_access memory;
      typename in_view::template line_chunk<Width> loaded[std::size_t{Count}];
      transformation.in.template load_in_line<Width>(loaded, from, first, step, memory);
      collective::let_next_launch_start();
      WARPFOLD_UNROLL
      for (int u = 0; u < Count; ++u) {
        chunk<typename out_view::value_type, Width> results;
        WARPFOLD_UNROLL
        for (int k = 0; k < Width; ++k) {
          ::new (static_cast<void*>(&results.elements[k])) typename out_view::value_type(
              transformation.apply(transformation.in.template get_in_line<Width>(loaded[u], k)));
        }
        transformation.out.template store_in_line<Width>(
            results, to, first + static_cast<std::size_t>(u) * step, memory);
      }
    }
  };

  static bool fits(const auto& t) { return line_size_of(t) >= 64; }

  /// Launches once; not at all if there is nothing to do.
  template <class Transformation, class Launcher>
  void enqueue(const Transformation& t, Launcher& launcher) const {
    if (t.size() == 0) return;
    constexpr int in_size = Transformation::in_view::chunk_size;
    constexpr int out_size = Transformation::out_view::chunk_size;
    constexpr int size = in_size > out_size ? in_size : out_size;
    const std::size_t line = line_size_of(t);
    if constexpr (size > 1) {
      if (t.in.template has_words_in_lines<size>(line) &&
          t.out.template has_words_in_lines<size>(line)) {
        return enqueue_as<size>(t, line, launcher);
      }
    }
    enqueue_as<1>(t, line, launcher);
  }

 private:
  // The shorter of both: lines of the longer kind consist of whole ones.
  static std::size_t line_size_of(const auto& t) {
    const std::size_t in = t.in.line_size(), out = t.out.line_size();
    return in < out ? in : out;
  }

  template <int Size, class Transformation, class Launcher>
  static void enqueue_as(const Transformation& t, std::size_t line, Launcher& launcher) {
    using body_type = body<Transformation, Size>;
    constexpr std::size_t unroll = body_type::unroll, block = body_type::max_block;
    const std::size_t chunks = line / Size + (line / Size == 0 ? 1 : 0);
    unsigned lanes_log2 = 3;
    while ((std::size_t{1} << lanes_log2) < block && (unroll << lanes_log2) < chunks) ++lanes_log2;
    const std::size_t tile = unroll << lanes_log2, groups = block >> lanes_log2;
    const std::size_t tiles = (chunks + tile - 1) / tile;
    const std::size_t lines = t.size() / line;
    launcher.launch(name(), body_type{t, line, lines, grid_of(tiles), lanes_log2},
                    {grid_of((lines + groups - 1) / groups * tiles), static_cast<unsigned>(block)});
  }
};

}  // namespace warpfold::kernel
