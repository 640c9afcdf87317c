// A pointer without a size, passed to every function: one error with the remedy.
// expect: a pointer is not a range, because it has no size; pass std::span
using argument = const float*;

#include "compile/every_call.hpp"
