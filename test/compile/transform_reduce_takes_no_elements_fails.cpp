// expect: cannot be called with an element of the range
#include <vector>

#include <warpfold/transform_reduce.hpp>

int call(const std::vector<int>& in) {
  return warpfold::transform_reduce(warpfold::seq, in, 0, warpfold::plus{},
                                    [](int* x) { return *x; });
}
