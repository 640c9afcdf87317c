// An op with a host-only `finish`, in a kernel of a user's own.
// expect: calling a __host__ function
// errors: 2
#include <warpfold/collectives.hpp>

struct doubled_sum {
  WARPFOLD_HD float operator()(float a, float b) const { return a + b; }
  float finish(float a) const { return a * 2; }
};

__global__ void sum(const float* in, float* out) {
  *out = warpfold::block_reduce(in[threadIdx.x], doubled_sum{});
}
