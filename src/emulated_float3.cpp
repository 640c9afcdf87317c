// The kernels in the emulation, on float3.
#include "emulated_part.hpp"

namespace warpfold::program {

const emulated_function emulated_float3 = run_emulated_on<element::float3>;

}  // namespace warpfold::program
