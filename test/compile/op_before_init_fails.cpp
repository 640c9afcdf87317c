// The op and the init in the wrong order.
// expect: the op stands where the init goes, and the init where the op goes; exchange them
// errors: 1
#include <vector>

#include <warpfold/reduce.hpp>

int call(const std::vector<int>& v) {
  return warpfold::reduce(warpfold::seq, v, warpfold::plus{}, 0);
}
