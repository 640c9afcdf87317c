// expect: the function of a projected part of wf::all
#include <vector>

#include <warpfold/op/all.hpp>
#include <warpfold/reduce.hpp>

struct particle {
  float energy() const { return 1; }
};

void call(const std::vector<particle>& v) {
  using namespace warpfold;
  (void)reduce(seq, v, all(projected(maximum{}, &particle::energy)));
}
