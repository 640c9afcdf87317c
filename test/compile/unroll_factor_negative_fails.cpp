// An invalid parameter of a kernel: the error lists the valid ones.
// expect: takes unroll factors from 2 to 64
#include <warpfold/kernel/ladder/thread_unrolled.hpp>

warpfold::kernel::thread_unrolled<-1> kernel;
