// Without this error, nvcc would compile a function without __device__ to nothing, and results
// would be wrong.
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
