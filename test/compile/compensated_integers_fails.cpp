// Sums of integers round nothing.
// expect: the op cannot be called as op\(x, x\)
#include <vector>

#include <warpfold/op/compensated.hpp>
#include <warpfold/reduce.hpp>

int main() {
  const std::vector<int> v(10);
  (void)warpfold::reduce(warpfold::seq, v, warpfold::plus{}.compensated());
}
