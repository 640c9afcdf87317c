// An op without __device__ would be compiled to nothing on the GPU, and the result be wrong in
// silence.
// expect: calling a __host__ function
// errors: 2
#include <span>

#include <warpfold/reduce.hpp>

struct forgot_device {
  float operator()(float a, float b) const { return a * b + 1; }
};

float call(std::span<const float> v) {
  return warpfold::reduce(warpfold::device, v, forgot_device{});
}
