// Numbers in braces, as nvcc sees them.
// expect: the range is a braced list, or missing; name the elements
// lines: 12
#include <warpfold/reduce.hpp>

auto total() { return warpfold::reduce(warpfold::device, {1, 2, 3}, warpfold::plus{}); }
