// A range with a count.
// expect: the call cannot take a counted range
#include <vector>

#include <warpfold/reduce_segments.hpp>

void call(const std::vector<float>& v, const int* n, const std::vector<int>& offsets,
          std::vector<float>& out) {
  warpfold::reduce_segments(warpfold::seq, warpfold::counted(v, n), offsets, warpfold::plus{}, out);
}
