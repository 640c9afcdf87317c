// The kernels in the emulation, on int16.
#include "emulated_part.hpp"

namespace warpfold::program {

const emulated_function emulated_int16 = run_emulated_on<element::int16>;

}  // namespace warpfold::program
