// Wrong uses of wf::across.
#include <vector>

#include <warpfold/policy/across.hpp>
#include <warpfold/policy/thread_ranks.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/reduce_segments.hpp>

#include "compile/any_mdspan.hpp"

// expect: across folds along an axis and of segments with ops that can move their indices
// An op with an index must be able to move it.
namespace across_axis_index {
struct weighted {
  float lift(float x, std::size_t i) const { return x * static_cast<float>(i); }
  float operator()(float a, float b) const { return a + b; }
};

void call(warpfold::thread_ranks& ranks, any_mdspan<float, 2> m, std::vector<float>& out) {
  warpfold::reduce_axis<0>(warpfold::across(ranks[0]), m, weighted{}, out);
}
}  // namespace across_axis_index

// expect: across folds segments that are given by offsets
// Segments of one size divide the elements of all ranks, whose number no rank knows.
namespace across_equal_segments {
void call(warpfold::thread_ranks& ranks, std::vector<float>& v, std::vector<float>& out) {
  warpfold::reduce_segments(warpfold::across(ranks[0]), v, warpfold::segments_of_size(2),
                            warpfold::plus{}, out);
}
}  // namespace across_equal_segments

// expect: across takes the communicator of this rank; pass ranks\[i\]
// A group of ranks in the place of one of them.
namespace across_without_rank {
auto call(const std::vector<float>& v) {
  warpfold::thread_ranks ranks(2);
  return warpfold::reduce(warpfold::across(ranks), v);
}
}  // namespace across_without_rank
