// An op that returns a wider number than the accumulator that the host assumes.
// expect: the host does not know the type that this __device__ lambda returns
#include <span>

#include <warpfold/reduce.hpp>

int call(std::span<const int> v) {
  return warpfold::reduce(warpfold::device, v, [] __device__(int a, int b) { return a + 0.5 * b; });
}
