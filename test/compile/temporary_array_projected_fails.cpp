// expect: project would refer to a temporary
#include <array>

#include <warpfold/reduce.hpp>

long long call() {
  const auto view = warpfold::project(std::array{1, 2, 3}, [](int x) { return x; });  // dangles
  return warpfold::reduce(warpfold::seq, view, warpfold::plus{});
}
