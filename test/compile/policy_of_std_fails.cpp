// The standard library's policy without drop_in.hpp.
// expect: the first argument is not a policy.*include warpfold/drop_in.hpp
#include <vector>

#include <warpfold/reduce.hpp>

struct parallel_policy {};  // stands for std::execution's, whose header needs oneTBB

auto total(const std::vector<float>& v) { return warpfold::reduce(parallel_policy{}, v); }
