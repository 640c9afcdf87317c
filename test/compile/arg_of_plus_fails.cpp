// arg returns the index of an extremum; a sum has no index.
// expect: arg takes wf::minimum or wf::maximum
#include <vector>

#include <warpfold/op/arg.hpp>
#include <warpfold/reduce.hpp>

int main() {
  const std::vector<float> v(10);
  (void)warpfold::reduce(warpfold::seq, v, warpfold::arg(warpfold::plus{}));
}
