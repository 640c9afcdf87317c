/// @file
/// A list of ranges: the ranges of `reduce_many`.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <warpfold/view/as_view.hpp>
#include <warpfold/view/contiguous.hpp>
#include <warpfold/view/range_check.hpp>

namespace warpfold {

/// The ranges in `List`, a view of them, as views of contiguous elements. It reads the list each
/// time, so the list must live until the call returns.
template <class List>
class range_list {
  using range_type = std::remove_cvref_t<decltype(std::declval<const List&>()[0])>;

 public:
  using value_type = typename view_of_t<range_type>::value_type;
  using view_type = contiguous_view<value_type>;
  static constexpr bool are_adjacent = false;  // as segments, see view/segments.hpp
  /// True if only the policy reads the list (view/ranges_at.hpp), perhaps on a GPU.
  static constexpr bool is_read_by_policy = requires { requires List::is_read_by_policy; };

  explicit range_list(const List& list) : list_(list) {}

  const List& view() const { return list_; }
  std::size_t size() const { return list_.size(); }
  /// Range `r`.
  /// @throws invalid_range if its size in bytes exceeds the address space
  view_type operator[](std::size_t r) const {
    const auto view = as_view(list_[r]);
    return view_type(view.data(), view.size());
  }

  /// Range `r` as a segment of its own elements.
  std::size_t begin(std::size_t) const { return 0; }
  std::size_t end(std::size_t r) const { return (*this)[r].size(); }

 private:
  List list_;
};

namespace detail {

// True if the elements of `R` can be read through a pointer to its element type.
template <class R>
concept contiguous_elements = requires(const view_of_t<R>& v) {
  requires view_of_t<R>::is_contiguous;
  requires std::is_convertible_v<decltype(v.data()), const typename view_of_t<R>::value_type*>;
};

/// True if `Ranges` is a list of ranges with contiguous elements; otherwise reports an error.
template <class Ranges>
constexpr bool check_range_list() {
  using list = view_of_t<Ranges>;
  using given = decltype(std::declval<const list&>()[0]);
  using range = std::remove_cvref_t<given>;
  if constexpr (!reducible_range<range>) {
    static_assert(never<range>,
                  "warpfold: reduce_many takes a list of ranges, but the list's elements are not "
                  "ranges; pass a std::vector or std::array of spans, or {span, span}");
    return false;
  } else {
    constexpr bool contiguous = contiguous_elements<range>;
    static_assert(contiguous,
                  "warpfold: the ranges of a list have no contiguous elements in memory; pass "
                  "spans, or containers with data(), and compute in an op with lift(x)");
    constexpr bool stay = std::is_reference_v<given> || outlives_call<range>;
    static_assert(stay || !contiguous,
                  "warpfold: reading this list makes copies of its containers, which are gone when "
                  "their elements are read; pass a list of spans, or a std::vector of containers");
    return contiguous && stay;
  }
}

/// True if the ranges of a braced list only refer to their elements; otherwise reports an error.
template <class Range>
constexpr bool check_braced_ranges() {
  constexpr bool refers = outlives_call<Range>;
  static_assert(refers,
                "warpfold: a braced list copies its containers; pass spans of them, "
                "{std::span(a), std::span(b)}, or a std::vector of the containers");
  return refers;
}

}  // namespace detail

}  // namespace warpfold
