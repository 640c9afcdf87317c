/// @file
/// Elements that are computed from their indices, such as projected `counting` views: nothing is
/// loaded, so the threads share the computations and not the bytes.
///
/// Source: grid-stride loops (M. Harris, "CUDA Pro Tip: Write Flexible Kernels with Grid-Stride
/// Loops"), as in thrust::transform_reduce over a counting_iterator.
///
/// - Idea: the function may take one instruction or a million, and the host cannot know. So every
///   element has a thread of its own until the GPU is full, spread over all multiprocessors. More
///   elements are dealt one by one, in steps of the whole grid.
/// - Blocks: 128 threads while each has a multiprocessor of its own, one warp for each of its four
///   schedulers; then 256 threads. Beyond, 512 threads, and as many blocks as the GPU holds at
///   once, or a multiple of it: a last wave of a few blocks would leave most multiprocessors idle.
///   With 16 elements per thread and more, up to three waves, because a scheduler prefers its
///   oldest warps and ends with few of them. Pi by 5 * 10^8 terms in double, H200, one wave ->
///   three: 590 -> 564 us. Blocks of 1024 threads take 551 us, but leave a function 64 registers.
/// - Cost: one launch, no memory but the posts of kernel/single_pass.hpp.
/// - Needs: as single_pass.
/// - It does not start early (collective/launch_overlap.hpp): blocks that wait slow down those that
///   compute. Labels of k-means, 1 M points, 8 centers, H100, one call after the other: 11.2 -> 22
///   us.
#pragma once

#include <warpfold/collective/block_reduce.hpp>
#include <warpfold/collective/grid_finish.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/core/device_info.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/emulation/execution_model.hpp>
#include <warpfold/kernel/concept.hpp>

namespace warpfold::kernel {

/// One launch with an element per thread at a time; see the top of this file. Takes any range, but
/// loads memory in the size of an element.
struct thread_per_element {
  static constexpr const char* name() { return "thread_per_element"; }
  static constexpr bool is_listed = false;  // for ranges that read no memory

  /// The code that runs on the GPU for one reduction.
  template <class Reduction, class Out>
  struct body {
    static constexpr int max_block = 512;

    Reduction reduction;
    collective::grid_storage scratch;
    collective::result_sink<Out> sink;

    WARPFOLD_HD const Reduction& work() const { return reduction; }
    WARPFOLD_DEVICE void operator()() const {
      WARPFOLD_SHARED collective::block_storage<typename Reduction::state> storage;
      const auto fold = reduction.fold();
      auto state = collective::block_reduce(fold, fold_elements(), storage);
      if (collective::grid_finish(fold, state, scratch, storage)) {
        sink.deliver(reduction.result(state));
      }
    }

   private:
    WARPFOLD_DEVICE typename Reduction::state fold_elements() const {
      const auto fold = reduction.fold();
      const global_loads loads(caching::keep);
      const std::size_t n = reduction.view.size();
      const unsigned step = gridDim.x * blockDim.x;
      const unsigned first = blockIdx.x * blockDim.x + threadIdx.x;
      auto state = fold.start();
      // An index of 64 bits would take two more registers and twice the instructions.
      constexpr std::size_t slab = std::size_t{1} << 31;
      WARPFOLD_NO_UNROLL
      for (std::size_t base = 0; base < n; base += slab) {
        const auto here = static_cast<unsigned>(n - base < slab ? n - base : slab);
        WARPFOLD_NO_UNROLL
        for (unsigned i = first; i < here; i += step) {
          state = fold.combine(state,
                               fold.state_of(reduction.lift(reduction.view.at(base + i, loads))));
        }
      }
      return state;
    }
  };

  /// Launches once.
  template <class Reduction, class Out, class Launcher>
  void enqueue(const Reduction& r, const collective::result_sink<Out>& sink,
               Launcher& launcher) const {
    using body_type = body<Reduction, Out>;
    const std::size_t n = r.view.size();
    const auto multiprocessors = static_cast<std::size_t>(launcher.gpu().multiprocessors);
    const bool is_small = n <= multiprocessors * 256;
    const unsigned threads = n <= multiprocessors * 128 ? 128
                             : is_small                 ? 256
                                                        : body_type::max_block;
    std::size_t most = collective::max_blocks<typename Reduction::state>();
    if (!is_small) {
      const std::size_t full =
          multiprocessors * launcher.template resident_blocks_per_multiprocessor<body_type>();
      const std::size_t waves = n / (full * threads * 16);
      const std::size_t fit = most / full;
      if (fit != 0) most = full * (waves < 1 ? 1 : waves < fit ? waves : fit);
    }
    std::size_t blocks = n / threads + (n % threads != 0 ? 1 : 0);
    if (blocks > most) blocks = most;
    launcher.launch(name(), body_type{r, launcher.grid(), sink},
                    {static_cast<unsigned>(blocks == 0 ? 1 : blocks), threads});
  }
};

static_assert(reduction_kernel<thread_per_element>);

}  // namespace warpfold::kernel
