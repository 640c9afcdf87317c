/// @file
/// The work object of `reduce_segments` on one of several ranks, each of which has a part of the
/// range.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/view/contiguous.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/view/segments.hpp>
#include <warpfold/work/segmented_reduction.hpp>
#include <warpfold/work/state_reduction.hpp>

namespace warpfold {

namespace detail {

// Converts an index in the whole to one in the elements `begin` to `end - 1` of a rank.
struct clip_offset {
  std::size_t begin, end;

  template <class Offset>
  WARPFOLD_HD constexpr std::size_t operator()(const Offset& offset) const {
    const auto at = static_cast<std::size_t>(offset);
    return at <= begin ? 0 : (at < end ? at : end) - begin;
  }
};

// Some segments, from number `first` on, in the elements of such a rank.
template <class Segments>
struct clipped {
  static constexpr bool are_adjacent = Segments::are_adjacent;
  static constexpr bool tells_memory = Segments::tells_memory;

  Segments whole;
  std::size_t first, count;
  clip_offset clip;

  WARPFOLD_HD std::size_t size() const { return count; }
  template <class... Loads>
  WARPFOLD_HD std::size_t begin(std::size_t s, const Loads&... loads) const {
    return clip(whole.begin(first + s, loads...));
  }
  template <class... Loads>
  WARPFOLD_HD std::size_t end(std::size_t s, const Loads&... loads) const {
    return clip(whole.end(first + s, loads...));
  }
  template <class Visit>
  void visit_memory(Visit&& visit) const {
    whole.visit_memory(visit);
  }
};
template <class Segments>
auto clipped_segments(const Segments& segments, std::size_t first, std::size_t last,
                      const clip_offset& clip) {
  return clipped<Segments>{segments, first, last - first, clip};
}

}  // namespace detail

/// The folds of a `segmented_reduction` to their states: without the init, and without what the
/// outputs of `Work` do with them. A segment without elements has the state of no element.
template <class Work, class Segments>
struct segment_part
    : segmented_reduction<typename Work::view_type, Segments, typename Work::op_type,
                          typename Work::init_type, contiguous_output<typename Work::state>> {
  using base =
      segmented_reduction<typename Work::view_type, Segments, typename Work::op_type,
                          typename Work::init_type, contiguous_output<typename Work::state>>;
  using result_type = typename Work::state;

  static constexpr bool has_init = false;
  static constexpr bool takes_empty_segments = true;
  static constexpr bool writes_identity = base::has_identity;

  /// @param to memory for one state of each segment
  segment_part(const Work& work, const Segments& segments, result_type* to)
      : base{work.view, segments, work.op, work.init, {contiguous_output(to, segments.size())}} {}

  WARPFOLD_HD constexpr const result_type& result(const result_type& s) const { return s; }
  auto reduction_of(std::size_t begin, std::size_t end) const {
    return state_reduction(base::reduction_of(begin, end));
  }
  template <class Stores>
  WARPFOLD_HD void write(std::size_t s, const result_type& state, const Stores& stores) const {
    this->outs.head.store_at(s, state, stores);
  }
  WARPFOLD_ANY_SIDE
  template <class Stores>
  WARPFOLD_HD void write_empty(std::size_t s, const Stores& stores) const {
    write(s, this->fold().start(), stores);
  }
  void require_valid_data() const { detail::require_valid_segments(*this); }
  template <class Visit>
  void visit_init(const Visit&) const {}
#if defined(__CUDACC__)
  WARPFOLD_DEVICE void name_user_functions(const typename base::value_type* x = nullptr,
                                           const typename base::accumulator* a = nullptr) const {
    if constexpr (detail::names_functions<decltype(this->view)>) this->view.name_user_functions();
    detail::name_op(this->op, x, a);
  }
#endif
};

}  // namespace warpfold
