/// @file
/// One launch and one read of the data for any size.
///
/// Source: grid-stride loops (M. Harris, "CUDA Pro Tip: Write Flexible Kernels with Grid-Stride
/// Loops"), warp shuffles (J. Luitjens, "Faster Parallel Reductions on Kepler"), the single launch
/// of the toolkit's threadFenceReduction sample, and the look-back of CUB's scan.
///
/// - Idea: about as many blocks as saturate the memory read a contiguous part of the range each and
///   share the rest. Every thread has eight 16-byte loads in flight (four for chars). A warp folds
///   by shuffles, a block with one barrier. Blocks post their states, and the last one folds them.
/// - Cost: every byte is read once, in whole 32-byte sectors. A state of up to 96 bytes is posted:
///   for each 12 bytes, 16 are written, read back from L2 and zeroed, with one barrier per block
///   and up to three in the last. A larger state takes a ticket and two barriers per block.
/// - Needs: compute capability 7.0; PTX 8.3 (CUDA 12.3) for 16-byte posts.
#pragma once

#include <warpfold/collective/block_reduce.hpp>
#include <warpfold/collective/final_result.hpp>
#include <warpfold/collective/grid_finish.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/collective/thread_fold.hpp>
#include <warpfold/core/device_info.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/concept.hpp>
#include <warpfold/kernel/tuning.hpp>

namespace warpfold::kernel {

/// One launch of as many blocks as are useful; see the top of this file.
/// @tparam LoadBytes bytes that each thread has in flight; 128 is eight 16-byte loads
template <int LoadBytes = 128>
struct single_pass {
  static_assert(LoadBytes > 0, "warpfold: a thread needs at least one load; use LoadBytes > 0");

  static constexpr const char* name() { return "single_pass"; }
  static constexpr ladder_step in_ladder{19};
  static constexpr bool reads_size = true;  // of a view/counted.hpp

  /// Threads per block, a multiple of 32 up to 1024; up to 512 if an op with `lift` folds states of
  /// more than 16 bytes. 0 is the value of kernel/tuning.hpp for the size.
  unsigned block = 0;
  /// The maximum number of blocks; 0 is the value of kernel/tuning.hpp for the size.
  unsigned grid = 0;

  /// Where the values that are 0 come from.
  constexpr tuning_source table_source(const device_info& gpu) const {
    return block == 0 || grid == 0 ? tuning::source_of(gpu) : tuning_source::none;
  }

  template <class Reduction, class Out>
  struct body {
    static constexpr int max_block = collective::max_threads<Reduction>;
    static constexpr int unroll = collective::loads_in_flight<Reduction>(LoadBytes);
    static constexpr bool waits_for_launch_before = true;

    Reduction reduction;
    collective::shares own;
    caching cache;
    collective::grid_storage scratch;
    collective::result_sink<Out> sink;

    WARPFOLD_HD const Reduction& work() const { return reduction; }
    WARPFOLD_DEVICE void operator()() const {
      WARPFOLD_SHARED collective::block_storage<typename Reduction::state> storage;
      const auto fold = reduction.fold();
      collective::wait_for_launch_before();
      const collective::final_result<Reduction> result(
          reduction, collective::may_finish_grid<typename Reduction::state>());
      auto state = [&] {
        const collective::thread_position at{blockIdx.x, gridDim.x, threadIdx.x, blockDim.x};
        if constexpr (warpfold::detail::has_size_in_memory<typename Reduction::view_type>) {
          return fold_counted(at);
        } else {
          return collective::thread_fold<unroll>(reduction, own, global_loads(cache), at);
        }
      }();
      // After the loads: waiting blocks slow down blocks that load. Sums back-to-back in a graph,
      // H100, called first -> called here: 16 MB 6.26 -> 4.18 us, 4 MB 2.40 -> 2.44 us.
      collective::let_next_launch_start();
      state = collective::block_reduce(fold, state, storage);
      if (collective::grid_finish(fold, state, scratch, storage)) sink.deliver(result(state));
    }

