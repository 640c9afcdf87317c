// Norms fold in double, or exactly.
// expect: take no other op than plus\{\}\.exact\(\)
#include <vector>

#include <warpfold/norm.hpp>

int main() {
  const std::vector<float> a(10);
  (void)warpfold::norm_2(warpfold::seq, a, warpfold::plus{}.compensated());
}
