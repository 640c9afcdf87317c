// expect: an mdspan that is a range has a rank of 0 to 8
#include <warpfold/reduce.hpp>

#include "compile/any_mdspan.hpp"

float call(const any_mdspan<float, 9>& m) {
  return warpfold::reduce(warpfold::seq, m, warpfold::plus{});
}
