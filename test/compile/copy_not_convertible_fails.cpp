// expect: cannot be converted to the output's elements
#include <vector>

#include <warpfold/copy.hpp>

struct point {
  int x, y;
};

void call(const std::vector<point>& in, std::vector<int>& out) {
  warpfold::copy(warpfold::seq, in, out);
}
