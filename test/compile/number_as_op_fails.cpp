// An init without an op, as std::reduce takes it.
// expect: a number stands where the op goes; pass an init and an op
#include <vector>

#include <warpfold/reduce.hpp>

auto call(const std::vector<float>& v) { return warpfold::reduce(warpfold::seq, v, 0.0f); }
