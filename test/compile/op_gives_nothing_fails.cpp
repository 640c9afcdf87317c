// expect: the op returns nothing; return
#include <vector>

#include <warpfold/reduce.hpp>

void call(const std::vector<int>& v) {
  (void)warpfold::reduce(warpfold::seq, v, [](int, int) {});
}
