/// @file
/// Folds groups of neighboring elements in the declared order (op/fold_order.hpp): one by all
/// threads of a block or all lanes of a warp, or several at once by a few lanes each. The elements
/// of a group are counted from its first one, so its fold depends neither on its place nor on other
/// groups.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#include <warpfold/collective/axis_loads.hpp>
#include <warpfold/collective/block_fold.hpp>
#include <warpfold/collective/loaded_batch.hpp>
#include <warpfold/collective/row_fold.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/shuffle.hpp>
#include <warpfold/collective/term_tile.hpp>
#include <warpfold/collective/thread_nodes.hpp>
#include <warpfold/collective/tile_fold.hpp>
#include <warpfold/collective/warp_reduce.hpp>
#include <warpfold/op/lift.hpp>
#include <warpfold/op/traits.hpp>
#include <warpfold/view/chunk.hpp>
#include <warpfold/view/part.hpp>

namespace warpfold::collective {

namespace detail {

// True if lanes may fold any elements of a group: the order does not matter.
template <class Work>
inline constexpr bool folds_in_any_order =
    same_in_any_order<typename Work::op_type, typename Work::accumulator> &&
    std::is_same_v<
        typename Work::accumulator,
        typename op_traits<typename Work::op_type, typename Work::lifted_type>::accumulator> &&
    !has_marks<typename Work::fold_type>;

// True if what a lane has loaded is then folded as a batch (op/lift.hpp): the op has a faster way
// for it.
template <class Work>
inline constexpr bool folds_lane_batches =
    folds_in_any_order<Work> && warpfold::detail::names_fold_batch<typename Work::op_type>;

// The terms by which a warp folds what it has loaded of groups (op/group_terms.hpp). They are sums,
// so that a run without elements needs no comparison.
template <class Work>
using terms_of_runs = typename warpfold::detail::terms_of_fold<typename Work::op_type,
                                                               typename Work::value_type>::type;
template <class Work>
inline constexpr bool folds_runs_as_terms = requires { requires terms_of_runs<Work>::is_sum; };

}  // namespace detail

/// The number of neighbors that a lane loads before it combines them: a power of two.
template <class Work>
inline constexpr int group_loads = [] {
  constexpr std::size_t value = sizeof(typename Work::value_type);
  constexpr std::size_t held =
      detail::folds_lane_batches<Work> ? value : sizeof(typename Work::accumulator);
  if (Work::fold_type::is_long && !detail::folds_lane_batches<Work>) return held <= 32 ? 8 : 1;
  return value <= 8 && held <= 16 ? 8 : held <= 32 ? 4 : 1;
}();
/// Fewer if all lanes fold a group: then neighbors load from the same sectors.
template <class Work>
inline constexpr int group_run = group_loads<Work> == 8   ? 4
                                 : group_loads<Work> == 4 ? 2
                                                          : 1;
/// The runs of a lane that it loads at once, if a warp folds a long group.
template <class Work>
inline constexpr int group_rows =
    group_loads<Work> == 1 ? 1 : 2 * group_loads<Work> / group_run<Work>;

namespace detail {

/// `Run` neighbors of a lane, of which `there` exist. The others are copies of the last one.
template <int Run, class Work>
class lane_run {
 public:
  using accumulator = typename Work::accumulator;

  WARPFOLD_DEVICE lane_run() {}  // to be loaded

  /// Loads elements from `first` on: element `first` even if none exists.
  inline WARPFOLD_DEVICE void load(const auto& get, unsigned first, const auto& there) {
    WARPFOLD_UNROLL
    for (unsigned k = 0; k < Run; ++k) {
      ::new (static_cast<void*>(&loaded_.elements[k]))
          value_type(get(loaded_place(first, k, there)));
    }
  }
  /// @param first the index in the group of the first element
  inline WARPFOLD_DEVICE accumulator folded(const Work& work, std::size_t first,
                                            const auto& there) const {
    if constexpr (folds_neighbors_of<Work, Run, value_type (*)(int)>) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(there)>, unsigned> &&
                    warpfold::detail::folds_first_neighbors<typename Work::op_type,
                                                            value_type (*)(int)>) {
        return work.op.template fold_first_neighbors<Run>(
            [&](int k) { return loaded_.elements[k]; }, there);
      }
      if (exists(Run - 1, there)) return folded_as_neighbors(work, first);
    }
    const auto fold = work.fold();
    chunk<accumulator, Run> values;
    WARPFOLD_UNROLL
    for (unsigned k = 0; k < Run; ++k) {
      // An op with an index may read memory by it: copies have the index of their element.
      values.set(k, work.lift(loaded_.elements[k], loaded_place(first, k, there)));
    }
    WARPFOLD_UNROLL
    for (unsigned apart = 1; apart < Run; apart *= 2) {
      WARPFOLD_UNROLL
      for (unsigned k = 0; k < Run; k += 2 * apart) {
        if (exists(k + apart, there)) {
          values.set(k, fold.apply(values.elements[k], values.elements[k + apart]));
        }
      }
    }
    return values.elements[0];
  }

