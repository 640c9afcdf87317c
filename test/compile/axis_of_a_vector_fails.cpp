// Any mdspan will do; this one stands for CUDA's, whose headers compile tests do not have.
// expect: a fold along an axis takes an mdspan
#include <vector>

#include <warpfold/reduce_axis.hpp>

void call(const std::vector<float>& v, std::vector<float>& out) {
  warpfold::reduce_axis<0>(warpfold::seq, v, warpfold::plus{}, out);
}
