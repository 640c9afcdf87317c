// A range where a list of ranges goes.
// expect: reduce_many takes a list of ranges, but the list's elements are not ranges
#include <vector>

#include <warpfold/reduce_many.hpp>

void call(const std::vector<float>& v, std::vector<float>& out) {
  warpfold::reduce_many(warpfold::seq, v, warpfold::plus{}, out);
}
