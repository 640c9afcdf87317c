// Volatile memory to write to.
// expect: the output.s elements are const or volatile
#include <vector>

#include <warpfold/copy.hpp>

volatile float out[8];

void call(const std::vector<float>& v) { warpfold::copy(warpfold::seq, v, out); }
