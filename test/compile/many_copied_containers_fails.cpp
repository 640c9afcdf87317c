// A list whose containers would be copied when it is read.
// expect: reading this list makes copies of its containers
#include <deque>
#include <vector>

#include <warpfold/reduce_many.hpp>

void call(const std::deque<std::vector<float>>& lists, std::vector<float>& out) {
  warpfold::reduce_many(warpfold::seq, lists, warpfold::plus{}, out);
}
