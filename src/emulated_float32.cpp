// The kernels in the emulation, on float32.
#include "emulated_part.hpp"

namespace warpfold::program {

const emulated_function emulated_float32 = run_emulated_on<element::float32>;

}  // namespace warpfold::program
