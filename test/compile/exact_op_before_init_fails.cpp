// The op stands before the init, and lifts its elements.
// expect: the op stands where the init goes, and the init where the op goes; exchange them
#include <vector>

#include <warpfold/op/exact.hpp>
#include <warpfold/reduce.hpp>

auto call(const std::vector<double>& v) {
  return warpfold::reduce(warpfold::seq, v, warpfold::plus{}.exact(), 1.0);
}
