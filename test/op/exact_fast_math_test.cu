// The tests of exact sums on the GPU, compiled with flags that flush subnormal floats and fuse
// products with sums.
// flags: --use_fast_math
#include "op/exact_test.cu"
