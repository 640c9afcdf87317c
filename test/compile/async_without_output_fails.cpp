// Without the output, the functions that do not wait name the call that has one: one error each.
// expect: call reduce_async\(policy, range, op, &result\).*call sum_async\(policy, range, &result\).*call count_async\(policy, range, value, &result\).*call dot_async\(policy, range1, range2, &result\)
// errors: 5
#include <vector>

#include <warpfold/count.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/sum.hpp>

void call(const std::vector<float>& v, float* out) {
  warpfold::reduce_async(warpfold::seq, v, out);
  warpfold::sum_async(warpfold::seq, v);
  warpfold::sum_async(warpfold::seq, v.begin(), v.end());
  warpfold::count_async(warpfold::seq, v, 1.0f);
  warpfold::dot_async(warpfold::seq, v, v);
}
