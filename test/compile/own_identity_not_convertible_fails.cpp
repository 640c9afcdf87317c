// An identity of another type than the op folds in.
// expect: the op.s identity.. does not convert
#include <string>
#include <vector>

#include <warpfold/reduce.hpp>

struct longest {
  std::string identity() const { return {}; }
  int operator()(int a, int b) const { return a < b ? b : a; }
};

int call(const std::vector<int>& v) { return warpfold::reduce(warpfold::seq, v, longest{}); }
