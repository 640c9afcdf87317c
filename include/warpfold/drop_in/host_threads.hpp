/// @file
/// The policy that runs another library's parallel host policies.
///
/// Includes oneTBB, where it is found, by design: `wf::par` uses it.
#pragma once

#include <warpfold/policy/seq.hpp>

#if __has_include(<oneapi/tbb/parallel_for.h>)
#include <warpfold/policy/par.hpp>
#endif

namespace warpfold::detail {

inline constexpr auto host_threads() {
#if __has_include(<oneapi/tbb/parallel_for.h>)
  return par;
#else
  return seq;
#endif
}

}  // namespace warpfold::detail
