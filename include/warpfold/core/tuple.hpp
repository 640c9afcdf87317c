/// @file
/// `tuple`: the elements of a zip, and the results of several reductions at once.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <warpfold/core/config.hpp>

namespace warpfold {

template <class... Ts>
struct tuple;

namespace detail {

// True if another library's tuple has elements that can be made from `From`.
template <class Other, class... From>
inline constexpr bool is_tuple_of = false;
template <template <class...> class Other, class... Us, class... From>
  requires(sizeof...(Us) == sizeof...(From) && !std::is_same_v<Other<Us...>, tuple<Us...>>)
inline constexpr bool is_tuple_of<Other<Us...>, From...> =
    requires { std::tuple_size<Other<Us...>>::value; } && (std::is_convertible_v<From, Us> && ...);

}  // namespace detail

/// A tuple that also works on the GPU, unlike `std::tuple`. It supports `get<At>(t)` and structured
/// bindings, and is trivially copyable if its members are. With two elements or more it converts to
/// `std::tuple`, `cuda::std::tuple` and similar, so a function of those takes elements of a zip.
template <class... Ts>
struct tuple {};

template <class T>
struct tuple<T> {
  T head;

  friend WARPFOLD_HD constexpr bool operator==(const tuple& a, const tuple& b) {
    return a.head == b.head;
  }
};

template <class T, class... Ts>
struct tuple<T, Ts...> {
  T head;
  tuple<Ts...> tail;

  friend WARPFOLD_HD constexpr bool operator==(const tuple& a, const tuple& b) {
    return a.head == b.head && a.tail == b.tail;
  }

  template <template <class...> class Other, class... Us>
    requires(sizeof...(Ts) > 0 && detail::is_tuple_of<Other<Us...>, const T&, const Ts&...>)
  WARPFOLD_HD constexpr operator Other<Us...>() const {
    return as<Other<Us...>>(std::index_sequence_for<T, Ts...>{});
  }

 private:
  template <class Other, std::size_t... At>
  WARPFOLD_HD constexpr Other as(std::index_sequence<At...>) const;
};

/// Returns element `At` of a tuple.
template <std::size_t At, class... Ts>
WARPFOLD_HD constexpr auto& get(tuple<Ts...>& t) {
  if constexpr (At == 0) {
    return t.head;
  } else {
    return get<At - 1>(t.tail);
  }
}
template <std::size_t At, class... Ts>
WARPFOLD_HD constexpr const auto& get(const tuple<Ts...>& t) {
  if constexpr (At == 0) {
    return t.head;
  } else {
    return get<At - 1>(t.tail);
  }
}

template <std::size_t At, class... Ts>
WARPFOLD_HD constexpr auto&& get(tuple<Ts...>&& t) {
  return static_cast<std::remove_reference_t<decltype(get<At>(t))>&&>(get<At>(t));
}

WARPFOLD_ANY_SIDE
template <class T, class... Ts>
template <class Other, std::size_t... At>
WARPFOLD_HD constexpr Other tuple<T, Ts...>::as(std::index_sequence<At...>) const {
  return Other(get<At>(*this)...);
}

namespace detail {

template <class T, class... Ts>
WARPFOLD_HD constexpr tuple<T, Ts...> tuple_of(T value, Ts... rest) {
  if constexpr (sizeof...(Ts) == 0) {
    return {value};
  } else {
    return {value, tuple_of(rest...)};
  }
}

}  // namespace detail

}  // namespace warpfold

template <class... Ts>
struct std::tuple_size<warpfold::tuple<Ts...>>
    : std::integral_constant<std::size_t, sizeof...(Ts)> {};
template <std::size_t At, class... Ts>
struct std::tuple_element<At, warpfold::tuple<Ts...>> {
  using type =
      std::remove_cvref_t<decltype(warpfold::get<At>(std::declval<warpfold::tuple<Ts...>>()))>;
};
