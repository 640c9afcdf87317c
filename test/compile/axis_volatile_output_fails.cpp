// expect: the output's elements are const or volatile
#include <warpfold/reduce_axis.hpp>

#include "compile/any_mdspan.hpp"

void call(const matrix& m, const any_mdspan<volatile float, 1>& out) {
  warpfold::reduce_axis<0>(warpfold::seq, m, warpfold::plus{}, out);
}
