/// @file
/// Folds a group whose elements some threads hold, by its terms (op/group_terms.hpp), in the
/// declared order (op/fold_order.hpp), and writes a function of each element and of the fold.
///
/// - Idea: a chunk of neighbors is a node of the order. The threads find the reference of all
///   chunks, fold each to a node, combine the nodes, and write a function of what they hold.
/// - A group that its terms refuse is loaded and folded again by the op, chunk after chunk: few
///   registers, and more time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <warpfold/collective/axis_loads.hpp>
#include <warpfold/collective/block_fold.hpp>
#include <warpfold/collective/row_fold.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/shuffle.hpp>
#include <warpfold/collective/term_tile.hpp>
#include <warpfold/collective/thread_nodes.hpp>
#include <warpfold/collective/warp_sum.hpp>
#include <warpfold/op/group_terms.hpp>
#include <warpfold/view/chunk.hpp>

namespace warpfold::collective {

/// The threads of a group, and the chunks that they hold: of the chunks of its warp, lane `i` of a
/// group holds chunks i, i + `lanes`, and so on.
struct group_threads {
  unsigned lane;        ///< number of this thread in its warp's part of the group
  unsigned lanes_log2;  ///< log2 of the lanes of a warp, at least `Held` of them
  unsigned warp;        ///< number of this warp in the group
  unsigned warps;       ///< of the group: 1, or all of a block
  unsigned chunks;      ///< of the group

  WARPFOLD_DEVICE unsigned lanes() const { return 1u << lanes_log2; }
  /// The number of chunk `u` of this thread, which may hold `held`.
  WARPFOLD_DEVICE unsigned number(int u, unsigned held) const {
    return ((warp * held + static_cast<unsigned>(u)) << lanes_log2) + lane;
  }
  /// A bit for each chunk of this thread that exists.
  WARPFOLD_DEVICE unsigned existing(unsigned held) const {
    const unsigned first = number(0, held);
    const unsigned count = first < chunks ? ((chunks - first - 1) >> lanes_log2) + 1 : 0;
    return (1u << (count < held ? count : held)) - 1;
  }
};

/// What the threads of a group that spans warps exchange.
template <class Node, class Accumulator, class Result>
struct term_storage {
  shared_span<std::uint32_t> references;  // one for each warp
  shared_span<Node> nodes;
  shared_span<Accumulator> values;
  shared_span<Result> result;
};

/// One group of `Work`, work of transform_axis, whose threads hold up to `Held` chunks of `Size`
/// elements each. A block has groups of one warp, or of less, or one group of all its warps.
template <class Work, int Size, int Held, bool IsBlock>
class term_group {
 public:
  using source = typename Work::source_type;
  using value_type = typename Work::value_type;
  using accumulator = typename Work::accumulator;
  using state = typename Work::state;
  using out_type = typename Work::out_type;
  using result = std::remove_cvref_t<decltype(std::declval<const Work&>().result(
      std::declval<const state&>()))>;
  using terms = typename Work::op_type::template group_terms<value_type>;
  using node = typename terms::node;
  using loaded_chunk = typename source::template chunk_type<Size>;
  using results_chunk = chunk<out_type, Size>;
  using storage_type = term_storage<node, accumulator, result>;

  WARPFOLD_DEVICE term_group(const Work& work, const group_threads& threads,
                             const storage_type& storage)
      : work_(work), threads_(threads), storage_(storage), existing_(threads.existing(Held)) {}

  /// The number of chunk `u` of this thread.
  WARPFOLD_DEVICE unsigned number(int u) const { return threads_.number(u, Held); }
  WARPFOLD_DEVICE bool has(int u) const { return (existing_ >> u & 1) != 0; }

