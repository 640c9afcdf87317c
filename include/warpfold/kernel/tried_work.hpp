/// @file
/// Folds of groups with small states that may be too few, such as those of exact sums
/// (op/exact_trial.hpp). A group whose state is marked has no result yet: it is entered in a list,
/// and the next launch folds it with the states of the op (kernel/tried_groups.hpp).
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <warpfold/collective/marked_groups.hpp>
#include <warpfold/op/fold.hpp>
#include <warpfold/op/lift.hpp>
#include <warpfold/view/layout.hpp>
#include <warpfold/view/part.hpp>
#include <warpfold/work/kinds.hpp>
#include <warpfold/work/many_reduction.hpp>
#include <warpfold/work/recipe.hpp>
#include <warpfold/work/reduction.hpp>
#include <warpfold/work/results.hpp>

namespace warpfold::kernel::detail {

// What tried work has in place of the members of `Work`: the op of the trial, and its states.
template <class Work>
struct trial_of {
  using op_type = typename Work::op_type::trial;
  using accumulator = typename op_type::template state<typename Work::accumulator>;
  using fold_type = warpfold::fold<op_type, accumulator>;
  using state = typename fold_type::state;
  using finished_type =
      warpfold::detail::finished_t<typename Work::op_type, typename Work::accumulator>;

  // True if an output of `Out` holds what the op makes of a state, and nothing else.
  template <class Out>
  static constexpr bool holds_finished = !requires {
    typename Work::base;
  } && !warpfold::detail::holds_accumulator<Out, typename Work::accumulator, finished_type>;
};

// Work with its trial in place of its op.
// @tparam Place identifies a group
template <class Work, class Place>
struct tried_work : Work {
  using exact_work = Work;
  using trial = trial_of<Work>;
  using op_type = typename trial::op_type;
  using accumulator = typename trial::accumulator;
  using fold_type = typename trial::fold_type;
  using state = typename trial::state;
  using value_type = typename Work::value_type;
  using place_type = Place;

  op_type op;
  collective::marked_groups<place_type> marked;

  tried_work(const Work& work, const collective::grid_storage& grid)
      : Work(work), op{work.op}, marked(grid) {}

  WARPFOLD_HD constexpr fold_type fold() const { return {op}; }
};

// The trial of the folds of segments. A place is the number of a segment.
template <class Work>
struct tried_segments : tried_work<Work, std::size_t> {
  using tried = tried_work<Work, std::size_t>;
  using typename tried::accumulator;
  using typename tried::place_type;
  using typename tried::state;
  using typename tried::trial;
  using typename tried::value_type;
  using lifted_type = accumulator;
  using result_type = accumulator;

  using tried::tried;
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr accumulator lift(const value_type& x, std::size_t) const {
    return this->op.lift(this->guarded(x));
  }
  WARPFOLD_HD constexpr const accumulator& result(const state& s) const { return s; }

  WARPFOLD_ANY_SIDE
  template <class Stores>
  WARPFOLD_DEVICE void write(std::size_t s, const accumulator& a, const Stores& stores) const {
    if (a.is_marked()) return this->marked.enter(s);
    write_finished(s, a, stores, this->outs);
  }

  /// The reduction of one range of a list, as a state.
  auto reduction_of(std::size_t begin, std::size_t end) const {
    const auto elements = lifted(part_of(this->view, begin, end - begin), this->op);
    return reduction<std::remove_const_t<decltype(elements)>, typename tried::op_type, no_init>{
        elements, this->op, {}};
  }

  /// The identity in few instructions.
  WARPFOLD_ANY_SIDE
  template <class Stores>
  WARPFOLD_DEVICE void write_empty(std::size_t s, const Stores& stores) const {
    if constexpr (Work::writes_identity && requires { accumulator::zero(); }) {
      write_finished(s, accumulator::zero(), stores, this->outs);
    } else {
      Work::write_empty(s, stores);
    }
  }

  // --- the groups, for the next launch ---

  /// About the number of elements of all groups.
  static std::size_t elements(const Work& work) {
    return work.elements() < work.size() ? work.size() : work.elements();
  }
  static WARPFOLD_DEVICE place_type place_of(const Work&, std::size_t s) { return s; }
  /// The elements of a group: the index of the first one, and their number.
  struct extent {
    std::size_t begin, length;
  };
  template <class Loads>
  static WARPFOLD_DEVICE extent extent_of(const Work& work, place_type s, const Loads& loads) {
    const auto begin = static_cast<std::size_t>(work.segments.begin(s, loads));
    const auto end = static_cast<std::size_t>(work.segments.end(s, loads));
    const std::size_t size = work.view.size(), to = end < size ? end : size;
    return {begin, begin < to ? to - begin : 0};
  }
  template <class Loads>
  static WARPFOLD_DEVICE value_type element(const Work& work, place_type, const extent& of,
                                            std::size_t i, const Loads& loads) {
    return work.guarded(work.view.at(of.begin + i, loads));
  }
  template <class Stores>
  static WARPFOLD_DEVICE void write(const Work& work, place_type s,
                                    const typename Work::accumulator& a, const Stores& stores) {
    work.write(s, work.result(work.fold().state_of(a)), stores);
  }

