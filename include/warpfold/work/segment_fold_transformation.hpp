/// @file
/// The work object of `transform_segments` with an op: the folds of segments, and a function of
/// each element and of the fold of its segment.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/op/lift.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/view/segments.hpp>
#include <warpfold/work/kinds.hpp>
#include <warpfold/work/results.hpp>
#include <warpfold/work/segmented_reduction.hpp>
#include <warpfold/work/segmented_transformation.hpp>

namespace warpfold {

namespace detail {

/// A function of an element and a fold in memory: `f` of the element and the fold's value.
template <class F, class R>
struct of_finished_fold {
  F f;

  WARPFOLD_ANY_SIDE
  template <class T>
  WARPFOLD_HD decltype(auto) operator()(const T& x, const finished_fold<R>& folded) const {
    return detail::call(f, x, folded.value);
  }
};

/// What the function gets for a fold: the result of the op's `finish`, or the accumulator.
template <class View, class Segments, class Op>
using segment_fold_t = std::remove_cvref_t<decltype(finished(
    std::declval<const Op&>(), std::declval<const typename segmented_reduction<
                                   View, Segments, Op, no_init>::result_type&>()))>;

}  // namespace detail

/// Folds of segments whose elements are transformed: `out[i] = f(in[i], fold of segment s)` for
/// each element of segment `s`. Either one launch does all of it, or `folds_to` writes the folds to
/// memory, and `transformation_by` reads them.
template <view View, class Segments, class Op, output_view Out, class F>
struct segment_fold_transformation {
  using kind = kinds::segment_fold_transformation;
  using folded_type = detail::segment_fold_t<View, Segments, Op>;
  using stored_type = detail::finished_fold<folded_type>;
  using view_type = View;
  using segments_type = Segments;
  using value_type = typename View::value_type;
  using out_type = typename Out::value_type;
  using out_view = Out;
  using reduction_type =
      segmented_reduction<View, Segments, Op, no_init, contiguous_output<stored_type>>;
  using transformation_type =
      segmented_transformation<View, Segments, contiguous_view<const stored_type>, Out,
                               detail::of_finished_fold<F, folded_type>>;
  using accumulator = typename reduction_type::accumulator;
  using state = typename reduction_type::state;
  using result_type = typename reduction_type::result_type;

  static constexpr bool tells_memory =
      tells_memory_v<View> && Segments::tells_memory && tells_memory_v<Out>;
  static constexpr bool has_size_in_memory = reduction_type::has_size_in_memory;

  static constexpr bool checks_bounds = reduction_type::checks_bounds;

  reduction_type reduction;
  Out out;
  F f;

  segment_fold_transformation(const View& in, const Segments& segments, const Op& op, const Out& to,
                              const F& function)
      : reduction{in, segments, op, {}, {contiguous_output<stored_type>(nullptr, segments.size())}},
        out(to),
        f(function) {}

  /// See segmented_reduction.
  void check_bounds(const detail::bounds_check& to) { reduction.check_bounds(to); }
  using wrong_segment = detail::wrong_segment;
  [[noreturn]] void refuse_bounds(const wrong_segment& found) const {
    reduction.refuse_bounds(found);
  }

  /// The number of segments.
  WARPFOLD_HD std::size_t size() const { return reduction.size(); }
  /// Reads the sizes that lie in memory.
  inline WARPFOLD_HD void read_size(const auto& loads) { reduction.read_size(loads); }
  WARPFOLD_HD const View& in() const { return reduction.view; }

  /// The fold of a segment, as the function gets it.
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD folded_type folded(const result_type& r) const {
    return static_cast<folded_type>(finished(reduction.op, r));
  }
  /// The output's element for an element of a segment whose fold is `folded`.
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD out_type apply(const value_type& x, const folded_type& folded) const {
    return detail::call_as<out_type>(f, x, folded);
  }

  /// The folds into memory of `size()` elements.
  reduction_type folds_to(stored_type* memory) const {
    reduction_type r = reduction;
    warpfold::get<0>(r.outs) = contiguous_output<stored_type>(memory, size());
    return r;
  }
  /// The transformation that reads the folds from there.
  transformation_type transformation_by(const stored_type* folds) const {
    return {reduction.view, reduction.segments, {folds, size()}, out, {f}};
  }

#if defined(__CUDACC__)
  /// See kernel/body.hpp.
  WARPFOLD_DEVICE void name_user_functions(const value_type* x = nullptr,
                                           const folded_type* folded = nullptr,
                                           const result_type* r = nullptr) const {
    reduction.name_user_functions();
    detail::name_finish(reduction.op, *r);
    detail::name_call_as<out_type>(f, *x, *folded);
    if constexpr (detail::names_functions<Out>) out.name_user_functions();
  }
#endif

  /// Transforms elements `first` to `last - 1`, which are in a segment of fold `folded`, on the
  /// calling host thread.
  WARPFOLD_ANY_SIDE
  void run_on_host(const folded_type& folded, std::size_t first, std::size_t last) const {
    // a local copy: the compiler sees that stores cannot change it
    const segment_fold_transformation own = *this;
    const host_stores stores;
    for (std::size_t i = first; i < last; ++i) {
      own.out.store_at(i, own.apply(static_cast<value_type>(own.in()[i]), folded), stores);
    }
  }

  /// See segmented_reduction. An empty segment has no elements to write.
  static constexpr bool takes_empty_segments = true;
  std::size_t elements() const { return in().size(); }

  void require_valid_data() const {
    detail::require_valid_segments_of<takes_empty_segments>(in(), reduction.segments);
  }

  /// Checks everything but the bounds of the segments.
  /// @throws invalid_range if the output has fewer elements than the range, overlaps it other than
  ///     element for element, or overlaps the bounds
  void require_valid() const {
    transformation<View, Out, F>{in(), out, f}.require_valid();
    out.visit_memory([&](const void* to, std::size_t written, std::size_t) {
      reduction.segments.visit_memory([&](const void* from, std::size_t read, std::size_t) {
        detail::require_outside_input(to, written, from, read);
      });
    });
  }

  template <class Visit>
  void visit_read(const Visit& visit) const {
    reduction.visit_read(visit);
  }
  template <class Visit>
  void visit_written(const Visit& visit) const {
    out.visit_memory(visit);
  }
};

}  // namespace warpfold
