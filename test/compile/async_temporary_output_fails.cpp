// The result would go to memory that is gone when the call returns.
// expect: the output is a temporary container
#include <vector>

#include <warpfold/sum.hpp>

void call(const std::vector<float>& v) {
  warpfold::sum_async(warpfold::seq, v, std::vector<float>(1));
}
