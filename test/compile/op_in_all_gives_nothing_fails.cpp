// expect: an op of wf::all returns nothing
#include <vector>

#include <warpfold/op/all.hpp>
#include <warpfold/reduce.hpp>

void call(const std::vector<float>& v) {
  using namespace warpfold;
  (void)reduce(seq, v, all(plus{}, [](float, float) {}));
}
