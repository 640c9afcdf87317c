// expect: the output's rank is not the number of dimensions that are kept
#include <warpfold/reduce_axis.hpp>

#include "compile/any_mdspan.hpp"

void call(const any_mdspan<float, 4>& m, const any_mdspan<float, 3>& out) {
  warpfold::reduce_axes<0, 3>(warpfold::seq, m, warpfold::plus{}, out);
}
