// A call with too few arguments: one error each, which shows the call.
// expect: call count\(policy, range, value\).*call transform\(policy, range, output, function\).*call copy\(policy, range, output\).*call inner_product\(policy, range1, range2, init\).*call transform_reduce\(policy, range, op, function\).*call reduce_axis<0>\(policy, mdspan, op, output\)
// errors: 6
#include <vector>

#include <warpfold/copy.hpp>
#include <warpfold/count.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/reduce_axis.hpp>

#include "compile/any_mdspan.hpp"

float half(float x);

void call(const std::vector<float>& v, any_mdspan<float, 2> m) {
  (void)warpfold::count(warpfold::seq, v);
  warpfold::transform(warpfold::seq, v, half);
  warpfold::copy(warpfold::seq, v);
  (void)warpfold::inner_product(warpfold::seq, v, v);
  (void)warpfold::transform_reduce(warpfold::seq, v, warpfold::plus{});
  warpfold::reduce_axis<0>(warpfold::seq, m, warpfold::plus{});
}
