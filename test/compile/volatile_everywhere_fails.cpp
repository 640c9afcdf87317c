// A volatile array, given to every function: one error in all, which says what to do.
// expect: the range.s elements are volatile; copy them
using argument = volatile float (&)[8];

#include "compile/every_call.hpp"
