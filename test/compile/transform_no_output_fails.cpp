// A set is not writable.
// expect: this output type is not writable; pass a span
#include <set>
#include <vector>

#include <warpfold/transform.hpp>

void call(const std::vector<int>& in, std::set<int>& out) {
  warpfold::transform(warpfold::seq, in, out, [](int x) { return x; });
}
