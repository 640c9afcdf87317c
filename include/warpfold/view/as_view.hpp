/// @file
/// `as_view`: makes a view of any range or pair of iterators.
#pragma once

#include <concepts>
#include <initializer_list>
// Not <iterator> and <memory>: they would add 0.5 s to each compilation.
#include <span>
#include <utility>

#include <warpfold/core/error.hpp>
#include <warpfold/view/concept.hpp>
#include <warpfold/view/contiguous.hpp>
#include <warpfold/view/iterator.hpp>
#include <warpfold/view/mdspan.hpp>

namespace warpfold {
namespace detail {

// Recognizes Thrust's iterators by their members, so no Thrust header is needed here. A pointer
// class (device_ptr) has get(). An iterator over one is an instance of the same template as the
// result of Thrust's make_normal_iterator, found by argument-dependent lookup. Thrust's other
// adaptors with a base(), reverse_iterator and transform_iterator, are not.
template <class Pointer>
concept pointer_class = requires(const Pointer& p) {
  typename std::iterator_traits<Pointer>::value_type;
  requires std::is_pointer_v<decltype(p.get())>;
};

template <class A, class B>
inline constexpr bool same_template_v = false;
template <template <class> class Template, class A, class B>
inline constexpr bool same_template_v<Template<A>, Template<B>> = true;

template <class It>
concept wrapped_pointer = requires(const It& i) {
  requires same_template_v<decltype(make_normal_iterator(i)), It>;
  i.base();
};

template <class It>
constexpr auto raw_pointer(const It& i) {
  if constexpr (std::is_pointer_v<It>) {
    return i;
  } else if constexpr (pointer_class<It>) {
    return i.get();
  } else if constexpr (wrapped_pointer<It>) {
    return raw_pointer(i.base());
  } else {
    static_assert(std::contiguous_iterator<It>);
    return std::to_address(i);
  }
}

template <class It>
concept unwrappable = std::is_pointer_v<It> || pointer_class<It> || wrapped_pointer<It> ||
                      std::contiguous_iterator<It>;

// Void and functions are not objects, volatile objects are refused, an array is not a value.
template <class Pointer>
concept loadable = std::is_object_v<std::remove_pointer_t<Pointer>> &&
                   !std::is_volatile_v<std::remove_pointer_t<Pointer>> &&
                   !std::is_array_v<std::remove_pointer_t<Pointer>>;

template <class R>
concept sized_data = requires(const R& r) {
  { std::size(r) } -> std::convertible_to<std::size_t>;
  { raw_pointer(std::data(r)) } -> loadable;
};

template <class R>
inline constexpr bool is_initializer_list = false;
template <class T>
inline constexpr bool is_initializer_list<std::initializer_list<T>> = true;

template <class R>
concept has_data = requires(R& r) { std::data(r); };

// The type of a range's data pointer, or else of its first iterator; void of other types.
template <class R>
struct beginning {
  using type = void;
};
template <has_data R>
struct beginning<R> {
  using type = decltype(std::data(std::declval<R&>()));
};
template <class R>
  requires(!has_data<R> && requires(R& r) { std::begin(r); })
struct beginning<R> {
  using type = decltype(std::begin(std::declval<R&>()));
};
template <class R>
using beginning_t = typename beginning<R>::type;

template <class Pointer>
concept points_to_const = requires(Pointer& p) {
  requires std::is_lvalue_reference_v<decltype(*p)>;
  requires std::is_const_v<std::remove_reference_t<decltype(*p)>>;
};

template <class R>
concept has_const_element_type = requires { requires std::is_const_v<typename R::element_type>; };
template <class R>
concept skips_elements = requires(R& r) { r.remove_prefix(0); } || requires(R& r) { r.advance(0); };

// True if a class says that it only refers to its elements: a standard view, a span of constants,
// or a class that can skip its first elements, such as a string view or a subrange.
template <class R>
inline constexpr bool declares_reference =
    std::ranges::enable_view<R> || has_const_element_type<R> || skips_elements<R>;

// True if a type contains its elements: an array, or a class whose elements are const only when it
// is const. The iterators of a standard view may differ in this way; its data pointers may not. A
// class whose elements are const either way is an owner unless it declares that it refers to them.
// The array behind a temporary std::initializer_list is a temporary too.
template <class R>
constexpr bool owns_elements() {
  if constexpr (std::is_array_v<R> || is_initializer_list<R>) {
    return true;
  } else if constexpr (std::ranges::enable_view<R> && !has_data<R>) {
    return false;
  } else if constexpr (!std::is_same_v<beginning_t<R>, beginning_t<const R>>) {
    return true;
  } else {
    return points_to_const<beginning_t<R>> && !declares_reference<R>;
  }
}

// True for a standard view whose iterators may refer to the view itself: std::views::transform.
template <class R>
inline constexpr bool has_bound_iterators = std::ranges::enable_view<R> && !has_data<R>;

// True if the elements of a range outlive the call: it has a name, or only refers to its elements.
// A class that looks like an owner sets std::ranges::enable_borrowed_range.
template <class R, class Plain = std::remove_cvref_t<R>>
inline constexpr bool outlives_call =
    std::is_lvalue_reference_v<R> || view<Plain> || std::ranges::enable_borrowed_range<Plain> ||
    (std::is_trivially_copyable_v<Plain> && !owns_elements<Plain>() && !has_bound_iterators<Plain>);

template <class Out>
constexpr bool check_lasting_output() {
  constexpr bool lasts = outlives_call<Out>;
  static_assert(lasts,
                "warpfold: the output is a temporary container, which is destroyed when the call "
                "returns; give the container a name");
  return lasts;
}
template <class Out, bool IsWritable>
constexpr bool check_writable_output() {
  static_assert(IsWritable,
                "warpfold: the output's elements are const or volatile; pass an output that can "
                "be written");
  if constexpr (IsWritable) {
    return check_lasting_output<Out>();
  } else {
    return false;
  }
}

// The check of a function that returns a view of the ranges that it is given.
#define WARPFOLD_REQUIRE_LASTING(call, ...)                                                \
  static_assert(                                                                           \
      detail::all_outlive_call<__VA_ARGS__>,                                               \
      "warpfold: " call                                                                    \
      " would refer to a temporary container that is gone when the call returns; give "    \
      "the container a name, or set std::ranges::enable_borrowed_range for it if it only " \
      "refers to its elements")

template <class... Ranges>
inline constexpr bool all_outlive_call = (outlives_call<Ranges> && ...);

// A container with a member `view()`: wf::soa.
template <class R>
concept has_view = requires(const R& r) {
  { r.view() } -> warpfold::view;
};

template <class It>
concept random_access = (std::is_pointer_v<It> && loadable<It>) || requires(It i) {
  requires !std::is_pointer_v<It>;
  requires !std::is_void_v<typename std::iterator_traits<It>::value_type>;
  typename std::iterator_traits<It>::value_type;
  typename std::iterator_traits<It>::difference_type;
  requires !std::is_volatile_v<std::remove_reference_t<decltype(i[0])>>;
  { i - i } -> std::convertible_to<std::ptrdiff_t>;
};

// A function of its own: the pieces of a message are in memory.
[[noreturn]] __attribute__((cold, noinline)) inline void refuse_size(std::size_t size,
                                                                     std::size_t element_bytes) {
  throw_error<invalid_range>("warpfold: a range of ", size, " elements of ", element_bytes,
                             " bytes is larger than the address space; check its size");
}
inline void require_addressable(std::size_t size, std::size_t element_bytes) {
  if (size > static_cast<std::size_t>(-1) / 2 / element_bytes) refuse_size(size, element_bytes);
}

// A raw pointer, or a class for one (device_ptr), to elements that can be loaded.
template <class Pointer>
concept element_pointer_like = (std::is_pointer_v<Pointer> && loadable<Pointer>) ||
                               (pointer_class<Pointer> && random_access<Pointer>);

template <class Number>
concept element_count = std::integral<Number> && !std::same_as<Number, bool>;

}  // namespace detail

/// Specialize this for an iterator of another library, with a static function
/// `convert(first, size)` that returns a view with wide loads. `warpfold/drop_in.hpp` does so for
/// Thrust's transform and counting iterators.
template <class It>
struct adopted_iterator;

/// An iterator that can be reduced: any random-access iterator.
template <class It>
concept reducible_iterator = detail::random_access<It>;

/// A range that can be reduced:
///
/// - a view, or a container whose member `view()` returns a view;
/// - a range with `data()` and `size()`: `std::span`, `cuda::std::span`, `std::vector`,
///   `thrust::device_vector`, `device_buffer`;
/// - a C array, or a range with random-access iterators;
/// - an mdspan of rank 0 to 8, which `elements` converts.
///
/// Elements are neither volatile nor arrays.
template <class R>
concept reducible_range =
    view<std::remove_cvref_t<R>> || detail::has_view<R> || detail::sized_data<R> ||
    detail::mdspan_like<std::remove_cvref_t<R>> || requires(const R& r) {
      requires detail::random_access<std::remove_cvref_t<decltype(std::begin(r))>>;
      requires std::same_as<decltype(std::begin(r)), decltype(std::end(r))>;
    };

/// Returns a view of the elements in [first, last). Contiguous iterators become raw pointers, so a
/// container's iterators cost the same as its data pointer.
/// @param first,last random-access iterators of one type
/// @throws invalid_range if `last` is before `first`
template <reducible_iterator It>
auto as_view(It first, It last) {
  const auto n = last - first;
  if (n < 0) {
    throw_error<invalid_range>("warpfold: the range's last iterator is ",
                               -static_cast<long long>(n),
                               " elements before its first; swap the iterators");
  }
  const auto size = static_cast<std::size_t>(n);
  if constexpr (requires { adopted_iterator<It>::convert(first, size); }) {
    return adopted_iterator<It>::convert(first, size);
  } else if constexpr (detail::unwrappable<It>) {
    auto data = detail::raw_pointer(first);
    return contiguous_view<std::remove_pointer_t<decltype(data)>>(data, size);
  } else {
    return iterator_view<It>(first, size);
  }
}

/// Returns a view of `count` elements, starting at `pointer`.
/// @param pointer a pointer, or a `thrust::device_ptr`; may be null if `count` is 0
/// @param count of any integer type
/// @throws invalid_range if `count` is negative, or if its size in bytes exceeds the address space
template <detail::element_pointer_like Pointer, detail::element_count Count>
auto as_view(Pointer pointer, Count count) {
  auto data = detail::raw_pointer(pointer);
  using T = std::remove_pointer_t<decltype(data)>;
  if constexpr (std::signed_integral<Count>) {
    if (count < 0) {
      throw_error<invalid_range>("warpfold: the number of elements after the pointer is ",
                                 static_cast<long long>(count), "; pass 0 or more");
    }
  }
  const auto size = static_cast<std::size_t>(count);
  detail::require_addressable(size, sizeof(T));
  return contiguous_view<T>(data, size);
}

/// Returns a view of `range`; returns a view unchanged.
/// @param range must outlive the use of the view
/// @throws invalid_range if its size in bytes exceeds the address space
template <class R>
  requires reducible_range<R>
auto as_view(const R& range) {
  if constexpr (view<R>) {
    return range;
  } else if constexpr (detail::has_view<R>) {
    return range.view();
  } else if constexpr (detail::mdspan_like<R>) {
    return elements(range);
  } else if constexpr (detail::sized_data<R>) {
    auto data = detail::raw_pointer(std::data(range));
    const auto size = static_cast<std::size_t>(std::size(range));
    detail::require_addressable(size, sizeof(*data));
    return contiguous_view<std::remove_pointer_t<decltype(data)>>(data, size);
  } else {
    return as_view(std::begin(range), std::end(range));
  }
}

namespace detail {

// True if a `First` begins a range that a `Last` ends. A C array is a second range.
template <class First, class Last>
concept ends = reducible_iterator<First> && std::same_as<First, Last>;

// True if two arguments delimit a range: iterators of one type, or a pointer and a count.
template <class First, class Last>
concept delimit = ends<First, Last> || (element_pointer_like<First> && element_count<Last>);

// True if three arguments delimit two ranges of one size: first1, last1, first2 as in the standard
// library; pointer1, pointer2, count; or pointer1, count, pointer2. `B` may be an array.
template <class A, class B, class C>
concept delimit_two =
    (delimit<A, B> && reducible_iterator<C>) ||
    (element_pointer_like<A> && element_pointer_like<std::decay_t<B>> && element_count<C>);

template <class A, class B, class C, class Then>
auto with_two(A a, B b, C c, const Then& then) {
  if constexpr (element_count<C>) {
    return then(as_view(a, c), as_view(b, c));
  } else {
    const auto first = as_view(a, b);
    const auto n = static_cast<typename std::iterator_traits<C>::difference_type>(first.size());
    return then(first, as_view(c, c + n));
  }
}

}  // namespace detail

/// The view type of a range.
template <class R>
using view_of_t = decltype(as_view(std::declval<const R&>()));

}  // namespace warpfold
