// Only reductions leave elements out.
// expect: transform and copy cannot take a range with a mask
// errors: 1
#include <vector>

#include <warpfold/transform.hpp>
#include <warpfold/view/where.hpp>

void call(const std::vector<int>& v, const std::vector<unsigned>& bits, std::vector<int>& out) {
  warpfold::transform(warpfold::seq, warpfold::where(v, bits), out, [](int x) { return x; });
}
