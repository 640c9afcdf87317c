// expect: the range.s elements are volatile; copy them
#include <warpfold/reduce.hpp>

#include "compile/any_mdspan.hpp"

using volatile_matrix = any_mdspan<volatile float>;

float call(const volatile_matrix& m) {
  return warpfold::reduce(warpfold::seq, m, warpfold::plus{});
}
