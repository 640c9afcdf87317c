// wf::device on integers.
#include "device_engines.hpp"

namespace warpfold::program {

bool fold_integers_on_device(const array& whole, op o, std::optional<value>& total) {
  return fold_on_device<integer_cases>(device, whole, o, total);
}

}  // namespace warpfold::program
