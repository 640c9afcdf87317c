/// @file
/// Blocks combine their states in clusters first: fewer states go through the L2 cache.
///
/// Source: thread block clusters and distributed shared memory (CUDA C++ Programming Guide,
/// "Distributed Shared Memory"; NVIDIA Hopper tuning guide).
///
/// - Idea: as single_pass up to a block's state. The blocks of a cluster run at the same time on
///   neighboring multiprocessors. They write their states to the shared memory of their first
///   block. That block folds them, and only it draws a ticket.
/// - Cost: every byte is read once. A block's state takes one store to another multiprocessor and
///   one barrier of the cluster. A cluster's state takes a partial and a ticket in the L2 cache,
///   two barriers and a fold by one block. A cluster starts when all its blocks have room.
/// - Needs: compute capability 9.0. Not available in the emulation, which runs blocks one by one.
#pragma once

#include <warpfold/collective/cluster_reduce.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/collective/thread_fold.hpp>
#include <warpfold/core/device_info.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/concept.hpp>

namespace warpfold::kernel {

/// One launch of clusters of `Size` blocks; see the top of this file.
template <unsigned Size = 8>
struct cluster {
  static_assert(
      Size == 2 || Size == 4 || Size == 8,
      "warpfold: a cluster has 2, 4 or 8 blocks; not every GPU with clusters supports more");

  static constexpr const char* name() { return "cluster"; }
  static constexpr ladder_step in_ladder{16};
  static constexpr bool is_emulated = false;  // the emulation runs blocks one by one

  /// Threads per block, a multiple of 32 up to 512.
  unsigned block = 512;
  /// The maximum number of blocks; 0 is two per multiprocessor. Rounded to a multiple of `Size`.
  unsigned grid = 0;
  /// How the data uses the L2 cache.
  caching cache = caching::keep;

  template <class Reduction, class Out>
  struct body {
    // Not 1024: with the registers per thread that this allows, only two blocks of 512 fit a
    // multiprocessor. If the cluster size does not divide a group of multiprocessors, the last
    // cluster would wait.
    static constexpr int max_block = 512;
    static constexpr int min_architecture = 90;
    static constexpr int unroll = collective::loads_in_flight<Reduction>(64);

    Reduction reduction;
    collective::shares own;
    caching cache;
    collective::grid_storage scratch;
    collective::result_sink<Out> sink;

    WARPFOLD_HD const Reduction& work() const { return reduction; }
    WARPFOLD_DEVICE void operator()() const {
      WARPFOLD_SHARED collective::block_storage<typename Reduction::state> storage;
      WARPFOLD_SHARED collective::cluster_storage<typename Reduction::state, Size> of_blocks;
      collective::enter_cluster();
      const auto fold = reduction.fold();
      auto state = collective::thread_fold<unroll>(
          reduction, own, global_loads(cache), {blockIdx.x, gridDim.x, threadIdx.x, blockDim.x});
      state = collective::block_reduce(fold, state, storage);
      const bool leader = collective::cluster_reduce<Size>(fold, state, of_blocks);
      if (collective::clusters_finish<Size>(fold, state, leader, scratch, storage)) {
        sink.deliver(reduction.result(state));
      }
    }
  };

  /// Launches once.
  /// @throws unsupported_kernel if the GPU has no clusters
  template <class Reduction, class Out>
  void enqueue(const Reduction& r, const collective::result_sink<Out>& sink, auto& launcher) const {
    const int capability = launcher.gpu().compute_capability;
    if (capability < 90) {
      throw_error<unsupported_kernel>(
          "warpfold: kernel cluster needs clusters of blocks, which need compute capability 9.0, "
          "but this GPU has ",
          capability / 10, ".", capability % 10,
          "; use kernel::single_pass, or let wf::device choose");
    }
    using body_type = body<Reduction, Out>;
    const launch_shape where = shape(r, launcher.gpu());
    launcher.launch(
        name(),
        body_type{r,
                  collective::shares_of<body_type::unroll>(partition_of(r.view), where.threads()),
                  cache, launcher.grid(), sink},
        where);
  }

 private:
  template <class Reduction>
  launch_shape shape(const Reduction& r, const device_info& gpu) const {
    constexpr std::size_t size = Reduction::view_type::chunk_size;
    constexpr std::size_t most = collective::max_clusters<typename Reduction::state>();
    const std::size_t blocks = grid != 0 ? grid : 2 * static_cast<std::size_t>(gpu.multiprocessors);
    std::size_t limit = blocks / Size;
    if (limit > most) limit = most;
    if (limit == 0) limit = 1;

    // check_shape refuses a block without threads later; until then it must not be a divisor.
    const std::size_t threads = block != 0 ? block : 1;
    const std::size_t chunks = (r.view.size() + size - 1) / size;
    std::size_t wanted = (chunks + threads * Size - 1) / (threads * Size);
    if (wanted == 0) wanted = 1;  // an empty range still has a result to deliver
    if (wanted > limit) wanted = limit;
    return {static_cast<unsigned>(wanted) * Size, block, 0, Size};
  }
};

static_assert(reduction_kernel<cluster<>>);

}  // namespace warpfold::kernel
