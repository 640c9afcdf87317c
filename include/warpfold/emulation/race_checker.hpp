/// @file
/// Records the threads that wrote and read each shared element, and whether a barrier separates
/// them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include <warpfold/emulation/thread.hpp>

namespace warpfold::emulation {

/// The order of events in a block. Only __syncthreads and __syncwarp order memory; a shuffle does
/// not.
class block_clocks {
 public:
  /// The time of a thread's access.
  struct moment {
    unsigned thread = 0;
    unsigned phase = 0;  ///< block barriers passed
    unsigned clock = 0;  ///< warp barriers passed
  };

  void start_block(unsigned threads) {
    phase_ = 0;
    clock_.assign(threads, 1);
    warps_.resize((threads + 31) / 32);
    for (warp& w : warps_) w.synced = false;
  }
  void pass_block_barrier() { ++phase_; }

  /// The lanes of `mask` in `warp` have synchronized: each knows what the others did and knew.
  void pass_warp_barrier(unsigned number, unsigned mask) {
    warp& w = warps_[number];
    if (!w.synced) {
      w.synced = true;
      for (auto& lane : w.known) lane.fill(0);
    }
    std::array<unsigned, 32> joined{};
    for_lanes(mask, [&](unsigned l) {
      w.known[l][l] = clock_[number * 32 + l];
      for (unsigned k = 0; k < 32; ++k) {
        if (w.known[l][k] > joined[k]) joined[k] = w.known[l][k];
      }
    });
    for_lanes(mask, [&](unsigned l) {
      w.known[l] = joined;
      ++clock_[number * 32 + l];
    });
  }

  moment now(unsigned thread) const { return {thread, phase_, clock_[thread]}; }
  unsigned phase() const { return phase_; }

  /// True if the access at `m` happened before what `thread` does now.
  bool is_ordered(const moment& m, unsigned thread) const {
    if (m.thread == thread || m.phase < phase_) return true;
    if (m.thread / 32 != thread / 32) return false;
    const warp& w = warps_[thread / 32];
    return w.synced && w.known[thread % 32][m.thread % 32] >= m.clock;
  }

 private:
  template <class F>
  static void for_lanes(unsigned mask, const F& f) {
    for (unsigned l = 0; l < 32; ++l) {
      if ((mask >> l & 1) != 0) f(l);
    }
  }

  struct warp {
    bool synced = false;  // true if `known` belongs to this block
    // by lane: the latest known clock of each other lane
    std::array<std::array<unsigned, 32>, 32> known{};
  };

  unsigned phase_ = 0;
  std::vector<unsigned> clock_;
  std::vector<warp> warps_;
};

/// Finds races between the threads of a block, and reads of uninitialized shared memory.
class race_checker {
 public:
  void start_block() {
    ++block_;
    global_.clear();
    global_unit_ = word;
    follows_global_ = true;
  }

  /// Records an access to global memory that the launch may write. It does not look for races
  /// between blocks. After the first atomic it stops looking in this block: it does not model how
  /// atomics order memory.
  template <class Report>
  void touch_global(const void* p, std::size_t bytes, access what, unsigned thread, site at,
                    const block_clocks& clocks, const Report& report) {
    if (what == access::atomic) follows_global_ = false;
    if (!follows_global_) return;
    if (what == access::load_of_range) what = access::load;
    const auto first = reinterpret_cast<std::uintptr_t>(p);
    // Two neighbors of 2 or 6 bytes may share a word without a race.
    if (global_unit_ == word && (first % word != 0 || bytes % word != 0)) refine_global();
    const std::size_t size = global_unit_;
    for (std::uintptr_t unit = first / size; unit * size < first + bytes; ++unit) {
      note(global_[unit], what, thread, at, clocks, report);
    }
  }

