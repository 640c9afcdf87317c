// Projections whose results an op compares: those of a guarded op.
// expect: the function of a projected part of wf::all
#include <vector>

#include <warpfold/op/all.hpp>
#include <warpfold/reduce.hpp>

void call(const std::vector<float>& v) {
  using namespace warpfold;
  const auto nothing = [](const float&) {};
  (void)reduce(seq, v, all(projected(maximum{}, nothing)));
}
