/// @file
/// Elements that are computed from their indices, such as projected `counting` views: nothing is
/// loaded, so the threads share the computations and not the bytes.
///
/// Source: grid-stride loops (M. Harris, "CUDA Pro Tip: Write Flexible Kernels with Grid-Stride
/// Loops"), as in thrust::transform_reduce over a counting_iterator.
///
/// - Idea: the function may take one instruction or a million, and the host cannot know. So every
///   element has a thread of its own until the GPU is full, spread over all multiprocessors.
/// - Declared order (op/fold_order.hpp): more elements are divided into parts of equal size, a
///   power of two, so a part is a node of the tree. Each warp of a block takes rows of the part or,
///   of larger parts, runs of neighbors (collective/computed_fold.hpp). The last block combines all
///   nodes.
/// - Any order, where the result does not depend on it: more elements are dealt one by one, in
///   steps of the whole grid.
/// - Blocks: 128 threads while each has a multiprocessor of its own, one warp for each of its four
///   schedulers; then 256; beyond, 512 and as many blocks as the GPU holds at once. In any order
///   perhaps a multiple of it: a last wave of a few blocks would leave most multiprocessors idle.
///   With 16 elements per thread and more, up to three waves, because a scheduler prefers its
///   oldest warps and ends with few of them. Pi by 5 * 10^8 terms in double, H200, one wave ->
///   three: 590 -> 564 us. Blocks of 1024 threads take 551 us, but leave a function 64 registers.
/// - Cost: one launch, no memory but the posts of states or of nodes.
/// - Needs: as single_pass.
/// - It does not start early (collective/launch_overlap.hpp): blocks that wait slow down those that
///   compute. Labels of k-means, 1 M points, 8 centers, H100, back-to-back: 11.2 -> 22 us.
#pragma once

#include <warpfold/collective/block_reduce.hpp>
#include <warpfold/collective/computed_fold.hpp>
#include <warpfold/collective/final_result.hpp>
#include <warpfold/collective/grid_finish.hpp>
#include <warpfold/collective/node_finish.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/concept.hpp>

namespace warpfold::kernel {

/// One launch with an element per thread at a time; see the top of this file. Takes any range, but
/// loads memory in the size of an element.
struct thread_per_element {
  static constexpr const char* name() { return "thread_per_element"; }
  static constexpr bool is_listed = false;  // for ranges that read no memory

  /// Threads per block, rounded down to a power of two from 32 to 512; 0 leaves it to the kernel.
  unsigned block = 0;
  /// The maximum number of blocks; 0 is as many as the GPU holds at once, or more.
  unsigned grid = 0;

  /// The code that runs on the GPU where the result does not depend on the order.
  template <class Reduction, class Out>
  struct any_order {
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

  /// The code that runs on the GPU for the declared order. The last of B blocks takes the last part
  /// and every B-th part before it; each block before takes the parts before those.
  /// @tparam HasRuns true if lanes take runs of elements (collective/computed_fold.hpp)
  template <class Reduction, class Out, bool HasRuns>
  struct in_order {
    using accumulator = typename Reduction::accumulator;
    static constexpr bool has_runs = HasRuns;
    static constexpr int max_block = HasRuns ? 256 : 512;
    static constexpr std::size_t useful_blocks = HasRuns ? 4 : 2;  // per multiprocessor
    static constexpr unsigned max_warps = max_block / collective::warp_size;

    Reduction reduction;
    unsigned parts;    ///< at least as many as blocks; 0 for an empty range
    unsigned shift;    ///< log2 of the elements of a warp in a part
    unsigned skipped;  ///< parts modulo blocks
    collective::grid_storage scratch;
    collective::result_sink<Out> sink;

