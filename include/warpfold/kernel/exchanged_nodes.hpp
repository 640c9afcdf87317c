/// @file
/// Folds the elements of several GPUs in the declared order (op/fold_order.hpp), in one launch on
/// each GPU. The kernels exchange the nodes of the tree that the elements of each GPU consist of.
///
/// - Idea: blocks fold parts of the GPU's nodes (kernel/nodes.hpp). The block that is done last
///   combines them, a warp for each node. One of its threads exchanges the nodes with all other
///   GPUs, some at a time (collective/rank_exchange.hpp), and completes the tree.
/// - Cost: every byte is read once; one ticket for each block. An exchange sends 96 bytes of nodes,
///   or one larger node. The GPU with most nodes decides how many exchanges there are: it has at
///   most 2 log2 n + 1 nodes for n elements.
/// - Needs: compute capability 7.0.
#pragma once

#include <cstddef>

#include <warpfold/collective/exchanged_reduction.hpp>
#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/last_block.hpp>
#include <warpfold/collective/rank_exchange.hpp>
#include <warpfold/collective/rank_state.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/collective/row_fold.hpp>
#include <warpfold/collective/tile_fold.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/nodes.hpp>
#include <warpfold/op/node_sizes.hpp>
#include <warpfold/view/chunk.hpp>

namespace warpfold::kernel {

struct nodes_of_ranks {
  static constexpr int most_ranks = collective::mailboxes::most_ranks;

  int ranks = 0;
  unsigned longest = 0;                ///< the number of nodes of the rank that has most
  std::size_t whole = 0;               ///< elements of all ranks
  std::size_t first[most_ranks] = {};  ///< the index of each rank's first element
  warpfold::detail::node_sizes of_rank[most_ranks];

  explicit nodes_of_ranks(const auto& parts) {
    for (const auto& part : parts) {
      first[ranks++] = whole;
      whole += part.size();
    }
    for (int r = 0; r < ranks; ++r) {
      of_rank[r] = {first[r], r + 1 < ranks ? first[r + 1] : whole, whole};
      if (of_rank[r].count() > longest) longest = of_rank[r].count();
    }
  }

  /// True if one node of each rank, combined in rank order, makes the tree. Then kernels that
  /// exchange states have the declared order.
  bool combine_in_rank_order() const {
    for (int r = 0; r < ranks; ++r) {
      // All elements before it are one node.
      const bool follows_node = (first[r] & (first[r] - 1)) == 0;
      if (of_rank[r].count() != 0 && !follows_node) return false;
    }
    return longest <= 1;
  }
};

/// See the top of this file.
struct exchanged_nodes {
  static constexpr const char* name() { return "exchanged_nodes"; }

  template <class A>
  static constexpr int at_once = sizeof(A) <= 96 ? 96 / sizeof(A) : 1;
  template <class A>
  using frame_of = chunk<A, at_once<A>>;

  template <class A>
  static std::size_t bytes_sent(const nodes_of_ranks& all) {
    const std::size_t exchanges = (all.longest + at_once<A> - 1) / at_once<A>;
    return exchanges * sizeof(frame_of<A>);
  }

  template <class Reduction, class Out>
  struct body {
    using accumulator = typename Reduction::accumulator;
    using plain = typename Reduction::plain_reduction;
    static constexpr int max_block = nodes::threads;
    static constexpr int min_blocks_per_multiprocessor =
        nodes::body<Reduction>::min_blocks_per_multiprocessor;
    static constexpr int unroll = nodes::body<Reduction>::unroll;
    using frame = frame_of<accumulator>;

    Reduction reduction;
    nodes::part_fold<Reduction> fold_part;
    nodes_of_ranks all;
    collective::global_array<accumulator> folds;   ///< of the parts
    collective::global_array<accumulator> values;  ///< of the nodes of all ranks
    collective::grid_storage scratch;
    collective::result_sink<Out> sink;

    WARPFOLD_HD const Reduction& work() const { return reduction; }
    WARPFOLD_DEVICE void operator()() const {
      WARPFOLD_SHARED typename nodes::part_fold<Reduction>::storage_type storage;
      if (blockIdx.x < folds.size) {
        fold_part(reduction, blockIdx.x, storage,
                  [&](const accumulator& a) { folds.store(blockIdx.x, a); });
      }
      if (!collective::is_last_block(scratch, 0, gridDim.x)) return;
      std::size_t own = 0;  // where this rank's nodes begin among those of all
      for (int r = 0; r < reduction.boxes.rank; ++r) own += all.of_rank[r].count();
      combine_parts(own);
      __syncthreads();
      if (threadIdx.x != 0) return;
      const collective::letter missing = exchange(own);
      sink.deliver(collective::exchanged_result<typename plain::result_type>{
          static_cast<const plain&>(reduction).result(missing == 0 ? total()
                                                                   : reduction.fold().start()),
          missing == 0});
    }

