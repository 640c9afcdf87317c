// expect: Compile this file with the host compiler
#include <span>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/transform.hpp>

struct unchanged {
  __host__ __device__ int operator()(int x) const { return x; }
};

void call(std::span<const int> in, std::span<int> out) {
  warpfold::transform(warpfold::emulated, in, out, unchanged{});
}
