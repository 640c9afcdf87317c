// An op that cannot be called with the init.
// expect: the op cannot be called as op\(init, x\)
#include <vector>

#include <warpfold/reduce.hpp>

struct adds {
  int operator()(int a, int b) const { return a + b; }
};
struct text {};

auto total(const std::vector<int>& v) { return warpfold::reduce(warpfold::seq, v, text{}, adds{}); }
