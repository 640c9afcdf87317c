// A tuning of CUB's kernels would have no effect.
// needs: environments
// expect: the environment has a tuning of CUB's kernels
#include <warpfold/drop_in/cub.hpp>

struct tuned {
  int query(cuda::execution::__get_tuning_t) const noexcept { return 0; }
};

cudaError_t call(const int* values, int* out) {
  return warpfold::drop_in::cub::DeviceTransform::Transform(
      values, out, 3, [] __host__ __device__(int x) { return x; }, tuned{});
}
