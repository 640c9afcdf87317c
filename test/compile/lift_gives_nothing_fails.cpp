// An op whose lift returns nothing.
// expect: the op's lift returns nothing
#include <vector>

#include <warpfold/reduce.hpp>

struct forgetful {
  void lift(float) const {}
  float operator()(float a, float b) const { return a + b; }
};

void call(const std::vector<float>& v) { (void)warpfold::reduce(warpfold::seq, v, forgetful{}); }
