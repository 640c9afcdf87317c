/// @file
/// The kernels of the library by name, for the contract's suites.
#pragma once

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
#include <warpfold/kernel/staged.hpp>

#include "contract/kernel_contract.hpp"

namespace test {

// In three lists, for three test files: each is a minute of compiling.
template <class Fixture>
using simple_kernels =
    kernel_subjects<Fixture, wf::kernel::atomic, wf::kernel::serial_tail<>,
                    wf::kernel::block_tree<>, wf::kernel::two_pass<>, wf::kernel::grid_stride<>>;
template <class Fixture>
using ladder_kernels =
    kernel_subjects<Fixture, wf::kernel::interleaved_addressing<128>,
                    wf::kernel::interleaved_contiguous<128>, wf::kernel::sequential_addressing<128>,
                    wf::kernel::first_add_during_load<128>, wf::kernel::unroll_last_warp<128>,
                    wf::kernel::completely_unrolled<128>>;
template <class Fixture>
using other_kernels =
    kernel_subjects<Fixture, wf::kernel::thread_unrolled<8>, wf::kernel::grid_2d<>,
                    wf::kernel::warp_shuffle<>, wf::kernel::single_pass<>, wf::kernel::bulk_copy,
                    wf::kernel::staged<>>;

}  // namespace test
