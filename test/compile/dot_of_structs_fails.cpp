// Elements that cannot be multiplied.
// expect: dot needs operator\* for the elements of its two ranges
// lines: 12
#include <vector>

#include <warpfold/dot.hpp>

struct point {
  float x, y;
};

double length(const std::vector<point>& v) { return warpfold::dot(warpfold::seq, v, v); }
