// A step through a counted range would lose the count.
// expect: strided was given a counted range
// errors: 1
#include <vector>

#include <warpfold/sum.hpp>
#include <warpfold/view/strided.hpp>

auto call(const std::vector<int>& v, const int* count) {
  return warpfold::sum(warpfold::seq, warpfold::strided(warpfold::counted(v, count), 2));
}
