// Pointers to void have no elements.
// expect: a pointer is not a range
const void* bytes();

#include <warpfold/reduce.hpp>

void call() { (void)warpfold::reduce(warpfold::seq, bytes(), bytes()); }
