// The list of emulated kernels, and the dispatch to the file of one element type.
#include "emulated_part.hpp"

namespace warpfold::program {

std::span<const std::string_view> emulated_kernels() {
  static const std::vector<std::string_view> all = [] {
    std::vector<std::string_view> names;
    const auto add = [&]<class Kernel>(const listed<Kernel>& one) {
      if (kernel::is_emulated_v<Kernel>) names.push_back(one.name);
    };
    std::apply([&](const auto&... one) { (add(one), ...); }, kernels);
    return names;
  }();
  return all;
}

emulation::report run_emulated(const coalescing_options& options) {
  // The build defines the list of types.
#define X(name) \
  if (options.type == element::name) return emulated_##name(options);
  WARPFOLD_EMULATED_TYPES
#undef X
  throw std::runtime_error("this program was built without the emulation of " +
                           std::string(name_of(options.type)) +
                           "; build it with -D WARPFOLD_PROGRAM_COALESCING=ON (./dev build)");
}

}  // namespace warpfold::program
