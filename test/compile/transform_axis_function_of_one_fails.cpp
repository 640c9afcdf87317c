// expect: the function cannot be called with an element and the fold of its axis
#include <vector>

#include <warpfold/transform_axis.hpp>

#include "compile/any_mdspan.hpp"

void call(any_mdspan<float, 2> m, std::vector<float>& out) {
  warpfold::transform_axis<1>(warpfold::seq, m, warpfold::plus{}, out, [](float x) { return x; });
}
