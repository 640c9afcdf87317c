// expect: not compiled by nvcc
#include <vector>

#include <warpfold/transform.hpp>

void call(const std::vector<int>& in, std::vector<int>& out) {
  warpfold::transform(warpfold::device, in, out, [](int x) { return x; });
}
