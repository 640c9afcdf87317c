// An op that cannot be called with two elements, as nvcc sees it.
// expect: the op cannot be called as op\(x, x\)
#include <warpfold/reduce.hpp>
#include <warpfold/runtime/buffer.hpp>

struct joins_names {
  __host__ __device__ const char* operator()(const char* a, const char* b) const;
};

auto joined(const warpfold::device_buffer<float>& v) {
  return warpfold::reduce(warpfold::device, v, joins_names{});
}
