// The host does not know the result type of a __device__ lambda, and would assume a sum of int.
// expect: the host does not know the type that this __device__ lambda returns
#include <span>

#include <warpfold/reduce.hpp>

double call(std::span<const int> v) {
  const auto halved = warpfold::project(v, [] __device__(int x) { return x * 0.5; });
  return static_cast<double>(warpfold::reduce(warpfold::device, halved, warpfold::plus{}));
}
