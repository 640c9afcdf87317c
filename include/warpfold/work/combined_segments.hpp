/// @file
/// The work object of `reduce_segments` that combines the states of parts of the elements, one of
/// each segment and each part, and writes the results.
#pragma once

#include <cstddef>

#include <warpfold/op/combining.hpp>
#include <warpfold/op/index_offset.hpp>
#include <warpfold/view/counting.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/work/segment_part.hpp>
#include <warpfold/work/segmented_reduction.hpp>

namespace warpfold {

namespace detail {

// Reorders states: they lie in rows, one row for each part, and are read segment by segment.
// Indices become those within the segment.
template <class Work>
struct states_by_segment {
  using state = typename Work::state;

  const state* states;
  std::size_t parts;
  part_offsets offsets;
  typename Work::segments_type segments;
  typename Work::op_type op;

  WARPFOLD_ANY_SIDE
  WARPFOLD_HD state operator()(std::size_t i) const {
    const std::size_t s = i / parts, part = i % parts;
    const state own = states[part * segments.size() + s];
    if constexpr (lifts_indexed<typename Work::op_type, typename Work::value_type>) {
      const auto begin = static_cast<std::size_t>(segments.begin(s));
      const std::size_t from = offsets.of[part];
      if (from <= begin || from >= static_cast<std::size_t>(segments.end(s))) return own;
      const std::size_t before = from - begin;
      if constexpr (has_marks<typename Work::fold_type>) {
        return own.engaged() ? state{moved_indices(op, own.value, before)} : own;
      } else {
        return moved_indices(op, own, before);
      }
    } else {
      return own;
    }
  }
};

// Each segment of `Segments` has a state of each part, unless it is empty.
template <class Segments>
struct segments_of_states {
  static constexpr bool are_adjacent = false;
  static constexpr bool tells_memory = Segments::tells_memory;

  Segments of;
  std::size_t parts;

  WARPFOLD_HD std::size_t size() const { return of.size(); }
  template <class... Loads>
  WARPFOLD_HD std::size_t begin(std::size_t s, const Loads&...) const {
    return s * parts;
  }
  template <class... Loads>
  WARPFOLD_HD std::size_t end(std::size_t s, const Loads&... loads) const {
    return of.begin(s, loads...) == of.end(s, loads...) ? s * parts : (s + 1) * parts;
  }
  template <class Visit>
  void visit_memory(Visit&& visit) const {
    of.visit_memory(visit);
  }
};

template <class Work>
using combined_states = transform_view<counting_view<std::size_t>, states_by_segment<Work>>;
template <class Work, class Outs>
struct combined_base;
template <class Work, class... Outs>
struct combined_base<Work, tuple<Outs...>> {
  using type =
      segmented_reduction<combined_states<Work>, segments_of_states<typename Work::segments_type>,
                          combining_states<typename Work::fold_type>, no_init, Outs...>;
};

}  // namespace detail

/// The results of `Work`, a `segmented_reduction`, from the states of its parts.
template <class Work>
struct combined_segments : detail::combined_base<Work, decltype(Work::outs)>::type {
  using base = typename detail::combined_base<Work, decltype(Work::outs)>::type;
  using state = typename Work::state;
  using result_type = typename Work::result_type;

  static constexpr bool takes_empty_segments = true;  // a segment may have no states
  static constexpr bool writes_identity = Work::writes_identity;

  // Not in the padding of the base: see finished_reduction.
  alignas(base) alignas(Work) Work own;
  const state* states;

  /// @param work its elements are not read
  /// @param from a row of one state of each segment for each part
  /// @param offsets where the elements of each part begin in the whole
  combined_segments(const Work& work, const state* from, std::size_t parts,
                    const detail::part_offsets& offsets)
      : base{detail::combined_states<Work>(
                 counting(std::size_t{0}, parts * work.size()),
                 detail::states_by_segment<Work>{from, parts, offsets, work.segments, work.op}),
             {work.segments, parts},
             {work.fold()},
             {},
             work.outs},
        own(work),
        states(from) {}

  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr result_type result(const state& s) const { return own.result(s); }
  WARPFOLD_ANY_SIDE
  template <class Stores>
  WARPFOLD_HD void write(std::size_t s, const result_type& a, const Stores& stores) const {
    own.write(s, a, stores);
  }
  WARPFOLD_ANY_SIDE
  template <class Stores>
  WARPFOLD_HD void write_empty(std::size_t s, const Stores& stores) const {
    own.write_empty(s, stores);
  }
  void require_valid_data() const { detail::require_valid_segments(*this); }

  template <class Visit>
  void visit_read(const Visit& visit) const {
    visit(static_cast<const void*>(states), this->view.size() * sizeof(state), alignof(state));
    this->segments.visit_memory(visit);
  }
  template <class Visit>
  void visit_init(const Visit& visit) const {
    own.visit_init(visit);
  }
#if defined(__CUDACC__)
  WARPFOLD_DEVICE void name_user_functions() const { own.name_user_functions(); }
#endif
};

}  // namespace warpfold
