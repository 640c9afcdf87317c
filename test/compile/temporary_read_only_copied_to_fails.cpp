// A temporary that is also read-only: one error.
// expect: the output.s elements are const
#include <vector>

#include <warpfold/copy.hpp>

#include "compile/read_only_owner.hpp"

void call(const std::vector<float>& v) { warpfold::copy(warpfold::seq, v, read_only{}); }
