// A policy of another library has no kernel for lists of ranges.
// needs: tbb
// expect: this policy does not run reduce_many; use
#include <vector>

#include <warpfold/policy/std_par.hpp>
#include <warpfold/reduce_many.hpp>

void call(const std::vector<std::vector<int>>& lists, std::vector<int>& out) {
  warpfold::reduce_many(warpfold::baseline::std_par, lists, warpfold::plus{}, out);
}
