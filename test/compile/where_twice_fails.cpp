// expect: where was given a range that has a mask
#include <vector>

#include <warpfold/reduce.hpp>

float call(const std::vector<float>& v, const std::vector<unsigned>& bits) {
  const auto some = warpfold::where(v, bits);
  return warpfold::reduce(warpfold::seq, warpfold::where(some, bits), warpfold::plus{});
}
