// expect: output's elements are const
#include <vector>

#include <warpfold/transform.hpp>

void call(const std::vector<int>& in, const std::vector<int>& out) {
  warpfold::transform(warpfold::seq, in, out, [](int x) { return x; });
}
