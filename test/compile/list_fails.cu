// A list, as nvcc sees it.
// expect: copy it into a std::vector
// lines: 12
#include <list>

#include <warpfold/sum.hpp>

auto total(const std::list<float>& v) { return warpfold::sum(warpfold::device, v); }
