// wf::device on floating-point numbers, complex numbers and points.
#include "device_engines.hpp"

namespace warpfold::program {

bool fold_floats_on_device(const array& whole, op o, std::optional<value>& total) {
  return fold_on_device<floating_cases>(device, whole, o, total);
}

}  // namespace warpfold::program
