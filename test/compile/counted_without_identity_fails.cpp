// A counted range may have no element.
// expect: a counted range may have no element
// errors: 1
#include <vector>

#include <warpfold/reduce.hpp>

struct least {
  int operator()(int a, int b) const { return a < b ? a : b; }
};

int call(const std::vector<int>& v, const int* count) {
  return warpfold::reduce(warpfold::seq, warpfold::counted(v, count), least{});
}
