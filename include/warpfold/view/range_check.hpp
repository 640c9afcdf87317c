/// @file
/// What a function says of an argument that is not a range: one error of the compiler, with the remedy.
#pragma once

#include <warpfold/op/traits.hpp>
#include <warpfold/view/as_view.hpp>

namespace warpfold::detail {

/// What a refused call returns, so that no other error follows: it converts to anything, can be calculated with and
/// written to a stream, and other functions take it as a range.
struct refused {
  template <class T>
  operator T() const;

  // Members of results.
  static refused min, max, value, index;

  template <std::size_t I>
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

/// The type of a braced list, which has none, and of an argument that is missing: the default of a template parameter.
struct braces {
  template <class... T>
  constexpr braces(const T&...) {}
};

template <class I>
concept some_iterator = std::is_pointer_v<I> || requires {
  requires !std::is_void_v<typename std::iterator_traits<I>::value_type>;
};

template <class R>
concept some_range = requires(const R& r) {
  std::begin(r);
  std::end(r);
};

/// A range, or what a caller may take for one.
template <class R>
concept range_or_iterator =
    reducible_range<R> || some_range<R> || some_iterator<R> || std::same_as<R, braces>;

// The element of a range or behind an iterator, with its qualifiers; else void.
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

/// Whether `R` is a range; if not, an error says what it is instead and what to do.
template <class R>
constexpr bool check_range() {
  if constexpr (reducible_range<R>) {
    return true;
  } else {
    if constexpr (std::same_as<R, refused>) {
      // Its error was the first.
    } else if constexpr (std::same_as<R, braces>) {
      static_assert(never<R>,
                    "warpfold: the range is a braced list, or missing; name the elements, "
                    "std::array values{1, 2, 3}, and pass that");
    } else if constexpr (std::is_volatile_v<element_t<R>>) {
      static_assert(never<R>,
                    "warpfold: the range's elements are volatile; copy them into a std::vector, or "
                    "cast volatile away");
    } else if constexpr (std::is_array_v<element_t<R>>) {
      static_assert(never<R>,
                    "warpfold: an array of arrays is not a range; pass std::span(&array[0][0], "
                    "size)");
    } else if constexpr (std::is_pointer_v<R>) {
      static_assert(never<R>,
                    "warpfold: a pointer is not a range, for it has no size; pass "
                    "std::span(pointer, size)");
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
                    "warpfold: the argument in the range's place is not a range; pass a std::span, "
                    "a container with data() and size(), or a view");
    } else {
      static_assert(never<R>,
                    "warpfold: the range has neither data() and size() nor random-access iterators "
                    "(a std::list, std::set or std::map); copy it into a std::vector");
    }
    return false;
  }
}

/// The same of several: the first that is not a range has the one error.
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

/// A function of ranges alone calls this where one of its arguments is none.
template <class... Ranges>
refused refuse_ranges() {
  (void)check_ranges<Ranges...>();
  return {};
}

}  // namespace warpfold::detail