  WARPFOLD_DEVICE auto element(int k) const { return loaded_.elements[k]; }

 private:
  using value_type = typename Work::value_type;

  WARPFOLD_DEVICE accumulator folded_as_neighbors(const Work& work, std::size_t first) const {
    return work.op.template fold_neighbors<Run>(
        [&](int k) { return loaded_.elements[k]; },
        [&](int k) { return work.lift(loaded_.elements[k], first + static_cast<unsigned>(k)); });
  }

  // The element that is loaded as the `k`-th. No branch: a load would wait for the one before.
  template <class Index, class There>
  WARPFOLD_DEVICE static Index loaded_place(Index first, unsigned k, const There& there) {
    if constexpr (std::is_same_v<There, all_values>) {
      return first + k;
    } else {
      const Index own = first + k, last = first + (there == 0 ? 0 : there - 1);
      return own < last ? own : last;
    }
  }

  chunk<value_type, Run> loaded_;
};

/// Neighboring runs of lanes, `Rows` times. `There`: the elements that exist, or `all_values`.
template <int Rows, class Work, class There>
class group_tile {
 public:
  using accumulator = typename Work::accumulator;
  static constexpr unsigned run = group_run<Work>;

  /// Loads the elements: `get(i)` loads element `i` of the tile.
  inline WARPFOLD_DEVICE group_tile(const auto& get, const There& there) : there_(there) {
    WARPFOLD_UNROLL
    for (unsigned u = 0; u < Rows; ++u) of_[u].load(get, place(u), in_run(u));
  }
  /// @param first the index in the group of the tile's first element
  /// Result: valid in lane 0.
  WARPFOLD_DEVICE accumulator folded(const Work& work, std::size_t first) const {
    if constexpr (folds_runs_as_terms<Work>) {
      unsigned count = Rows * run * warp_size;
      if constexpr (!has_all) count = there_;
      accumulator all;
      if (fold_runs_as_terms<terms_of_runs<Work>, Rows, int{run}>(
              all, [&](int u) { return [&, u](int k) { return of_[u].element(k); }; },
              [&](int u) { return terms_in_run(static_cast<unsigned>(u)); }, count, all_lanes{})) {
        return all;
      }
    }
    chunk<accumulator, Rows> values;
    WARPFOLD_UNROLL
    for (unsigned u = 0; u < Rows; ++u) {
      values.set(u, of_[u].folded(work, first + place(u), in_run(u)));
    }
    if constexpr (has_all) {
      return fold_rows<Rows>(work.fold(), values, all_values{});
    } else {
      return fold_rows<Rows>(work.fold(), values, (there_ + run - 1) / run);
    }
  }

 private:
  static constexpr bool has_all = std::is_same_v<There, all_values>;

  WARPFOLD_DEVICE static unsigned offset(unsigned u) {
    return (u * warp_size + threadIdx.x % warp_size) * run;
  }
  WARPFOLD_DEVICE unsigned place(unsigned u) const {
    if constexpr (has_all) {
      return offset(u);
    } else {
      return offset(u) < there_ ? offset(u) : there_ - 1;
    }
  }
  WARPFOLD_DEVICE auto in_run(unsigned u) const {
    if constexpr (has_all) {
      return all_values{};
    } else {
      return offset(u) < there_ ? there_ - offset(u) : 0;
    }
  }

