/// @file
/// Consecutive elements of a view as a view of their own, whose indices start at 0. In kernels
/// indices have 32 bits, so an address takes one instruction.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <warpfold/core/config.hpp>
#include <warpfold/view/concept.hpp>
#include <warpfold/view/contiguous.hpp>
#include <warpfold/view/counted.hpp>
#include <warpfold/view/counting.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>

namespace warpfold {

namespace detail {

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
  inline WARPFOLD_HD decltype(auto) operator[](std::size_t i) const { return base_[first_ + i]; }

  void visit_memory(auto&& visit) const { base_.visit_memory(visit); }

 private:
  View base_;
  std::size_t first_;
  std::size_t size_;
};

}  // namespace detail

namespace detail {

/// Returns `data + first`. Device code computes it here, once: the compiler cannot see through it,
/// and would otherwise add `first` to each index in 64 bits.
template <class T>
WARPFOLD_DEVICE T* shifted(T* data, std::size_t first) {
#if defined(__CUDA_ARCH__)
  std::size_t address = __cvta_generic_to_global(data + first);
  asm("" : "+l"(address));
  return static_cast<T*>(__cvta_global_to_generic(address));
#else
  return data + first;
#endif
}

/// The elements from index `first` on of a view that has no cheaper part.
template <class View>
struct shifted_view {
  const View& base;
  std::size_t first;

  inline WARPFOLD_DEVICE typename View::value_type at(std::size_t i, const auto& loads) const {
    return base.at(first + i, loads);
  }
};

struct host_parts {
  template <class T>
  static T* data(T* all, std::size_t first) {
    return all + first;
  }
  template <class View>
  static part_view<View> other(const View& v, std::size_t first, std::size_t size) {
    return {v, first, size};
  }
  template <class T>
    requires std::is_integral_v<T>  // other numbers would round differently
  static counting_view<T> other(const counting_view<T>& v, std::size_t first, std::size_t size) {
    return {v[first], size};
  }
};
struct kernel_parts {
  template <class T>
  static WARPFOLD_DEVICE T* data(T* all, std::size_t first) {
    return shifted(all, first);
  }
  template <class View>
  static WARPFOLD_DEVICE shifted_view<View> other(const View& v, std::size_t first, std::size_t) {
    return {v, first};
  }
};

// A part of the same type if the view's base has one, otherwise `Side::other`.
template <class Side, class View>
struct part_maker {
  WARPFOLD_ANY_SIDE static WARPFOLD_HD auto of(const View& v, std::size_t first, std::size_t size) {
    if constexpr (requires {
                    requires View::is_contiguous;
                    contiguous_view<typename View::value_type>(v.data() + first, size);
                  }) {
      return contiguous_view<typename View::value_type>(Side::data(v.data(), first), size);
    } else {
      return Side::other(v, first, size);
    }
  }
};
template <class Side, class View, class F>
struct part_maker<Side, transform_view<View, F>> {
  WARPFOLD_ANY_SIDE static WARPFOLD_HD auto of(const transform_view<View, F>& v, std::size_t first,
                                               std::size_t size) {
    auto base = part_maker<Side, View>::of(v.base(), first, size);
    if constexpr (view<decltype(base)>) {
      return transform_view<decltype(base), F>(base, v.function());
    } else {
      return Side::other(v, first, size);
    }
  }
};
// The size of the part is known.
template <class Side, class View, class Count>
struct part_maker<Side, counted_view<View, Count>> {
  WARPFOLD_ANY_SIDE static WARPFOLD_HD auto of(const counted_view<View, Count>& v,
                                               std::size_t first, std::size_t size) {
    return part_maker<Side, View>::of(static_cast<const View&>(v), first, size);
  }
};
template <class Side, class... Views>
struct part_maker<Side, zip_view<Views...>> {
  template <class View>
  using part = decltype(part_maker<Side, View>::of(std::declval<const View&>(), 0, 0));

  WARPFOLD_ANY_SIDE
  static WARPFOLD_HD auto of(const zip_view<Views...>& v, std::size_t first, std::size_t size) {
    if constexpr ((view<part<Views>> && ...)) {
      return of_each(v, first, size, std::index_sequence_for<Views...>{});
    } else {
      return Side::other(v, first, size);
    }
  }

 private:
  WARPFOLD_ANY_SIDE
  template <std::size_t... At>
  static WARPFOLD_HD auto of_each(const zip_view<Views...>& v, std::size_t first, std::size_t size,
                                  std::index_sequence<At...>) {
    return zip_view<part<Views>...>(
        part_maker<Side, Views>::of(warpfold::get<At>(v.views()), first, size)...);
  }
};

}  // namespace detail

/// Returns the view of elements `first` to `first + size - 1` of a view; they must exist. Parts of
/// contiguous elements, projections, zips and numbers are such views again, so that host threads
/// fold them in vectors.
template <view View>
auto part_of(const View& v, std::size_t first, std::size_t size) {
  return detail::part_maker<detail::host_parts, View>::of(v, first, size);
}

namespace detail {

/// Returns an object whose `at(i, loads)` is element `first + i` of `v`, for `i` below `size`. `v`
/// must live longer.
template <view View>
WARPFOLD_DEVICE auto part_in_kernel(const View& v, std::size_t first, std::size_t size) {
  return detail::part_maker<detail::kernel_parts, View>::of(v, first, size);
}

}  // namespace detail

}  // namespace warpfold
