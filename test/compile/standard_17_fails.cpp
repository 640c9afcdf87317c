// An older C++, as a host compiler sees it: it must say so and stop.
// expect: warpfold needs C\+\+20; compile with -std=c\+\+20
// errors: 2
// lines: 13
// standard: 17
#include <warpfold/reduce.hpp>
