// A sum of floats depends on the GPU; that of integers does not.
// needs: environments
// expect: requires gpu_to_gpu determinism
#include <warpfold/drop_in/cub.hpp>

template <class T>
cudaError_t sum(const T* values, T* out) {
  return warpfold::drop_in::cub::DeviceReduce::Sum(
      values, out, 3, cuda::execution::require(cuda::execution::determinism::gpu_to_gpu));
}

cudaError_t of_integers(const int* values, int* out) { return sum(values, out); }
cudaError_t of_floats(const float* values, float* out) { return sum(values, out); }
