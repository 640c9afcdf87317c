// Wrong uses of wf::emulated in a .cu file.
// alone
#include <span>
#include <vector>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/transform.hpp>

// expect: Compile this file with the host compiler
// wf::emulated in a file for nvcc: one error with the remedy.
namespace emulated_in_cu {
float sum(const std::vector<float>& v) {
  return warpfold::reduce(warpfold::emulated, v, warpfold::plus{});
}
}  // namespace emulated_in_cu

// expect: Compile this file with the host compiler
namespace emulated_transform_in_cu {
struct unchanged {
  __host__ __device__ int operator()(int x) const { return x; }
};

void call(std::span<const int> in, std::span<int> out) {
  warpfold::transform(warpfold::emulated, in, out, unchanged{});
}
}  // namespace emulated_transform_in_cu
