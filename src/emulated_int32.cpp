// The kernels in the emulation, on int32.
#include "emulated_part.hpp"

namespace warpfold::program {

const emulated_function emulated_int32 = run_emulated_on<element::int32>;

}  // namespace warpfold::program
