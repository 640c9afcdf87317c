// The kernels in the emulation, on float64.
#include "emulated_part.hpp"

namespace warpfold::program {

const emulated_function emulated_float64 = run_emulated_on<element::float64>;

}  // namespace warpfold::program
