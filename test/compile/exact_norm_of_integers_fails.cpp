// Squares of integers do not round.
// expect: norm_2\(\.\.\., plus\{\}\.exact\(\)\) requires floating-point or complex elements
#include <vector>

#include <warpfold/norm.hpp>
#include <warpfold/op/exact.hpp>

int main() {
  const std::vector<int> a(10);
  (void)warpfold::norm_2(warpfold::seq, a, warpfold::plus{}.exact());
}
