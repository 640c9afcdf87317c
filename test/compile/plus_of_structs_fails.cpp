// A struct without an addition, with and without an init.
// expect: plus needs operator\+ for the elements
#include <vector>

#include <warpfold/sum.hpp>

struct point {
  float x, y;
};

point total(const std::vector<point>& v) { return warpfold::sum(warpfold::seq, v); }
