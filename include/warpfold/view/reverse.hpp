/// @file
/// `reverse(range)`: the elements of a range from the last to the first, with its loads.
#pragma once

#include <warpfold/view/as_view.hpp>
#include <warpfold/view/range_check.hpp>

namespace warpfold {

/// The elements of `View` from the last to the first. Chunks are those of `View`, with the same
/// width and alignment; the elements of a loaded chunk are taken from its end.
template <view View>
class reverse_view : public detail::view_over<View> {
  using base_type = detail::view_over<View>;
  using base_type::base_;

 public:
  using value_type = typename View::value_type;

  using base_type::chunk_size, base_type::size;
  using chunk_type = typename View::chunk_type;

  WARPFOLD_ANY_SIDE WARPFOLD_HD explicit reverse_view(View base) : base_type(base) {}

  WARPFOLD_HD const View& base() const { return base_; }
  WARPFOLD_ANY_SIDE WARPFOLD_HD value_type operator[](std::size_t i) const {
    return static_cast<value_type>(base_[size() - 1 - i]);
  }

  /// The elements after the last whole chunk of the underlying view.
  WARPFOLD_HD std::size_t head() const {
    const std::size_t head = base_.head();
    if (head == any_head) return any_head;
    constexpr std::size_t length = chunk_size;
    return (size() % length + length - head) % length;
  }

  WARPFOLD_ANY_SIDE inline WARPFOLD_HD value_type at(std::size_t i, const auto& loads) const {
    return base_.at(size() - 1 - i, loads);
  }
  inline WARPFOLD_HD void load(chunk_type& c, std::size_t i, const auto& loads) const {
    base_.load(c, first_of(i), loads);
  }
  inline WARPFOLD_HD void load_anywhere(chunk_type& c, std::size_t i, const auto& loads) const {
    base_.load_anywhere(c, first_of(i), loads);
  }
  WARPFOLD_ANY_SIDE WARPFOLD_HD value_type get(const chunk_type& c, int k) const {
    return base_.get(c, chunk_size - 1 - k);
  }

 private:
  // The first element, in the underlying view, of the chunk that begins at element `i` of this one.
  WARPFOLD_HD std::size_t first_of(std::size_t i) const {
    return size() - i - static_cast<std::size_t>(chunk_size);
  }
};

/// Returns a view of the elements of `range` from the last to the first.
///
/// It matters where the order does: for ops that are not commutative, for the index of `argmin`,
/// and beside other ranges in `zip`. The index counts from the end; of equal elements of `range` it
/// is that of the last.
///
/// @param range must outlive the view
/// @return a view with the loads of `range`; nothing is stored
///
/// ```cpp
/// std::vector<int> v{1, 2, 3};
/// auto last = wf::reverse(v)[0];  // 3
/// ```
template <class Range>
  requires reducible_range<Range>
auto reverse(Range&& range) {
  WARPFOLD_REQUIRE_LASTING("reverse", Range);
  return reverse_view<view_of_t<Range>>(as_view(range));
}

// Misuse of the above is one error; see view/range_check.hpp.
template <class Range = detail::braces>
  requires(!reducible_range<Range>)
auto reverse(const Range&) {
  return detail::refuse_ranges<Range>();
}

}  // namespace warpfold
