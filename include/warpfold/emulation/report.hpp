/// @file
/// The memory accesses of an emulated call, counted as the hardware counts them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpfold/core/launch_shape.hpp>
#include <warpfold/core/site.hpp>

namespace warpfold::emulation {

/// The memory of an access, and its kind.
enum class traffic {
  global_load,
  global_store,
  global_atomic,
  shared_load,
  shared_store,
  bulk_copy  ///< asynchronous, from global to shared memory: one request per copy
};

/// The accesses of one source line in one launch.
///
/// A request is one instruction of one warp: the simultaneous accesses of its lanes. Branches are
/// not counted, but `partial` counts the accesses in divergent code.
struct site_counts {
  site at;
  traffic what = traffic::global_load;
  unsigned access_bytes = 0;  ///< per lane
  std::uint64_t requests = 0;
  std::uint64_t lanes = 0;           ///< lanes that took part, over all requests
  std::uint64_t partial = 0;         ///< requests in which not all lanes of the warp took part
  std::uint64_t sectors = 0;         ///< global: 32-byte sectors touched
  std::uint64_t ideal_sectors = 0;   ///< minimum number of sectors for these bytes
  std::uint64_t bytes_used = 0;      ///< distinct bytes accessed
  std::uint64_t wavefronts = 0;      ///< shared: passes through the 32 banks
  std::uint64_t bank_conflicts = 0;  ///< wavefronts beyond those that the width requires

  /// The rules of coalescing, and the number of requests that break each.
  std::uint64_t odd_size = 0;      ///< an element does not have 4, 8 or 16 bytes
  std::uint64_t out_of_order = 0;  ///< lane k does not take element k of contiguous elements
  /// the contiguous elements do not start at a multiple of 32 bytes
  std::uint64_t misaligned = 0;
};

/// The counts of one launch.
struct launch_counts {
  launched launch;                 ///< kernel, grid and block
  std::vector<site_counts> sites;  ///< by file and line
  std::uint64_t barriers = 0;      ///< warps that arrived at a block barrier
  std::uint64_t warp_syncs = 0;    ///< __syncwarp, by warps
  std::uint64_t shuffles = 0;      ///< by warps
  std::uint64_t votes = 0;         ///< by warps
  std::uint64_t reductions = 0;    ///< redux.sync, by warps

  /// The sum over all sites of one kind of traffic.
  site_counts total(traffic what) const {
    site_counts t;
    t.what = what;
    for (const site_counts& s : sites) {
      if (s.what != what) continue;
      t.requests += s.requests;
      t.lanes += s.lanes;
      t.partial += s.partial;
      t.sectors += s.sectors;
      t.ideal_sectors += s.ideal_sectors;
      t.bytes_used += s.bytes_used;
      t.wavefronts += s.wavefronts;
      t.bank_conflicts += s.bank_conflicts;
      t.odd_size += s.odd_size;
      t.out_of_order += s.out_of_order;
      t.misaligned += s.misaligned;
    }
    return t;
  }
};

/// All launches of a call, in their order.
struct report {
  std::vector<launch_counts> launches;
};

/// The report of the calling thread's last counted call.
inline report& last_report() {
  static thread_local report r;
  return r;
}

}  // namespace warpfold::emulation
