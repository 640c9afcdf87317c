// Segments of one size divide the elements of all ranks, whose number no rank knows.
// expect: across folds segments that are given by offsets
#include <vector>

#include <warpfold/policy/across.hpp>
#include <warpfold/policy/thread_ranks.hpp>
#include <warpfold/reduce_segments.hpp>

void call(warpfold::thread_ranks& ranks, std::vector<float>& v, std::vector<float>& out) {
  warpfold::reduce_segments(warpfold::across(ranks[0]), v, warpfold::segments_of_size(2),
                            warpfold::plus{}, out);
}
