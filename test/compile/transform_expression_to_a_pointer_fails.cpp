// expect: an expression is written to an mdspan, a span or a container
#include <vector>

#include <warpfold/transform.hpp>

#include "compile/any_mdspan.hpp"

struct sum {
  float operator()(float x, float y) const { return x + y; }
};

void call(const matrix& m, const std::vector<float>& v, float* out) {
  warpfold::transform(warpfold::seq, warpfold::zip(m, warpfold::broadcast<0>(v)), out, sum{});
}
