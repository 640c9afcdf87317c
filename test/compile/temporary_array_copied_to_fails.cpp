// expect: the output is a temporary
#include <array>
#include <vector>

#include <warpfold/copy.hpp>

void call(const std::vector<int>& in) { warpfold::copy(warpfold::seq, in, std::array<int, 3>{}); }
