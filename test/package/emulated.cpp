#include <cstdio>
#include <vector>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce.hpp>

int main() {
  const std::vector<int> values(100000, 2);
  const auto sum = warpfold::reduce(warpfold::emulated, values, warpfold::plus{});
  std::printf("sum: %lld\n", static_cast<long long>(sum));
  return sum == 200000 ? 0 : 1;
}
