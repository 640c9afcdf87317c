// Without this error, nvcc would compile an op without __device__ to nothing, and results would be
// wrong.
// expect: calling a __host__ function
// errors: 2
#include <span>

#include <cuda/std/mdspan>

#include <warpfold/reduce_axis.hpp>

struct forgot_device {
  float operator()(float a, float b) const { return a * b + 1; }
};

void call(cuda::std::mdspan<const float, cuda::std::dextents<int, 2>> m, std::span<float> out) {
  warpfold::reduce_axis<1>(warpfold::device, m, forgot_device{}, out);
}
