// A host-only op of a collective in a kernel of a user's own.
// expect: calling a __host__ function
// errors: 2
#include <warpfold/collectives.hpp>

struct host_only {
  float operator()(float a, float b) const { return a < b ? a : b; }
};

__global__ void least(const float* in, float* out) {
  *out = warpfold::block_reduce(in[threadIdx.x], host_only{});
}
