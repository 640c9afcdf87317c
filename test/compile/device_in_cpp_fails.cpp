// The GPU's policy in a file that nvcc does not compile: one error that says what to do.
// expect: this file is not compiled by nvcc
#include <vector>

#include <warpfold/reduce.hpp>

float sum(const std::vector<float>& v) {
  return warpfold::reduce(warpfold::device, v, warpfold::plus{});
}
