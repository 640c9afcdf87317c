// expect: needs one dimension for each of the mdspan's
#include <vector>

#include <warpfold/reduce_axis.hpp>

#include "compile/any_mdspan.hpp"

auto call(const matrix& m) { return warpfold::broadcast<1>(m); }
