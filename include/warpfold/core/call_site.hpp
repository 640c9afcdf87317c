/// @file
/// The source line of an access, for the emulation. On the GPU it is an empty type.
#pragma once

#include <warpfold/core/config.hpp>

#if defined(__CUDACC__)

namespace warpfold {

/// Used as the default of a last parameter, `call_site at = call_site::here()`: the caller's line.
struct call_site {
  static WARPFOLD_HD constexpr call_site here() { return {}; }
};

}  // namespace warpfold

#else

#include <warpfold/core/site.hpp>

namespace warpfold {

using call_site = site;

}  // namespace warpfold

#endif
