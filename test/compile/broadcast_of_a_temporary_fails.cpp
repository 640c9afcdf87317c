// expect: broadcast would refer to a temporary container
#include <vector>

#include <warpfold/reduce_axis.hpp>

auto call() { return warpfold::broadcast<1>(std::vector<float>(3)); }
