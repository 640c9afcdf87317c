// The same with a product that is not given.
// expect: multiplies needs operator\*
#include <vector>

#include <warpfold/dot.hpp>

struct point {
  float x, y;
};

double length(const std::vector<point>& v) {
  return warpfold::inner_product(warpfold::seq, v, v, 0.0);
}
