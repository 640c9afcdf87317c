/// @file
/// The work object of `reduce_segments` on one of several ranks, each of which has a part of the
/// range.
#pragma once

#include <cstddef>

#include <warpfold/view/contiguous.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/work/reduction.hpp>
#include <warpfold/work/segmented_reduction.hpp>

namespace warpfold {

/// `count` segments from number `first` on, as a rank sees them that has the elements from index
/// `begin` up to `end`.
template <class Segments>
class clipped_segments {
 public:
  static constexpr bool are_adjacent = Segments::are_adjacent;
  static constexpr bool tells_memory = Segments::tells_memory;

  clipped_segments(const Segments& whole, std::size_t first, std::size_t count, std::size_t begin,
                   std::size_t end)
      : whole_(whole), first_(first), count_(count), begin_(begin), end_(end) {}

  WARPFOLD_HD std::size_t size() const { return count_; }
  WARPFOLD_HD std::size_t begin(std::size_t s) const { return clipped(whole_.begin(first_ + s)); }
  WARPFOLD_HD std::size_t end(std::size_t s) const { return clipped(whole_.end(first_ + s)); }
  template <class Loads>
  WARPFOLD_HD std::size_t begin(std::size_t s, const Loads& loads) const {
    return clipped(whole_.begin(first_ + s, loads));
  }
  template <class Loads>
  WARPFOLD_HD std::size_t end(std::size_t s, const Loads& loads) const {
    return clipped(whole_.end(first_ + s, loads));
  }

  template <class Visit>
  void visit_memory(const Visit& visit) const {
    whole_.visit_memory(visit);
  }

 private:
  template <class Bound>
  WARPFOLD_HD std::size_t clipped(const Bound& bound) const {
    const auto at = static_cast<std::size_t>(bound);
    return at <= begin_ ? 0 : (at < end_ ? at : end_) - begin_;
  }

  Segments whole_;
  std::size_t first_, count_, begin_, end_;
};

/// `Reduction` without its init; the result is the accumulator.
template <class Reduction>
struct part_of_reduction : Reduction {
  using result_type = typename Reduction::accumulator;
  static constexpr bool has_init = false;
  static constexpr bool is_init_stored = false;

  explicit part_of_reduction(const Reduction& r) : Reduction(r) {}

  WARPFOLD_HD constexpr result_type result(const typename Reduction::state& s) const {
    return this->fold().value(s);
  }
  template <class Visit>
  void visit_init(const Visit&) const {}
};

namespace detail {
template <class Reduction>
inline constexpr bool is_reduction<part_of_reduction<Reduction>> = true;

template <class View, class Segments, class Op, class Init>
using segment_fold_to_accumulators = segmented_reduction<
    View, Segments, Op, Init,
    contiguous_output<typename reduction<
        std::remove_const_t<decltype(lifted(std::declval<const View&>(), std::declval<Op>()))>, Op,
        Init>::accumulator>>;
}  // namespace detail

/// The folds of `segmented_reduction` without the init and without what the outputs do with them:
/// it writes accumulators. Segments without elements write the identity, or nothing.
template <class View, class Segments, class Op, class Init>
struct segment_part : detail::segment_fold_to_accumulators<View, Segments, Op, Init> {
  using base = detail::segment_fold_to_accumulators<View, Segments, Op, Init>;
  using accumulator = typename base::accumulator;
  using result_type = accumulator;

  static constexpr bool has_init = false;
  static constexpr bool takes_empty_segments = true;
  static constexpr bool writes_identity = base::has_identity;

  explicit segment_part(const base& work) : base(work) {}

  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr result_type result(const typename base::state& s) const {
    return this->fold().value(s);
  }
  auto reduction_of(std::size_t begin, std::size_t end) const {
    return part_of_reduction(base::reduction_of(begin, end));
  }
  WARPFOLD_ANY_SIDE
  template <class Stores>
  WARPFOLD_HD void write(std::size_t s, const accumulator& a, const Stores& stores) const {
    this->outs.head.store_at(s, a, stores);
  }
  WARPFOLD_ANY_SIDE
  template <class Stores>
  WARPFOLD_HD void write_empty(std::size_t s, const Stores& stores) const {
    if constexpr (base::has_identity) write(s, this->fold().start(), stores);
  }
  std::size_t first_invalid(std::size_t first, std::size_t last) const {
    return base::template first_invalid<true>(first, last);
  }
  template <class Visit>
  void visit_init(const Visit&) const {}
};

}  // namespace warpfold
