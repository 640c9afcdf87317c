// No int is an infinity.
// expect: does not convert to the op.s
#include <limits>
#include <vector>

#include <warpfold/reduce.hpp>

int call(const std::vector<int>& v) {
  const auto least = [](int a, int b) { return a < b ? a : b; };
  return warpfold::reduce(warpfold::seq, v,
                          warpfold::with_identity(least, std::numeric_limits<double>::infinity()));
}
