// expect: a fold along an axis cannot take a range with a mask
#include <vector>

#include <warpfold/reduce_axis.hpp>

void call(const std::vector<float>& v, const std::vector<unsigned>& bits, std::vector<float>& out) {
  using namespace warpfold;
  reduce_axis<0>(seq, where(v, bits), plus{}, out);
}
