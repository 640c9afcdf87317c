/// @file
/// One block for a few kilobytes.
///
/// Source: the single-tile kernel of CUB's DeviceReduce, for the same reason.
///
/// - Idea: up to 64 KB one block of up to 1024 threads is faster than any grid, which must combine
///   its blocks' states. 32 KB, H100, cold, best grid -> one block: 4.9 -> 4.3 us. In so short a
///   launch, the instructions before the first load and their fetch are a large part of the time:
///   indices have 32 bits, loads take one round, and the edges are behind one branch (16 KB, H100:
///   4.29 -> 4.06 us). One warp and 256 threads have their own kernels, which know the number of
///   threads (H200, in a graph: 1 KB 1.47 -> 1.40 us, 8 KB 1.60 -> 1.52 us). They hold registers,
///   so that they start beside kernels that wait for them (collective/held_registers.hpp); larger
///   blocks need no more for that.
/// - Cost: every byte is read once; at most one barrier; no scratch.
/// - Needs: a range that 1024 threads load at once, 64 bytes each. For chars that the op does not
///   fold packed, a quarter of it: one multiprocessor would fold them too slowly.
#pragma once

#include <warpfold/collective/block_reduce.hpp>
#include <warpfold/collective/final_result.hpp>
#include <warpfold/collective/held_registers.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/collective/thread_fold.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/concept.hpp>

namespace warpfold::kernel {

/// One launch of one block; see the top of this file.
struct single_block {
  static constexpr const char* name() { return "single_block"; }
  static constexpr bool is_listed = false;  // it takes up to 64 KB
  static constexpr bool reads_size = true;  // of a view/counted.hpp

  /// The code that runs on the GPU for one reduction: for blocks of exactly `MaxBlock` threads if
  /// that is 32 or 256, otherwise for any number of warps.
  template <class Reduction, class Out, int MaxBlock>
  struct body {
    static constexpr int max_block = MaxBlock;
    static constexpr bool waits_for_launch_before = true;
    static constexpr bool is_one_warp = MaxBlock == collective::warp_size;
    static constexpr bool knows_threads = MaxBlock <= 256;
    static constexpr unsigned max_warps = MaxBlock / collective::warp_size;
    static constexpr int unroll = collective::loads_in_flight<Reduction>(64);

    Reduction reduction;
    partition parts;
    collective::result_sink<Out> sink;

    WARPFOLD_HD const Reduction& work() const { return reduction; }
    WARPFOLD_DEVICE void operator()() const {
      collective::let_next_launch_start();
      const unsigned threads = knows_threads ? unsigned{MaxBlock} : blockDim.x;
      const auto fold = reduction.fold();
      const auto out = sink.in_registers();
      const global_loads loads(caching::keep);
      collective::wait_for_launch_before();
      const collective::final_result<Reduction> result(reduction, threadIdx.x == 0);
      if constexpr (warpfold::detail::has_size_in_memory<typename Reduction::view_type>) {
        finish(fold, result, out, fold_counted(threads, loads), threads);
      } else {
        const collective::edges<Reduction> edges(reduction, parts, threadIdx.x, loads);
        const auto head = static_cast<unsigned>(parts.head);
        const auto chunks = static_cast<unsigned>(parts.chunks);
        auto state = fold.start();
        if (folds_slowly<Reduction> && chunks <= threads) {
          if (chunks != 0) {
            state = collective::fold_round<1, true>(reduction, state, head, chunks, threadIdx.x,
                                                    threads, loads);
          }
        } else if (chunks != 0) [[likely]] {
          state = collective::fold_round<unroll, true>(reduction, state, head, chunks, threadIdx.x,
                                                       threads, loads);
        }
        state = edges.add_to(state, reduction, threadIdx.x);
        if constexpr (knows_threads) {
          collective::hold_registers<collective::registers_beside_others<MaxBlock>>(head == ~0u,
                                                                                    out.memory());
        }
        finish(fold, result, out, state, threads);
      }
    }

