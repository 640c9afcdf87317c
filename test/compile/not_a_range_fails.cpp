// A pointer without a size.
// expect: no matching function|constraints not satisfied
#include <warpfold/reduce.hpp>

auto sum(const int* p) { return warpfold::reduce(warpfold::seq, p, warpfold::plus{}); }
