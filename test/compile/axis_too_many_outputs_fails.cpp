// expect: the op has not as many results as there are outputs
#include <warpfold/reduce_axis.hpp>

#include "compile/any_mdspan.hpp"

void call(const matrix& m, const any_mdspan<float, 1>& a, const any_mdspan<float, 1>& b) {
  warpfold::reduce_axis<0>(warpfold::seq, m, warpfold::plus{}, warpfold::zip(a, b));
}
