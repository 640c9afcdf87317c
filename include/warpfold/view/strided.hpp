/// @file
/// `strided(range, step, offset)`: every `step`-th element of a range. Also outputs with strides.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>

#include <warpfold/core/error.hpp>
#include <warpfold/view/as_view.hpp>
#include <warpfold/view/layout.hpp>
#include <warpfold/view/mdspan.hpp>
#include <warpfold/view/output.hpp>
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
  void visit_memory(auto&& visit) const {
    contiguous_view<T>(data_, size_ == 0 ? 0 : (size_ - 1) * step_ + 1).visit_memory(visit);
  }

 private:
  const T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t step_ = 1;
};

/// Every `step`-th element of another view; `strided` makes one of views that are not arrays.
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
  WARPFOLD_ANY_SIDE WARPFOLD_HD value_type operator[](std::size_t i) const {
    return static_cast<value_type>(base_[offset_ + i * step_]);
  }
  WARPFOLD_ANY_SIDE inline WARPFOLD_HD value_type at(std::size_t i, const auto& loads) const {
    return base_.at(offset_ + i * step_, loads);
  }

  void visit_memory(auto&& visit) const { base_.visit_memory(visit); }

#if defined(__CUDACC__)
  WARPFOLD_DEVICE void name_user_functions() const {
    if constexpr (detail::names_functions<decltype(base_)>) base_.name_user_functions();
  }
