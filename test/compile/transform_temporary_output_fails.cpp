// expect: output is a temporary container
#include <vector>

#include <warpfold/transform.hpp>

void call(const std::vector<int>& in) {
  warpfold::transform(warpfold::seq, in, std::vector<int>(10), [](int x) { return x; });
}
