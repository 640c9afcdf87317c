// A list of ranges without a pointer to their elements.
// expect: the ranges of a list have no contiguous elements in memory
#include <deque>
#include <vector>

#include <warpfold/reduce_many.hpp>

void call(const std::vector<std::deque<float>>& lists, std::vector<float>& out) {
  warpfold::reduce_many(warpfold::seq, lists, warpfold::plus{}, out);
}
