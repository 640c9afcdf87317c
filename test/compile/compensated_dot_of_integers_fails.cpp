// Integers do not round.
// expect: requires real floating-point elements
#include <vector>

#include <warpfold/dot.hpp>

int main() {
  const std::vector<int> a(10);
  (void)warpfold::dot(warpfold::seq, a, a, warpfold::plus{}.compensated());
}
