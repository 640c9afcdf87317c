// The minimal requirements of a user's op and element.
// expect: ok
#include <warpfold/reduce.hpp>
#include <warpfold/runtime/buffer.hpp>

namespace {

struct reading {
  float value;
  int sensor;
};
struct larger {
  __device__ reading operator()(const reading& a, const reading& b) const {
    return a.value < b.value ? b : a;
  }
};

}  // namespace

float largest(const warpfold::device_buffer<reading>& v) {
  return warpfold::reduce(warpfold::device, v, larger{}).value;
}
float sum_of_squares(const warpfold::device_buffer<float>& v) {
  return warpfold::reduce(warpfold::device, v, 0.0f,
                          [] __device__(float a, float x) { return a + x * x; });
}
