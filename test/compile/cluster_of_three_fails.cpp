// A kernel's parameter that it does not take: one line that says what it takes.
// expect: a cluster has 2, 4 or 8 blocks
#include <warpfold/kernel/cluster.hpp>

warpfold::kernel::cluster<3> kernel;
