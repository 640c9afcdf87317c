// A struct does not convert to bool.
// expect: are for elements that convert to bool
#include <vector>

#include <warpfold/reduce.hpp>

struct point {
  float x, y;
};

bool all(const std::vector<point>& v) {
  return warpfold::reduce(warpfold::seq, v, warpfold::logical_and{});
}
