// The ranks combine accumulators on the host.
// expect: across folds along an axis and of segments on the host; pass wf::seq
#include <warpfold/policy/across.hpp>
#include <warpfold/policy/device.hpp>
#include <warpfold/policy/thread_ranks.hpp>
#include <warpfold/reduce_axis.hpp>

#include "compile/any_mdspan.hpp"

void call(warpfold::thread_ranks& ranks, any_mdspan<float, 2> m, any_mdspan<float, 1> out) {
  warpfold::reduce_axis<0>(warpfold::across(ranks[0], warpfold::device), m, warpfold::plus{}, out);
}
