/// @file
/// A compile-time check of element types, shared by the headers for ranges and for mdspans.
#pragma once

#include <type_traits>
#include <warpfold/core/config.hpp>

namespace warpfold::detail {

/// True if elements of type `T` are not volatile. If they are, an error says what to do.
template <class T>
constexpr bool check_not_volatile() {
  constexpr bool loadable = !std::is_volatile_v<T>;
  static_assert(loadable,
                "warpfold: the range's elements are volatile; copy them into a std::vector, or "
                "cast volatile away");
  return loadable;
}

}  // namespace warpfold::detail
