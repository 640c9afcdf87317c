/// @file
/// The work object of `transform_segments`: a view, its segments, a value for each, and the output.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/core/error.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/view/segments.hpp>
#include <warpfold/work/kinds.hpp>
#include <warpfold/work/results.hpp>
#include <warpfold/work/transformation.hpp>

namespace warpfold {

/// A transformation with one value for each segment, ready for a policy to run: `out[i] = f(in[i],
/// values[s])` for each element of segment `s`. Other elements of `out` stay unchanged.
template <view View, class Segments, view Values, output_view Out, class F>
struct segmented_transformation {
  using kind = kinds::segmented_transformation;
  using in_type = typename View::value_type;
  using segment_value = typename Values::value_type;
  using out_type = typename Out::value_type;

  static constexpr bool tells_memory =
      tells_memory_v<View> && tells_memory_v<Values> && Segments::tells_memory;
  /// See segmented_reduction.
  static constexpr bool has_size_in_memory =
      detail::has_size_in_memory<View> || detail::has_size_in_memory<Segments>;

  View in;
  Segments segments;
  Values values;
  Out out;
  F f;

  /// The number of segments; if it lies in memory, its limit.
  WARPFOLD_HD std::size_t size() const { return segments.size(); }
  /// Reads the sizes that lie in memory.
  inline WARPFOLD_HD void read_size(const auto& loads) {
    detail::read_size(in, loads);
    detail::read_size(segments, loads);
  }

  /// The output's element for an element of the range and the value of its segment.
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD out_type apply(const in_type& x, const segment_value& value) const {
    return detail::call_as<out_type>(f, x, value);
  }

#if defined(__CUDACC__)
  /// See kernel/body.hpp.
  WARPFOLD_DEVICE void name_user_functions(const in_type* x = nullptr,
                                           const segment_value* value = nullptr) const {
    detail::name_call_as<out_type>(f, *x, *value);
    if constexpr (detail::names_functions<View>) in.name_user_functions();
    if constexpr (detail::names_functions<Values>) values.name_user_functions();
    if constexpr (detail::names_functions<Out>) out.name_user_functions();
  }
#endif

  /// Transforms elements `first` to `last - 1`, which are in segment `s`, on the calling host
  /// thread.
  WARPFOLD_ANY_SIDE
  void run_on_host(std::size_t s, std::size_t first, std::size_t last) const {
    // a local copy: the compiler sees that stores cannot change it
    const segmented_transformation own = *this;
    const host_stores stores;
    const auto value = static_cast<segment_value>(own.values[s]);
    for (std::size_t i = first; i < last; ++i) {
      own.out.store_at(i, own.apply(static_cast<in_type>(own.in[i]), value), stores);
    }
  }

  /// See segmented_reduction.
  static constexpr bool takes_empty_segments = true;
  std::size_t elements() const { return in.size(); }

  void require_valid_data() const {
    detail::require_valid_segments_of<takes_empty_segments>(in, segments);
  }

  /// Checks everything but the bounds of the segments.
  /// @throws invalid_range if there is not one value for each segment, or if the output has fewer
  ///     elements than the range, overlaps it other than element for element, or overlaps the
  ///     values or the bounds
  void require_valid() const {
    if (values.size() != size()) {
      if constexpr (detail::is_by_offsets<Segments>) {
        detail::require_last_offset("the range of values has", values.size(), size());
      }
      throw_error<invalid_range>(
          "warpfold: transform_segments needs one value for each segment, but "
          "there are ",
          size(), " segments and ", values.size(),
          " values; pass a range of one value for each segment");
    }
    transformation<View, Out, F>{in, out, f}.require_valid();
    out.visit_memory([&](const void* to, std::size_t written, std::size_t) {
      const auto check = [&](const void* from, std::size_t read, std::size_t) {
        detail::require_outside_input(to, written, from, read);
      };
      values.visit_memory(check);
      segments.visit_memory(check);
    });
  }

  template <class Visit>
  void visit_read(const Visit& visit) const {
    in.visit_memory(visit);
    values.visit_memory(visit);
    segments.visit_memory(visit);
  }
  template <class Visit>
  void visit_written(const Visit& visit) const {
    out.visit_memory(visit);
  }
};

}  // namespace warpfold