#endif

 private:
  View base_;
  std::size_t size_;
  std::size_t step_;
  std::size_t offset_;
};

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
  WARPFOLD_REQUIRE_LASTING("strided", Range);
  using base = view_of_t<Range>;
  static_assert(!detail::has_size_in_memory<base>,
                "warpfold: strided was given a counted range; call counted last: "
                "counted(strided(range, step), count)");
  if (step == 0) {
    throw_error<invalid_range>(
        "warpfold: strided was given a step of 0; pass the number of elements from one to the "
        "next, at least 1");
  }
  if (static_cast<std::ptrdiff_t>(step) < 0 || static_cast<std::ptrdiff_t>(offset) < 0) {
    throw_error<invalid_range>(
        "warpfold: strided was given a negative step or offset, ", static_cast<long long>(step),
        " and ", static_cast<long long>(offset),
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

/// Writable elements, numbered along `dims`: the first dimension varies fastest. A chunk within one
/// line (the elements along the first dimension) is stored in words if it is contiguous and
/// aligned; others element by element.
template <class T>
class strided_output {
 public:
  using value_type = T;

  static constexpr int chunk_size = detail::elements_per_chunk(sizeof(T));
  using chunk_type = chunk<T, chunk_size>;

  strided_output(T* data, const detail::array_shape& shape)
      : data_(data),
        dims_(detail::in_order_of<1>(shape, &shape)),
        size_(shape.count()),
        span_(shape.span()) {}

  WARPFOLD_HD std::size_t size() const { return size_; }
  /// The first element, the dimensions, and the elements from the first to the last.
  WARPFOLD_HD T* data() const { return data_; }
  WARPFOLD_HD const array_dimensions<1>& dimensions() const { return dims_; }
  WARPFOLD_HD std::size_t span() const { return span_; }
  WARPFOLD_HD std::size_t head() const {
    return dims_.is_contiguous(0) ? contiguous_view<T>(data_, size_).head() : any_head;
  }

  WARPFOLD_HD void set(chunk_type& c, int k, const T& value) const { c.set(k, value); }

  inline WARPFOLD_HD void store(const chunk_type& c, std::size_t i, const auto& stores) const {
    dims_.for_lines(i, chunk_size, [&](const array_offsets<1>& at, int first, int last) {
      const std::size_t step = dims_.dims[0].stride[0];
      T* const to = data_ + at.of[0];
      if constexpr (chunk_type::fills_words) {
        if (step == 1 && first == 0 && last == chunk_size && detail::at_word(to)) {
          detail::store_words(to, c, stores);
          return;
        }
      }
      WARPFOLD_UNROLL
      for (int k = 0; k < chunk_size; ++k) {
        if (k < first || k >= last) continue;
        stores.store(to + static_cast<unsigned>(k - first) * step, c.elements[k]);
      }
    });
  }

  inline WARPFOLD_HD void store_at(std::size_t i, const T& value, const auto& stores) const {
    stores.store(data_ + dims_.place(i).of[0], value);
  }

  // --- lines, for kernel/elementwise/lines.hpp; as those of expression_view ---

  std::size_t line_size() const { return dims_.dims[0].extent; }
  template <int Size>
  bool has_words_in_lines(std::size_t line_size) const {
    return detail::has_words<Size>(static_cast<const T*>(data_), dims_, 0, line_size);
  }
  WARPFOLD_HD std::size_t line_start(std::size_t number, std::size_t line_size) const {
    return dims_.line_start(number, line_size).of[0];
  }
  /// Stores chunk `number` of the line that starts at offset `start`.
  template <int Size, class Stores>
  WARPFOLD_HD void store_in_line(const chunk<T, Size>& c, std::size_t start, std::size_t number,
                                 const Stores& stores) const {
    if constexpr (Size > 1 && chunk<T, Size>::fills_words) {
      detail::store_words(data_ + start + number * Size, c, stores);
    } else {
      stores.store(data_ + start + number * dims_.dims[0].stride[0], c.elements[0]);
    }
  }

  /// Element `i`, which a call that combines results with it reads.
  WARPFOLD_HD const T& operator[](std::size_t i) const { return data_[dims_.place(i).of[0]]; }

  void visit_memory(auto&& f) const {
    f(static_cast<const void*>(data_), span_ * sizeof(T), alignof(T));
  }
  /// As for expression_view.
  void visit_arrays(auto&& f) const {
    f(static_cast<const void*>(data_), span_ * sizeof(T), dims_.is_contiguous(0) ? sizeof(T) : 0);
  }

 private:
  T* data_;
  array_dimensions<1> dims_;
  std::size_t size_;
  std::size_t span_;  // not dims_.span(0): GCC then warns of uninitialized dims_ at -Og
};

namespace detail {

// The checks of an mdspan that is written.
template <mdspan_like Out>
constexpr bool check_array_output() {
  constexpr bool plain = has_plain_accessor<Out>;
  static_assert(plain,
                "warpfold: the output's accessor is not default_accessor, and the call would not "
                "use it; use default_accessor");
  constexpr bool strided = Out::is_always_strided();
  static_assert(strided,
                "warpfold: the output's layout has no strides; use layout_right, layout_left or "
                "layout_stride");
  using element_type = typename Out::element_type;
  constexpr bool writable = std::is_same_v<element_type, std::remove_cv_t<element_type>>;
  static_assert(writable,
                "warpfold: the output's elements are const or volatile; pass an output that can "
                "be written");
  return plain && strided && writable;
}

// The shape of an output with `extents`: that of the mdspan, or rows without gaps of a container.
// @param expected the subject and the verb of the extents, for messages
// @throws invalid_range if the output has other extents, or elements may share an address
template <class Out>
array_shape shape_of_output(const Out& out, const array_shape& extents, const char* expected) {
  if constexpr (mdspan_like<Out>) {
    const array_shape shape = shape_of(out);
    shape.require_countable("an output", sizeof(typename Out::element_type));
    for (int d = 0; d < extents.rank; ++d) {
      if (shape.extent[d] == extents.extent[d]) continue;
      throw_error<invalid_range>("warpfold: the output has an extent of ", shape.extent[d],
                                 " in dimension ", d, ", but ", expected, " ", extents.extent[d],
                                 "; pass an output of the same extents in their order");
    }
    shape.require_nested();
    return shape;
  } else {
    if (std::size(out) != extents.count()) {
      throw_error<invalid_range>("warpfold: the output has ", std::size(out), " elements, but ",
                                 expected, " ", extents.count(),
                                 "; pass an output of that many elements, or an mdspan");
    }
    return extents.row_major();
  }
}
template <class Out>
auto data_of_output(Out& out) {
  if constexpr (mdspan_like<std::remove_cv_t<Out>>) {
    return out.data_handle();
  } else {
    return element_pointer(out);
  }
}

}  // namespace detail

}  // namespace warpfold
