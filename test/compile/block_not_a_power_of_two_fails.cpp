// An invalid parameter of a kernel: the error lists the valid ones.
// expect: takes blocks of 32, 64, 128, 256, 512 or 1024 threads
#include <warpfold/kernel/ladder/sequential_addressing.hpp>

warpfold::kernel::sequential_addressing<48> kernel;
