/// @file
/// The kernels and sizes for the comparison of counters between the GPU (counters.cu, under Nsight
/// Compute) and the emulation (counters.cpp): float sums, from 256-byte aligned memory.
#pragma once

#include <cstddef>

#include <warpfold/kernel/bulk_copy.hpp>
#include <warpfold/kernel/ladder/atomic.hpp>
#include <warpfold/kernel/ladder/block_tree.hpp>
#include <warpfold/kernel/ladder/completely_unrolled.hpp>
#include <warpfold/kernel/ladder/first_add_during_load.hpp>
#include <warpfold/kernel/ladder/grid_2d.hpp>
#include <warpfold/kernel/ladder/grid_stride.hpp>
#include <warpfold/kernel/ladder/interleaved_addressing.hpp>
#include <warpfold/kernel/ladder/interleaved_contiguous.hpp>
#include <warpfold/kernel/ladder/sequential_addressing.hpp>
#include <warpfold/kernel/ladder/serial_tail.hpp>
#include <warpfold/kernel/ladder/thread_unrolled.hpp>
#include <warpfold/kernel/ladder/two_pass.hpp>
#include <warpfold/kernel/ladder/unroll_last_warp.hpp>
#include <warpfold/kernel/ladder/warp_shuffle.hpp>
#include <warpfold/reduce.hpp>

namespace counters {

inline constexpr std::size_t sizes[] = {4096, 100003, std::size_t{1} << 20};

/// Calls `f(kernel, n)` for every kernel and size, in the same order on both sides.
template <class F>
void for_each_case(const F& f) {
  namespace k = warpfold::kernel;
  for (const std::size_t n : sizes) {
    f(k::atomic{}, n);
    f(k::serial_tail<>{}, n);
    f(k::block_tree<>{}, n);
    f(k::block_tree<k::shared_memory::dynamic_size>{}, n);
    f(k::thread_unrolled<8>{}, n);
    f(k::two_pass<>{}, n);
    f(k::grid_stride<>{}, n);
    f(k::grid_2d{}, n);
    f(k::interleaved_addressing<128>{}, n);
    f(k::interleaved_contiguous<128>{}, n);
    f(k::sequential_addressing<128>{}, n);
    f(k::first_add_during_load<128>{}, n);
    f(k::unroll_last_warp<128>{}, n);
    f(k::completely_unrolled<128>{}, n);
    f(k::warp_shuffle<>{}, n);
    f(k::bulk_copy{}, n);
    f(k::single_pass<>{}, n);
    f(k::automatic{}, n);
  }
}

}  // namespace counters
