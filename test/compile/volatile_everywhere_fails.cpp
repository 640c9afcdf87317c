// A volatile array, passed to every function: one error with the remedy.
// expect: the range.s elements are volatile; copy them
using argument = volatile float (&)[8];

#include "compile/every_call.hpp"
