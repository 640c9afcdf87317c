// A kernel that cannot read the size of a range.
// expect: this kernel cannot read the size of a counted range
// errors: 1
#include <span>

#include <warpfold/kernel/ladder/grid_stride.hpp>
#include <warpfold/reduce.hpp>

long long call(std::span<const int> v, const int* count) {
  return warpfold::reduce(warpfold::device.with_kernel(warpfold::kernel::grid_stride<>{}),
                          warpfold::counted(v, count), warpfold::plus{});
}
