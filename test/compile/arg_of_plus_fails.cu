// expect: arg takes wf::minimum or wf::maximum
#include <vector>

#include <warpfold/op/arg.hpp>
#include <warpfold/reduce.hpp>

auto call(const std::vector<int>& v) {
  return warpfold::reduce(warpfold::device, v, warpfold::arg(warpfold::plus{}));
}
