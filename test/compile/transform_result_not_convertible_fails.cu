// What a __device__ lambda gives is known in device code only.
// expect: cannot be converted to the output's elements
#include <span>

#include <warpfold/transform.hpp>

struct point {
  int x, y;
};

void call(std::span<const int> in, std::span<int> out) {
  warpfold::transform(warpfold::device, in, out, [] __device__(int x) { return point{x, x}; });
}
