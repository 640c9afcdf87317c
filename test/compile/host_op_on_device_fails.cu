// Without this error, nvcc would compile an op without __device__ to nothing, and results would be
// wrong.
// expect: calling a __host__ function.*forgot_device::operator.*mark_the_called_function_host_device
// errors: 2
#include <span>

#include <warpfold/reduce.hpp>

struct forgot_device {
  float operator()(float a, float b) const { return a * b + 1; }
};

float call(std::span<const float> v) {
  return warpfold::reduce(warpfold::device, v, forgot_device{});
}
