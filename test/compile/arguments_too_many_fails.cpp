// A call with too many arguments, with each form of the range: one error each, which shows the
// call.
// expect: call sum\(policy, range\).*call sum\(policy.*call sum\(policy.*call sum\(policy.*call min\(policy, range\).*call sum_async\(policy, range, &result\).*call dot\(policy, range1, range2\).*call reduce\(policy, range, op\) or reduce\(policy, range, init, op\)
// errors: 8
#include <vector>

#include <warpfold/dot.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/sum.hpp>

bool less(float a, float b);
float half(float x);

void call(const std::vector<float>& v, float* out) {
  const float array[] = {1, 2, 3, 4}, other[] = {1, 2, 3, 4};
  using namespace warpfold;
  (void)sum(seq, v, 3, 4);
  (void)sum(seq, v.begin(), v.end(), 3);
  (void)sum(seq, v.data(), 3u, 4.0);
  (void)sum(seq, array, other);  // two arrays are not the ends of one
  (void)min(seq, v, less);
  sum_async(seq, v, out, out);
  (void)dot(seq, v, v, 0.0f, plus{});
  (void)reduce(seq, v, 0.0f, plus{}, half);
}
