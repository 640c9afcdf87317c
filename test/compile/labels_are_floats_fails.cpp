// Labels that are not integers.
// expect: the labels are not integers
#include <vector>

#include <warpfold/reduce_by_class.hpp>

void call(const std::vector<float>& labels, std::vector<int>& out) {
  warpfold::count_by_class(warpfold::seq, labels, 3, out);
}
