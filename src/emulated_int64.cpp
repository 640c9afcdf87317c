// The kernels in the emulation, on int64.
#include "emulated_part.hpp"

namespace warpfold::program {

const emulated_function emulated_int64 = run_emulated_on<element::int64>;

}  // namespace warpfold::program
