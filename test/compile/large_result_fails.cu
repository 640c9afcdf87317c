// A result that the GPU cannot return to the host.
// expect: 1024 bytes
#include <warpfold/reduce.hpp>
#include <warpfold/runtime/buffer.hpp>

struct histogram {
  int count[1000];
};
struct merges {
  __host__ __device__ histogram operator()(const histogram& a, const histogram&) const { return a; }
};

auto merged(const warpfold::device_buffer<histogram>& v) {
  return warpfold::reduce(warpfold::device, v, merges{});
}
