// The number of runs goes to a float.
// expect: the output of the number of runs is not of integers; pass a pointer to an integer
#include <vector>

#include <warpfold/reduce_by_key.hpp>

void call(const std::vector<int>& v, std::vector<int>& out, float* runs) {
  warpfold::run_lengths_async(warpfold::seq, v, out, out, runs);
}
