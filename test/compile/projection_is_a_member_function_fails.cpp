// A pointer to a member function is not a function object.
// expect: the function is a pointer to a member function
#include <vector>

#include <warpfold/reduce.hpp>

struct particle {
  float energy() const { return 1; }
};

void call(const std::vector<particle>& v) {
  (void)warpfold::reduce(warpfold::seq, warpfold::project(v, &particle::energy), warpfold::plus{});
}