    WARPFOLD_HD const Reduction& work() const { return reduction; }
    WARPFOLD_DEVICE void operator()() const {
      using nodes_type = collective::grid_nodes<accumulator>;
      WARPFOLD_SHARED collective::shared_array<accumulator, at_once * max_warps> of_warps;
      WARPFOLD_SHARED typename nodes_type::kept_node kept;
      const auto fold = reduction.fold();
      if (parts == 0) [[unlikely]] {
        if (threadIdx.x == 0) sink.deliver(reduction.result(fold.start()));
        return;
      }
      const auto deliver = [&](const accumulator& a) {
        sink.deliver(reduction.result(fold.state_of(a)));
      };
      const nodes_type nodes(scratch, parts);
      const unsigned warp = threadIdx.x / collective::warp_size;
      const unsigned warps = blockDim.x / collective::warp_size;
      const unsigned step = gridDim.x;
      unsigned first = blockIdx.x + skipped;
      if (first >= step) first -= step;
      WARPFOLD_NO_UNROLL
      for (bool is_next = false; first < parts; first += at_once * step, is_next = true) {
        if (is_next) __syncthreads();  // the values before have been read
        WARPFOLD_NO_UNROLL
        for (unsigned i = 0; i < at_once && first + i * step < parts; ++i) {
          fold_part(first + i * step, i, of_warps);
        }
        __syncthreads();
        for (unsigned i = warp; i < at_once && first + i * step < parts; i += warps) {
          const unsigned k = first + i * step, there = warps_of(k);
          const unsigned lane = threadIdx.x % collective::warp_size;
          const accumulator node = collective::fold_lanes(
              fold, of_warps.load(i * max_warps + (lane < there ? lane : there - 1)), there);
          if (lane != 0) continue;
          if (parts == 1) return deliver(node);
          nodes.store(k, node, kept);
        }
      }
      if (parts == 1) return;
      __syncthreads();  // the last block reads its own posts, too
      nodes.finish(blockIdx.x == gridDim.x - 1, fold, of_warps, kept, deliver);
    }

   private:
    // Parts that a block folds before it combines its warps' values.
    static constexpr unsigned at_once = sizeof(accumulator) <= 16 ? 8 : 1;

    // The number of warps that have elements of part `k`.
    WARPFOLD_DEVICE unsigned warps_of(unsigned k) const {
      const unsigned warps = blockDim.x / collective::warp_size;
      const std::size_t first = std::size_t{k} * warps << shift;
      const std::size_t there = ((reduction.view.size() - first - 1) >> shift) + 1;
      return there < warps ? static_cast<unsigned>(there) : warps;
    }
    // Stores the folds of part `k`, the `i`-th of some, by the block's warps.
    WARPFOLD_DEVICE void fold_part(unsigned k, unsigned i,
                                   collective::shared_span<accumulator> of_warps) const {
      const unsigned warp = threadIdx.x / collective::warp_size;
      const unsigned warps = blockDim.x / collective::warp_size;
      const std::size_t n = reduction.view.size(), step = std::size_t{1} << shift;
      const std::size_t own = (std::size_t{k} * warps + warp) << shift;
      if (own >= n) return;
      const std::size_t end = n - own < step ? n : own + step;
      const global_loads loads(caching::keep);
      const accumulator a = [&] {
        if constexpr (HasRuns) {
          return collective::fold_computed_runs(reduction, own, end, shift, loads);
        } else {
          return collective::fold_computed_rows(reduction, own, end, loads);
        }
      }();
      if (threadIdx.x % collective::warp_size == 0) of_warps.store(i * max_warps + warp, a);
    }
  };

  /// Launches once.
  template <class Reduction, class Out>
  void enqueue(const Reduction& r, const collective::result_sink<Out>& sink, auto& launcher) const {
    if constexpr (same_in_any_order<typename Reduction::op_type, typename Reduction::accumulator>) {
      enqueue_any_order(r, sink, launcher);
    } else {
      enqueue_in_order(r, sink, launcher);
    }
  }

 private:
  template <class Reduction, class Out, class Launcher>
  void enqueue_any_order(const Reduction& r, const collective::result_sink<Out>& sink,
                         Launcher& launcher) const {
    using body_type = any_order<Reduction, Out>;
    const std::size_t n = r.view.size();
    const auto multiprocessors = static_cast<std::size_t>(launcher.gpu().multiprocessors);
    const std::size_t threads = threads_for(n, launcher, body_type::max_block);
    std::size_t most = collective::max_blocks<typename Reduction::state>();
    if (grid != 0) {
      most = grid < most ? grid : most;
    } else if (n > most_at_once(launcher)) {
      const std::size_t full =
          multiprocessors * launcher.template resident_blocks_per_multiprocessor<body_type>();
      const std::size_t waves = n / (full * threads * 16);
      const std::size_t fit = most / full;
      if (fit != 0) most = full * (waves < 1 ? 1 : waves < fit ? waves : fit);
    }
    std::size_t blocks = n / threads + (n % threads != 0 ? 1 : 0);
    if (blocks > most) blocks = most;
    launcher.launch(
        name(), body_type{r, launcher.grid(), sink},
        {static_cast<unsigned>(blocks == 0 ? 1 : blocks), static_cast<unsigned>(threads)});
  }

