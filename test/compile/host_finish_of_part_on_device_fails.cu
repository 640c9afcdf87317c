// An op of `all` with a host-only `finish`.
// expect: calling a __host__ function
// errors: 2
#include <span>

#include <warpfold/op/all.hpp>
#include <warpfold/reduce.hpp>

struct doubled_sum {
  WARPFOLD_HD float operator()(float a, float b) const { return a + b; }
  double finish(float a) const { return a * 2; }
};

void call(std::span<const float> v, warpfold::tuple<float, double>* out) {
  warpfold::reduce_async(warpfold::device, v, warpfold::all(warpfold::plus{}, doubled_sum{}), out);
}
