/// @file
/// Two-dimensional blocks and grid, for a range treated as a matrix.
///
/// Source: the 2-D reduction of "CUDA by Numba Examples", part 2: 20000 x 20000 floats with blocks
/// of 16 x 16 threads and a grid of 64 x 64, 11 ms (Tesla T4). Its two strides are swapped, which
/// is harmless in a square grid.
///
/// - Idea: a thread has a row and a column. It strides over the rows by the grid's height, and in
///   each row over the columns by the grid's width. Then the block numbers its threads in one row
///   and folds a tree. The range is treated as rows of about sqrt(n) elements.
/// - Cost: one read of every element. A warp is two rows of 16 threads, so its load covers two
///   groups of 16 contiguous elements: for floats 64 bytes each, whole sectors if the rows are
///   aligned. 9 barriers per block, no bank conflicts; below 32 active threads one warp diverges.
///   Two launches.
/// - Needs: a state of shared memory for each thread of a block.
#pragma once

#include <warpfold/collective/tree_reduce.hpp>
#include <warpfold/kernel/ladder/passes.hpp>

namespace warpfold::kernel {

/// Two launches of blocks of `Side` x `Side` threads; see the top of this file.
template <unsigned Side = 16>
struct grid_2d {
  static_assert(Side == 8 || Side == 16 || Side == 32,
                "warpfold: grid_2d takes blocks of 8 x 8, 16 x 16 or 32 x 32 threads");

  static constexpr const char* name() { return "grid_2d"; }
  static constexpr ladder_step in_ladder{8, "Numba", 11, 0, 1.6e9};
  static constexpr unsigned side = Side;  ///< side of a block, in threads

  /// The maximum side of the grid in blocks; at least 1.
  unsigned max_side = 64;

  /// One launch over rows of `width` values.
  struct pass {
    static constexpr unsigned block_threads = side * side;

    std::size_t width;

    template <class Fold, class Source>
    WARPFOLD_DEVICE typename Fold::state fold_block(const Fold& fold, const Source& source) const {
      WARPFOLD_SHARED collective::shared_array<typename Fold::state, block_threads> values;
      const std::size_t down = std::size_t{gridDim.y} * side;
      const std::size_t across = std::size_t{gridDim.x} * side;
      const std::size_t height = source.size() / width + (source.size() % width != 0);
      auto state = fold.start();
      for (std::size_t y = std::size_t{blockIdx.y} * side + threadIdx.y; y < height; y += down) {
        for (std::size_t x = std::size_t{blockIdx.x} * side + threadIdx.x; x < width; x += across) {
          state = fold.combine(state, source.at(y * width + x));  // the last row may be short
        }
      }
      return collective::tree_reduce(fold, state, values);
    }
  };

  /// Launches twice; once if one block suffices.
  template <class Out>
  void enqueue(const auto& r, const collective::result_sink<Out>& sink, auto& launcher) const {
    if (max_side == 0 || max_side > 65535) {
      throw_error<unsupported_kernel>("warpfold: kernel grid_2d was asked for a grid of ", max_side,
                                      " blocks per side; it takes 1 to 65535");
    }
    const std::size_t n = r.view.size();
    const std::size_t width = square_width(n);
    const launch_extent grid(blocks_along(width), blocks_along((n + width - 1) / width));
    reduce_in_two_passes(name(), pass{width}, pass{square_width(grid.count())},
                         {grid, launch_extent(side, side)}, r, sink, launcher);
  }

 private:
  /// The smallest multiple of `side` whose square is at least `n`; at least `side`.
  static std::size_t square_width(std::size_t n) {
    const double root = __builtin_ceil(__builtin_sqrt(static_cast<double>(n)));
    const std::size_t width = (static_cast<std::size_t>(root) + side - 1) / side * side;
    return width != 0 ? width : side;
  }

  unsigned blocks_along(std::size_t values) const {
    const std::size_t blocks = values / side + (values % side != 0);
    return static_cast<unsigned>(blocks < 1 ? 1 : blocks < max_side ? blocks : max_side);
  }
};

static_assert(reduction_kernel<grid_2d<>>);

}  // namespace warpfold::kernel