   private:
    inline WARPFOLD_DEVICE void finish(const auto& fold,
                                       const collective::final_result<Reduction>& result,
                                       const auto& out, typename Reduction::state state,
                                       unsigned threads) const {
      const auto deliver = [&](const auto& s) { out.deliver(result(s)); };
      if constexpr (is_one_warp) {
        state = collective::warp_reduce(fold, state);
        if (threadIdx.x == 0) deliver(state);
      } else {
        WARPFOLD_SHARED collective::shared_array<typename Reduction::state, max_warps> storage;
        collective::finish_block(fold, state, storage, deliver, threads / collective::warp_size);
      }
    }

    /// The fold of this thread's elements of a range whose size lies in memory.
    inline WARPFOLD_DEVICE typename Reduction::state fold_counted(unsigned threads,
                                                                  const auto& loads) const {
      Reduction counted = reduction;
      if constexpr (warpfold::detail::loads_before_size<typename Reduction::view_type>) {
        if (parts.chunks != 0) {
          return collective::fold_before_size<unroll>(counted, parts, threadIdx.x, threads, loads);
        }
      }
      counted.view.read_size(loads);
      const partition read = partition_of(counted.view);
      const collective::edges<Reduction> edges(counted, read, threadIdx.x, loads);
      auto state = counted.fold().start();
      if (read.chunks != 0) {
        state = collective::fold_round<unroll, true>(counted, state, read.head,
                                                     static_cast<unsigned>(read.chunks),
                                                     threadIdx.x, threads, loads);
      }
      return edges.add_to(state, counted, threadIdx.x);
    }
  };

  template <class Reduction>
  static bool fits(const Reduction& r) {
    return r.view.size() <= max_elements<Reduction>();
  }

  /// Launches once.
  /// @throws unsupported_kernel if `r` is too large
  template <class Reduction, class Out>
  void enqueue(const Reduction& r, const collective::result_sink<Out>& sink, auto& launcher) const {
    if (!fits(r)) {
      throw_error<unsupported_kernel>("warpfold: kernel::single_block reduces at most ",
                                      max_elements<Reduction>(),
                                      " elements of this type, but the range has ", r.view.size(),
                                      "; use kernel::single_pass, or let wf::device choose");
    }
    const launch_shape as = shape(r);
    const partition parts = partition_of(r.view);
    switch (as.block.x) {
      case 32:
        return launcher.launch(name(), body<Reduction, Out, 32>{r, parts, sink}, as);
      case 256:
        return launcher.launch(name(), body<Reduction, Out, 256>{r, parts, sink}, as);
      default:
        return launcher.launch(name(), body<Reduction, Out, 1024>{r, parts, sink}, as);
    }
  }

 private:
  // True if folding a chunk takes longer than loading it.
  template <class Reduction>
  static constexpr bool folds_slowly =
      collective::folds_one_by_one<Reduction> || Reduction::fold_type::is_long;

  template <class Reduction>
  static constexpr std::size_t max_elements() {
    using view_type = typename Reduction::view_type;
    constexpr std::size_t loaded =
        std::size_t{1024} * collective::loads_in_flight<Reduction>(64) * view_type::chunk_size;
    // Products of chars, H100, graph replay: 32 KB 3.4 us, 64 KB 5.0 us, a grid 2.8 us.
    constexpr std::size_t worth = 16 * 1024;
    return collective::folds_one_by_one<Reduction> && worth < loaded ? worth : loaded;
  }

  template <class Reduction>
  static launch_shape shape(const Reduction& r) {
    constexpr std::size_t unroll = collective::loads_in_flight<Reduction>(64);
    const std::size_t chunks = r.view.size() / Reduction::view_type::chunk_size;
    std::size_t threads = (chunks + unroll - 1) / unroll;
    // One chunk per thread, up to eight warps: more warps take longer to combine.
    if (folds_slowly<Reduction> && threads < 256) threads = chunks < 256 ? chunks : 256;
    return {1, threads <= 32 ? 32u : threads <= 256 ? 256u : threads <= 512 ? 512u : 1024u};
  }
};

static_assert(reduction_kernel<single_block>);

}  // namespace warpfold::kernel
