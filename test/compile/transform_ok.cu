// All kinds of functions that a GPU can call, and all kinds of outputs.
// expect: ok
#include <thrust/device_vector.h>

#include <span>

#include <warpfold/copy.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/transform.hpp>

namespace wf = warpfold;

struct point {
  float x, y;
};

void call(wf::device_buffer<float>& a, thrust::device_vector<double>& b, std::span<point> points) {
  wf::transform(wf::device, a, b, [] __device__(float x) { return x + 0.5; });
  wf::transform(wf::device, a, b.begin(), [] __host__ __device__(float x) { return x * x; });
  wf::transform(wf::device, points, b.data(), &point::y);
  wf::transform_async(wf::device, wf::zip(points, a), a, [] __device__(const auto& pair) {
    return wf::get<0>(pair).x + wf::get<1>(pair);
  });
  wf::copy(wf::device, wf::counting(0, a.size()), a);
}
