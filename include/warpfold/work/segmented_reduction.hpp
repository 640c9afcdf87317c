/// @file
/// The work object of `reduce_segments`: a view, its segments, an op, perhaps an init, and the
/// outputs. `reduce_segments` makes one and hands it to the policy.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <warpfold/core/error.hpp>
#include <warpfold/core/tuple.hpp>
#include <warpfold/op/fold.hpp>
#include <warpfold/op/index_offset.hpp>
#include <warpfold/op/lift.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/view/part.hpp>
#include <warpfold/view/segments.hpp>
#include <warpfold/work/kinds.hpp>
#include <warpfold/work/recipe.hpp>
#include <warpfold/work/reduction.hpp>
#include <warpfold/work/results.hpp>

namespace warpfold {

/// The folds of many segments of a view, ready for a policy to run. Kernels take it by value, as
/// bytes.
///
/// Result `s` folds the elements from index `segments.begin(s)` up to `segments.end(s)`. Ops with
/// an index get the index within the segment. If the segments ask for the index in the range
/// (`with_range_index`), `write` adds the begin of the segment.
/// @tparam Outs output views: one, or one for each result of `all`
template <view View, class Segments, class Op, class Init, class... Outs>
struct segmented_reduction {
  using kind = kinds::segmented_reduction;
  using view_type = View;
  using segments_type = Segments;
  using op_type = Op;
  using init_type = Init;
  using value_type = typename View::value_type;
  using lifted_type = detail::lifted_t<Op, value_type>;
  using result_type = typename detail::result_of<lifted_type, Op, Init>::type;
  using accumulator = typename op_traits<Op, result_type>::accumulator;
  using fold_type = warpfold::fold<Op, accumulator>;
  using state = typename fold_type::state;

  static constexpr bool is_indexed = lifts_indexed<Op, value_type>;
  static constexpr bool tells_memory = tells_memory_v<View> && Segments::tells_memory;
  /// True if the number of segments or of elements lies in memory (view/counted.hpp). Elements
  /// that do not exist are in no segment.
  static constexpr bool has_size_in_memory =
      detail::has_size_in_memory<View> || detail::has_size_in_memory<Segments>;
  static constexpr bool has_init = !std::same_as<Init, no_init>;
  static constexpr bool has_identity = op_traits<Op, accumulator>::has_identity;
  /// True if the view may compute its elements instead of only loading them.
  static constexpr bool computes = detail::computes_elements<View>();
  static constexpr bool checks_bounds = detail::may_be_wrong<Segments>;
  /// True if an empty segment has a result.
  static constexpr bool takes_empty_segments = has_init || has_identity;
  /// True if that result is the identity.
  static constexpr bool writes_identity = has_identity && !has_init;

  View view;  ///< the elements before the op lifts them
  Segments segments;
  Op op;
  Init init;
  tuple<Outs...> outs;
  in_register keep{};  // guards computed and lifted elements
  detail::bounds_check check{};

  /// The number of segments; if it lies in memory, its limit until it is read.
  WARPFOLD_HD std::size_t size() const { return segments.size(); }
  /// Reads the sizes that lie in memory.
  inline WARPFOLD_HD void read_size(const auto& loads) {
    detail::read_size(view, loads);
    detail::read_size(segments, loads);
  }
  /// Has kernels report wrong bounds.
  void check_bounds(const detail::bounds_check& to) { check = to; }
  using wrong_segment = detail::wrong_segment;
  /// @throws invalid_range
  [[noreturn]] void refuse_bounds(const wrong_segment& found) const {
    detail::refuse_bounds<Segments>(found, elements());
  }
  /// The same fold of other segments.
  template <class Others>
  auto with_segments(const Others& others) const {
    return segmented_reduction<View, Others, Op, Init, Outs...>{view, others, op, init, outs};
  }

  WARPFOLD_HD constexpr fold_type fold() const { return {op}; }

  /// Converts an element to the accumulator; `i` is its index within the segment.
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr accumulator lift(const value_type& x, std::size_t i) const {
    return static_cast<accumulator>(detail::lift_by(op, keep, guarded(x), i));
  }
  WARPFOLD_HD constexpr value_type guarded(const value_type& x) const {
    return detail::guarded_for<computes, Op>(keep, x);
  }

  /// The result of a segment with elements.
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr result_type result(const state& s) const {
    if constexpr (has_init) {
      return static_cast<result_type>(fold().apply(init_as<accumulator>(), fold().value(s)));
    } else {
      return static_cast<result_type>(fold().value(s));
    }
  }

  /// The value of the init, as an `A`; see reduction.
  WARPFOLD_ANY_SIDE
  template <class A>
  WARPFOLD_HD constexpr A init_as() const {
    return detail::value_of_init<A>(init);
  }

  /// The reduction of a segment, for host threads.
  auto reduction_of(std::size_t begin, std::size_t end) const {
    const auto elements = lifted(part_of(view, begin, end - begin), op);
    return reduction<std::remove_const_t<decltype(elements)>, Op, Init>{elements, op, init};
  }

