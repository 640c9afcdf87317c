/// @file
/// Consecutive elements of a view as a view of their own, whose indices start at 0.
#pragma once

#include <cstddef>
#include <utility>

#include <warpfold/view/concept.hpp>
#include <warpfold/view/contiguous.hpp>
#include <warpfold/view/counting.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>

namespace warpfold {

/// The elements from index `first` on of a view that has no cheaper part.
template <view View>
class part_view : public element_loads<part_view<View>, typename View::value_type> {
 public:
  static constexpr bool computes_elements = detail::computes_elements<View>();
  static constexpr bool has_unknown_cost = detail::has_unknown_cost<View>();

  WARPFOLD_HD part_view(const View& base, std::size_t first, std::size_t size)
      : base_(base), first_(first), size_(size) {}

  WARPFOLD_HD std::size_t size() const { return size_; }
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD decltype(auto) operator[](std::size_t i) const { return base_[first_ + i]; }

  /// Visits the memory of the whole view.
  template <class Visitor>
  void visit_memory(Visitor&& visit) const {
    base_.visit_memory(visit);
  }

 private:
  View base_;
  std::size_t first_;
  std::size_t size_;
};

static_assert(view<part_view<contiguous_view<float>>>);

namespace detail {

template <class View>
struct part_maker {
  static auto of(const View& v, std::size_t first, std::size_t size) {
    if constexpr (requires {
                    requires View::is_contiguous;
                    contiguous_view<typename View::value_type>(v.data() + first, size);
                  }) {
      return contiguous_view<typename View::value_type>(v.data() + first, size);
    } else {
      return part_view<View>(v, first, size);
    }
  }
};
template <class View, class F>
struct part_maker<transform_view<View, F>> {
  static auto of(const transform_view<View, F>& v, std::size_t first, std::size_t size) {
    const auto base = part_maker<View>::of(v.base(), first, size);
    return transform_view<std::remove_const_t<decltype(base)>, F>(base, v.function());
  }
};
template <class... Views>
struct part_maker<zip_view<Views...>> {
  static auto of(const zip_view<Views...>& v, std::size_t first, std::size_t size) {
    return [&]<std::size_t... At>(std::index_sequence<At...>) {
      return zip_view<decltype(part_maker<Views>::of(warpfold::get<At>(v.views()), first,
                                                     size))...>(
          part_maker<Views>::of(warpfold::get<At>(v.views()), first, size)...);
    }(std::index_sequence_for<Views...>{});
  }
};
template <class T>
  requires std::is_integral_v<T>  // others round when they count from elsewhere
struct part_maker<counting_view<T>> {
  static counting_view<T> of(const counting_view<T>& v, std::size_t first, std::size_t size) {
    return {v[first], size};
  }
};

}  // namespace detail

/// Returns the view of elements `first` to `first + size - 1` of a view; they must exist. Parts of
/// contiguous elements, projections, zips and numbers are such views again, so that host threads
/// fold them in vectors.
template <view View>
auto part_of(const View& v, std::size_t first, std::size_t size) {
  return detail::part_maker<View>::of(v, first, size);
}

}  // namespace warpfold
