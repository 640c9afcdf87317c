// Wrong uses of the environments of CUB.
// needs: environments
#include <list>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>

#include <warpfold/drop_in/cub.hpp>

// expect: requires gpu_to_gpu determinism
// This library's sums have it, with and without memory. An output that is no memory is CUB's.
namespace cub_gpu_to_gpu {
template <class In, class Out>
cudaError_t sum(In values, Out out) {
  std::size_t bytes = 1;
  return warpfold::drop_in::cub::DeviceReduce::Sum(
      out, bytes, values, out, 3,
      cuda::execution::require(cuda::execution::determinism::gpu_to_gpu));
}

cudaError_t of_floats(const float* values, float* out) { return sum(values, out); }
cudaError_t of_counted_floats(float* out) { return sum(thrust::counting_iterator<float>(0), out); }
cudaError_t of_discarded(const float* values) {
  std::size_t bytes = 0;
  return warpfold::drop_in::cub::DeviceReduce::Sum(
      nullptr, bytes, values, thrust::make_discard_iterator(), 3,
      cuda::execution::require(cuda::execution::determinism::gpu_to_gpu));
}
}  // namespace cub_gpu_to_gpu

// expect: the input is not a random-access iterator
// Threads cannot read a list in parallel; CUB itself would report pages of errors.
namespace cub_input_not_random_access {
cudaError_t call(std::list<int>& values, int* sum) {
  return warpfold::drop_in::cub::DeviceReduce::Sum(values.begin(), sum, 3);
}
}  // namespace cub_input_not_random_access

// expect: neither a stream nor an execution environment
// The last argument asks for nothing that is known.
namespace cub_not_an_environment {
struct options {
  bool synchronous = true;
};

cudaError_t call(const int* values, int* sum) {
  return warpfold::drop_in::cub::DeviceReduce::Sum(values, sum, 3, options{});
}
}  // namespace cub_not_an_environment

// expect: the environment has a tuning of CUB's kernels
// A tuning of CUB's kernels would have no effect.
namespace cub_tuning {
struct tuned {
  int query(cuda::execution::__get_tuning_t) const noexcept { return 0; }
};

cudaError_t call(const int* values, int* out) {
  return warpfold::drop_in::cub::DeviceTransform::Transform(
      values, out, 3, [] __host__ __device__(int x) { return x; }, tuned{});
}
}  // namespace cub_tuning