 private:
  template <class Stores, class... Outs>
  WARPFOLD_DEVICE void write_finished(std::size_t s, const accumulator& a, const Stores& stores,
                                      const tuple<Outs...>&) const {
    if constexpr (sizeof...(Outs) == 1 && !Work::has_init &&
                  (trial::template holds_finished<typename Outs::value_type> && ...)) {
      (this->template store<0>(
           s, warpfold::detail::held_result<typename Outs::value_type>(this->op.finished(a)),
           stores),
       ...);
    } else {
      write_exactly(s, a, stores);
    }
  }
  // The code is long, and kernels write at several places.
  template <class Stores>
  WARPFOLD_NOINLINE WARPFOLD_DEVICE void write_exactly(std::size_t s, const accumulator& a,
                                                       const Stores& stores) const {
    write(*this, s, a.exact(), stores);
  }
};

// The offsets of the first element of a row or column, and of its result.
template <class Work>
using axis_place = array_offsets<Work::arrays + Work::outs>;

// The trial of folds along axes.
template <class Work>
struct tried_axis : tried_work<Work, axis_place<Work>> {
  using tried = tried_work<Work, axis_place<Work>>;
  using typename tried::accumulator;
  using typename tried::place_type;
  using typename tried::trial;
  using typename tried::value_type;

  static constexpr bool is_lifted = true;
  static constexpr bool stores_words = false;  // a marked result is not stored

  using tried::tried;
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr accumulator lift(const value_type& x, std::size_t) const {
    return this->op.lift(x);
  }

  WARPFOLD_ANY_SIDE
  template <class Stores>
  WARPFOLD_DEVICE void write(const std::size_t* at, const accumulator& a,
                             const Stores& stores) const {
    if (a.is_marked()) {
      place_type place;
      for (int i = 0; i < Work::arrays + Work::outs; ++i) place.of[i] = at[i];
      return this->marked.enter(place);
    }
    if constexpr (requires { typename Work::out_type; }) {
      using result = typename Work::out_type;
      if constexpr (trial::template holds_finished<result>) {
        stores.store(this->out + at[axis_layout::out],
                     warpfold::detail::held_result<result>(this->op.finished(a)));
        return;
      }
    }
    write_exactly(at, a, stores);
  }

  // --- the groups, for the next launch ---

  static std::size_t elements(const Work& work) { return work.layout.outputs * work.layout.length; }
  static WARPFOLD_DEVICE place_type place_of(const Work& work, std::size_t r) {
    return work.layout.kept.place(r);
  }
  struct extent {
    std::size_t length;
  };
  template <class Loads>
  static WARPFOLD_DEVICE extent extent_of(const Work& work, const place_type&, const Loads&) {
    return {work.folded().size()};
  }
  template <class Loads>
  static WARPFOLD_DEVICE value_type element(const Work& work, const place_type& place,
                                            const extent&, std::size_t i, const Loads& loads) {
    using source = typename Work::source_type;
    auto at = work.folded().place(i);
    WARPFOLD_UNROLL
    for (int a = 0; a < Work::arrays; ++a) at.of[a] += place.of[a];
    typename source::template chunk_type<1> one;
    const source& from = work.input();
    from.load_one(one, at.of, loads);
    return from.template get<1>(one, 0);
  }
  template <class Stores>
  static WARPFOLD_DEVICE void write(const Work& work, const place_type& place,
                                    const typename Work::accumulator& a, const Stores& stores) {
    work.write(place.of, a, stores);
  }

 private:
  // The code is long, and kernels write at several places.
  template <class Stores>
  WARPFOLD_NOINLINE WARPFOLD_DEVICE void write_exactly(const std::size_t* at, const accumulator& a,
                                                       const Stores& stores) const {
    Work::write(at, a.exact(), stores);
  }
};

// The trial of the folds of classes.
template <class Work>
struct tried_classes : tried_work<Work, std::size_t> {
  using tried = tried_work<Work, std::size_t>;
  using typename tried::accumulator;
  using typename tried::trial;
  using typename tried::value_type;

  using tried::tried;
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD accumulator lift(std::size_t i) const {
    return this->op.lift(static_cast<value_type>(this->values[i]));
  }
  WARPFOLD_ANY_SIDE
  template <class Loads>
  WARPFOLD_HD accumulator lift_at(std::size_t i, const Loads& loads) const {
    return this->op.lift(static_cast<value_type>(this->values.at(i, loads)));
  }

  WARPFOLD_ANY_SIDE
  template <class Stores>
  WARPFOLD_DEVICE void write(std::size_t c, const accumulator& a, const Stores& stores) const {
    using out_type = typename decltype(Work::out)::value_type;
    if (a.is_marked()) {
      this->marked.enter(c);
    } else if constexpr (trial::template holds_finished<out_type>) {
      this->out.store_at(c, warpfold::detail::held_result<out_type>(this->op.finished(a)), stores);
    } else {
      Work::write(c, a.exact(), stores);
    }
  }
};

}  // namespace warpfold::kernel::detail
