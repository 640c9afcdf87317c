/// @file
/// The grid, the blocks and the shared memory of a launch.
#pragma once

#include <cstddef>

#include <warpfold/core/error.hpp>

namespace warpfold {

/// Blocks of a grid, or threads of a block, in up to three dimensions.
struct launch_extent {
  unsigned x, y, z;

  constexpr launch_extent(unsigned width = 1, unsigned height = 1, unsigned depth = 1)
      : x(width), y(height), z(depth) {}

  constexpr std::size_t count() const { return std::size_t{x} * y * z; }
  friend constexpr bool operator==(const launch_extent&, const launch_extent&) = default;
};

/// The number of blocks and threads of a launch, and the resources of each block.
struct launch_shape {
  launch_extent grid;
  launch_extent block;
  std::size_t shared_bytes = 0;  ///< dynamic shared memory per block
  unsigned cluster = 1;          ///< blocks per cluster

  constexpr std::size_t threads() const { return grid.count() * block.count(); }
};

/// A launch as written in messages: "single_pass<<<1056, 256>>>".
struct launched {
  const char* kernel = "";
  launch_shape shape;

  message text() const {
    message m(kernel, "<<<");
    append(m, shape.grid);
    m << ", ";
    append(m, shape.block);
    if (shape.shared_bytes != 0) m << ", " << shape.shared_bytes;
    return m << ">>>";
  }

 private:
  static void append(message& m, const launch_extent& e) {
    if (e.y == 1 && e.z == 1) {
      m << e.x;
    } else {
      m << "(" << e.x << ", " << e.y;
      if (e.z != 1) m << ", " << e.z;
      m << ")";
    }
  }
};

/// @throws unsupported_kernel if the block is not a multiple of 32 threads up to `max_block`, or
///     the grid is empty
inline void check_shape(const char* kernel, int max_block, const launch_shape& shape) {
  const std::size_t threads = shape.block.count();
  if (threads == 0 || threads > static_cast<std::size_t>(max_block) || threads % 32 != 0) {
    throw_error<unsupported_kernel>("warpfold: kernel ", kernel, " was asked for blocks of ",
                                    threads, " threads; it takes a multiple of 32, up to ",
                                    max_block);
  }
  if (shape.grid.x > 0x7fffffff || shape.grid.y > 65535 || shape.grid.z > 65535 ||
      shape.block.z > 64) {
    throw_error<unsupported_kernel>(
        "warpfold: kernel ", kernel,
        " was asked for more than a grid of 2147483647 x 65535 x 65535 blocks, or a "
        "block of more than 64 in z");
  }
  if (shape.grid.count() == 0) {
    throw_error<unsupported_kernel>("warpfold: kernel ", kernel,
                                    " was asked for a grid without blocks");
  }
}

/// The number of blocks as `launch_shape` stores it; a larger number becomes one that the launch
/// refuses.
inline unsigned grid_of(std::size_t blocks) {
  return blocks > 0x7fffffff ? 0xffffffff : static_cast<unsigned>(blocks);
}

}  // namespace warpfold
