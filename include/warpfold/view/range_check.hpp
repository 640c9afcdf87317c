/// @file
/// Compile-time checks that an argument is a range. Misuse gives one error with the remedy.
#pragma once

#include <warpfold/core/callable.hpp>
#include <warpfold/view/as_view.hpp>
#include <warpfold/view/element_check.hpp>

namespace warpfold::detail {

/// The return type of a refused call. It prevents further errors: it converts to any type, has
/// operators, can be written to a stream, and other functions accept it as a range.
struct refused {
  template <class T>
  operator T() const;

  // The members of the library's results.
  static refused min, max, value, index;

  template <std::size_t At>
  friend refused get(const refused&);
  template <class Stream>
  friend Stream& operator<<(Stream& stream, const refused&);
};
template <class A, class B>
concept one_refused = std::same_as<A, refused> || std::same_as<B, refused>;
template <class A, class B>
  requires one_refused<A, B>
refused operator+(const A&, const B&);
template <class A, class B>
  requires one_refused<A, B>
refused operator-(const A&, const B&);
template <class A, class B>
  requires one_refused<A, B>
refused operator*(const A&, const B&);
template <class A, class B>
  requires one_refused<A, B>
refused operator/(const A&, const B&);

/// The default of a parameter that cannot be deduced: a braced list, or missing.
struct braces {
  template <class... T>
  constexpr braces(const T&...) {}
};

template <class It>
concept some_iterator = std::is_pointer_v<It> || requires {
  requires !std::is_void_v<typename std::iterator_traits<It>::value_type>;
};

template <class R>
concept some_range = requires(const R& r) {
  std::begin(r);
  std::end(r);
};

/// A range, or something that a caller may mistake for one.
template <class R>
concept range_or_iterator =
    reducible_range<R> || some_range<R> || some_iterator<R> || std::same_as<R, braces>;

// The element type of a range or iterator, with its qualifiers; void for other types.
template <class R>
struct element {
  using type = void;
};
template <some_range R>
struct element<R> : std::remove_reference<decltype(*std::begin(std::declval<const R&>()))> {};
template <some_iterator R>
  requires(!some_range<R> && requires(const R& i) { *i; })
struct element<R> : std::remove_reference<decltype(*std::declval<const R&>())> {};
template <class R>
using element_t = typename element<R>::type;

/// True if `R` is a range; otherwise reports what it is instead and what to do.
template <class R>
constexpr bool check_range() {
  if constexpr (reducible_range<R>) {
    return true;
  } else {
    if constexpr (std::same_as<R, refused>) {
      // Already reported.
    } else if constexpr (std::same_as<R, braces>) {
      static_assert(never<R>,
                    "warpfold: the range is a braced list, or missing; name the elements, "
                    "std::array values{1, 2, 3}, and pass that");
    } else if constexpr (requires { R::has_counted_rows; }) {
      static_assert(never<R>,
                    "warpfold: a counted array is no range; reduce_axis, transform_axis and "
                    "transform take its rows. To count elements, pass counted(elements(mdspan), "
                    "count)");
    } else if constexpr (std::is_volatile_v<element_t<R>>) {
      (void)check_not_volatile<element_t<R>>();
    } else if constexpr (std::is_array_v<element_t<R>>) {
      static_assert(never<R>,
                    "warpfold: an array of arrays is not a range; pass std::span(&array[0][0], "
                    "size)");
    } else if constexpr (std::is_pointer_v<R>) {
      static_assert(never<R>,
                    "warpfold: a pointer is not a range, because it has no size; pass "
                    "std::span(pointer, size), or the number of elements after the pointer");
    } else if constexpr (random_access<R>) {
      static_assert(
          never<R>,
          "warpfold: an iterator is not a range; pass std::ranges::subrange(first, last), "
          "with both of one type");
    } else if constexpr (some_iterator<R>) {
      static_assert(never<R>,
                    "warpfold: the iterators are not random-access (a std::list's, std::set's or "
                    "std::map's); copy the elements into a std::vector");
    } else if constexpr (!some_range<R>) {
      static_assert(never<R>,
                    "warpfold: the argument for the range is not a range; pass a std::span, a "
                    "container with data() and size(), or a view");
    } else {
      static_assert(never<R>,
                    "warpfold: the range has neither data() and size() nor random-access iterators "
                    "(a std::list, std::set or std::map); copy it into a std::vector");
    }
    return false;
  }
}

/// The same for several; the error is about the first argument that is not a range.
template <class R, class... More>
constexpr bool check_ranges() {
  if constexpr (!check_range<R>()) {
    return false;
  } else if constexpr (sizeof...(More) == 0) {
    return true;
  } else {
    return check_ranges<More...>();
  }
}

/// True if elements of type `T` can be copied out of a range; otherwise reports an error.
template <class T>
constexpr bool check_copyable() {
  constexpr bool copyable = std::is_copy_constructible_v<T>;
  static_assert(copyable,
                "warpfold: the range's elements cannot be copied (std::unique_ptr, for example); "
                "reduce what they refer to, std::views::transform(range, function)");
  return copyable;
}

/// Reports the error about the first argument that is not a range.
template <class... Ranges>
refused refuse_ranges() {
  (void)check_ranges<Ranges...>();
  return {};
}

}  // namespace warpfold::detail
