// A set cannot be written to, and says nothing of its memory.
// expect: output is none that can be written
#include <set>
#include <vector>

#include <warpfold/transform.hpp>

void call(const std::vector<int>& in, std::set<int>& out) {
  warpfold::transform(warpfold::seq, in, out, [](int x) { return x; });
}
