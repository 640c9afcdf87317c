// Replaces the emulation in a build without Boost.Context or without `warpfold coalescing`.
#if !WARPFOLD_PROGRAM_EMULATION
#include <stdexcept>

#include "coalescing.hpp"

namespace warpfold::program {

std::span<const std::string_view> emulated_kernels() { return {}; }

emulation::report run_emulated(const coalescing_options&) {
  throw std::runtime_error(
      "this program was built without the emulation; install Boost.Context (Debian: "
      "libboost-context-dev) and build with -D WARPFOLD_PROGRAM_COALESCING=ON (./dev build)");
}

found_race run_racing_kernel() { return {}; }

}  // namespace warpfold::program
#endif