  // Divides a range into parts by the body that takes less time.
  template <class Reduction, class Out, class Launcher>
  void enqueue_in_order(const Reduction& r, const collective::result_sink<Out>& sink,
                        Launcher& launcher) const {
    using accumulator = typename Reduction::accumulator;
    using rows = in_order<Reduction, Out, false>;
    using runs = in_order<Reduction, Out, true>;
    constexpr unsigned runs_from = collective::computed_run_shift<accumulator>;
    if (collective::max_nodes<accumulator>(collective::warp_size) == 0) {
      throw_error<unsupported_kernel>(
          "warpfold: kernel thread_per_element was asked for accumulators of ", sizeof(accumulator),
          " bytes, which are too large for its scratch");
    }
    const std::size_t n = r.view.size();
    const auto launch = [&]<class Body>(const Body*, const division& d) {
      const auto blocks = static_cast<unsigned>(d.blocks);
      const auto parts = static_cast<unsigned>(d.parts);
      launcher.launch(name(), Body{r, parts, d.shift, parts % blocks, launcher.grid(), sink},
                      {blocks, static_cast<unsigned>(d.threads)});
    };
    const division by_rows = division_for<rows>(n, 5, runs_from - 1, launcher);
    if (n > most_at_once(launcher) || by_rows.cost == ~std::size_t{0}) {
      const division by_runs = division_for<runs>(n, runs_from, 64, launcher);
      if (by_runs.cost < by_rows.cost) return launch(static_cast<runs*>(nullptr), by_runs);
    }
    launch(static_cast<rows*>(nullptr), by_rows);
  }

  struct division {
    std::size_t cost;  // in elements of a multiprocessor; the greatest number if there is none
    std::size_t threads, blocks, parts;
    unsigned shift;  // log2 of the elements of a warp in a part
  };

  // The best of up to three divisions with shifts from `shift` to `last`.
  template <class Body, class Launcher>
  division division_for(std::size_t n, unsigned shift, unsigned last, Launcher& launcher) const {
    const auto multiprocessors = static_cast<std::size_t>(launcher.gpu().multiprocessors);
    const std::size_t threads = threads_for(n, launcher, Body::max_block);
    const std::size_t warps = threads / collective::warp_size;
    const std::size_t most = collective::max_nodes<typename Body::accumulator>(threads);
    std::size_t resident = 1, blocks = most;
    if (n > most_at_once(launcher)) {
      // More would need smaller parts: more posts for the last block.
      resident = launcher.template resident_blocks_per_multiprocessor<Body>();
      if (resident > Body::useful_blocks) resident = Body::useful_blocks;
      blocks = resident * multiprocessors;
    }
    if (grid != 0) blocks = grid;
    while (shift < last && n > (warps << shift) * most) ++shift;
    division best{~std::size_t{0}, threads, 1, 0, shift};
    for (int i = 0; i < 3 && shift <= last; ++i, ++shift) {
      const std::size_t parts = n == 0 ? 0 : ((n - 1) >> shift) / warps + 1;
      if (parts > most) break;
      // A row costs an element more, and a part with runs four.
      const std::size_t each =
          Body::has_runs ? (std::size_t{1} << (shift - 5)) + 4 : std::size_t{2} << (shift - 5);
      const std::size_t cost = (parts + blocks - 1) / blocks * each * threads * resident;
      const std::size_t used = parts == 0 ? 1 : parts < blocks ? parts : blocks;
      if (cost <= best.cost) best = {cost, threads, used, parts, shift};
    }
    return best;
  }
  static std::size_t most_at_once(auto& launcher) {
    return static_cast<std::size_t>(launcher.gpu().multiprocessors) * 256;
  }
  std::size_t threads_for(std::size_t n, auto& launcher, std::size_t most) const {
    if (block == 0) {
      return n <= most_at_once(launcher) / 2 ? 128 : n <= most_at_once(launcher) ? 256 : most;
    }
    std::size_t threads = collective::warp_size;
    while (2 * threads <= block && threads < most) threads *= 2;
    return threads;
  }
};

static_assert(reduction_kernel<thread_per_element>);

}  // namespace warpfold::kernel
