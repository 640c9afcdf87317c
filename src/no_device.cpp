// The GPU's side in a build without a CUDA compiler: there is none.
#if !WARPFOLD_PROGRAM_CUDA
#include <stdexcept>

#include "engine.hpp"

namespace warpfold::program {

struct device_copy::memory {};

device_copy::device_copy(const array&, const on_progress&) {
  throw std::logic_error("warpfold: this program was built without CUDA");
}
device_copy::~device_copy() = default;
device_copy::device_copy(device_copy&&) noexcept = default;

std::span<const engine> device_engines() { return {}; }

gpu_info query_gpu() {
  gpu_info g;
  g.name = "this program was built without CUDA";
  return g;
}

}  // namespace warpfold::program
#endif
