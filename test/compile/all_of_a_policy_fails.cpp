// Only ops can be parts of several reductions at once.
// expect: part_of_all
#include <warpfold/op/all.hpp>
#include <warpfold/reduce.hpp>

auto call() { return warpfold::all(warpfold::seq, warpfold::plus{}); }
