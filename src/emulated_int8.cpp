// The kernels in the emulation, on int8.
#include "emulated_part.hpp"

namespace warpfold::program {

const emulated_function emulated_int8 = run_emulated_on<element::int8>;

}  // namespace warpfold::program
