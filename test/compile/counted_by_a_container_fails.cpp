// A count that is not the address of an integer: one error each.
// expect: the count of counted is not an integer in memory; pass a raw pointer to an integer
// errors: 2
#include <vector>

#include <warpfold/sum.hpp>

void call(const std::vector<float>& v, const std::vector<int>& counts, const float* number) {
  (void)warpfold::sum(warpfold::seq, warpfold::counted(v, counts));
  (void)warpfold::sum(warpfold::seq, warpfold::counted(v, number));
}
