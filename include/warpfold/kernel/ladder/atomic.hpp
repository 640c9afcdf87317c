/// @file
/// Every thread combines its element with one state in global memory: the first idea for a parallel
/// reduction, and why it is slow.
///
/// Source: the Croatian PyCUDA course. It shows the two obvious ways: `sum += a[i]`, which is wrong
/// because threads overwrite each other's additions, and `atomicAdd`, which is right and slow.
///
/// - Idea: one thread per element; each combines its own with the one cell immediately.
/// - Cost: one read of every element by coalesced loads, no barrier and no shared memory. But all
///   threads write to one address, and the L2 cache serializes these writes: that is why it is
///   slow. With compare-and-swap each write is a round trip as well, and more threads cause more
///   failed attempts. A lock takes several round trips. Three launches, because no thread may
///   combine before the cell is initialized.
/// - Needs: one state of scratch. The order is that of arrival: sums of floats differ from run to
///   run.
#pragma once

#include <warpfold/collective/atomic_combine.hpp>
#include <warpfold/kernel/ladder/passes.hpp>

namespace warpfold::kernel {

/// Three launches: start the cell, combine, deliver; see the top of this file.
struct atomic {
  static constexpr const char* name() { return "atomic"; }
  static constexpr ladder_step in_ladder{1, "PyCUDA"};
  static constexpr bool is_repeatable = false;  // it combines in the order of arrival

  /// Threads per block, a multiple of 32 up to 1024. They are independent of each other.
  unsigned block = 256;

  enum class step { start, combine, deliver };

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

  template <class Reduction, class Out>
  void enqueue(const Reduction& r, const collective::result_sink<Out>& sink, auto& launcher) const {
    using cell = collective::atomic_cell<typename Reduction::fold_type>;
    check_shape(name(), 1024, {1, block});
    const unsigned blocks = blocks_for(r.view.size(), block);
    auto* const memory = launcher.template scratch<typename cell::memory>(1).data;
    launcher.launch(name(), body<Reduction, Out, step::start>{r, memory, sink}, {1, 32});
    launcher.launch(name(), body<Reduction, Out, step::combine>{r, memory, sink}, {blocks, block});
    launcher.launch(name(), body<Reduction, Out, step::deliver>{r, memory, sink}, {1, 32});
  }
};

static_assert(reduction_kernel<atomic>);

}  // namespace warpfold::kernel
