#include <cstdio>
#include <vector>
#include <warpfold/reduce.hpp>

int main() {
  const std::vector<int> values{1, 2, 3, 4};
  const auto sum = warpfold::reduce(warpfold::seq, values, warpfold::plus{});
  std::printf("sum: %lld\n", static_cast<long long>(sum));
  return sum == 10 ? 0 : 1;
}
