// Wrong uses of lambdas on a GPU.
// alone
#include <span>

#include <warpfold/count.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/transform.hpp>

// expect: the host does not know the type that this __device__ lambda returns
// The host does not know the result type of a __device__ lambda, and would assume a sum of int.
namespace device_lambda_changes_type {
double call(std::span<const int> v) {
  const auto halved = warpfold::project(v, [] __device__(int x) { return x * 0.5; });
  return static_cast<double>(warpfold::reduce(warpfold::device, halved, warpfold::plus{}));
}
}  // namespace device_lambda_changes_type

// expect: the host does not know the type that this __device__ lambda returns
// The host does not know the result type of a __device__ lambda, but needs it for the accumulator
// of each part.
namespace device_lambda_in_projected {
namespace wf = warpfold;

void sum(std::span<const int> v) {
  (void)wf::reduce(
      wf::device, v,
      wf::all(wf::plus{}, wf::projected(wf::plus{}, [] __device__(int x) { return -x; })));
}
}  // namespace device_lambda_in_projected

// expect: the host does not know the type that this __device__ lambda returns
// An op that returns a wider number than the accumulator that the host assumes.
namespace device_lambda_widens {
int call(std::span<const int> v) {
  return warpfold::reduce(warpfold::device, v, [] __device__(int a, int b) { return a + 0.5 * b; });
}
}  // namespace device_lambda_widens

// expect: the GPU cannot call this lambda; mark it
// errors: 5
// An unmarked lambda in every call that takes a function: one error for each call.
namespace plain_lambda_everywhere {
void call(std::span<const float> v, float* out) {
  using namespace warpfold;
  reduce_async(device, v, [](float a, float b) { return a * b + 1; }, out);
  transform(device, v, out, [](float x) { return x / 2; });
  (void)transform_reduce(device, v, plus{}, [](auto x) { return x * x; });
  (void)count_if(device, v, [](float x) { return x > 1; });
  (void)reduce(device, v, all(plus{}, projected(plus{}, [](float x) { return x * x; })));
}
}  // namespace plain_lambda_everywhere

// expect: the GPU cannot call this lambda; mark it
// lines: 12
// A lambda that is not marked cannot be called by the GPU.
namespace plain_lambda_on_device {
float call(std::span<const float> v) {
  return warpfold::reduce(warpfold::device, v, [](float a, float b) { return a * b + 1; });
}
}  // namespace plain_lambda_on_device
