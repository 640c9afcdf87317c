/// @file
/// The library's kernels in the order in which one learns them, with what their sources measured.
///
/// A new kernel is one line of this list: `warpfold ladder` runs it on the GPU, and `warpfold
/// coalescing` in the emulation.
#pragma once

#include <string_view>
#include <tuple>

#include <warpfold/kernel/automatic.hpp>
#include <warpfold/kernel/bulk_copy.hpp>
#include <warpfold/kernel/cluster.hpp>
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
#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/kernel/staged.hpp>

#include "source_figures.hpp"

namespace warpfold::program {

/// A kernel under a name that tells it from the others.
template <class Kernel>
struct listed {
  std::string_view name;
  Kernel kernel;
  source_figures source;
};
template <class Kernel>
listed(std::string_view, Kernel, source_figures) -> listed<Kernel>;

namespace detail {
inline constexpr double ladder_bytes = 4.0 * (1 << 22);  // of the Harris ladder
}

// The name; the kernel; from where, its time in ms and its GB/s there, the bytes that it read.
inline constexpr std::tuple kernels{
    listed{"atomic", kernel::atomic{}, {&sources::pycuda}},
    listed{"serial_tail", kernel::serial_tail<>{}, {&sources::numba, 30, 0, 4e9}},
    listed{"block_tree", kernel::block_tree<>{}, {&sources::pycuda}},
    listed{"block_tree_dynamic",
           kernel::block_tree<kernel::shared_memory::dynamic_size>{},
           {&sources::pycuda}},
    listed{"thread_unrolled", kernel::thread_unrolled<8>{}, {&sources::blog}},
    listed{"two_pass", kernel::two_pass<>{}, {&sources::pycuda}},
    listed{"grid_stride", kernel::grid_stride<>{}, {&sources::numba, 23, 0, 4e9}},
    listed{"grid_2d", kernel::grid_2d{}, {&sources::numba, 11, 0, 1.6e9}},
    listed{"interleaved_addressing",
           kernel::interleaved_addressing<128>{},
           {&sources::harris, 0.5519, 56.6171, detail::ladder_bytes}},
    listed{"interleaved_contiguous",
           kernel::interleaved_contiguous<128>{},
           {&sources::harris, 0.493769, 63.2887, detail::ladder_bytes}},
    listed{"sequential_addressing",
           kernel::sequential_addressing<128>{},
           {&sources::harris, 0.473715, 65.9679, detail::ladder_bytes}},
    listed{"first_add_during_load",
           kernel::first_add_during_load<128>{},
           {&sources::harris, 0.341927, 91.3938, detail::ladder_bytes}},
    listed{"unroll_last_warp",
           kernel::unroll_last_warp<128>{},
           {&sources::harris, 0.307297, 101.693, detail::ladder_bytes}},
    listed{"completely_unrolled",
           kernel::completely_unrolled<128>{},
           {&sources::harris, 0.263343, 118.667, detail::ladder_bytes}},
    listed{"warp_shuffle", kernel::warp_shuffle<>{}, {}},
    listed{"cluster", kernel::cluster<>{}, {}},
    listed{"bulk_copy", kernel::bulk_copy{}, {}},
    listed{"staged", kernel::staged<>{}, {}},
    listed{"single_pass", kernel::single_pass<>{}, {}},
    listed{"automatic", kernel::automatic{}, {}}};

inline constexpr std::size_t kernel_count = std::tuple_size_v<decltype(kernels)>;

/// Whether the emulation runs it: its blocks run one by one, so it has no clusters of them.
template <class Kernel>
inline constexpr bool is_emulated = true;
template <unsigned Size>
inline constexpr bool is_emulated<kernel::cluster<Size>> = false;

}  // namespace warpfold::program
