// A lambda that is not marked cannot be called by the GPU.
// expect: the GPU cannot call this lambda; mark it
// lines: 12
#include <span>

#include <warpfold/reduce.hpp>

float call(std::span<const float> v) {
  return warpfold::reduce(warpfold::device, v, [](float a, float b) { return a * b + 1; });
}
