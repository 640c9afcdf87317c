// Sums of integers do not round.
// expect: exact\(\) are for floating-point numbers
#include <vector>

#include <warpfold/op/compensated.hpp>
#include <warpfold/reduce.hpp>

int main() {
  const std::vector<int> v(10);
  (void)warpfold::reduce(warpfold::seq, v, warpfold::plus{}.compensated());
}
