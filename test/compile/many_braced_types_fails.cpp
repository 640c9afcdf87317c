// A braced list of ranges of two types.
// expect: the range is a braced list, or missing
#include <span>
#include <vector>

#include <warpfold/reduce_many.hpp>

void call(const std::vector<float>& v, std::span<const float> w, std::vector<float>& out) {
  warpfold::reduce_many(warpfold::seq, {w, v}, warpfold::plus{}, out);
}
