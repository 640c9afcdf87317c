// A pointer without a size, as nvcc sees it.
// expect: pass std::span\(pointer, size\), or the number of elements
// lines: 12
#include <warpfold/reduce.hpp>

auto total(const float* p) { return warpfold::reduce(warpfold::device, p); }
