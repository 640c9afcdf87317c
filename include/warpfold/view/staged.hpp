/// @file
/// A range whose elements are to go through shared memory.
#pragma once

#include <warpfold/view/as_view.hpp>

namespace warpfold {

/// The elements of `View`, with the wish that a kernel copies them flat and wide into shared memory and reads
/// them from there (kernel/staged.hpp). A kernel that does not, and host threads, read them where they are.
template <view View>
class staged_view : public View {
 public:
  static constexpr bool prefers_staging = true;

  WARPFOLD_HD explicit staged_view(const View& base) : View(base) {}
};

static_assert(view<staged_view<contiguous_view<float>>>);

/// `range`, staged: for elements of 12, 20, 28, 36, 50 bytes and the like, whose direct loads leave gaps between
/// the lanes of a warp. Elements of any trivially copyable type; any view whose arrays are known. Nothing is
/// stored. `wf::device` does so by itself where that is the faster (kernel/automatic.hpp); to refuse it, name a
/// kernel: `wf::device.with_kernel(wf::kernel::single_pass<>{})`.
template <class Range>
  requires reducible_range<Range>
auto staged(Range&& range) {
  static_assert(detail::outlives_call<Range>,
                "warpfold: staged would refer to a temporary container that is gone when the call "
                "returns; give the container a name");
  return staged_view<view_of_t<Range>>(as_view(range));
}

}  // namespace warpfold
