// expect: the mask of where is not contiguous unsigned integers
#include <vector>

#include <warpfold/reduce.hpp>

float call(const std::vector<float>& v, const std::vector<bool>& is) {
  return warpfold::reduce(warpfold::seq, warpfold::where(v, is), warpfold::plus{});
}
