// Naming wf::device needs no nvcc; only calls do.
// expect: ok
#include <warpfold/reduce.hpp>

auto on_gpu() { return warpfold::device; }
