// An op that cannot be called with two elements.
// expect: the op cannot be called as op\(x, x\)
#include <vector>

#include <warpfold/reduce.hpp>

struct joins_names {
  const char* operator()(const char* a, const char* b) const;
};

auto joined(const std::vector<float>& v) {
  return warpfold::reduce(warpfold::seq, v, joins_names{});
}