  /// Records that `thread` accesses `count` elements of an array in shared memory, starting at
  /// index `i`. Calls `report(text, other)` if that is an error; `other` is the conflicting earlier
  /// access or null.
  template <class Report>
  void touch(const shared_place& place, std::size_t i, std::size_t count, access what,
             unsigned thread, site at, const block_clocks& clocks, const Report& report) {
    region& r = region_of(place);
    const std::size_t start =
        static_cast<std::size_t>(static_cast<const std::byte*>(place.array) - r.begin) +
        i * place.element_bytes;
    const std::size_t end = start + count * place.element_bytes;
    for (std::size_t unit = start / r.unit; unit * r.unit < end; ++unit) {
      cell& c = r.cells[unit];
      if (c.block != block_) {
        c.block = block_;
        c.written = false;
        c.readers.clear();
      }
      if (what == access::load && !c.written) {
        report("reads shared memory that nobody has written", nullptr);
      }
      note(c, what, thread, at, clocks, report);
    }
  }

  /// An access that later ones are compared with.
  struct mark {
    block_clocks::moment when;
    site at;
  };

 private:
  struct cell {
    unsigned block = 0;  // the number of the block of this record
    bool written = false;
    mark writer;
    std::vector<mark> readers;
  };
  // Adjacent arrays of several types in one allocation are one region.
  struct region {
    const std::byte* begin;
    const std::byte* end;
    std::size_t unit;  // bytes per cell: 4, or 1 after a smaller element
    std::vector<cell> cells;
  };
  static constexpr std::size_t word = 4;

  template <class Report>
  static void note(cell& c, access what, unsigned thread, site at, const block_clocks& clocks,
                   const Report& report) {
    if (c.written && !clocks.is_ordered(c.writer.when, thread)) {
      report(what == access::load ? "reads what another thread writes, without a barrier between"
                                  : "writes what another thread writes, without a barrier between",
             &c.writer);
    }
    if (what == access::load) {
      // Readers of an earlier phase are ordered before all that follows.
      if (!c.readers.empty() && c.readers.front().when.phase != clocks.phase()) c.readers.clear();
      if (c.readers.empty() || c.readers.back().when.thread != thread) {
        c.readers.push_back({clocks.now(thread), at});
      } else {
        c.readers.back() = {clocks.now(thread), at};
      }
      return;
    }
    for (const mark& r : c.readers) {
      if (!clocks.is_ordered(r.when, thread)) {
        report("writes what another thread reads, without a barrier between", &r);
      }
    }
    c.readers.clear();
    c.written = true;
    c.writer = {clocks.now(thread), at};
  }

  region& region_of(const shared_place& place) {
    const auto* const begin = static_cast<const std::byte*>(place.array);
    const std::byte* const end = begin + place.size * place.element_bytes;
    const std::size_t unit = place.element_bytes % word == 0 ? word : 1;
    for (region& r : regions_) {
      if (begin < r.begin || begin >= r.end) continue;
      if (end > r.end) r.end = end;
      if (unit < r.unit) refine(r);
      const std::size_t cells = static_cast<std::size_t>(r.end - r.begin) / r.unit + 1;
      if (r.cells.size() < cells) r.cells.resize(cells);
      return r;
    }
    regions_.push_back(
        {begin, end, unit, std::vector<cell>(static_cast<std::size_t>(end - begin) / unit + 1)});
    return regions_.back();
  }

  // Splits words into bytes.
  static void refine(region& r) {
    std::vector<cell> bytes;
    bytes.reserve(r.cells.size() * word);
    for (const cell& c : r.cells) bytes.insert(bytes.end(), word, c);
    r.cells = std::move(bytes);
    r.unit = 1;
  }

  void refine_global() {
    std::unordered_map<std::uintptr_t, cell> bytes;
    for (const auto& [unit, c] : global_) {
      for (std::size_t k = 0; k < word; ++k) bytes.emplace(unit * word + k, c);
    }
    global_ = std::move(bytes);
    global_unit_ = 1;
  }

  unsigned block_ = 0;
  std::vector<region> regions_;
  std::unordered_map<std::uintptr_t, cell> global_;  // by address in units
  std::size_t global_unit_ = word;  // 4 bytes, or 1 after a smaller access in this block
  bool follows_global_ = true;
};

}  // namespace warpfold::emulation
