// expect: the arrays of an expression differ in rank
#include <vector>

#include <warpfold/reduce_axis.hpp>

#include "compile/any_mdspan.hpp"

void call(const matrix& m, const any_mdspan<float, 3>& cube, std::vector<float>& out) {
  warpfold::reduce_axis<0>(warpfold::seq, warpfold::zip(m, cube), warpfold::plus{}, out);
}
