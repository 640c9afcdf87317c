// expect: and this file is not compiled by nvcc
#include <vector>

#include <warpfold/reduce_axis.hpp>

#include "compile/any_mdspan.hpp"

void call(const matrix& m, std::vector<float>& out) {
  warpfold::reduce_axis<0>(warpfold::device, m, warpfold::plus{}, out);
}
