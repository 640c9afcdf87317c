// A call without a policy, as nvcc sees it.
// expect: the policy is missing
// lines: 12
#include <span>

#include <warpfold/reduce.hpp>

auto total(std::span<const float> v) { return warpfold::reduce(v, warpfold::plus{}); }
