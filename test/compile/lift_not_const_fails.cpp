// A lift that is not const would be ignored.
// expect: the op.s lift is not const
// errors: 1
#include <vector>

#include <warpfold/reduce.hpp>

struct squares {
  int lift(int x) { return x * x; }
  int operator()(int a, int b) const { return a + b; }
};

int call(const std::vector<int>& v) { return warpfold::reduce(warpfold::seq, v, squares{}); }
