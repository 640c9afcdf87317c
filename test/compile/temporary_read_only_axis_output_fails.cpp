// A temporary that is also read-only: one error.
// expect: the output.s elements are const
#include <warpfold/reduce_axis.hpp>

#include "compile/any_mdspan.hpp"
#include "compile/read_only_owner.hpp"

void call(const matrix& m) {
  warpfold::reduce_axis<0>(warpfold::seq, m, warpfold::plus{}, read_only{});
}
