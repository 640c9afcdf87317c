// Without a template argument: one error each.
// expect: the axis is missing; call reduce_axis<0>.*the axis is missing; call reduce_axes<0, 1>
// errors: 4
#include <vector>

#include <warpfold/reduce_axis.hpp>

#include "compile/any_mdspan.hpp"

void call(any_mdspan<float, 2> m, std::vector<float>& out) {
  using namespace warpfold;
  reduce_axis(seq, m, plus{}, out);
  reduce_axis_async(seq, m, plus{}, out);
  reduce_axes<>(seq, m, plus{}, out);
  reduce_axes_async(seq, m, plus{}, out);
}
