// expect: staged would refer to a temporary container
#include <vector>

#include <warpfold/reduce.hpp>

auto dangling() { return warpfold::staged(std::vector<float>{1, 2, 3}); }
