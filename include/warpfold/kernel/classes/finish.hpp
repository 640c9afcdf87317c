/// @file
/// Folds the tables of all blocks to the results of the classes: the second launch of kernels whose
/// blocks each leave a table.
///
/// - A warp folds a class, or a thread if there are many classes.
/// - Order: fixed by the numbers of tables and classes and the GPU.
/// - Cost: reads each table once.
/// - Needs: compute capability 7.0.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/warp_reduce.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/view/chunk.hpp>
#include <warpfold/view/global_access.hpp>

namespace warpfold::kernel::detail {

/// Writes the result of class `c`. A class without values keeps its element of the output if the
/// op has no identity.
template <class Work>
WARPFOLD_DEVICE void write_class(const Work& work, std::size_t c,
                                 const typename Work::state& state) {
  const auto fold = work.fold();
  const global_access stores;
  if constexpr (Work::has_identity) {
    work.write(c, fold.value(state), stores);
  } else {
    if (state.engaged()) work.write(c, fold.value(state), stores);
  }
}

/// The number of tables from which a thread loads at a time.
template <class State>
inline constexpr int tables_in_flight = sizeof(State) <= 8    ? 8
                                        : sizeof(State) <= 16 ? 4
                                                              : 2;

/// The fold of entry `at` of each table from number `first` on, every `step`-th.
/// @param state_of(entry) the state of an entry
template <class Fold, class Entry, class StateOf>
WARPFOLD_DEVICE typename Fold::state fold_tables(const Fold& fold,
                                                 const collective::global_array<Entry>& tables,
                                                 std::size_t parts, std::size_t classes,
                                                 std::size_t at, std::size_t first,
                                                 std::size_t step, const StateOf& state_of) {
  using state = typename Fold::state;
  constexpr int at_once = tables_in_flight<state>;
  state all = fold.start();
  WARPFOLD_NO_UNROLL
  for (std::size_t p = first; p < parts; p += at_once * step) {
    chunk<state, at_once> some;
    WARPFOLD_UNROLL
    for (int u = 0; u < at_once; ++u) {
      const std::size_t from = p + static_cast<unsigned>(u) * step;
      some.set(u, from < parts ? state_of(tables.load(from * classes + at)) : fold.start());
    }
    WARPFOLD_UNROLL
    for (int u = 0; u < at_once; ++u) all = fold.combine(all, some.elements[u]);
  }
  return all;
}

/// @tparam Entry of a table: the state of a class, or the number of its labels
template <class Work, class Entry>
struct class_finish {
  using state = typename Work::state;

  static constexpr int max_block = 256;
  static constexpr bool waits_for_launch_before = true;

  Work reduction;
  collective::global_array<Entry> tables;  ///< one after the other
  std::size_t parts;                       ///< number of tables
  unsigned lanes;                          ///< per class

  WARPFOLD_HD const Work& work() const { return reduction; }
  WARPFOLD_DEVICE void operator()() const {
    const auto fold = reduction.fold();
    const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t c = thread / lanes;
    state all = fold.start();
    collective::wait_for_launch_before();
    if (c < reduction.classes) {
      all = fold_tables(fold, tables, parts, reduction.classes, c, thread % lanes, lanes,
                        [&](const Entry& own) { return state_of(fold, own); });
    }
    all = collective::reduce_lanes(fold, all, lanes);
    if (c < reduction.classes && thread % lanes == 0) write_class(reduction, c, all);
  }

 private:
  static WARPFOLD_DEVICE state state_of(const typename Work::fold_type& fold, const Entry& own) {
    if constexpr (std::is_same_v<Entry, state>) {
      return own;
    } else {
      return fold.state_of(static_cast<typename Work::accumulator>(own));
    }
  }
};

/// Enqueues the second launch.
template <class Work, class Entry, class Launcher>
void finish_classes(const char* name, const Work& work, collective::global_array<Entry> tables,
                    std::size_t parts, Launcher& launcher) {
  using body = class_finish<Work, Entry>;
  const bool few = work.classes < static_cast<std::size_t>(launcher.gpu().multiprocessors) * 64;
  const std::size_t lanes = few ? collective::warp_size : 1;
  constexpr std::size_t block = body::max_block;
  launcher.launch(
      name, body{work, tables, parts, static_cast<unsigned>(lanes)},
      {grid_of((work.classes * lanes + block - 1) / block), static_cast<unsigned>(block)});
}

}  // namespace warpfold::kernel::detail
