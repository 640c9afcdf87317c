/// @file
/// Every header of the library that needs no other library: all calls, ops, views and kernels, with
/// the policies `wf::device` and `wf::seq`. Compiles with a host compiler and with nvcc.
///
/// Not included: `named.hpp`, `view/fields.hpp` and `soa.hpp` (Boost.Hana), `drop_in.hpp` and the
/// baseline policies (CCCL), `policy/par.hpp` and `policy/std_par.hpp` (oneTBB),
/// `policy/emulated.hpp` and `policy/emulated_devices.hpp` with the headers of `emulation/`
/// (Boost.Context), `policy/mpi.hpp` (MPI), `policy/nccl.hpp` (NCCL).
///
/// Compiled with `-fno-exceptions`, it leaves several ranks and GPUs out.
///
/// A file that includes only what it uses compiles faster.
#pragma once

#include <warpfold/core/config.hpp>  // first: it reports a C++ older than C++20

#include <warpfold/collectives.hpp>
#include <warpfold/copy.hpp>
#include <warpfold/count.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/exact_text.hpp>
#include <warpfold/explain.hpp>
#include <warpfold/explain_axis.hpp>
#include <warpfold/explain_segments.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/log_sum_exp.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/npy.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/reduce_by_class.hpp>
#include <warpfold/reduce_by_key.hpp>
#include <warpfold/reduce_many.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>
#include <warpfold/transform.hpp>
#include <warpfold/transform_axis.hpp>
#include <warpfold/transform_reduce.hpp>
#include <warpfold/transform_segments.hpp>
#include <warpfold/tuning_text.hpp>

// Headers that the above do not include.
#include <warpfold/collective/node_frame.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/op/normalization.hpp>
#include <warpfold/op/softmax.hpp>
#include <warpfold/policy/baseline_function.hpp>
#include <warpfold/policy/host_baseline.hpp>
#include <warpfold/policy/left_to_right.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/view/reverse.hpp>
#include <warpfold/view/soa_view.hpp>
#include <warpfold/view/strided.hpp>
#include <warpfold/view/wide.hpp>

#if defined(__cpp_exceptions)
#include <warpfold/policy/across.hpp>
#include <warpfold/policy/devices.hpp>
#include <warpfold/policy/thread_ranks.hpp>
#include <warpfold/sharded.hpp>
#endif

// The kernels that no policy chooses by itself.
#include <warpfold/kernel/cluster.hpp>
#include <warpfold/kernel/in_order.hpp>
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
