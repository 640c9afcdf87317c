// An op with an index must be able to move it.
// expect: across folds along an axis and of segments with ops that can move their indices
#include <vector>

#include <warpfold/policy/across.hpp>
#include <warpfold/policy/thread_ranks.hpp>
#include <warpfold/reduce_axis.hpp>

#include "compile/any_mdspan.hpp"

struct weighted {
  float lift(float x, std::size_t i) const { return x * static_cast<float>(i); }
  float operator()(float a, float b) const { return a + b; }
};

void call(warpfold::thread_ranks& ranks, any_mdspan<float, 2> m, std::vector<float>& out) {
  warpfold::reduce_axis<0>(warpfold::across(ranks[0]), m, weighted{}, out);
}
