/// @file
/// The state of the elements of one rank, and the fold of those of all ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <warpfold/emulation/execution_model.hpp>
#include <warpfold/op/index_offset.hpp>
#include <warpfold/view/concept.hpp>
#include <warpfold/work/reduction.hpp>

namespace warpfold::collective {

/// The state of a rank and the number of its elements, in words: a small state has no padding.
template <class State>
struct rank_state {
  unsigned low, high;
  State of;

  WARPFOLD_HD constexpr std::size_t count() const {
    return static_cast<std::size_t>(std::uint64_t{high} << 32 | low);
  }
};

/// The state `s` of the elements of `r`, whose number may lie in memory.
WARPFOLD_ANY_SIDE
template <class Reduction>
WARPFOLD_DEVICE rank_state<typename Reduction::state> rank_state_of(
    const Reduction& r, const typename Reduction::state& s) {
  std::uint64_t count = 0;
  if constexpr (warpfold::detail::has_size_in_memory<typename Reduction::view_type>) {
    auto view = r.view;
    view.read_size(global_loads(caching::keep));
    count = view.size();
  } else {
    count = r.view.size();
  }
  return {static_cast<unsigned>(count), static_cast<unsigned>(count >> 32), s};
}

/// True if the state of a rank's elements depends on the index of the first one.
template <class Reduction>
inline constexpr bool needs_first_index =
    lifts_with_indices<typename Reduction::view_type> &&
    !moves_indices<typename Reduction::op_type, typename Reduction::view_type,
                   typename Reduction::accumulator>;

/// The same reduction with `first` as the index of its first element.
template <class Reduction>
auto reduction_from(const Reduction& r, std::size_t first) {
  const auto view = with_indices_from(r.view, first);
  using placed = reduction<std::remove_const_t<decltype(view)>, typename Reduction::op_type,
                           std::remove_const_t<decltype(r.init)>>;
  return placed{view, r.op, r.init};
}

/// The node of the tree for elements whose indices are `by` greater.
WARPFOLD_ANY_SIDE
template <class Reduction, class A = typename Reduction::accumulator>
WARPFOLD_HD A moved_node(const Reduction& r, const A& node, std::size_t by) {
  if constexpr (moves_indices<typename Reduction::op_type, typename Reduction::view_type, A>) {
    return moved_indices(r.op, node, by);
  } else {
    return node;
  }
}

/// The fold of the states of several ranks, in rank order. Empty ranks are skipped.
template <class Reduction>
class states_in_order {
  using state = typename Reduction::state;

 public:
  /// @param r the reduction of this rank
  /// @param any some state
  WARPFOLD_HD states_in_order(const Reduction& r, const state& any) : r_(r), total_(any) {}

  /// Adds the state of the next rank, which has `count` elements. Its indices begin at 0.
  WARPFOLD_ANY_SIDE WARPFOLD_HD void add_at_zero(const state& s, std::size_t count) {
    add(moved(r_, s, elements_), count);
  }
  /// The same for a state whose indices are those of the whole.
  WARPFOLD_ANY_SIDE WARPFOLD_HD void add(const state& s, std::size_t count) {
    if (count == 0) return;
    total_ = elements_ == 0 ? s : r_.fold().combine(total_, s);
    elements_ += count;
  }

  /// The state of all elements; not meaningful if there are none.
  WARPFOLD_HD const state& total() const { return total_; }
  WARPFOLD_HD std::size_t elements() const { return elements_; }

  /// The result of all elements. If there are none and the op has no identity, `r` has an init.
  WARPFOLD_ANY_SIDE WARPFOLD_HD typename Reduction::result_type result() const {
    return r_.result(elements_ == 0 ? r_.fold().start() : total_);
  }

  /// The state for elements whose indices are `by` greater.
  WARPFOLD_ANY_SIDE
  static WARPFOLD_HD state moved(const Reduction& r, const state& s, std::size_t by) {
    if constexpr (!moves_indices<typename Reduction::op_type, typename Reduction::view_type,
                                 typename Reduction::accumulator>) {
      return s;
    } else if constexpr (has_marks<typename Reduction::fold_type>) {
      return s.engaged() ? state{moved_node(r, s.value, by)} : s;
    } else {
      return moved_node(r, s, by);
    }
  }

 private:
  const Reduction& r_;
  state total_;
  std::size_t elements_ = 0;
};

/// `Reduction` of one rank's elements. Its result is their `rank_state`, without the init.
template <class Reduction>
struct rank_state_reduction : Reduction {
  using counted_type = Reduction;  // see counted_work
  using result_type = rank_state<typename Reduction::state>;
  static constexpr bool has_init = false;
  static constexpr bool is_init_stored = false;

  explicit rank_state_reduction(const Reduction& r) : Reduction(r) {}

  WARPFOLD_ANY_SIDE WARPFOLD_DEVICE result_type result(const typename Reduction::state& s) const {
    return rank_state_of(static_cast<const Reduction&>(*this), s);
  }
  result_type empty_result() const { return {0, 0, this->fold().start()}; }
  void require_valid() const {}

  void visit_init(const auto&) const {}
};

}  // namespace warpfold::collective
