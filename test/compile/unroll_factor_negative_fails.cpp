// A kernel's parameter that it does not take: one line that says what it takes.
// expect: takes unroll factors from 2 to 64
#include <warpfold/kernel/ladder/thread_unrolled.hpp>

warpfold::kernel::thread_unrolled<-1> kernel;
