/// @file
/// What an emulated call did to memory, counted as the hardware counts it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpfold/core/launch_shape.hpp>
#include <warpfold/core/site.hpp>

namespace warpfold::emulation {

/// Which memory an access goes to, and what it does there.
enum class traffic {
  global_load,
  global_store,
  global_atomic,
  shared_load,
  shared_store,
  bulk_copy  ///< from global to shared memory, by the memory system: one request a copy
};

/// The accesses that one line makes in one launch.
///
/// A request is one instruction of one warp: what its lanes access at the same time. Branches are not seen, but
/// `partial` tells of the accesses in divergent code.
struct site_counts {
  site at;
  traffic what = traffic::global_load;
  unsigned access_bytes = 0;  ///< a lane's access
  std::uint64_t requests = 0;
  std::uint64_t lanes = 0;           ///< that took part, over all requests
  std::uint64_t partial = 0;         ///< requests in which not all lanes of the warp took part
  std::uint64_t sectors = 0;         ///< global: 32-byte sectors touched
  std::uint64_t ideal_sectors = 0;   ///< as few as those bytes fit into
  std::uint64_t bytes_used = 0;      ///< distinct bytes accessed
  std::uint64_t wavefronts = 0;      ///< shared: passes through the 32 banks
  std::uint64_t bank_conflicts = 0;  ///< wavefronts beyond what the width asks for

  /// The rules of coalescing, and how many requests break each.
  std::uint64_t odd_size = 0;      ///< an element is not 4, 8 or 16 bytes
  std::uint64_t out_of_order = 0;  ///< lane k does not take element k of a run
  std::uint64_t misaligned = 0;    ///< the run does not start at a multiple of 32 bytes
};

/// One launch.
struct launch_counts {
  launched launch;                 ///< kernel, grid and block
  std::vector<site_counts> sites;  ///< by file and line
  std::uint64_t barriers = 0;      ///< warps that arrived at a block's barrier
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

/// That of the calling thread's last counted call.
inline report& last_report() {
  static thread_local report r;
  return r;
}

}  // namespace warpfold::emulation
