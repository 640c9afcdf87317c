// expect: the output is a temporary container
#include <vector>

#include <warpfold/reduce_axis.hpp>

#include "compile/any_mdspan.hpp"

void call(const matrix& m) {
  warpfold::reduce_axis<0>(warpfold::seq, m, warpfold::plus{}, std::vector<float>(3));
}
