// A policy of another library has no kernel for classes.
// needs: tbb
// expect: this policy does not run reduce_by_class; use
#include <vector>

#include <warpfold/policy/std_par.hpp>
#include <warpfold/reduce_by_class.hpp>

void call(const std::vector<int>& labels, std::vector<int>& out) {
  warpfold::count_by_class(warpfold::baseline::std_par, labels, 3, out);
}
