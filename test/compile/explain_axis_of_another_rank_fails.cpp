// expect: the array has no such axis
#include <warpfold/explain_axis.hpp>

#include "compile/any_mdspan.hpp"

warpfold::plan call(const matrix& m) {
  return warpfold::explain_axis<2>(warpfold::seq, m, warpfold::plus{});
}
