// needs: tbb
// expect: all.. needs an op
#include <vector>

#include <warpfold/op/all.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/reduce.hpp>

auto call(const std::vector<float>& v) {
  return warpfold::reduce(warpfold::par, v, warpfold::all());
}
