// expect: the function cannot be called with an element of the range
#include <vector>

#include <warpfold/reduce.hpp>

float call(const std::vector<float>& v, const std::vector<unsigned>& bits) {
  const auto size = [](const std::vector<int>& x) { return x.size(); };
  return warpfold::reduce(warpfold::seq, warpfold::project(warpfold::where(v, bits), size));
}