   private:
    // Combines the parts of each of this rank's nodes: a warp for each.
    WARPFOLD_DEVICE void combine_parts(std::size_t own) const {
      const auto fold = reduction.fold();
      const unsigned warp = threadIdx.x / collective::warp_size;
      const unsigned lane = threadIdx.x % collective::warp_size;
      std::size_t first = 0;  // the first part of the node
      unsigned node = 0;
      all.of_rank[reduction.boxes.rank].for_each([&](std::size_t size) {
        const std::size_t end = fold_part.parts.end_of_node(first, size);
        if (node % nodes::warps == warp) {
          const auto a = collective::fold_values(fold, first, end,
                                                 [&](std::size_t p) { return folds.load(p); });
          if (lane == 0) {
            values.store(own + node,
                         collective::moved_node(reduction, a, all.first[reduction.boxes.rank]));
          }
        }
        first = end;
        ++node;
      });
    }

    // Sends this rank's nodes and receives the others. Returns what exchange_frames does.
    WARPFOLD_DEVICE collective::letter exchange(std::size_t own) const {
      constexpr unsigned most = at_once<accumulator>;
      const collective::mailboxes& boxes = reduction.boxes;
      const unsigned mine = all.of_rank[boxes.rank].count();
      collective::letter count = collective::load_letter(boxes.count);
      for (unsigned sent = 0; sent < all.longest; sent += most) {
        frame f;
        __builtin_memset(static_cast<void*>(&f), 0, sizeof f);
        WARPFOLD_UNROLL
        for (unsigned k = 0; k < most; ++k) {
          if (sent + k < mine) f.set(k, values.load(own + sent + k));
        }
        std::size_t at = 0;  // of the rank's first node
        const collective::letter missing =
            collective::exchange_frames(boxes, count, f, [&](int r, const frame& of_r) {
              const unsigned there = all.of_rank[r].count();
              for (unsigned k = 0; r != boxes.rank && k < most && sent + k < there; ++k) {
                values.store(at + sent + k, of_r.elements[k]);
              }
              at += there;
            });
        if (missing != 0) return missing;
        count = (count + 1) & 0xffffffffu;
      }
      return 0;
    }

    // The state of all ranks' elements. The nodes that wait for their neighbor stay in `values`:
    // those of a fold_stack would take local memory of every thread.
    WARPFOLD_DEVICE typename plain::state total() const {
      const auto fold = reduction.fold();
      std::size_t elements = 0, node = 0, waiting = 0;
      for (int r = 0; r < reduction.boxes.ranks; ++r) {
        all.of_rank[r].for_each([&](std::size_t size) {
          accumulator a = values.load(node++);
          for (std::size_t s = size; (elements & s) != 0; s *= 2) {
            a = fold.apply(values.load(--waiting), a);
          }
          values.store(waiting++, a);
          elements += size;
        });
      }
      accumulator a = values.load(--waiting);
      while (waiting > 0) a = fold.apply(values.load(--waiting), a);
      return fold.state_of(a);
    }
  };

  /// Launches once.
  template <class Reduction, class Out, class Launcher>
  static void enqueue(const Reduction& r, const nodes_of_ranks& all,
                      const collective::result_sink<Out>& sink, Launcher& launcher) {
    using accumulator = typename Reduction::accumulator;
    const auto parts = nodes::parts_of(r, all.first[r.boxes.rank], all.whole, launcher.gpu());
    std::size_t values = 0;
    for (int k = 0; k < r.boxes.ranks; ++k) values += all.of_rank[k].count();
    const auto memory = launcher.template scratch<accumulator>(parts.size() + values);
    launcher.launch(name(),
                    body<Reduction, Out>{r,
                                         nodes::part_fold<Reduction>(r, parts, launcher.gpu()),
                                         all,
                                         {memory.data, parts.size()},
                                         {memory.data + parts.size(), values},
                                         launcher.grid(),
                                         sink},
                    {parts.size() == 0 ? 1 : grid_of(parts.size()), nodes::threads});
  }
};

}  // namespace warpfold::kernel