  WARPFOLD_DEVICE auto terms_in_run(unsigned u) const {
    if constexpr (has_all) {
      return warpfold::detail::all_terms{};
    } else {
      return in_run(u);
    }
  }

  There there_;
  lane_run<int{run}, Work> of_[std::size_t{Rows}];
};

/// Every `lanes`-th element of a part of a group, from element `first` on: `Count` at most. So
/// neighboring lanes load neighbors. For folds in any order.
/// @tparam There the number of elements of the part, or `all_values`
template <int Count, class Work, class There>
class spread_tile {
 public:
  using accumulator = typename Work::accumulator;

  /// Loads the elements: `get(i)` loads element `i` of the part. Element 0 is loaded even if there
  /// is none.
  inline WARPFOLD_DEVICE spread_tile(const auto& get, const There& there, unsigned first,
                                     unsigned lanes)
      : at_{0, number_of(there, lanes), first, lanes} {
    WARPFOLD_UNROLL
    for (int u = 0; u < Count; ++u) {
      ::new (static_cast<void*>(&loaded_.elements[u])) value_type(get(place(u)));
    }
  }
  WARPFOLD_DEVICE bool has_any() const { return at_.has(0); }
  /// Their fold; any value if the lane has none.
  /// @param from the index in the group of the first element of the part
  WARPFOLD_DEVICE accumulator folded(const Work& work, std::size_t from) const {
    if constexpr (folds_lane_batches<Work>) {
      return added_to(work.fold().start(), work, from);
    } else {
      return fold_tree_of_first<0, Count>(
          [fold = work.fold()](const accumulator& a, const accumulator& b) {
            return fold.apply(a, b);
          },
          [&](int u) { return work.lift(loaded_.elements[u], from + place(u)); },
          [&](int u) { return at_.has(u); });
    }
  }
  /// Adds them to the fold of earlier elements.
  WARPFOLD_DEVICE void add_to(accumulator& seen, const Work& work, std::size_t from) const {
    if (!has_any()) return;
    if constexpr (folds_lane_batches<Work>) {
      seen = added_to(seen, work, from);
    } else {
      seen = work.fold().apply(seen, folded(work, from));
    }
  }

 private:
  using value_type = typename Work::value_type;

  WARPFOLD_DEVICE static unsigned number_of(unsigned there, unsigned) { return there; }
  WARPFOLD_DEVICE static unsigned number_of(all_values, unsigned lanes) { return Count * lanes; }

  // Of an element that does not exist: that of the last one.
  WARPFOLD_DEVICE unsigned place(int u) const {
    const unsigned own = at_.first + static_cast<unsigned>(u) * at_.step;
    if constexpr (std::is_same_v<There, all_values>) {
      return own;
    } else {
      const unsigned last = at_.here == 0 ? 0 : at_.here - 1;
      return own < last ? own : last;
    }
  }
  WARPFOLD_DEVICE accumulator added_to(const accumulator& seen, const Work& work,
                                       std::size_t from) const {
    using positions = positions_for<typename Work::op_type>;
    const auto get = [&](int u, int) { return work.guarded(loaded_.elements[u]); };
    return fold_batch(work.op, seen,
                      loaded_batch<Count, 1, decltype(get), positions>(
                          get, {from, at_.here, at_.first, at_.step}, work.keep));
  }

  chunk_positions at_;
  chunk<value_type, Count> loaded_;
};

// True if a few lanes fold their states at once.
template <class Work>
inline constexpr bool folds_group_states =
    warpfold::detail::folds_states<typename Work::op_type,
                                   group_states<typename Work::accumulator>>;

// True if a warp folds the states of its lanes faster than by shuffles.
template <class Fold>
inline constexpr bool has_warp_fold =
    sums_words<Fold> || is_extremum_by_word<Fold> || folds_warp_states<Fold>;

// The fold of the lanes of a warp that have elements, if the group has `length`.
template <class Work>
WARPFOLD_DEVICE typename Work::accumulator fold_first_lanes(const Work& work,
                                                            const typename Work::accumulator& own,
                                                            std::size_t length) {
  using fold_type = std::remove_cvref_t<decltype(work.fold())>;
  const fold_type fold = work.fold();
  if constexpr (has_warp_fold<fold_type>) {
    return collective::warp_reduce(fold, threadIdx.x % warp_size < length ? own : fold.start());
  } else {
    return fold_lanes(fold, own,
                      length < warp_size ? static_cast<unsigned>(length) : unsigned{warp_size});
  }
}

