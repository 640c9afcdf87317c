// The emulation in a file that nvcc compiles: one error that says what to do.
// expect: Compile this file with the host compiler
#include <vector>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce.hpp>

float sum(const std::vector<float>& v) {
  return warpfold::reduce(warpfold::emulated, v, warpfold::plus{});
}
