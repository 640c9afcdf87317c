// A struct without an addition, as nvcc sees it.
// expect: plus needs operator\+ for the elements
// lines: 12
#include <span>

#include <warpfold/reduce.hpp>

struct point {
  float x, y;
};

point total(std::span<const point> v) { return warpfold::reduce(warpfold::device, v); }
