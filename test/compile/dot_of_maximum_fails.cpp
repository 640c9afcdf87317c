// expect: dot adds its products
#include <vector>

#include <warpfold/dot.hpp>

auto greatest(const std::vector<float>& v) {
  return warpfold::dot(warpfold::seq, v, v, warpfold::maximum{});
}
