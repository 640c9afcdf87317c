/// @file
/// `strided(range, step, offset)`: every `step`-th element of a range.
#pragma once

#include <warpfold/core/error.hpp>
#include <warpfold/view/as_view.hpp>
#include <warpfold/view/range_check.hpp>

namespace warpfold {

/// `size` elements of type `T`, `step` elements apart, the first at `data`.
///
/// A thread loads one element at a time, so that neighboring lanes load neighboring elements. The
/// memory transfers whole 32-byte sectors. If the elements are less than 32 bytes apart, it
/// transfers the whole range; otherwise one sector or more for each element.
template <class T>
class strided_view : public element_loads<strided_view<T>, std::remove_cv_t<T>> {
 public:
  static constexpr bool tells_memory = true;
  static constexpr bool computes_elements = false;

  strided_view() = default;
  WARPFOLD_HD constexpr strided_view(const T* data, std::size_t size, std::size_t step)
      : data_(data), size_(size), step_(step) {}

  WARPFOLD_HD constexpr std::size_t size() const { return size_; }
  WARPFOLD_HD constexpr std::size_t step() const { return step_; }
  WARPFOLD_HD constexpr const T& operator[](std::size_t i) const { return data_[i * step_]; }

  /// Visits all memory from the first element to the last, including gaps.
  template <class Visitor>
  void visit_memory(Visitor&& visit) const {
    contiguous_view<T>(data_, size_ == 0 ? 0 : (size_ - 1) * step_ + 1).visit_memory(visit);
  }

 private:
  const T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t step_ = 1;
};

static_assert(view<strided_view<float>>);

/// The elements `offset`, `offset + step`, ... of another view; `strided` makes one if that view is
/// not a contiguous array.
template <view View>
class every_step_view : public element_loads<every_step_view<View>, typename View::value_type> {
 public:
  using value_type = typename View::value_type;
  static constexpr bool tells_memory = tells_memory_v<View>;
  static constexpr bool computes_elements = detail::computes_elements<View>();
  static constexpr bool has_unknown_cost = detail::has_unknown_cost<View>();

  WARPFOLD_ANY_SIDE
  WARPFOLD_HD every_step_view(View base, std::size_t size, std::size_t step, std::size_t offset)
      : base_(base), size_(size), step_(step), offset_(offset) {}

  WARPFOLD_HD std::size_t size() const { return size_; }
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD value_type operator[](std::size_t i) const {
    return static_cast<value_type>(base_[offset_ + i * step_]);
  }
  WARPFOLD_ANY_SIDE
  template <class Loads>
  WARPFOLD_HD value_type at(std::size_t i, const Loads& loads) const {
    return base_.at(offset_ + i * step_, loads);
  }
  WARPFOLD_ANY_SIDE
  template <class Loads>
  WARPFOLD_HD void load(chunk<value_type, 1>& c, std::size_t i, const Loads& loads) const {
    ::new (static_cast<void*>(&c.elements[0])) value_type(at(i, loads));
  }
  WARPFOLD_ANY_SIDE
  template <class Loads>
  WARPFOLD_HD void load_anywhere(chunk<value_type, 1>& c, std::size_t i, const Loads& loads) const {
    load(c, i, loads);
  }

  /// Visits all memory of the base.
  template <class Visitor>
  void visit_memory(Visitor&& visit) const {
    base_.visit_memory(visit);
  }

#if defined(__CUDACC__)
  /// See kernel/body.hpp.
  WARPFOLD_DEVICE void name_user_functions() const {
    if constexpr (requires { base_.name_user_functions(); }) base_.name_user_functions();
  }
#endif

 private:
  View base_;
  std::size_t size_;
  std::size_t step_;
  std::size_t offset_;
};

static_assert(view<every_step_view<strided_view<float>>>);

/// Returns a view of the elements `offset`, `offset + step`, `offset + 2 * step`, ... of `range`.
///
/// An index, for example that of `argmin`, counts the elements of the view.
///
/// @param range must outlive the view
/// @param step elements from one to the next; at least 1
/// @param offset index of the first; if it is not below the size of `range`, the view is empty
/// @return the view; nothing is stored
///
/// Cost: one load per element. Gaps shorter than a 32-byte sector are transferred, too.
/// @throws invalid_range if `step` is 0
///
/// ```cpp
/// std::vector<int> v{1, 2, 3, 4, 5};
/// auto odd = wf::sum(wf::seq, wf::strided(v, 2));  // 1 + 3 + 5
/// auto even = wf::sum(wf::seq, wf::strided(v, 2, 1));  // 2 + 4
/// ```
template <class Range>
  requires reducible_range<Range>
auto strided(Range&& range, std::size_t step, std::size_t offset = 0) {
  static_assert(
      detail::outlives_call<Range>,
      "warpfold: strided would refer to a temporary container that is gone when the call "
      "returns; give the container a name, or set std::ranges::enable_borrowed_range for it "
      "if it only refers to its elements");
  using base = view_of_t<Range>;
  static_assert(!detail::has_size_in_memory<base>,
                "warpfold: strided was given a counted range; call counted last: "
                "counted(strided(range, step), count)");
  if (step == 0) {
    throw invalid_range(
        "warpfold: strided was given a step of 0; pass the number of elements from one to the "
        "next, at least 1");
  }
  if (static_cast<std::ptrdiff_t>(step) < 0 || static_cast<std::ptrdiff_t>(offset) < 0) {
    throw invalid_range("warpfold: strided was given a negative step or offset, ",
                        static_cast<long long>(step), " and ", static_cast<long long>(offset),
                        "; for elements from the end, call strided(wf::reverse(range), step)");
  }
  const auto all = as_view(range);
  const std::size_t n = all.size();
  const std::size_t size = offset < n ? (n - offset - 1) / step + 1 : 0;
  if constexpr (requires { requires base::is_contiguous; }) {
    using T = std::remove_reference_t<decltype(*all.data())>;
    return strided_view<T>(size == 0 ? all.data() : all.data() + offset, size, step);
  } else {
    return every_step_view<base>(all, size, step, offset);
  }
}

// Misuse of the above is one error; see view/range_check.hpp.
template <class Range = detail::braces>
  requires(!reducible_range<Range>)
auto strided(const Range&, std::size_t = 1, std::size_t = 0) {
  return detail::refuse_ranges<Range>();
}

}  // namespace warpfold
