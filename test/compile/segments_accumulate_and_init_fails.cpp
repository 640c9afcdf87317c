// Two inits.
// expect: pass no other init
#include <vector>

#include <warpfold/reduce_segments.hpp>

void call(const std::vector<float>& v, const std::vector<int>& offsets, std::vector<float>& out) {
  warpfold::reduce_segments(warpfold::seq, v, offsets, warpfold::plus{}, 1.0f,
                            warpfold::accumulate(out));
}
