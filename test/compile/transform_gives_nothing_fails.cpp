// expect: returns nothing
#include <vector>

#include <warpfold/transform.hpp>

void call(const std::vector<int>& in, std::vector<int>& out) {
  warpfold::transform(warpfold::seq, in, out, [](int) {});
}
