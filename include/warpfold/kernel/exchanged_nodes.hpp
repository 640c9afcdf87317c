/// @file
/// Folds the elements of several GPUs in the declared order (op/fold_order.hpp), in one launch on
/// each GPU. The kernels exchange the nodes of the tree that the elements of each GPU consist of.
///
/// - Idea: the last block has the GPU's nodes (kernel/rank_nodes.hpp). One of its threads exchanges
///   them with all other GPUs, some at a time (collective/rank_exchange.hpp), and completes the
///   tree.
/// - Cost: every byte is read once; one ticket for each block. An exchange sends 96 bytes of nodes,
///   or one larger node. The GPU with most nodes decides how many exchanges there are: it has at
///   most 2 log2 n + 1 nodes for n elements.
/// - Needs: compute capability 7.0.
#pragma once

#include <cstddef>

#include <warpfold/collective/exchanged_reduction.hpp>
#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/rank_exchange.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/waiting_nodes.hpp>
#include <warpfold/kernel/nodes.hpp>
#include <warpfold/kernel/rank_nodes.hpp>
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
  static constexpr unsigned at_once = collective::nodes_of_exchange<A>;
  template <class A>
  using frame_of = chunk<A, int{at_once<A>}>;

  template <class A>
  static std::size_t bytes_sent(const nodes_of_ranks& all) {
    const std::size_t exchanges = (all.longest + at_once<A> - 1) / at_once<A>;
    return exchanges * sizeof(frame_of<A>);
  }

  /// What the last block does with this rank's nodes.
  template <class Reduction, class Out>
  struct exchange {
    using accumulator = typename Reduction::accumulator;
    using plain = typename Reduction::plain_reduction;
    using frame = frame_of<accumulator>;

    nodes_of_ranks all;
    std::size_t own;  ///< where this rank's nodes begin among those of all
    collective::global_array<accumulator> values;  ///< of the nodes of all ranks
    collective::result_sink<Out> sink;

    WARPFOLD_DEVICE void operator()(const Reduction& r) const {
      WARPFOLD_SHARED collective::shared_array<collective::letter, 1> found;
      if (threadIdx.x == 0) found.store(0, receive(r.boxes));
      __syncwarp();
      const bool is_complete = found.load(0) == 0;
      const auto fold = r.fold();
      const auto deliver = [&](const typename plain::state& state) {
        sink.deliver(collective::exchanged_result<typename plain::result_type>{
            static_cast<const plain&>(r).result(state), is_complete});
      };
      if (is_complete) {
        collective::fold_nodes_of_ranks<accumulator>(
            fold, r.boxes.ranks, [&](int rank) { return all.of_rank[rank]; },
            [&](int rank) { return nodes_of(rank); },
            [&](const accumulator& a) { deliver(fold.state_of(a)); });
      } else if (threadIdx.x == 0) {
        deliver(fold.start());
      }
    }

   private:
    // Sends this rank's nodes and receives the others. Returns what exchange_frames does.
    WARPFOLD_DEVICE collective::letter receive(const collective::mailboxes& boxes) const {
      constexpr unsigned most = at_once<accumulator>;
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

    WARPFOLD_DEVICE collective::global_array<accumulator> nodes_of(int rank) const {
      std::size_t at = 0;
      for (int r = 0; r < rank; ++r) at += all.of_rank[r].count();
      return {values.data + at, values.size - at};
    }
  };

  /// Launches once.
  template <class Reduction, class Out, class Launcher>
  static void enqueue(const Reduction& r, const nodes_of_ranks& all,
                      const collective::result_sink<Out>& sink, Launcher& launcher) {
    using accumulator = typename Reduction::accumulator;
    const auto rank = static_cast<std::size_t>(r.boxes.rank);
    const auto parts = nodes::parts_of(r, all.first[rank], all.whole, launcher.gpu());
    std::size_t values = 0, own = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(r.boxes.ranks); ++k) {
      if (k == rank) own = values;
      values += all.of_rank[k].count();
    }
    const auto memory = launcher.template scratch<accumulator>(parts.size() + values);
    const collective::global_array<accumulator> received{memory.data + parts.size(), values};
    rank_nodes::enqueue(name(), r, parts, all.of_rank[rank], all.first[rank], memory,
                        {received.data + own, values - own},
                        exchange<Reduction, Out>{all, own, received, sink}, launcher);
  }
};

}  // namespace warpfold::kernel
