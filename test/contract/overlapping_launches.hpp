/// @file
/// Two launches of which the second may start before the first has ended
/// (collective/launch_overlap.hpp): the second reads what the first writes.
#pragma once

#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/core/launch_shape.hpp>

namespace test {

inline constexpr warpfold::launch_shape overlapping_shape{64, 96};
inline constexpr std::size_t overlapping_threads = 64 * 96;

/// Lets the next launch start at once, and writes late.
struct first_launch {
  static constexpr int max_block = 96;
  static constexpr bool calls_user_functions = false;

  warpfold::collective::global_array<int> out;

  WARPFOLD_DEVICE void operator()() const {
    using namespace warpfold;  // the emulation's threadIdx
    collective::let_next_launch_start();
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = thread;
    for (int i = 0; i < 1000; ++i) x = x * 1664525u + 1013904223u;
    // Zero or one; a compiler cannot skip the loop.
    out.store(thread, static_cast<int>(2 * thread + (x >> 31)));
  }
};

/// Reads another block's elements.
struct second_launch {
  static constexpr int max_block = 96;
  static constexpr bool calls_user_functions = false;
  static constexpr bool waits_for_launch_before = true;

  warpfold::collective::global_array<int> in;
  warpfold::collective::global_array<int> out;

  WARPFOLD_DEVICE void operator()() const {
    using namespace warpfold;
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    collective::wait_for_launch_before();
    out.store(thread, in.load(gridDim.x * blockDim.x - 1 - thread) / 2);
  }
};

inline void check_overlapping(const std::vector<int>& results) {
  REQUIRE(results.size() == overlapping_threads);
  for (std::size_t i = 0; i < results.size(); ++i) {
    REQUIRE(results[i] == static_cast<int>(overlapping_threads - 1 - i));
  }
}

}  // namespace test
