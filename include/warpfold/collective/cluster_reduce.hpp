/// @file
/// Combines the states of a cluster's blocks through distributed shared memory, and then those of
/// the clusters. The blocks of a cluster run at the same time on neighboring multiprocessors, and
/// each can write to the others' shared memory. Compute capability 9.0.
#pragma once

#include <cstdint>

#include <warpfold/collective/block_reduce.hpp>
#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/op/fold_tree.hpp>

namespace warpfold::collective {

/// A state as blocks exchange it: in words of 4 bytes; a narrower state fills part of one.
template <class State>
struct state_words {
  static constexpr unsigned count = (sizeof(State) + 3) / 4;
  std::uint32_t at[count];
};

/// Shared memory for `cluster_reduce`: one state per block.
template <class State, unsigned Size>
using cluster_storage = shared_array<state_words<State>, Size>;

namespace detail {

#if defined(__CUDACC__)
inline constexpr bool has_clusters = true;
#else
inline constexpr bool has_clusters = false;  // the emulation runs blocks one by one
#endif

#if defined(__CUDACC__) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900)

// Relaxed: with a release, every warp would wait at a fence of the whole GPU.
WARPFOLD_DEVICE inline void arrive_at_cluster() {
  asm volatile("barrier.cluster.arrive.relaxed;" : : : "memory");
}
WARPFOLD_DEVICE inline void wait_for_cluster() {
  asm volatile("barrier.cluster.wait.acquire;" : : : "memory");
}

// Writes to the first block of the cluster, at the address that `own` has in this block. Threads
// that wait for the cluster after this thread has arrived see the write.
template <class State>
WARPFOLD_DEVICE void store_in_first_block(void* own, const state_words<State>& words) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, 0;"
      : "=r"(there)
      : "r"(static_cast<unsigned>(__cvta_generic_to_shared(own))));
  WARPFOLD_UNROLL
  for (unsigned i = 0; i < words.count; ++i) {
    asm volatile("st.shared::cluster.u32 [%0], %1;"
                 :
                 : "r"(there + 4 * i), "r"(words.at[i])
                 : "memory");
  }
  asm volatile("fence.acq_rel.cluster;" : : : "memory");
}

#else

// Never executed without clusters: the kernel refuses such GPUs, the launch refuses such code
// (min_architecture), and the emulation does not compile it.
WARPFOLD_DEVICE inline void arrive_at_cluster() {}
WARPFOLD_DEVICE inline void wait_for_cluster() {}
template <class State>
WARPFOLD_DEVICE void store_in_first_block(void*, const state_words<State>&) {}

#endif

}  // namespace detail

/// Announces that this block has started: only then may other blocks write to its shared memory. It
/// costs nothing before the loads. Every thread calls it once, before anything else.
WARPFOLD_DEVICE inline void enter_cluster() { detail::arrive_at_cluster(); }

/// Combines the states of thread 0 of each block of a cluster of `Size`. Each block writes its
/// state to the first block, whose thread 0 folds them. No thread reads from another block, so no
/// block has to stay alive for another.
///
/// Result: returns true, with `state` valid, in thread 0 of the cluster's first block; false
/// elsewhere.
/// Order: by block number: fixed. Every thread of the cluster must call it, after `enter_cluster`.
template <unsigned Size, class Fold>
WARPFOLD_DEVICE bool cluster_reduce(const Fold& fold, typename Fold::state& state,
                                    cluster_storage<typename Fold::state, Size>& storage) {
  using state_type = typename Fold::state;
  using words_type = state_words<state_type>;
  static_assert(detail::has_clusters || sizeof(Fold) == 0,
                "warpfold: kernel::cluster needs clusters of blocks, which the emulation does not "
                "have; emulate kernel::single_pass instead");
  const unsigned rank = blockIdx.x % Size;

  detail::wait_for_cluster();  // until every block has started
  if (threadIdx.x == 0) {
    words_type words{};
    __builtin_memcpy(words.at, &state, sizeof(state_type));
    detail::store_in_first_block(reinterpret_cast<unsigned char*>(&storage) + rank * sizeof words,
                                 words);
  }
  detail::arrive_at_cluster();
  if (rank != 0) return false;
  detail::wait_for_cluster();
  if (threadIdx.x != 0) return false;
  state = fold_tree<0, Size>([&](const auto& s, const auto& t) { return fold.combine(s, t); },
                             [&](unsigned block) {
                               const words_type words = storage.load(block);
                               state_type s = state;
                               __builtin_memcpy(&s, words.at, sizeof(state_type));
                               return s;
                             });
  return true;
}

/// Combines the states of all clusters, which `cluster_reduce` left in one thread of each,
/// `leader`, by cluster number. Returns true, with `state` valid, in exactly one thread of the
/// launch. Every thread of each cluster's first block must call it; those of the other blocks may.
template <unsigned Size, class Fold>
WARPFOLD_DEVICE bool clusters_finish(const Fold& fold, typename Fold::state& state, bool leader,
                                     const grid_storage& grid,
                                     block_storage<typename Fold::state>& storage) {
  using state_type = typename Fold::state;
  const unsigned clusters = gridDim.x / Size;
  if (clusters == 1) return leader;
  if (blockIdx.x % Size != 0) return false;

  const global_array<state_type> partials{static_cast<state_type*>(grid.partials), clusters};
  WARPFOLD_SHARED shared_array<bool, 1> is_last;
  if (leader) {
    partials.store(blockIdx.x / Size, state);
    is_last.store(0, draw_ticket(grid.ticket, clusters - 1) == clusters - 1);
  }
  __syncthreads();
  if (!is_last.load(0)) return false;

  state = fold.start();
  for (unsigned c = threadIdx.x; c < clusters; c += blockDim.x) {
    state = fold.combine(state, partials.load(c));
  }
  state = collective::block_reduce(fold, state, storage);
  return threadIdx.x == 0;
}

/// The maximum number of clusters of a launch with states of this type.
template <class State>
constexpr std::size_t max_clusters() {
  return partial_bytes / sizeof(State);
}

}  // namespace warpfold::collective