   private:
    /// The fold of this thread's elements of a range whose size lies in memory.
    WARPFOLD_DEVICE typename Reduction::state fold_counted(
        const collective::thread_position& at) const {
      Reduction counted = reduction;
      const global_loads loads(cache);
      const unsigned threads = at.blocks * at.threads;
      if constexpr (warpfold::detail::loads_before_size<typename Reduction::view_type>) {
        if (own.rounds == 0 && own.parts.chunks != 0 && own.parts.chunks <= threads) {
          return collective::fold_before_size<1>(counted, own.parts,
                                                 at.block * at.threads + at.thread, threads, loads);
        }
        collective::prefetch_first_round<unroll>(reduction, own, loads, at);
      }
      counted.view.read_size(global_loads(caching::keep));
      return collective::thread_fold<unroll>(
          counted, collective::shares_of<unroll>(partition_of(counted.view), threads), loads, at);
    }
  };

  /// Launches once.
  template <class Out>
  void enqueue(const auto& r, const collective::result_sink<Out>& sink, auto& launcher) const {
    enqueue_as(tuning::row_for(loaded_bytes(r.view), launcher.gpu()), r, sink, launcher);
  }

  /// The same; values that are 0 come from a row of a tuning.
  template <class Reduction, class Out, class Launcher>
  void enqueue_as(const tuning::row& row, const Reduction& r,
                  const collective::result_sink<Out>& sink, Launcher& launcher) const {
    using body_type = body<Reduction, Out>;
    const launch_shape where = shape(row, r, launcher.gpu());
    launcher.launch(
        name(),
        body_type{r,
                  collective::shares_of<body_type::unroll>(partition_of(r.view), where.threads()),
                  row.cache, launcher.grid(), sink},
        where);
  }

 private:
  template <class Reduction>
  launch_shape shape(const tuning::row& row, const Reduction& r, const device_info& gpu) const {
    constexpr std::size_t size = Reduction::view_type::chunk_size;
    constexpr std::size_t most = collective::max_blocks<typename Reduction::state>();
    const std::size_t chunks = (r.view.size() + size - 1) / size;
    // For chars a thread has four loads instead of eight: twice the threads have as many bytes in
    // flight. Minima of 4 MB, H100, 256 threads with eight loads -> this: 8.15 -> 7.8 us.
    const bool has_half =
        collective::chunks_are_long<Reduction> && LoadBytes > 64 && row.block < 512;
    constexpr unsigned max_threads = collective::max_threads<Reduction>;
    unsigned of_row = has_half ? 2 * row.block : row.block;
    unsigned blocks = row.blocks;
    if constexpr (collective::folds_much<Reduction>) {
      // Merges a multiprocessor's blocks to one, if they fit, for states with many posts. Five ops
      // at once, 16 MB, H100, two blocks -> one: floats 16.0 -> 15.7 us; 24 bytes: no difference.
      if (block == 0 && of_row * blocks <= max_threads) {
        of_row *= blocks;
        blocks = 1;
      }
    }
    const unsigned threads = block != 0 ? block : of_row < max_threads ? of_row : max_threads;
    std::size_t limit = std::size_t{blocks} * static_cast<std::size_t>(gpu.multiprocessors);
    if constexpr (max_threads < 1024) {
      // Only as many blocks as have registers at once: every further block has a long end. Moments
      // of 128 MB, H100, eight blocks of 512 per multiprocessor -> this: 78 -> 64 us.
      const std::size_t at_once =
          std::size_t{max_threads / threads} * static_cast<std::size_t>(gpu.multiprocessors);
      if (at_once != 0 && limit > at_once) limit = at_once;
    }
    if (grid != 0) limit = grid;
    if (limit > most) limit = most;
    std::size_t wanted = (chunks + threads - 1) / threads;
    if (wanted == 0) wanted = 1;  // an empty range still has a result to deliver
    return {static_cast<unsigned>(wanted < limit ? wanted : limit), threads};
  }
};

static_assert(reduction_kernel<single_pass<>>);

}  // namespace warpfold::kernel
