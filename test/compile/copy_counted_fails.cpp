// Only reductions read the size of a counted range, and only they leave elements out.
// expect: transform and copy cannot take a counted range
// errors: 1
#include <vector>

#include <warpfold/copy.hpp>
#include <warpfold/view/counted.hpp>

void call(const std::vector<int>& v, const int* count, std::vector<int>& out) {
  warpfold::copy(warpfold::seq, warpfold::counted(v, count), out);
}
