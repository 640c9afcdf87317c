// A function without __device__ would be compiled to nothing on the GPU, and the output be wrong in
// silence.
// expect: calling a __host__ function
// errors: 2
#include <span>

#include <warpfold/transform.hpp>

struct forgot_device {
  float operator()(float x) const { return x * x; }
};

void call(std::span<const float> in, std::span<float> out) {
  warpfold::transform(warpfold::device, in, out, forgot_device{});
}
