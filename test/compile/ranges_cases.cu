// Wrong uses of ranges, as nvcc sees them.
// alone
#include <list>
#include <string>
#include <vector>

#include <warpfold/policy/devices.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/sum.hpp>

#include "compile/any_mdspan.hpp"

// expect: the range is a braced list, or missing; name the elements
// lines: 12
// Numbers in braces, as nvcc sees them.
namespace braces {
auto total() { return warpfold::reduce(warpfold::device, {1, 2, 3}, warpfold::plus{}); }
}  // namespace braces

// expect: a policy of several GPUs folds shards along an axis; pass
// Each GPU folds a shard along the axis.
namespace devices_axis_without_shards {
void call(any_mdspan<float, 2> m, any_mdspan<float, 1> out) {
  warpfold::reduce_axis<0>(warpfold::across(warpfold::devices{0}), m, warpfold::plus{}, out);
}
}  // namespace devices_axis_without_shards

// expect: copy it into a std::vector
// lines: 12
// A list, as nvcc sees it.
namespace list {
auto total(const std::list<float>& v) { return warpfold::sum(warpfold::device, v); }
}  // namespace list

// expect: pass std::span\(pointer, size\), or the number of elements
// lines: 12
// A pointer without a size, as nvcc sees it.
namespace pointer {
auto total(const float* p) { return warpfold::reduce(warpfold::device, p); }
}  // namespace pointer

// expect: not trivially copyable.*wf::seq or wf::par
// Elements that a kernel loads must be trivially copyable, even if their projection is.
namespace projection_of_strings_on_device {
struct size_of {
  __host__ __device__ std::size_t operator()(const std::string&) const { return 1; }
};

auto call(const std::vector<std::string>& v) {
  return warpfold::reduce(warpfold::device, warpfold::project(v, size_of{}), warpfold::plus{});
}
}  // namespace projection_of_strings_on_device