/// A part of a group that a warp loads at once: `Rows` runs for each lane.
template <int Rows, class Work, class There>
WARPFOLD_DEVICE auto loaded_tile(const auto& get, const There& there) {
  if constexpr (folds_in_any_order<Work>) {
    return spread_tile<Rows * group_run<Work>, Work, There>(get, there, threadIdx.x % warp_size,
                                                            warp_size);
  } else {
    return group_tile<Rows, Work, There>(get, there);
  }
}

}  // namespace detail

/// The maximum length of the groups that `fold_two_groups` folds.
template <class Work>
inline constexpr unsigned longest_of_two = 2u * group_run<Work> * warp_size;

/// Folds two groups of at least one and at most `longest_of_two` elements; `first(i)` loads element
/// `i` of the first. Calls `use(value, k)` with the fold of group `k`, valid in lane 0. All lanes
/// call it, with the same arguments. All loads start before the first one is used.
template <class Work, class Get, class Use>
WARPFOLD_DEVICE void fold_two_groups(const Work& work, const Get& first, unsigned first_length,
                                     const Get& second, unsigned second_length, const Use& use) {
  const auto fold_tiles = [&]<int Rows>() {
    const auto a = detail::loaded_tile<Rows, Work>(first, first_length);
    const auto b = detail::loaded_tile<Rows, Work>(second, second_length);
    if constexpr (detail::folds_in_any_order<Work>) {
      use(detail::fold_first_lanes(work, a.folded(work, 0), first_length), 0);
      use(detail::fold_first_lanes(work, b.folded(work, 0), second_length), 1);
    } else {
      use(a.folded(work, 0), 0);
      use(b.folded(work, 0), 1);
    }
  };
  constexpr unsigned row = group_run<Work> * warp_size;
  if (first_length <= row && second_length <= row) {
    fold_tiles.template operator()<1>();
  } else {
    fold_tiles.template operator()<2>();
  }
}

/// Folds a group of `length` elements, at least one. Result: valid in lane 0. All lanes call it,
/// with the same arguments.
/// @param get `get(first)` returns a function of `i` that loads element `first + i` of the group
/// @param index the index of the group's first element, for ops with an index
template <class Work, class Get>
WARPFOLD_DEVICE typename Work::accumulator fold_group(const Work& work, const Get& get,
                                                      std::size_t length, std::size_t index) {
  using accumulator = typename Work::accumulator;
  using fold_type = std::remove_cvref_t<decltype(work.fold())>;
  constexpr int rows = group_rows<Work>;
  constexpr std::size_t step = std::size_t{rows} * group_run<Work> * warp_size;
  const fold_type fold = work.fold();
  std::size_t first = 0;
  if constexpr (detail::folds_in_any_order<Work>) {
    const auto left = [&] {
      return static_cast<unsigned>(length - first < step ? length - first : step);
    };
    if (length < step) {
      return detail::fold_first_lanes(
          work, detail::loaded_tile<rows, Work>(get(0), left()).folded(work, index), length);
    }
    accumulator seen = detail::loaded_tile<rows, Work>(get(0), all_values{}).folded(work, index);
    WARPFOLD_NO_UNROLL
    for (first = step; length - first >= step; first += step) {
      detail::loaded_tile<rows, Work>(get(first), all_values{}).add_to(seen, work, index + first);
    }
    if (first < length) {
      detail::loaded_tile<rows, Work>(get(first), left()).add_to(seen, work, index + first);
    }
    return detail::fold_first_lanes(work, seen, length);
  } else {
    tile_values tiles(fold);
    WARPFOLD_NO_UNROLL
    for (; length - first >= step; first += step) {
      tiles.add(
          detail::group_tile<rows, Work, all_values>(get(first), {}).folded(work, index + first));
    }
    if (first < length) {
      const auto left = static_cast<unsigned>(length - first);
      const accumulator last =
          detail::group_tile<rows, Work, unsigned>(get(first), left).folded(work, index + first);
      if (first == 0) return last;
      tiles.add(last);
    }
    return tiles.folded();
  }
}