  /// Folds the group, and calls `put(u, results)` for each chunk. `loaded` holds the chunks; those
  /// that do not exist are others of the group. `load(u)` loads one again. Returns false, and has
  /// written nothing, if the terms refuse a group of the warp.
  inline WARPFOLD_DEVICE bool write(const loaded_chunk (&loaded)[std::size_t{Held}],
                                    const auto& load, const auto& put) const {
    [[maybe_unused]] float kept[std::size_t{keeps ? Held * Size : 1}];
    [[maybe_unused]] unsigned lost = 0;  // a bit for each chunk whose terms are not kept
    std::uint32_t most = 0;
    if constexpr (terms::has_reference) {
      WARPFOLD_UNROLL
      for (int u = 0; u < Held; ++u) {
        const std::uint32_t own = terms::template reference_of<Size>(elements_of(loaded[u]));
        most = most < own ? own : most;
      }
      most = greatest(most);
      if (any_of_warp(!terms::admits(most))) return false;
    }
    chunk<node, Held> nodes;
    WARPFOLD_UNROLL
    for (int u = 0; u < Held; ++u) {
      if (!is_in_warp(u)) {
        nodes.set(u, node{});
      } else if constexpr (terms::has_reference) {
        nodes.set(u, terms::template fold<Size>(
                         elements_of(loaded[u]), warpfold::detail::all_terms{}, most,
                         [&](int k, [[maybe_unused]] float term) {
                           if constexpr (keeps) kept[u * Size + k] = term;
                         },
                         [&] { lost |= 1u << u; }));
      } else {
        nodes.set(
            u, terms::template fold<Size>(elements_of(loaded[u]), warpfold::detail::all_terms{}));
      }
      if constexpr (terms::is_sum) {
        if (!has(u)) nodes.set(u, node{});
      }
    }
    state folded = work_.fold().start();
    const bool is_right =
        terms::set_state(folded, fold_nodes(nodes), threads_.chunks * unsigned{Size}, most);
    if (any_of_warp(!is_right)) return false;

    if constexpr (keeps) {
      const auto function = Work::op_type::kept_function(folded);
      const unsigned kept_chunks = existing_ & ~lost;
      WARPFOLD_UNROLL
      for (int u = 0; u < Held; ++u) {
        if ((kept_chunks >> u & 1) == 0) continue;
        results_chunk results;
        WARPFOLD_UNROLL
        for (int k = 0; k < Size; ++k) {
          results.set(k, static_cast<out_type>(function(kept[u * Size + k])));
        }
        put(u, results);
      }
      if (lost != 0) [[unlikely]] {
        const result of_group = work_.result(folded);
        WARPFOLD_NO_UNROLL
        for (int u = 0; lost >> u != 0; ++u) {
          if ((lost >> u & 1) != 0 && has(u)) put(u, results_of(load(u), of_group));
        }
      }
    } else {
      const result of_group = work_.result(folded);
      WARPFOLD_UNROLL
      for (int u = 0; u < Held; ++u) {
        if (has(u)) put(u, results_of(loaded[u], of_group));
      }
    }
    return true;
  }

  /// The same for groups that the terms refuse: by the op, one chunk after the other.
  inline WARPFOLD_DEVICE void write_by_op(const auto& load, const auto& put) const {
    const auto fold = work_.fold();
    const unsigned each = unsigned{Held} << threads_.lanes_log2;  // chunks of a warp
    const unsigned begin = threads_.warp * each;
    const unsigned left = threads_.chunks < begin ? 0 : threads_.chunks - begin;
    const unsigned there = left < each ? left : each;
    constexpr int levels = Held >= 8 ? 3 : Held >= 4 ? 2 : Held >= 2 ? 1 : 0;
    static_assert(Held <= 8);
    thread_nodes<accumulator, levels> rows;
    WARPFOLD_NO_UNROLL
    for (int u = 0; u < Held; ++u) {
      const unsigned before = static_cast<unsigned>(u) << threads_.lanes_log2;
      accumulator own{};
      if (has(u)) own = fold_of_chunk(load(u), number(u));
      const unsigned here = before < there ? there - before : 0;
      rows.add(fold, static_cast<unsigned>(u),
               fold_lanes(fold, own, here < threads_.lanes() ? here : threads_.lanes(),
                          threads_.lanes(), threads_.lane),
               here != 0);
    }
    const accumulator a =
        rows.folded(fold, there == 0 ? 1 : ((there - 1) >> threads_.lanes_log2) + 1);
    const result of_group = [&] {
      if constexpr (IsBlock) {
        store_of_warp(storage_.values, a);
        fold_block(fold, storage_.values, threads_.warps, [&](const accumulator& all) {
          storage_.result.store(0, work_.result(fold.state_of(all)));
        });
        __syncthreads();
        return storage_.result.load(0);
      } else {
        const unsigned first_lane = threadIdx.x % warp_size - threads_.lane;
        return work_.result(fold.state_of(shuffle_from(a, first_lane)));
      }
    }();
    WARPFOLD_NO_UNROLL
    for (int u = 0; u < Held; ++u) {
      if (has(u)) put(u, results_of(load(u), of_group));
    }
  }

 private:
  static constexpr bool keeps = warpfold::detail::keeps_terms<typename Work::op_type, value_type,
                                                              state, typename Work::function_type>;

  // Whether some lanes of the warp have chunk `u`. The same for all of them, so they do not
  // diverge.
  WARPFOLD_DEVICE bool is_in_warp(int u) const {
    return IsBlock || u == 0 || static_cast<unsigned>(u) << threads_.lanes_log2 < threads_.chunks;
  }

  WARPFOLD_DEVICE value_type element_of(const loaded_chunk& c, int k) const {
    return work_.guarded(work_.source.template get<Size>(c, k));
  }
  WARPFOLD_DEVICE auto elements_of(const loaded_chunk& c) const {
    return [&](int k) { return element_of(c, k); };
  }
  inline WARPFOLD_DEVICE results_chunk results_of(const loaded_chunk& c,
                                                  const result& of_group) const {
    results_chunk results;
    WARPFOLD_UNROLL
    for (int k = 0; k < Size; ++k) {
      results.set(k, out_type(work_.apply(work_.source.template get<Size>(c, k), of_group)));
    }
    return results;
  }

