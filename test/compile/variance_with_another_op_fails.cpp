// Statistics fold in double, or exactly.
// expect: take no other op than plus\{\}\.exact\(\)
#include <vector>

#include <warpfold/statistics.hpp>

int main() {
  const std::vector<float> a(10);
  (void)warpfold::variance(warpfold::seq, a, warpfold::variance_of::sample, warpfold::plus{});
}