/// A function that loads element `first + i` of a view of at least `first + count` elements.
/// @param loads must outlive it
template <class View, class Loads>
WARPFOLD_DEVICE auto elements_from(const View& view, std::size_t first, std::size_t count,
                                   const Loads& loads) {
  return [own = warpfold::detail::part_in_kernel(view, first, count), &loads](unsigned i) {
    return own.at(i, loads);
  };
}

/// Folds `count` elements of a segment of the view of `work`, from its element `first` on. The
/// segment begins at element `begin`. Result and callers: as for `fold_group`.
template <class Work, class Loads>
WARPFOLD_DEVICE typename Work::accumulator fold_segment(const Work& work, std::size_t begin,
                                                        std::size_t first, std::size_t count,
                                                        const Loads& loads) {
  return fold_group(
      work,
      [&](std::size_t i) { return elements_from(work.view, begin + first + i, count - i, loads); },
      count, first);
}

/// Folds a group of `length` elements, at least one. Thread 0 calls `use(value)`. All threads of a
/// block call it, with the same arguments.
/// @param part `part(first, count)` returns the `fold_group` of `count` elements
/// @param storage a value for each warp. A barrier separates two uses of it
template <unsigned Warps, class Work>
WARPFOLD_DEVICE void fold_group_by_block(const Work& work, std::size_t length, const auto& part,
                                         shared_span<typename Work::accumulator> storage,
                                         const auto& use) {
  std::size_t each = std::size_t{group_rows<Work>} * group_run<Work> * warp_size;
  while (each * Warps < length) each *= 2;
  const std::size_t from = threadIdx.x / warp_size * each;
  if (from < length) {
    const std::size_t left = length - from;
    store_of_warp(storage, part(from, left < each ? left : each));
  }
  fold_block(work.fold(), storage, static_cast<unsigned>((length - 1) / each) + 1, use);
}

/// The maximum length of the groups that `fold_groups` folds, for each of its lanes.
inline constexpr unsigned longest_of_lane = 64;

