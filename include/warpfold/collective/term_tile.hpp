/// @file
/// Folds the chunks that the lanes of a warp have loaded by their terms (op/group_terms.hpp), in
/// the declared order (op/fold_order.hpp).
///
/// - Idea: first the reference of all chunks, then a node for each, then the nodes are combined.
///   The merges of an op with states are needed only for what several warps or tiles have folded.
#pragma once

#include <cstdint>

#include <warpfold/collective/row_fold.hpp>
#include <warpfold/collective/shuffle.hpp>
#include <warpfold/collective/warp_sum.hpp>
#include <warpfold/op/group_terms.hpp>
#include <warpfold/view/chunk.hpp>

namespace warpfold::collective {

namespace detail {

// The greatest reference of the lanes of a group, in each of them.
WARPFOLD_DEVICE inline std::uint32_t greatest_reference(std::uint32_t most, all_lanes) {
  return warp_max(most);
}
WARPFOLD_DEVICE inline std::uint32_t greatest_reference(std::uint32_t most, unsigned lanes) {
  if (lanes == warp_size) return warp_max(most);
  WARPFOLD_NO_UNROLL
  for (unsigned apart = 1; apart < lanes; apart *= 2) {
    const std::uint32_t other = shuffle_xor(most, apart);
    most = most < other ? other : most;
  }
  return most;
}

// Nodes of chunks of `Size` elements.
template <class Terms, int Size>
struct chunk_nodes {
  using node = typename Terms::node;

  WARPFOLD_DEVICE node apply_sized(const node& a, unsigned of_a, const node& b,
                                   unsigned of_b) const {
    if constexpr (Terms::is_sum) {
      return a + b;
    } else {
      return Terms::merge(a, of_a * unsigned{Size}, b, of_b * unsigned{Size});
    }
  }
};

// See fold_as_terms and fold_runs_as_terms: `in_chunk(row)` is the number of elements of the chunk,
// or `all_terms`; `there` chunks take part, with `count` elements.
template <class Terms, int Rows, int Size, class State, class Lanes>
inline WARPFOLD_DEVICE bool fold_chunks_as_terms(State& state, const auto& elements,
                                                 const auto& in_chunk, const auto& there,
                                                 unsigned count, const Lanes& lanes) {
  std::uint32_t most = 0;
  if constexpr (Terms::has_reference) {
    WARPFOLD_UNROLL
    for (int u = 0; u < Rows; ++u) {
      const std::uint32_t own = Terms::template reference_of<Size>(elements(u));
      most = most < own ? own : most;
    }
    most = greatest_reference(most, lanes);
    if (__any_sync(full_warp, !Terms::admits(most)) != 0) return false;
  }
  chunk<typename Terms::node, Rows> nodes;
  WARPFOLD_UNROLL
  for (int u = 0; u < Rows; ++u) {
    if constexpr (Terms::has_reference) {
      nodes.set(
          u, Terms::template fold<Size>(elements(u), in_chunk(u), most, [](int, float) {}, [] {}));
    } else {
      nodes.set(u, Terms::template fold<Size>(elements(u), in_chunk(u)));
    }
  }
  const auto node = fold_rows_of<Rows>(chunk_nodes<Terms, Size>{}, nodes, there, lanes);
  const bool is_right = Terms::set_state(state, node, count, most);
  const bool is_first = (threadIdx.x & (number_of(lanes) - 1)) == 0;
  return __any_sync(full_warp, is_first && !is_right) == 0;
}

}  // namespace detail

/// Folds `Rows` rows of chunks of `Size` elements in each group of `lanes` lanes: chunk
/// `row * lanes + lane` is element `row` of that lane. The first `there` of them take part, at
/// least one; the others are copies of them. `elements(row)` returns a function of the number of an
/// element in its chunk.
///
/// Returns false if the terms refuse a group; all lanes of the warp then fold them by the op.
/// Otherwise `state` is that of the group, in its first lane. All lanes of the warp call it.
/// @tparam Rows a power of two; at most `lanes`
template <class Terms, int Rows, int Size, class State, class Lanes>
inline WARPFOLD_DEVICE bool fold_as_terms(State& state, const auto& elements, unsigned there,
                                          const Lanes& lanes) {
  return detail::fold_chunks_as_terms<Terms, Rows, Size>(
      state, elements, [](int) { return warpfold::detail::all_terms{}; }, there,
      there * unsigned{Size}, lanes);
}

/// The same for terms that are sums, if chunks may have fewer elements, or none. `there(row)` is
/// the number of elements of a chunk, `count` that of the group.
template <class Terms, int Rows, int Size, class State, class Lanes>
  requires(Terms::is_sum)
inline WARPFOLD_DEVICE bool fold_runs_as_terms(State& state, const auto& elements,
                                               const auto& there, unsigned count,
                                               const Lanes& lanes) {
  // A chunk without elements has the sum 0.
  return detail::fold_chunks_as_terms<Terms, Rows, Size>(state, elements, there, all_values{},
                                                         count, lanes);
}

}  // namespace warpfold::collective
