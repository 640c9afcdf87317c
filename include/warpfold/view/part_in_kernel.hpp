/// @file
/// Consecutive elements of a view, for kernels: indices start at 0 and have 32 bits, so an address
/// takes one instruction.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <warpfold/core/config.hpp>
#include <warpfold/view/concept.hpp>
#include <warpfold/view/contiguous.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>

namespace warpfold {

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

  template <class Loads>
  WARPFOLD_DEVICE typename View::value_type at(std::size_t i, const Loads& loads) const {
    return base.at(first + i, loads);
  }
};

template <class View>
struct kernel_part {
  static WARPFOLD_DEVICE auto of(const View& v, std::size_t first, std::size_t size) {
    if constexpr (requires {
                    requires View::is_contiguous;
                    contiguous_view<typename View::value_type>(v.data() + first, size);
                  }) {
      return contiguous_view<typename View::value_type>(shifted(v.data(), first), size);
    } else {
      return shifted_view<View>{v, first};
    }
  }
};
template <class View, class F>
struct kernel_part<transform_view<View, F>> {
  static WARPFOLD_DEVICE auto of(const transform_view<View, F>& v, std::size_t first,
                                 std::size_t size) {
    auto base = kernel_part<View>::of(v.base(), first, size);
    if constexpr (view<decltype(base)>) {
      return transform_view<decltype(base), F>(base, v.function());
    } else {
      return shifted_view<transform_view<View, F>>{v, first};
    }
  }
};
template <class... Views>
struct kernel_part<zip_view<Views...>> {
  static WARPFOLD_DEVICE auto of(const zip_view<Views...>& v, std::size_t first, std::size_t size) {
    if constexpr ((view<decltype(kernel_part<Views>::of(std::declval<const Views&>(), 0, 0))> &&
                   ...)) {
      return of_each(v, first, size, std::index_sequence_for<Views...>{});
    } else {
      return shifted_view<zip_view<Views...>>{v, first};
    }
  }

 private:
  template <std::size_t... At>
  static WARPFOLD_DEVICE auto of_each(const zip_view<Views...>& v, std::size_t first,
                                      std::size_t size, std::index_sequence<At...>) {
    return zip_view<decltype(kernel_part<Views>::of(std::declval<const Views&>(), 0, 0))...>(
        kernel_part<Views>::of(warpfold::get<At>(v.views()), first, size)...);
  }
};

}  // namespace detail

/// Returns an object whose `at(i, loads)` is element `first + i` of `v`, for `i` below `size`. `v`
/// must live longer.
template <view View>
WARPFOLD_DEVICE auto part_in_kernel(const View& v, std::size_t first, std::size_t size) {
  return detail::kernel_part<View>::of(v, first, size);
}

}  // namespace warpfold
