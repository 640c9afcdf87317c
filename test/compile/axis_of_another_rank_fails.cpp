// expect: the array has no such axis
#include <vector>

#include <warpfold/reduce_axis.hpp>

#include "compile/any_mdspan.hpp"

void call(const matrix& m, std::vector<float>& out) {
  warpfold::reduce_axis<2>(warpfold::seq, m, warpfold::plus{}, out);
}
