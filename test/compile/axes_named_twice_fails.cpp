// expect: reduce_axes names an axis twice
#include <vector>

#include <warpfold/reduce_axis.hpp>

#include "compile/any_mdspan.hpp"

void call(const any_mdspan<float, 3>& m, std::vector<float>& out) {
  warpfold::reduce_axes<2, 2>(warpfold::seq, m, warpfold::plus{}, out);
}
