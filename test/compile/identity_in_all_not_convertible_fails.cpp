// The same for a part of wf::all, and along an axis.
// expect: with_identity was given a value that does not convert
#include <vector>

#include <warpfold/reduce_axis.hpp>

#include "compile/any_mdspan.hpp"

struct text {
  char at[8];
};

void call(const std::vector<float>& v, const matrix& m, std::vector<float>& out) {
  const auto op = warpfold::with_identity(warpfold::maximum{}, text{});
  (void)warpfold::reduce(warpfold::seq, v, warpfold::all(warpfold::plus{}, op));
  warpfold::reduce_axis<0>(warpfold::seq, m, op, out);
}
