/// @file
/// Computes and folds the elements of a warp in the declared order (op/fold_order.hpp).
///
/// A range that reads no memory has no loads to coalesce. So each lane takes a run of neighbors and
/// combines them without shuffles.
#pragma once

#include <cstddef>

#include <warpfold/collective/row_fold.hpp>
#include <warpfold/collective/thread_nodes.hpp>
#include <warpfold/collective/tile_fold.hpp>
#include <warpfold/op/fold_order.hpp>

namespace warpfold::collective {

namespace detail {

// Neighbors that a lane computes at once, so that latencies overlap, and how many such groups make
// a run. Large states take fewer registers.
template <class A>
struct computed_run {
  static constexpr int group_levels = sizeof(A) <= 16 ? 3 : sizeof(A) <= 64 ? 1 : 0;
  static constexpr int levels = sizeof(A) <= 8 ? 5 : sizeof(A) <= 16 ? 4 : sizeof(A) <= 64 ? 1 : 0;
  static constexpr unsigned group = 1u << group_levels;
  static constexpr unsigned most = group << levels;
};

}  // namespace detail

/// Folds the elements `first` to `end - 1` of a node, at least one, in tiles of 32 runs. A lane
/// beyond the end computes the last element again and discards it.
///
/// Result: valid in lane 0. All lanes of the warp call it, with the same arguments.
/// @param step the elements of a whole node: a power of two, at least 32
template <class Reduction, class Loads>
WARPFOLD_DEVICE typename Reduction::accumulator fold_computed(const Reduction& r, std::size_t first,
                                                              std::size_t end, std::size_t step,
                                                              const Loads& loads) {
  using accumulator = typename Reduction::accumulator;
  using runs = detail::computed_run<accumulator>;
  constexpr unsigned group = runs::group;
  const unsigned run =
      step / warp_size >= runs::most ? runs::most : static_cast<unsigned>(step / warp_size);
  const auto fold = r.fold();
  const auto combine = [&](const accumulator& a, const accumulator& b) { return fold.apply(a, b); };
  tile_values<decltype(fold), accumulator> tiles(fold);
  WARPFOLD_NO_UNROLL
  for (; first < end; first += run * warp_size) {
    const std::size_t left = end - first;
    const unsigned here = left < run * warp_size ? static_cast<unsigned>(left) : run * warp_size;
    const unsigned asked = threadIdx.x % warp_size * run;
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
      if (others == 0) return nodes.folded(fold, groups);
      // A short run, or the end of the last one.
      thread_nodes<accumulator, runs::group_levels> few;
      WARPFOLD_NO_UNROLL
      for (unsigned k = 0; k < others; ++k) {
        few.add(fold, k, element(std::size_t{groups} * group + k));
      }
      return nodes.folded(fold, groups, few.folded(fold, others));
    };
    tiles.add(fold_lanes(fold, fold_run(), (here - 1) / run + 1));
  }
  return tiles.folded();
}

}  // namespace warpfold::collective
