// expect: an array stands where the op goes; the op comes before the output
#include <vector>

#include <warpfold/reduce_axis.hpp>

#include "compile/any_mdspan.hpp"

void call(any_mdspan<float, 2> m, std::vector<float>& out) {
  warpfold::reduce_axis<0>(warpfold::seq, m, out, warpfold::plus{});
}
