// An op that can be moved only.
// expect: the op cannot be copied; let it hold a pointer
#include <memory>
#include <vector>

#include <warpfold/reduce.hpp>

struct adds_scaled {
  std::unique_ptr<float> scale;
  float operator()(float a, float b) const { return a + *scale * b; }
};

auto call(const std::vector<float>& v) { return warpfold::reduce(warpfold::seq, v, adds_scaled{}); }
