// The arguments of with_identity are exchanged.
// expect: a number stands where the op goes; call with_identity\(op, value\)
#include <warpfold/reduce.hpp>

auto op() { return warpfold::with_identity(0.0f, warpfold::plus{}); }
