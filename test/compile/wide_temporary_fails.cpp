// expect: wide would refer to a temporary container
#include <vector>

#include <warpfold/reduce.hpp>
#include <warpfold/view/wide.hpp>

auto dangling() { return warpfold::wide(std::vector<float>{1, 2, 3}); }
