// expect: packed takes elements of one or two bytes
#include <vector>

#include <warpfold/reduce.hpp>

int smallest(const std::vector<int>& v) {
  return warpfold::reduce(warpfold::seq, warpfold::packed(v), warpfold::minimum{});
}