  /// The result of segment `s`, with the index that the caller asks for.
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr result_type indexed_result(std::size_t s, const result_type& a) const {
    // with_segment_folds has reported an op that cannot move them.
    if constexpr (detail::gives_range_index<Segments> &&
                  detail::moves_indices_of<Op, value_type, result_type>) {
      return moved_indices(op, a, static_cast<std::size_t>(segments.begin(s)));
    } else {
      return a;
    }
  }
  /// Writes the result of segment `s`.
  WARPFOLD_ANY_SIDE
  template <class Stores>
  WARPFOLD_HD void write(std::size_t s, const result_type& a, const Stores& stores) const {
    write_unmoved(s, indexed_result(s, a), stores);
  }
  WARPFOLD_ANY_SIDE
  template <bool Accumulates = false, class Stores>
  WARPFOLD_HD void write_unmoved(std::size_t s, const result_type& a, const Stores& stores) const {
    detail::write_results<Accumulates, typename Outs::value_type...>(
        *this, s, a, stores, std::index_sequence_for<Outs...>{});
  }
  /// Writes element `s` of output `At`.
  WARPFOLD_ANY_SIDE
  template <std::size_t At, class T, class Stores>
  WARPFOLD_HD void store(std::size_t s, const T& x, const Stores& stores) const {
    warpfold::get<At>(outs).store_at(s, x, stores);
  }
  /// Writes the result of a segment without elements: the init or the identity.
  WARPFOLD_ANY_SIDE
  template <class Stores>
  WARPFOLD_HD void write_empty(std::size_t s, const Stores& stores) const {
    if constexpr (has_init) {
      write_unmoved(s, init_as<result_type>(), stores);
    } else if constexpr (has_identity) {
      write_unmoved(s, static_cast<result_type>(op_traits<Op, accumulator>::identity(op)), stores);
    }
  }

#if defined(__CUDACC__)
  /// Names its op, its identity, and the user's functions of elements and results. Never executed;
  /// see kernel/body.hpp.
  WARPFOLD_DEVICE void name_user_functions(const value_type* x = nullptr,
                                           const accumulator* a = nullptr,
                                           const result_type* r = nullptr) const {
    if constexpr (detail::names_functions<decltype(view)>) view.name_user_functions();
    detail::name_op(op, x, a);
    detail::name_init<Init, accumulator, result_type>();
    detail::name_conversion<result_type, accumulator>();
    detail::name_results<typename Outs::value_type...>(op, *r);
  }
#endif

  /// The number of elements, in segments or not.
  std::size_t elements() const { return view.size(); }

  void require_valid_data() const { detail::require_valid_segments(*this); }

  /// Checks everything but the bounds of the segments.
  /// @throws invalid_range if an output overlaps the view, the bounds, an init in memory that
  ///     several segments read, or another output
  void require_valid() const {
    if (size() == 0) return;
    detail::require_outside_input(*this);
    if (size() > 1) {
      visit_written([&](const void* to, std::size_t written, std::size_t) {
        visit_init([&](const void* from, std::size_t read, std::size_t) {
          detail::require_outside_input(to, written, from, read);
        });
      });
    }
    if constexpr (sizeof...(Outs) > 1) detail::require_own_memory(*this);
  }

  template <class Visit>
  void visit_read(const Visit& visit) const {
    view.visit_memory(visit);
    segments.visit_memory(visit);
  }
  template <class Visit>
  void visit_written(const Visit& visit) const {
    visit_outs(visit, std::index_sequence_for<Outs...>{});
  }
  template <class Visit>
  void visit_init(const Visit& visit) const {
    detail::visit_init_memory(init, visit);
  }

 private:
  template <class Visit, std::size_t... At>
  void visit_outs(const Visit& visit, std::index_sequence<At...>) const {
    (warpfold::get<At>(outs).visit_memory(visit), ...);
  }
};

/// The same for `accumulate(out)`: each result is combined with what the outputs hold, and an empty
/// segment changes nothing.
template <view View, class Segments, class Op, class... Outs>
struct accumulating_segmented_reduction
    : segmented_reduction<View, Segments, Op, no_init, Outs...> {
  using base = segmented_reduction<View, Segments, Op, no_init, Outs...>;
  using accumulator = typename base::accumulator;
  using result_type = typename base::result_type;

  static constexpr bool accumulates = true;
  static constexpr bool takes_empty_segments = true;
  static constexpr bool writes_identity = false;

  explicit accumulating_segmented_reduction(const base& work) : base(work) {}

  template <class Others>
  auto with_segments(const Others& others) const {
    return accumulating_segmented_reduction<View, Others, Op, Outs...>(base::with_segments(others));
  }

  WARPFOLD_ANY_SIDE
  template <class Stores>
  WARPFOLD_HD void write(std::size_t s, const result_type& a, const Stores& stores) const {
    const auto before =
        detail::accumulator_of_held<accumulator>(*this, s, std::index_sequence_for<Outs...>{});
    const auto own = static_cast<accumulator>(base::indexed_result(s, a));
    base::template write_unmoved<true>(s, static_cast<result_type>(this->fold().apply(before, own)),
                                       stores);
  }
  template <class Stores>
  WARPFOLD_HD void write_empty(std::size_t, const Stores&) const {}
  /// Element `s` of output `At`.
  WARPFOLD_ANY_SIDE
  template <std::size_t At>
  WARPFOLD_HD decltype(auto) held(std::size_t s) const {
    return warpfold::get<At>(this->outs)[s];
  }

  void require_valid_data() const { detail::require_valid_segments(*this); }

#if defined(__CUDACC__)
  WARPFOLD_DEVICE void name_user_functions() const {
    base::name_user_functions();
    detail::name_held<accumulator, typename Outs::value_type...>();
  }
#endif

  template <class Out>
  static constexpr bool can_read = requires(const Out& out) { out[0]; };
  /// True if the outputs can be read, and their elements convert to the accumulator or its parts.
  static constexpr bool combines() {
    return (can_read<Outs> && ...) &&
           detail::converts_held<accumulator, typename Outs::value_type...>();
  }
};

}  // namespace warpfold
