// Sums of integers do not round.
// expect: statistics with plus\{\}\.exact\(\) require elements of float
#include <vector>

#include <warpfold/op/exact.hpp>
#include <warpfold/statistics.hpp>

int main() {
  const std::vector<int> a(10);
  (void)warpfold::mean(warpfold::seq, a, warpfold::plus{}.exact());
}
