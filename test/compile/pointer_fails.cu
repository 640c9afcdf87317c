// A pointer without a size, as nvcc sees it.
// expect: pass std::span\(pointer, size\)
// lines: 12
#include <warpfold/reduce.hpp>

auto total(const float* p, int n) { return warpfold::reduce(warpfold::device, p, n); }
