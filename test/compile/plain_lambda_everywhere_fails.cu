// An unmarked lambda in every call that takes a function: one error for each call.
// expect: the GPU cannot call this lambda; mark it
// errors: 5
#include <span>

#include <warpfold/count.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/transform.hpp>

void call(std::span<const float> v, float* out) {
  using namespace warpfold;
  reduce_async(device, v, [](float a, float b) { return a * b + 1; }, out);
  transform(device, v, out, [](float x) { return x / 2; });
  (void)transform_reduce(device, v, plus{}, [](auto x) { return x * x; });
  (void)count_if(device, v, [](float x) { return x > 1; });
  (void)reduce(device, v, all(plus{}, projected(plus{}, [](float x) { return x * x; })));
}
