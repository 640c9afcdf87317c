// A pointer without a size.
// expect: a pointer is not a range, because it has no size; pass std::span\(pointer, size\)
#include <warpfold/reduce.hpp>

auto sum(const int* p) { return warpfold::reduce(warpfold::seq, p, warpfold::plus{}); }
