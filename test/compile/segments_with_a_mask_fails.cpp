// A range with a mask.
// expect: the call cannot take a range with a mask
#include <vector>

#include <warpfold/reduce_segments.hpp>

void call(const std::vector<float>& v, const std::vector<unsigned>& bits,
          const std::vector<int>& offsets, std::vector<float>& out) {
  warpfold::reduce_segments(warpfold::seq, warpfold::where(v, bits), offsets, warpfold::plus{},
                            out);
}
