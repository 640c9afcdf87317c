// expect: cannot be converted to the output's elements
#include <vector>

#include <warpfold/transform.hpp>

struct point {
  int x, y;
};

void call(const std::vector<int>& in, std::vector<int>& out) {
  warpfold::transform(warpfold::seq, in, out, [](int x) { return point{x, x}; });
}
