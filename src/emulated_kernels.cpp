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
  switch (options.type) {
    case element::int8:
      return emulated_int8(options);
    case element::int16:
      return emulated_int16(options);
    case element::int32:
      return emulated_int32(options);
    case element::int64:
      return emulated_int64(options);
    case element::float32:
      return emulated_float32(options);
    case element::float64:
      return emulated_float64(options);
    case element::float3:
      return emulated_float3(options);
    default:
      throw std::logic_error("warpfold: the emulation is not built for " +
                             std::string(name_of(options.type)));
  }
}

}  // namespace warpfold::program
