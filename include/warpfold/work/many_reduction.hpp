/// @file
/// The work object of `reduce_many`: a list of ranges, an op, perhaps an init, and the outputs.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/core/error.hpp>
#include <warpfold/work/kinds.hpp>
#include <warpfold/work/results.hpp>
#include <warpfold/work/segmented_reduction.hpp>

namespace warpfold {

/// One range of `count`, as segments of its own elements: each segment is the whole range.
class range_of_many {
 public:
  static constexpr bool are_adjacent = false;
  static constexpr bool tells_memory = true;

  WARPFOLD_HD constexpr range_of_many(std::size_t length, std::size_t count)
      : length_(length), count_(count) {}

  /// The number of ranges.
  WARPFOLD_HD constexpr std::size_t size() const { return count_; }
  WARPFOLD_HD constexpr std::size_t begin(std::size_t) const { return 0; }
  WARPFOLD_HD constexpr std::size_t end(std::size_t) const { return length_; }

  template <class Visit>
  void visit_memory(Visit&&) const {}

 private:
  std::size_t length_;
  std::size_t count_;
};

namespace detail {
template <>
inline constexpr bool is_segments<range_of_many> = true;
}  // namespace detail

/// The folds of the ranges of a list, ready for a policy to run. The list stays on the host, unless
/// the policy reads it (view/ranges_at.hpp).
///
/// Result `r` folds range `r`. Ops with an index get the index within the range.
/// @tparam List a range_list
/// @tparam Folds a segmented_reduction, or an accumulating one, of a contiguous_view and a
///     range_of_many
template <class List, class Folds>
struct many_reduction {
  using kind =
      std::conditional_t<List::is_read_by_policy, kinds::listed_reduction, kinds::many_reduction>;
  using list_type = List;
  using folds_type = Folds;
  using view_type = typename Folds::view_type;
  using value_type = typename Folds::value_type;
  using op_type = typename Folds::op_type;
  using accumulator = typename Folds::accumulator;
  using state = typename Folds::state;

  static constexpr bool tells_memory = !List::is_read_by_policy;

  List list;
  Folds folds;  ///< of any range: `folds_of` sets it

  /// The number of ranges.
  std::size_t size() const { return list.size(); }

  /// The folds with range `r` as the range of each result.
  Folds folds_of(std::size_t r) const {
    Folds own = folds;
    own.view = list[r];
    own.segments = range_of_many(own.view.size(), size());
    return own;
  }
  /// The reduction of range `r`.
  auto reduction_of(std::size_t r) const {
    const Folds own = folds_of(r);
    return own.reduction_of(0, own.view.size());
  }

  /// @throws invalid_range if an output overlaps a range, an init in memory that several ranges
  ///     read, or another output
  /// @throws empty_range if a range is empty and has no result
  void require_valid() const {
    if (size() == 0) return;
    folds.require_valid();
    detail::require_outside_input(*this);
    if constexpr (!List::is_read_by_policy) require_elements();
  }
  /// Reads the list: call it where the policy runs.
  /// @throws empty_range if a range is empty and has no result
  void require_valid_data() const
    requires(List::is_read_by_policy)
  {
    require_elements();
  }

  template <class Visit>
  void visit_read(const Visit& visit) const {
    if constexpr (List::is_read_by_policy) {
      list.view().visit_memory(visit);
    } else {
      for (std::size_t r = 0; r < size(); ++r) list[r].visit_memory(visit);
    }
  }
  template <class Visit>
  void visit_written(const Visit& visit) const {
    folds.visit_written(visit);
  }
  template <class Visit>
  void visit_init(const Visit& visit) const {
    folds.visit_init(visit);
  }

 private:
  void require_elements() const {
    if constexpr (!Folds::takes_empty_segments) {
      for (std::size_t r = 0; r < size(); ++r) {
        if (list[r].size() != 0) continue;
        throw_error<empty_range>(
            "warpfold: range ", r,
            " of the list is empty: the op has no identity and no init was given. "
            "Pass an init, or wf::with_identity(op, value)");
      }
    }
  }
};

}  // namespace warpfold
