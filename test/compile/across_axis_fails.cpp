// Folds along axes are not supported on several ranks.
// expect: this policy does not support reduce_axis
#include <vector>

#include <warpfold/policy/across.hpp>
#include <warpfold/policy/thread_ranks.hpp>
#include <warpfold/reduce_axis.hpp>

#include "compile/any_mdspan.hpp"

void call(warpfold::thread_ranks& ranks, any_mdspan<float, 2> m, std::vector<float>& out) {
  warpfold::reduce_axis<0>(warpfold::across(ranks[0]), m, warpfold::plus{}, out);
}
