// A count in the place of its address.
// expect: the count of counted is a number, not its address
// errors: 1
#include <vector>

#include <warpfold/sum.hpp>

auto call(const std::vector<int>& v) {
  return warpfold::sum(warpfold::seq, warpfold::counted(v, 2));
}
