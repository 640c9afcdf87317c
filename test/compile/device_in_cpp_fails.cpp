// wf::device in a file for the host compiler: one error with the remedy.
// expect: this file is not compiled by nvcc
#include <vector>

#include <warpfold/reduce.hpp>

float sum(const std::vector<float>& v) {
  return warpfold::reduce(warpfold::device, v, warpfold::plus{});
}
