// A braced list of containers, which would be copied.
// expect: a braced list copies its containers
#include <vector>

#include <warpfold/reduce_many.hpp>

void call(const std::vector<float>& v, std::vector<float>& out) {
  warpfold::reduce_many(warpfold::seq, {v, v}, warpfold::plus{}, out);
}
