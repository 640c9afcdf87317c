// expect: temporary container
#include <vector>

#include <warpfold/reduce.hpp>

float call(const std::vector<float>& v) {
  const auto some = warpfold::where(v, std::vector<unsigned>{5});  // dangles
  return warpfold::reduce(warpfold::seq, some, warpfold::plus{});
}
