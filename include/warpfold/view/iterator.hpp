/// @file
/// Converts random-access iterators to views, and views to iterators for other libraries.
#pragma once

#include <compare>
#include <span>  // for the iterator traits; see as_view.hpp

#include <warpfold/view/concept.hpp>

namespace warpfold {

/// `size` elements from a random-access iterator that hides its memory. They are read one at a
/// time; prefer `project`, `zip` and `counting`, which keep wide loads.
template <class Iterator>
class iterator_view : public element_loads<iterator_view<Iterator>,
                                           typename std::iterator_traits<Iterator>::value_type> {
 public:
  using value_type = typename std::iterator_traits<Iterator>::value_type;
  static constexpr bool computes_elements =
      !std::is_lvalue_reference_v<typename std::iterator_traits<Iterator>::reference>;

  WARPFOLD_ANY_SIDE
  WARPFOLD_HD iterator_view(Iterator first, std::size_t size) : first_(first), size_(size) {}

  WARPFOLD_HD std::size_t size() const { return size_; }

  WARPFOLD_ANY_SIDE WARPFOLD_HD value_type operator[](std::size_t i) const {
    return static_cast<value_type>(
        first_[static_cast<typename std::iterator_traits<Iterator>::difference_type>(i)]);
  }

#if defined(__CUDACC__)
  WARPFOLD_DEVICE void name_user_functions() const { (void)static_cast<value_type>(first_[0]); }
#endif

  /// The memory behind the iterator is unknown, so nothing can be checked.
  void visit_memory(auto&&) const {}

  WARPFOLD_ANY_SIDE WARPFOLD_HD Iterator base() const { return first_; }

 private:
  Iterator first_;
  std::size_t size_;
};

/// A random-access iterator over a view, for CUB, Thrust and the standard library.
template <class View>
class view_iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = typename View::value_type;
  using difference_type = std::ptrdiff_t;
  using pointer = const value_type*;
  using reference = value_type;

  // Constrained: not all views have a default constructor, and libraries test for one.
  view_iterator()
    requires std::default_initializable<View>
  = default;
  WARPFOLD_HD view_iterator(View view, difference_type at) : view_(view), at_(at) {}

  WARPFOLD_HD value_type operator*() const { return view_[static_cast<std::size_t>(at_)]; }
  WARPFOLD_HD value_type operator[](difference_type n) const { return *(*this + n); }

  WARPFOLD_HD view_iterator& operator+=(difference_type n) {
    at_ += n;
    return *this;
  }
  WARPFOLD_HD view_iterator& operator-=(difference_type n) { return *this += -n; }
  WARPFOLD_HD view_iterator& operator++() { return *this += 1; }
  WARPFOLD_HD view_iterator& operator--() { return *this += -1; }
  WARPFOLD_HD view_iterator operator++(int) {
    const view_iterator before = *this;
    ++*this;
    return before;
  }
  WARPFOLD_HD view_iterator operator--(int) {
    const view_iterator before = *this;
    --*this;
    return before;
  }
  friend WARPFOLD_HD view_iterator operator+(view_iterator i, difference_type n) { return i += n; }
  friend WARPFOLD_HD view_iterator operator+(difference_type n, view_iterator i) { return i += n; }
  friend WARPFOLD_HD view_iterator operator-(view_iterator i, difference_type n) { return i -= n; }
  friend WARPFOLD_HD difference_type operator-(const view_iterator& a, const view_iterator& b) {
    return a.at_ - b.at_;
  }
  friend WARPFOLD_HD bool operator==(const view_iterator& a, const view_iterator& b) {
    return a.at_ == b.at_;
  }
  friend WARPFOLD_HD auto operator<=>(const view_iterator& a, const view_iterator& b) {
    return a.at_ <=> b.at_;
  }

 private:
  View view_{};
  difference_type at_ = 0;
};

/// The cheapest iterator to the first element: a raw pointer if the elements are contiguous.
template <view View>
WARPFOLD_HD auto begin_of(const View& view) {
  if constexpr (requires { requires View::is_contiguous; }) {
    return view.data();
  } else {
    return view_iterator<View>(view, 0);
  }
}
template <class Iterator>
WARPFOLD_HD Iterator begin_of(const iterator_view<Iterator>& view) {
  return view.base();
}

}  // namespace warpfold
