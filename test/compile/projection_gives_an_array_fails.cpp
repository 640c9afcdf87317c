// expect: the function of the elements returns an array
#include <vector>

#include <warpfold/reduce.hpp>

struct particle {
  float at[3];
};

void call(const std::vector<particle>& v) {
  (void)warpfold::reduce(warpfold::seq, warpfold::project(v, &particle::at), warpfold::plus{});
}
