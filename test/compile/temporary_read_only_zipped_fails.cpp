// expect: zip would refer to a temporary container
#include <vector>

#include <warpfold/reduce.hpp>

#include "compile/read_only_owner.hpp"

auto call(const std::vector<float>& v) { return warpfold::zip(v, read_only{}); }
