// In place of the emulation, in a build without Boost.Context or without `warpfold coalescing`.
#if !WARPFOLD_PROGRAM_EMULATION
#include <stdexcept>

#include "coalescing.hpp"

namespace warpfold::program {

std::span<const std::string_view> emulated_kernels() { return {}; }

emulation::report run_emulated(const coalescing_options&) {
  throw std::runtime_error(
      "this program was built without the emulation: without Boost.Context (Debian: "
      "libboost-context-dev), or with -D WARPFOLD_PROGRAM_COALESCING=OFF, as ./dev demo builds it");
}

}  // namespace warpfold::program
#endif
