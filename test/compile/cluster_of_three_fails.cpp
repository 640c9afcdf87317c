// An invalid parameter of a kernel: the error lists the valid ones.
// expect: a cluster has 2, 4 or 8 blocks
#include <warpfold/kernel/cluster.hpp>

warpfold::kernel::cluster<3> kernel;
