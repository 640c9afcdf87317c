// The same on host threads.
// needs: tbb
// expect: arg takes wf::minimum or wf::maximum
#include <vector>

#include <warpfold/op/arg.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/reduce.hpp>

int main() {
  const std::vector<int> v(10);
  (void)warpfold::reduce(warpfold::par, v, warpfold::arg(warpfold::plus{}));
}
