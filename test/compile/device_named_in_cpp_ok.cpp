// Naming the GPU's policy costs nothing: only using it needs nvcc.
// expect: ok
#include <warpfold/reduce.hpp>

auto on_gpu() { return warpfold::device; }
