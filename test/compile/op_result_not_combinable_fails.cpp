// An op that cannot take its own results.
// expect: the op cannot combine two of its own results
#include <vector>

#include <warpfold/reduce.hpp>

struct pair {
  int low, high;
  explicit pair(int x) : low(x), high(x) {}
};
struct pairs_up {
  pair operator()(int a, int) const { return pair(a); }
};

auto paired(const std::vector<int>& v) { return warpfold::reduce(warpfold::seq, v, pairs_up{}); }
