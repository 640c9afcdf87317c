/// @file
/// `staged(range)`: elements that kernels copy through shared memory.
#pragma once

#include <warpfold/view/as_view.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/view/range_check.hpp>

namespace warpfold {

/// The elements of `View`, which kernels should copy to shared memory with wide loads and read from
/// there (kernel/staged.hpp). Other kernels and host threads read them directly.
template <view View>
class staged_view : public View {
 public:
  static constexpr bool prefers_staging = true;

  WARPFOLD_HD explicit staged_view(const View& base) : View(base) {}
};

/// Contiguous writable elements with the same request: a view and an output view.
template <class T>
class staged_range : public staged_view<contiguous_view<T>> {
  using base = staged_view<contiguous_view<T>>;

 public:
  using typename base::chunk_type;

  WARPFOLD_HD staged_range(T* data, std::size_t size) : base(contiguous_view<T>(data, size)) {}

  WARPFOLD_HD void set(chunk_type& c, int k, const T& value) const { output().set(c, k, value); }
  inline WARPFOLD_HD void store(const chunk_type& c, std::size_t i, const auto& stores) const {
    output().store(c, i, stores);
  }
  inline WARPFOLD_HD void store_at(std::size_t i, const T& value, const auto& stores) const {
    output().store_at(i, value, stores);
  }

 private:
  WARPFOLD_HD contiguous_output<T> output() const {
    // the constructor took a non-const pointer
    return {const_cast<T*>(this->data()), this->size()};
  }
};

/// Returns a view of `range` that kernels stage through shared memory. Use it for elements of 12,
/// 20, 28, 36, 50 bytes and the like, whose direct loads leave gaps between the lanes of a warp.
///
/// `wf::device` stages reductions automatically where that is faster (kernel/automatic.hpp). To
/// prevent it, choose a kernel: `wf::device.with_kernel(wf::kernel::single_pass<>{})`.
///
/// @param range trivially copyable elements; any view with known arrays. Must outlive the view
/// @return a view; for a writable span or container also an output: `wf::transform(wf::device,
///     wf::staged(in), wf::staged(out), f)`. Nothing is stored
template <class Range>
  requires reducible_range<Range>
auto staged(Range&& range) {
  WARPFOLD_REQUIRE_LASTING("staged", Range);
  if constexpr (detail::is_plain_output<Range>) {
    auto* const data = detail::element_pointer(range);
    return staged_range<std::remove_pointer_t<decltype(detail::element_pointer(range))>>(
        data, std::size(range));
  } else {
    return staged_view<view_of_t<Range>>(as_view(range));
  }
}

// Misuse of the above is one error; see view/range_check.hpp.
template <class Range = detail::braces>
  requires(!reducible_range<Range>)
auto staged(const Range&) {
  return detail::refuse_ranges<Range>();
}

}  // namespace warpfold
