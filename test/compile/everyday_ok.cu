// Lambdas for both sides and for the GPU only, in functions that pass them on.
// expect: ok
#include <span>

#include <warpfold/count.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/op/all.hpp>

namespace wf = warpfold;

float call(std::span<const float> v) {
  const auto positive = [] __host__ __device__(float x) { return x > 0; };
  const auto square = [] __host__ __device__(float x) { return x * x; };
  const auto both = [] __host__ __device__(float a, float b) { return a < b ? a : b; };
  const auto all =
      wf::reduce(wf::device, v, wf::all(wf::plus{}, wf::projected(wf::plus{}, square)));
  return static_cast<float>(wf::count_if(wf::device, v, positive)) +
         wf::inner_product(wf::device, v, v, 0.0f, wf::plus{}, both) + wf::get<1>(all);
}
