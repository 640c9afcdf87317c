// Lambdas that are marked, and one that only the host calls.
// expect: ok
#include <span>

#include <warpfold/count.hpp>

void call(std::span<const float> v, float least) {
  using namespace warpfold;
  (void)reduce(device, v, [] __device__(float a, float b) { return a * b + 1; });
  (void)reduce(device, v, [] __host__ __device__(float a, float b) { return a * b + 1; });
  (void)count_if(device, v, [least] __host__ __device__(float x) { return x > least; });
  (void)count_if(seq, v, [least](float x) { return x > least; });
}
