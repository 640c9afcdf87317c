// Only device code knows the result type of a __device__ lambda.
// expect: cannot be converted to the output's elements
#include <span>

#include <warpfold/transform.hpp>

struct point {
  int x, y;
};

void call(std::span<const int> in, std::span<int> out) {
  warpfold::transform(warpfold::device, in, out, [] __device__(int x) { return point{x, x}; });
}
