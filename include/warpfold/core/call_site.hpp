/// @file
/// The line of the source that makes an access, for the emulation; on the GPU it is nothing.
#pragma once

#include <warpfold/core/config.hpp>

#if defined(__CUDACC__)

namespace warpfold {

/// As the default of a last parameter, `call_site at = call_site::here()`, the caller's line.
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