namespace detail {

template <int Count, class Work, class Get>
WARPFOLD_DEVICE typename Work::accumulator fold_groups_in_any_order(const Work& work,
                                                                    const Get& get, unsigned length,
                                                                    unsigned longest,
                                                                    unsigned lanes_log2) {
  const unsigned lanes = 1u << lanes_log2, lane = threadIdx.x & (lanes - 1);
  const unsigned tile = unsigned{Count} << lanes_log2;
  const auto tile_from = [&](unsigned first) {
    return spread_tile<Count, Work, unsigned>(get, length, first + lane, lanes);
  };
  auto seen = tile_from(0).folded(work, 0);
  WARPFOLD_NO_UNROLL
  for (unsigned first = tile; first < longest; first += tile) {
    tile_from(first).add_to(seen, work, 0);
  }
  if constexpr (folds_group_states<Work>) {
    const auto own = lane < length ? seen : work.fold().start();
    return work.op.fold_states(group_states<typename Work::accumulator>(own, lanes));
  } else {
    return fold_lanes(work.fold(), seen, length, lanes, lane);
  }
}

template <int Run, class Work, class Get>
WARPFOLD_DEVICE typename Work::accumulator fold_groups_by_runs(const Work& work, const Get& get,
                                                               unsigned length, unsigned longest,
                                                               unsigned lanes_log2) {
  constexpr int levels = Run == 8 ? 3 : Run == 4 ? 4 : Run == 2 ? 5 : 6;
  static_assert(Run << levels == longest_of_lane);
  using accumulator = typename Work::accumulator;
  constexpr bool is_long = Work::fold_type::is_long;
  const auto fold = work.fold();
  const unsigned lanes = 1u << lanes_log2;
  const unsigned lane = threadIdx.x & (lanes - 1);
  const unsigned step = unsigned{Run} << lanes_log2;
  const auto load_from = [&](unsigned first, const auto& use) {
    const unsigned own = first < length ? first : 0, there = first < length ? length - first : 0;
    lane_run<Run, Work> loaded;
    loaded.load(get, own, there);
    return use(loaded, own, there);
  };
  // Combines the nodes of the lanes of a group, whose runs begin at element `first`. If the op
  // takes long, only lanes whose value is needed do: with others, nodes of different sizes would
  // meet.
  const auto combine_lanes = [&](accumulator node, unsigned first, bool exist) {
    WARPFOLD_NO_UNROLL
    for (unsigned apart = 1; apart < lanes; apart *= 2) {
      const accumulator right = shuffle_down(node, apart);
      const bool is_needed = !is_long || (exist && (lane & (2 * apart - 1)) == 0);
      if (is_needed && first + apart * Run < length) node = fold.apply(node, right);
    }
    return node;
  };
  const auto node_from = [&](unsigned first) {
    return combine_lanes(
        load_from(first, [&](const auto& loaded, unsigned own,
                             unsigned there) { return loaded.folded(work, own, there); }),
        first, true);
  };
  if constexpr (folds_runs_as_terms<Work>) {
    if (longest <= step) {
      accumulator all;
      const bool are_right =
          load_from(lane * Run, [&](const auto& loaded, unsigned, unsigned there) {
            return fold_runs_as_terms<terms_of_runs<Work>, 1, Run>(
                all, [&](int) { return [&](int k) { return loaded.element(k); }; },
                [&](int) { return there; }, length, lanes);
          });
      if (are_right) return all;
    }
  }
  if (!is_long || longest <= step) {
    accumulator node = node_from(lane * Run);
    if (longest <= step) return node;
    thread_nodes<accumulator, levels> nodes(node);
    WARPFOLD_NO_UNROLL
    for (unsigned k = 1; k * step < longest; ++k) {
      node = node_from(k * step + lane * Run);
      nodes.add(fold, k, node, k * step < length);
    }
    return nodes.folded(fold, (length + step - 1) / step);
  }
  // First the whole steps, then the rest of all groups. So nodes of different sizes, for which some
  // ops take long, are combined once, and not in each step for a few groups.
  const unsigned whole = length / step;
  chunk<accumulator, 1> node;
  node.set(0, work.lift(get(0), 0));  // any value
  thread_nodes<accumulator, levels> nodes(node.elements[0]);
  WARPFOLD_NO_UNROLL
  for (unsigned k = 0; k < longest / step; ++k) {
    const unsigned first = k * step + lane * Run;
    const bool exist = k < whole;
    if (exist) {
      lane_run<Run, Work> loaded;
      loaded.load(get, first, all_values{});
      node.set(0, loaded.folded(work, first, all_values{}));
    }
    node.set(0, combine_lanes(node.elements[0], first, exist));
    if (exist && lane == 0) nodes.add(fold, k, node.elements[0]);
  }
  const bool is_left = whole * step < length;
  if (__ballot_sync(full_warp, is_left) == 0) return nodes.folded(fold, whole);
  node.set(0, node_from(whole * step + lane * Run));
  if (whole == 0) return node.elements[0];
  return is_left ? nodes.folded(fold, whole, node.elements[0]) : nodes.folded(fold, whole);
}

}  // namespace detail

/// Folds 32 groups, or fewer, each by `1 << lanes_log2` neighboring lanes. All lanes of the warp
/// call it. Result: valid in the first lane of each group with elements. Lanes fold runs of
/// neighbors, so that few shuffles are needed; later loads hit the L1 cache.
/// @param get `get(i)` loads element `i` of the lane's group, or any valid value if that is empty
/// @param length the elements of the lane's group
/// @param longest at least all lengths, at most `longest_of_lane << lanes_log2`; equal in all lanes
template <class Work, class Get>
WARPFOLD_DEVICE typename Work::accumulator fold_groups(const Work& work, const Get& get,
                                                       unsigned length, unsigned longest,
                                                       unsigned lanes_log2) {
  constexpr int most = group_loads<Work>;
  const auto fold_up_to = [&]<int Count>() {
    if constexpr (detail::folds_in_any_order<Work>) {
      return detail::fold_groups_in_any_order<Count>(work, get, length, longest, lanes_log2);
    } else {
      return detail::fold_groups_by_runs<Count>(work, get, length, longest, lanes_log2);
    }
  };
  if constexpr (most > 2) {
    if (longest <= 2u << lanes_log2) return fold_up_to.template operator()<2>();
  }
  return fold_up_to.template operator()<most>();
}

}  // namespace warpfold::collective
