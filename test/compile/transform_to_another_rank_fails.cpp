// expect: the output's rank is not that of the expression
#include <warpfold/transform.hpp>

#include "compile/any_mdspan.hpp"

struct same {
  float operator()(float x) const { return x; }
};

void call(const matrix& m, const any_mdspan<float, 3>& out) {
  warpfold::transform(warpfold::seq, m, out, same{});
}
