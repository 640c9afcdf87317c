// expect: aligned would refer to a temporary container
#include <vector>

#include <warpfold/reduce.hpp>

double call() {
  const auto view = warpfold::aligned<8>(std::vector<double>(3));  // dangles
  return warpfold::reduce(warpfold::seq, view, warpfold::plus{});
}
