// A projection that returns nothing.
// expect: the function of the elements returns nothing
#include <vector>

#include <warpfold/transform_reduce.hpp>

void nothing(float) {}

void call(const std::vector<float>& v) {
  (void)warpfold::reduce(warpfold::seq, warpfold::project(v, nothing), warpfold::plus{});
  (void)warpfold::transform_reduce(warpfold::seq, v, warpfold::plus{}, nothing);
}
