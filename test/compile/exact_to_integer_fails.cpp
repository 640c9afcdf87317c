// A sum rounds to a floating-point number.
// expect: exact<To>\(\) rounds to float or double
#include <vector>

#include <warpfold/op/exact.hpp>
#include <warpfold/reduce.hpp>

int main() {
  const std::vector<float> a(10);
  (void)warpfold::reduce(warpfold::seq, a, warpfold::plus{}.exact<int>());
}
