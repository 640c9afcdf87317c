// Wrong uses of outputs.
#include <vector>

#include <warpfold/count.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>
#include <warpfold/transform_reduce.hpp>

// expect: where the result goes, is not a pointer; pass &result
// errors: 3
// A value instead of the memory for the result, passed to the named functions: one error each.
namespace async_output {
void call(const std::vector<float>& v, float out) {
  warpfold::sum_async(warpfold::seq, v, out);
  warpfold::variance_async(warpfold::seq, v.data(), v.size(), out);
  warpfold::dot_async(warpfold::seq, v, v, out);
}
}  // namespace async_output

// expect: call reduce_async\(policy, range, op, &result\).*call sum_async\(policy, range, &result\).*call count_async\(policy, range, value, &result\).*call dot_async\(policy, range1, range2, &result\)
// errors: 5
// Without the output, the functions that do not wait name the call that has one: one error each.
namespace async_without_output {
void call(const std::vector<float>& v, float* out) {
  warpfold::reduce_async(warpfold::seq, v, out);
  warpfold::sum_async(warpfold::seq, v);
  warpfold::sum_async(warpfold::seq, v.begin(), v.end());
  warpfold::count_async(warpfold::seq, v, 1.0f);
  warpfold::dot_async(warpfold::seq, v, v);
}
}  // namespace async_without_output

// expect: where the result goes, is not a pointer; pass &result
// errors: 2
// A value instead of a pointer for the result.
namespace output_not_a_pointer {
float half(float x) { return x / 2; }

void call(const std::vector<float>& v, std::vector<float>& out) {
  warpfold::reduce_async(warpfold::seq, v, warpfold::plus{}, out[0]);
  warpfold::transform_reduce_async(warpfold::seq, v, warpfold::plus{}, half, out[0]);
}
}  // namespace output_not_a_pointer
