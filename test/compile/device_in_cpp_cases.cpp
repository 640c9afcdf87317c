// Wrong uses of wf::device in a .cpp file.
#include <vector>

#include <warpfold/reduce.hpp>
#include <warpfold/transform.hpp>

// expect: this file is not compiled by nvcc
// Likewise reduce_async.
namespace device_async_in_cpp {
void sum(const std::vector<float>& v, float* out) {
  warpfold::reduce_async(warpfold::device, v, warpfold::plus{}, out);
}
}  // namespace device_async_in_cpp

// expect: this file is not compiled by nvcc
// wf::device in a file for the host compiler: one error with the remedy.
namespace device_in_cpp {
float sum(const std::vector<float>& v) {
  return warpfold::reduce(warpfold::device, v, warpfold::plus{});
}
}  // namespace device_in_cpp

// expect: not compiled by nvcc
namespace device_transform_in_cpp {
void call(const std::vector<int>& in, std::vector<int>& out) {
  warpfold::transform(warpfold::device, in, out, [](int x) { return x; });
}
}  // namespace device_transform_in_cpp
