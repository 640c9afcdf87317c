/// @file
/// Every element straight into one place in global memory: what comes to mind first, and why not to.
///
/// Source: the Croatian PyCUDA course names the two ways that suggest themselves: `sum += a[i]`, which is wrong,
///         for threads overwrite what others have just added, and `atomicAdd`, which is right and slow.
///
/// Idea:  a thread for each element; it combines its own into the one cell, as soon as it may.
/// Cost:  every element is read once, by coalesced loads, and there is no barrier and no shared memory. But all
///        threads write to one address, and the L2 cache takes such writes one after the other: that is why it
///        is slow. Where a state must be compared and swapped, each write is a round trip as well, and the more
///        threads try, the more of them fail and try again; under a lock it is several round trips.
///        Three launches, since no thread may combine before the cell is started.
/// Needs: one state of scratch. The order is that of arrival: sums of floats differ from run to run.
#pragma once

#include <warpfold/collective/atomic_combine.hpp>
#include <warpfold/kernel/ladder/passes.hpp>

namespace warpfold::kernel {

/// Three launches: start the cell, combine, deliver; see the file's head.
struct atomic {
  static constexpr const char* name() { return "atomic"; }

  /// Threads a block, a multiple of 32 up to 1024. They have nothing to do with each other.
  unsigned block = 256;

  enum class step { start, combine, deliver };

  /// One launch.
  template <class Reduction, class Out, step Step>
  struct body {
    static constexpr int max_block = 1024;
    using cell = collective::atomic_cell<typename Reduction::fold_type>;

    Reduction reduction;
    typename cell::memory* memory;
    collective::result_sink<Out> sink;

    WARPFOLD_HD const Reduction& work() const { return reduction; }
    WARPFOLD_DEVICE void operator()() const {
      const auto fold = reduction.fold();
      const cell total(memory);
      const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
      if constexpr (Step == step::start) {
        if (i == 0) total.start(fold);
      } else if constexpr (Step == step::combine) {
        const range_source<Reduction> source(reduction);
        if (i < source.size()) total.combine(fold, source.load(i));
      } else {
        if (i == 0) sink.deliver(reduction.result(total.load(fold)));
      }
    }
  };

  /// Launches three times.
  template <class Reduction, class Out, class Launcher>
  void enqueue(const Reduction& r, const collective::result_sink<Out>& sink, Launcher& on) const {
    using cell = collective::atomic_cell<typename Reduction::fold_type>;
    check_shape(name(), 1024, {1, block});
    const unsigned blocks = blocks_for(r.view.size(), block);
    auto* const memory = on.template scratch<typename cell::memory>(1).data;
    on.launch(name(), body<Reduction, Out, step::start>{r, memory, sink}, {1, 32});
    on.launch(name(), body<Reduction, Out, step::combine>{r, memory, sink}, {blocks, block});
    on.launch(name(), body<Reduction, Out, step::deliver>{r, memory, sink}, {1, 32});
  }
};

static_assert(reduction_kernel<atomic>);

}  // namespace warpfold::kernel
