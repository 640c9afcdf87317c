// wf::emulated in a file for nvcc: one error with the remedy.
// expect: Compile this file with the host compiler
#include <vector>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce.hpp>

float sum(const std::vector<float>& v) {
  return warpfold::reduce(warpfold::emulated, v, warpfold::plus{});
}
