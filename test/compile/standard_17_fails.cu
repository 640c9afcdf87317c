// An older C++ with nvcc: the compiler stops at one error.
// expect: warpfold needs C\+\+20; compile with -std=c\+\+20
// errors: 2
// lines: 13
// standard: 17
#include <warpfold/reduce.hpp>
