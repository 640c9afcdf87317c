// A function cannot move from elements.
// expect: the function cannot be called with an element
#include <vector>

#include <warpfold/reduce.hpp>

void call(const std::vector<float>& v) {
  const auto negated = [](float&& x) { return -x; };
  (void)warpfold::reduce(warpfold::seq, warpfold::project(v, negated), warpfold::plus{});
}
