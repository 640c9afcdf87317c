// expect: the range.s elements are volatile; copy them
#include <vector>

#include <warpfold/reduce_axis.hpp>

#include "compile/any_mdspan.hpp"

using volatile_matrix = any_mdspan<volatile float>;

void call(const volatile_matrix& m, std::vector<float>& out) {
  warpfold::reduce_axis<0>(warpfold::seq, m, warpfold::plus{}, out);
}
