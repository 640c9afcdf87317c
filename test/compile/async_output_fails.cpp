// A value instead of the memory for the result, passed to the named functions: one error each.
// expect: where the result goes, is not a pointer; pass &result
// errors: 3
#include <vector>

#include <warpfold/dot.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>

void call(const std::vector<float>& v, float out) {
  warpfold::sum_async(warpfold::seq, v, out);
  warpfold::variance_async(warpfold::seq, v.data(), v.size(), out);
  warpfold::dot_async(warpfold::seq, v, v, out);
}
