// expect: the output is a temporary container, which is destroyed when the call returns
#include <vector>

#include <warpfold/transform_axis.hpp>

#include "compile/any_mdspan.hpp"

void call(any_mdspan<float, 2> m) {
  warpfold::transform_axis<1>(warpfold::seq, m, warpfold::plus{}, std::vector<float>(6),
                              [](float x, float sum) { return x / sum; });
}
