/// @file
/// Computes and folds the elements of a warp in the declared order (op/fold_order.hpp). There are
/// no loads to coalesce, so each lane may take a run of neighbors and combine them without
/// shuffles. A short node is computed in rows, one element per lane, so that every lane has work.
#pragma once

#include <cstddef>

#include <warpfold/collective/row_fold.hpp>
#include <warpfold/collective/thread_nodes.hpp>
#include <warpfold/collective/tile_fold.hpp>
#include <warpfold/op/fold_order.hpp>

namespace warpfold::collective {

namespace detail {

// Neighbors that a lane computes at once, so that latencies overlap, and such groups of a run.
template <class A>
struct computed_run {
  static constexpr int group_levels = sizeof(A) <= 16 ? 3 : sizeof(A) <= 64 ? 1 : 0;
  static constexpr int levels = sizeof(A) <= 8 ? 5 : sizeof(A) <= 16 ? 4 : sizeof(A) <= 64 ? 1 : 0;
  static constexpr unsigned group = 1u << group_levels;
  static constexpr unsigned shift = group_levels + levels;  // of a run
};

}  // namespace detail

/// Log2 of the elements of a node from which lanes take runs.
template <class A>
inline constexpr unsigned computed_run_shift = sizeof(A) <= 16 ? 8 : 6;

/// Folds the elements `first` to `end - 1` of a node, at least one, in rows of 32. A lane beyond
/// the end computes the last element again. Valid in lane 0; all lanes call it with the same
/// arguments.
/// @param end less than `first` + 2^`computed_run_shift`
template <class Reduction, class Loads>
WARPFOLD_DEVICE auto fold_computed_rows(const Reduction& r, std::size_t first, std::size_t end,
                                        const Loads& loads) {
  using accumulator = typename Reduction::accumulator;
  const auto fold = r.fold();
  const unsigned lane = threadIdx.x % warp_size;
  thread_nodes<accumulator, int{computed_run_shift<accumulator>} - 6> rows;
  unsigned k = 0;
  WARPFOLD_NO_UNROLL
  for (; first < end; first += warp_size, ++k) {
    const unsigned here = end - first < warp_size ? static_cast<unsigned>(end - first) : warp_size;
    chunk<accumulator, 1> own;
    own.set(0, r.lift(r.view.at(first + (lane < here ? lane : here - 1), loads)));
    rows.add(fold, k,
             here == warp_size ? fold_rows<1>(fold, own, all_values{})
                               : fold_lanes(fold, own.elements[0], here));
  }
  return rows.folded(fold, k);
}

/// The same for longer nodes, in tiles of 32 runs.
/// @param shift log2 of the elements of a whole node, at least `computed_run_shift`
template <class Reduction, class Loads>
WARPFOLD_DEVICE auto fold_computed_runs(const Reduction& r, std::size_t first, std::size_t end,
                                        unsigned shift, const Loads& loads) {
  using accumulator = typename Reduction::accumulator;
  using runs = detail::computed_run<accumulator>;
  constexpr unsigned group = runs::group;
  const unsigned run_shift = shift < runs::shift + 5 ? shift - 5 : runs::shift;
  const unsigned run = 1u << run_shift;
  const auto fold = r.fold();
  const auto combine = [&](const accumulator& a, const accumulator& b) { return fold.apply(a, b); };
  tile_values tiles(fold);
  WARPFOLD_NO_UNROLL
  for (; first < end; first += run * warp_size) {
    const std::size_t left = end - first;
    const unsigned here = left < run * warp_size ? static_cast<unsigned>(left) : run * warp_size;
    const unsigned asked = threadIdx.x % warp_size << run_shift;
    const unsigned from = asked < here ? asked : here - 1;
    const unsigned count = here - from < run ? here - from : run;
    const auto element = [&](std::size_t k) { return r.lift(r.view.at(first + from + k, loads)); };
    const auto fold_run = [&] {
      const unsigned groups = count / group, others = count % group;
      thread_nodes<accumulator, runs::levels> nodes;
      WARPFOLD_NO_UNROLL
      for (unsigned k = 0; k < groups; ++k) {
        nodes.add(
            fold, k,
            warpfold::detail::fold_node<int{group}>(combine, element, std::size_t{k} * group));
      }
      if (others == 0) [[likely]]
        return nodes.folded(fold, groups);
      // The end of the last run.
      thread_nodes<accumulator, runs::group_levels> few;
      WARPFOLD_NO_UNROLL
      for (unsigned k = 0; k < others; ++k) {
        few.add(fold, k, element(std::size_t{groups} * group + k));
      }
      return nodes.folded(fold, groups, few.folded(fold, others));
    };
    tiles.add(fold_lanes(fold, fold_run(), ((here - 1) >> run_shift) + 1));
  }
  return tiles.folded();
}

/// The same for nodes of any length.
/// @param shift log2 of the elements of a whole node, at least 5
template <class Reduction, class Loads>
WARPFOLD_DEVICE typename Reduction::accumulator fold_computed(const Reduction& r, std::size_t first,
                                                              std::size_t end, unsigned shift,
                                                              const Loads& loads) {
  if (shift < computed_run_shift<typename Reduction::accumulator>) {
    return fold_computed_rows(r, first, end, loads);
  }
  return fold_computed_runs(r, first, end, shift, loads);
}

}  // namespace warpfold::collective
