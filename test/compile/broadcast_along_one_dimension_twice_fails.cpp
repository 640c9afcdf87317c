// expect: the dimensions of broadcast are from 0 to 7, each one once
#include <warpfold/reduce_axis.hpp>

#include "compile/any_mdspan.hpp"

auto call(const matrix& m) { return warpfold::broadcast<1, 1>(m); }
