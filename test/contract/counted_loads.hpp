/// @file
/// The width of the loads of a view, as the emulation counts them.
#pragma once

#include <cstdint>

#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce.hpp>

#include "contract/oracle.hpp"

namespace test {

/// How many of the loads that reduce `view` with `Kernel` are of `bytes` bytes each.
template <class Kernel = wf::kernel::single_pass<>, class View>
std::uint64_t loads_of(unsigned bytes, const View& view) {
  const auto policy = wf::emulated.counting().with_kernel(Kernel{});
  (void)wf::reduce(policy, view, wf::plus{});
  std::uint64_t loads = 0;
  for (const auto& site : policy.report().launches.front().sites) {
    const bool counts = site.what == wf::emulation::traffic::global_load;
    if (counts && site.access_bytes == bytes) loads += site.lanes;
  }
  return loads;
}

}  // namespace test
