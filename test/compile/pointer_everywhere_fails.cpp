// A pointer without a size, given to every function: one error in all, which says what to do.
// expect: a pointer is not a range, because it has no size; pass std::span
using argument = const float*;

#include "compile/every_call.hpp"
