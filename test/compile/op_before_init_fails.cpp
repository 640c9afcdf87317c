// The op and the init in the wrong order.
// expect: the op stands where the init goes; call reduce.policy, range, init, op.
// errors: 1
#include <vector>

#include <warpfold/reduce.hpp>

int call(const std::vector<int>& v) {
  return warpfold::reduce(warpfold::seq, v, warpfold::plus{}, 0);
}
