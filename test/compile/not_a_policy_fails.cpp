// The range in the policy's place.
// expect: the policy is missing
#include <vector>

#include <warpfold/reduce.hpp>

auto sum(const std::vector<int>& v) { return warpfold::reduce(v, v, warpfold::plus{}); }
