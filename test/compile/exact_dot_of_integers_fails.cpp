// Integers do not round.
// expect: dot\(\.\.\., plus\{\}\.exact\(\)\) requires floating-point elements
#include <vector>

#include <warpfold/dot.hpp>
#include <warpfold/op/exact.hpp>

int main() {
  const std::vector<int> a(10);
  (void)warpfold::dot(warpfold::seq, a, a, warpfold::plus{}.exact());
}
