// Skewness has no exact form.
// expect: the argument after the range is not a variance_of
#include <vector>

#include <warpfold/op/exact.hpp>
#include <warpfold/statistics.hpp>

int main() {
  const std::vector<float> a(10);
  (void)warpfold::skewness(warpfold::seq, a, warpfold::plus{}.exact());
}
