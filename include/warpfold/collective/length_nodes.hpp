/// @file
/// Folds groups of different lengths by nodes of 2^k elements (op/group_terms.hpp), in the declared
/// order (op/fold_order.hpp). For ops whose merges of nodes of different sizes take long.
///
/// - Idea: a group of n elements consists of one node for each bit of n. Lanes fold these nodes by
///   merges of nodes of one size only, and store them. Then each lane combines the nodes of one
///   group. One instruction of the warp so serves 32 merges of nodes of different sizes.
/// - Source: the nodes are those of a binary counter, as in a pairwise sum of a stream.
/// - Cost, for moments of floats: a merge of nodes of one size takes five operations in `double`. A
///   merge of others takes about 70 instructions, most of them a division.
#pragma once

#include <cstddef>

#include <warpfold/collective/group_fold.hpp>
#include <warpfold/collective/lane_set.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/shuffle.hpp>
#include <warpfold/emulation/execution_model.hpp>
#include <warpfold/op/group_terms.hpp>

namespace warpfold::collective {

namespace detail {

template <class Terms>
inline constexpr bool has_uneven_merges = false;
template <class Terms>
  requires requires {
    requires !Terms::is_sum && !Terms::has_reference;
    requires sizeof(typename Terms::node) <= 16;  // larger ones have no room for eight warps
  }
inline constexpr bool has_uneven_merges<Terms> = true;

template <class Work>
struct terms_of_groups {
  using type = void;
};
template <class Work>
  requires warpfold::detail::has_group_terms<typename Work::op_type, typename Work::value_type>
struct terms_of_groups<Work> {
  using type = typename Work::op_type::template group_terms<typename Work::value_type>;
};

}  // namespace detail

/// True if groups of `Work` can be folded by `length_nodes`, and should be.
template <class Work>
inline constexpr bool folds_length_nodes =
    detail::has_uneven_merges<typename detail::terms_of_groups<Work>::type>;

/// The groups of a warp, at most 32. All of its lanes call the functions.
template <class Work>
class length_nodes {
 public:
  using terms = typename detail::terms_of_groups<Work>::type;
  using node = typename terms::node;

  /// The bits of a length. A group of 2^k lanes has at most `longest_of_lane << k` elements, and
  /// at most `longest_group`.
  static constexpr unsigned bits = 11;
  static constexpr unsigned longest_group = (1u << bits) - 1;
  /// The nodes of a warp in shared memory: one for each bit of each group.
  static constexpr unsigned nodes_of_warp = bits * warp_size;

  /// @param nodes of all warps of the block: `nodes_of_warp` for each
  WARPFOLD_DEVICE length_nodes(const Work& work, const shared_span<node>& nodes)
      : work_(work), nodes_(nodes, threadIdx.x / warp_size * nodes_of_warp) {}

  /// Folds the nodes of 32 groups, or fewer, each by `1 << lanes_log2` lanes.
  /// @param get `get(i)` loads element `i` of the lane's group, or any if that is empty
  /// @param length the elements of the lane's group
  /// @param longest at least all lengths; equal in all lanes
  /// @param group the number of the lane's group
  inline WARPFOLD_DEVICE void add(const auto& get, unsigned length, unsigned longest,
                                  unsigned lanes_log2, unsigned group) const {
    const unsigned lanes = 1u << lanes_log2, lane = threadIdx.x & (lanes - 1);
    const unsigned row_log2 = run_log2 + lanes_log2;
    const unsigned whole = length >> row_log2;  // rows
    WARPFOLD_NO_UNROLL
    for (unsigned k = 0; k << row_log2 < longest; k += rows_at_once) {
      lane_elements loaded[std::size_t{rows_at_once}];
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < rows_at_once; ++u) {
        const unsigned first = ((k + u) << row_log2) + lane * run;
        if (first - lane * run >= longest) break;
        loaded[u].load(get, first < length ? first : 0, first < length ? length - first : 0);
      }
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < rows_at_once; ++u) {
        const unsigned begin = (k + u) << row_log2;
        if (begin >= longest) break;
        const unsigned first = begin + lane * run;
        const auto element = [&](int i) { return work_.guarded(loaded[u].element(i)); };
        node own = terms::template fold<run>(element, warpfold::detail::all_terms{});
        WARPFOLD_NO_UNROLL
        for (unsigned apart = 1; apart < lanes; apart *= 2) {
          const node right = shuffle_down(own, apart);
          if (first + 2 * apart * run <= length)
            own = terms::merge(own, apart * run, right, apart * run);
        }
        if (lane == 0 && k + u < whole) add_row(own, k + u, row_log2, group);
        // The lane that holds the last node of its size, or the last elements.
        if (k + u == whole) store_rest(element, own, first, length, lane, group);
      }
    }
  }

  /// Combines the nodes of group number `lane`, of `length` elements, to a state. Returns false if
  /// the terms refuse the group.
  WARPFOLD_DEVICE bool combine(typename Work::state& state, unsigned length) const {
    __syncwarp();
    bool is_right = true, is_first = true;
    WARPFOLD_NO_UNROLL
    for (unsigned bit = 0; bit < bits; ++bit) {
      if ((length >> bit & 1) == 0) continue;
      typename Work::state own = state;
      const node of_bit = nodes_.load(bit * warp_size + threadIdx.x % warp_size);
      if (!terms::set_state(own, of_bit, 1u << bit, 0)) is_right = false;
      state = is_first ? own : work_.fold().apply(own, state);
      is_first = false;
    }
    __syncwarp();
    return is_right;
  }

 private:
  static constexpr unsigned run_log2 = 2, run = 1u << run_log2;
  static constexpr unsigned rows_at_once = 4;
  using lane_elements = detail::lane_run<int{run}, Work>;

  WARPFOLD_DEVICE void store(unsigned bit, unsigned group, const node& own) const {
    nodes_.store(bit * warp_size + group, own);
  }

  // Adds row `k` to the nodes of the rows before it.
  WARPFOLD_DEVICE void add_row(node own, unsigned k, unsigned row_log2, unsigned group) const {
    unsigned bit = row_log2;
    WARPFOLD_NO_UNROLL
    for (; (k >> (bit - row_log2) & 1) != 0; ++bit) {
      own = terms::merge(nodes_.load(bit * warp_size + group), 1u << bit, own, 1u << bit);
    }
    store(bit, group, own);
  }

  // Stores the nodes of the last row of a group, of which only a part exists.
  inline WARPFOLD_DEVICE void store_rest(const auto& element, const node& own, unsigned first,
                                         unsigned length, unsigned lane, unsigned group) const {
    const unsigned row_begin = first - lane * run;
    const unsigned runs = (length - row_begin) >> run_log2;  // that exist
    if (lane < runs) {
      // Lane l holds the node of bit b of `runs` if l has the bits of `runs` above b, and no other.
      const unsigned bit = highest_lane(runs ^ lane);
      if ((lane & ((2u << bit) - 1)) == 0) store(run_log2 + bit, group, own);
    } else if (lane == runs) {
      if ((length & 1) != 0) {
        const bool is_third = (length & 2) != 0;
        store(0, group,
              terms::template fold<1>([&](int) { return is_third ? element(2) : element(0); },
                                      warpfold::detail::all_terms{}));
      }
      if ((length & 2) != 0) {
        store(1, group, terms::template fold<2>(element, warpfold::detail::all_terms{}));
      }
    }
  }

  const Work& work_;
  shared_part<node> nodes_;
};

}  // namespace warpfold::collective
