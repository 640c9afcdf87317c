// expect: temporary container
#include <vector>

#include <warpfold/reduce.hpp>

long long call() {
  const auto view =
      warpfold::project(std::vector<int>{1, 2, 3}, [](int x) { return x; });  // dangles
  return warpfold::reduce(warpfold::seq, view, warpfold::plus{});
}