  // In a block, all threads know the same.
  WARPFOLD_DEVICE bool any_of_warp(bool of_thread) const {
    if constexpr (IsBlock) {
      return of_thread;
    } else {
      return __any_sync(full_warp, of_thread) != 0;
    }
  }

  // The greatest reference of the group.
  WARPFOLD_DEVICE std::uint32_t greatest(std::uint32_t most) const {
    if constexpr (IsBlock) {
      most = warp_max(most);
      if (threads_.lane == 0) storage_.references.store(threads_.warp, most);
      __syncthreads();
      return warp_max(threads_.lane < threads_.warps ? storage_.references.load(threads_.lane) : 0);
    } else {
      if (threads_.lanes() == warp_size) return warp_max(most);
      WARPFOLD_NO_UNROLL
      for (unsigned apart = 1; apart < threads_.lanes(); apart *= 2) {
        const std::uint32_t other = shuffle_xor(most, apart);
        most = most < other ? other : most;
      }
      return most;
    }
  }

  // The node of the group, in each of its threads.
  inline WARPFOLD_DEVICE node fold_nodes(const chunk<node, Held>& nodes) const {
    if constexpr (terms::is_sum) {
      node own = added<1>(nodes);
      if constexpr (IsBlock) {
        store_of_warp(storage_.nodes, own);
        __syncthreads();
        own = threads_.lane < threads_.warps ? storage_.nodes.load(threads_.lane) : node{};
        WARPFOLD_NO_UNROLL
        for (unsigned apart = 1; apart < threads_.warps; apart *= 2) own += shuffle_xor(own, apart);
        own = shuffle_from(own, 0);
      }
      return own;
    } else {
      return shuffle_from(merged(nodes), threadIdx.x % warp_size - threads_.lane);
    }
  }

  // The sum of the nodes of a warp's part, in each lane: as fold_rows, without sides.
  template <unsigned Apart, int Rows>
  WARPFOLD_DEVICE node added(const chunk<node, Rows>& nodes) const {
    if constexpr (Rows == 1) {
      node own = nodes.elements[0];
      WARPFOLD_NO_UNROLL
      for (unsigned apart = Apart; apart < threads_.lanes(); apart *= 2) {
        own += shuffle_xor(own, apart);
      }
      WARPFOLD_UNROLL
      for (unsigned apart = Apart / 2; apart > 0; apart /= 2) own += shuffle_xor(own, apart);
      return own;
    } else {
      constexpr int half = Rows / 2;
      const bool is_right = (threads_.lane & Apart) != 0;
      chunk<node, half> pairs;
      WARPFOLD_UNROLL
      for (int i = 0; i < half; ++i) {
        const node lower = nodes.elements[i], upper = nodes.elements[i + half];
        pairs.set(i, (is_right ? upper : lower) + shuffle_xor(is_right ? lower : upper, Apart));
      }
      return added<Apart * 2, half>(pairs);
    }
  }

  using node_fold = detail::chunk_nodes<terms, Size>;

  // The node of the group, in its first thread of each warp.
  inline WARPFOLD_DEVICE node merged(const chunk<node, Held>& nodes) const {
    if constexpr (!IsBlock) {
      return fold_rows_of<Held>(node_fold{}, nodes, threads_.chunks, threads_.lanes());
    } else {
      constexpr unsigned each = Held * warp_size;  // chunks of a warp
      const unsigned left = threads_.chunks - threads_.warp * each;
      store_of_warp(storage_.nodes,
                    fold_rows<Held>(node_fold{}, nodes, left < each ? left : unsigned{each}));
      __syncthreads();
      const unsigned lane = threads_.lane, warps = threads_.warps;
      node own = storage_.nodes.load(lane < warps ? lane : warps - 1);
      WARPFOLD_NO_UNROLL
      for (unsigned apart = 1; apart < warps; apart *= 2) {
        const node right = shuffle_down(own, apart);
        const unsigned behind = threads_.chunks - (lane + apart) * each;
        if (lane + apart < warps) {
          own = node_fold{}.apply_sized(own, apart * each, right,
                                        behind < apart * each ? behind : apart * each);
        }
      }
      return own;
    }
  }

  inline WARPFOLD_DEVICE accumulator fold_of_chunk(const loaded_chunk& c,
                                                   std::size_t number) const {
    const auto lifted = [&](int k) {
      return work_.lift(work_.source.template get<Size>(c, k),
                        number * Size + static_cast<unsigned>(k));
    };
    if constexpr (detail::folds_neighbors_of<Work, Size, value_type (*)(int)>) {
      return work_.op.template fold_neighbors<Size>(elements_of(c), lifted);
    } else {
      return fold_tree<0, Size>(
          [&](const auto& a, const auto& b) { return work_.fold().apply(a, b); }, lifted);
    }
  }

  const Work& work_;
  group_threads threads_;
  storage_type storage_;
  unsigned existing_;
};

}  // namespace warpfold::collective
