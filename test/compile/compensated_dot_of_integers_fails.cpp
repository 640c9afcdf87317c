// Integers round nothing.
// expect: compensated scalar products are of floating-point numbers
#include <vector>

#include <warpfold/dot.hpp>

int main() {
  const std::vector<int> a(10);
  (void)warpfold::dot(warpfold::seq, a, a, warpfold::plus{}.compensated());
}
