// Wrong uses of the number of arguments.
#include <vector>

#include <warpfold/copy.hpp>
#include <warpfold/count.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/sum.hpp>

#include "compile/any_mdspan.hpp"

// expect: call count\(policy, range, value\).*call transform\(policy, range, output, function\).*call copy\(policy, range, output\).*call inner_product\(policy, range1, range2, init\).*call transform_reduce\(policy, range, op, function\).*call reduce_axis<0>\(policy, mdspan, op, output\)
// errors: 6
// A call with too few arguments: one error each, which shows the call.
namespace arguments_missing {
float half(float x);

void call(const std::vector<float>& v, any_mdspan<float, 2> m) {
  (void)warpfold::count(warpfold::seq, v);
  warpfold::transform(warpfold::seq, v, half);
  warpfold::copy(warpfold::seq, v);
  (void)warpfold::inner_product(warpfold::seq, v, v);
  (void)warpfold::transform_reduce(warpfold::seq, v, warpfold::plus{});
  warpfold::reduce_axis<0>(warpfold::seq, m, warpfold::plus{});
}
}  // namespace arguments_missing

// expect: call sum\(policy, range\).*call sum\(policy.*call sum\(policy.*sum takes plus.*call min\(policy, range\).*call sum_async\(policy, range, &result\).*call dot\(policy, range1, range2\).*call reduce\(policy, range, op\) or reduce\(policy, range, init, op\)
// errors: 8
// A call with too many arguments, with each form of the range: one error each, which shows the
// call.
namespace arguments_too_many {
bool less(float a, float b);
float half(float x);

void call(const std::vector<float>& v, float* out) {
  const float array[] = {1, 2, 3, 4}, other[] = {1, 2, 3, 4};
  using namespace warpfold;
  (void)sum(seq, v, 3, 4);
  (void)sum(seq, v.begin(), v.end(), plus{}, 3);
  (void)sum(seq, v.data(), 3u, plus{}, 4.0);
  (void)sum(seq, array, other);  // two arrays are not the ends of one
  (void)min(seq, v, less);
  sum_async(seq, v, plus{}, out, out);
  (void)dot(seq, v, v, 0.0f, plus{});
  (void)reduce(seq, v, 0.0f, plus{}, half);
}
}  // namespace arguments_too_many
