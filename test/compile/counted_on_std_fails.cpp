// A policy that cannot read the size of a range.
// needs: tbb
// expect: this policy cannot read the size of a counted range
// errors: 1
#include <vector>

#include <warpfold/policy/std_par.hpp>
#include <warpfold/reduce.hpp>

int call(const std::vector<int>& v, const int* count) {
  return warpfold::reduce(warpfold::baseline::std_par, warpfold::counted(v, count), 0,
                          warpfold::plus{});
}
