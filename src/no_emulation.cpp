// The emulation in a build without Boost.Context: there is none.
#if !WARPFOLD_PROGRAM_EMULATION
#include <stdexcept>

#include "coalescing.hpp"

namespace warpfold::program {

std::span<const std::string_view> emulated_kernels() { return {}; }

emulation::report run_emulated(const coalescing_options&) {
  throw std::runtime_error(
      "this program was built without the emulation: Boost.Context was not found (Debian: "
      "libboost-context-dev)");
}

}  // namespace warpfold::program
#endif
