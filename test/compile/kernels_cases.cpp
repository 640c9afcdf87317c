// Wrong uses of kernels with wrong parameters.
#include <warpfold/kernel/cluster.hpp>
#include <warpfold/kernel/ladder/sequential_addressing.hpp>
#include <warpfold/kernel/ladder/thread_unrolled.hpp>

// expect: takes blocks of 32, 64, 128, 256, 512 or 1024 threads
// An invalid parameter of a kernel: the error lists the valid ones.
namespace block_not_a_power_of_two {
warpfold::kernel::sequential_addressing<48> kernel;
}  // namespace block_not_a_power_of_two

// expect: a cluster has 2, 4 or 8 blocks
// An invalid parameter of a kernel: the error lists the valid ones.
namespace cluster_of_three {
warpfold::kernel::cluster<3> kernel;
}  // namespace cluster_of_three

// expect: takes unroll factors from 2 to 64
// An invalid parameter of a kernel: the error lists the valid ones.
namespace unroll_factor_negative {
warpfold::kernel::thread_unrolled<-1> kernel;
}  // namespace unroll_factor_negative

// expect: takes unroll factors from 2 to 64
// An invalid parameter of a kernel: the error lists the valid ones.
namespace unroll_factor_zero {
warpfold::kernel::thread_unrolled<0> kernel;
}  // namespace unroll_factor_zero
