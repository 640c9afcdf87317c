// Each GPU folds a shard along the axis.
// expect: a policy of several GPUs folds shards along an axis; pass
#include <warpfold/policy/devices.hpp>
#include <warpfold/reduce_axis.hpp>

#include "compile/any_mdspan.hpp"

void call(any_mdspan<float, 2> m, any_mdspan<float, 1> out) {
  warpfold::reduce_axis<0>(warpfold::across(warpfold::devices{0}), m, warpfold::plus{}, out);
}
