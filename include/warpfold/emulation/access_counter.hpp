/// @file
/// Converts the accesses of single threads to the hardware's counts: requests of warps, sectors,
/// wavefronts.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <warpfold/emulation/report.hpp>

namespace warpfold::emulation {

/// Counts the accesses of a launch, or of the blocks that one host thread runs.
///
/// Threads run one after another, while the lanes of a GPU's warp access memory together. So
/// accesses of different lanes at one source line count as one request if both are the k-th since
/// the warp last synchronized.
class access_counter {
 public:
  void start_launch() { sites_.clear(); }

  void start_block(unsigned threads) {
    threads_ = threads;
    warps_.resize((threads + 31) / 32);
    for (warp& w : warps_) w.open.resize(sites_.size());
  }

  /// Counts an asynchronous bulk copy: one request, whole sectors.
  void note_copy(std::uintptr_t from, std::size_t bytes, site at) {
    site_counts& s = sites_[id_of(traffic::bulk_copy, at, static_cast<unsigned>(bytes))];
    ++s.requests;
    ++s.lanes;
    s.sectors += (from + bytes + 31) / 32 - from / 32;
    s.ideal_sectors += (bytes + 31) / 32;
    s.bytes_used += bytes;
  }

  /// Counts one access of one thread. An access that is wider than 16 bytes or than its alignment,
  /// or of an odd size, takes several instructions.
  void note(unsigned thread, traffic what, std::uintptr_t address, std::size_t bytes,
            std::size_t alignment, site at) {
    const std::size_t width = (std::min)(std::gcd(bytes, std::size_t{16}), alignment);
    const std::size_t id = id_of(what, at, static_cast<unsigned>(bytes));
    warp& w = warps_[thread / 32];
    if (w.open.size() <= id) w.open.resize(sites_.size());
    pending& p = w.open[id];
    for (std::size_t done = 0; done < bytes; done += width) {
      const unsigned k = p.made[thread % 32]++;
      if (p.requests.size() <= k) p.requests.resize(k + 1);
      request& r = p.requests[k];
      r.mask |= 1u << thread % 32;
      r.width = static_cast<unsigned>(width);
      r.address[thread % 32] = address + done;
    }
  }

  /// The lanes of a warp have synchronized: their accesses so far are whole requests.
  void meet(unsigned number) {
    warp& w = warps_[number];
    const unsigned lanes = (std::min)(32u, threads_ - number * 32);
    const unsigned all = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
    for (std::size_t id = 0; id < w.open.size(); ++id) {
      pending& p = w.open[id];
      if (p.requests.empty()) continue;
      for (const request& r : p.requests) count(sites_[id], r, all);
      p.requests.clear();
      p.made.fill(0);
    }
  }

  void end_block() {
    for (unsigned w = 0; w < warps_.size(); ++w) meet(w);
  }

  /// Adds the counts to `total`, site by site.
  void add_to(launch_counts& total) const {
    for (const site_counts& s : sites_) {
      const auto same = [&](const site_counts& t) {
        return t.at == s.at && t.what == s.what && t.access_bytes == s.access_bytes;
      };
      auto found = std::find_if(total.sites.begin(), total.sites.end(), same);
      if (found == total.sites.end()) {
        total.sites.push_back(s);
        continue;
      }
      found->requests += s.requests;
      found->lanes += s.lanes;
      found->partial += s.partial;
      found->sectors += s.sectors;
      found->ideal_sectors += s.ideal_sectors;
      found->bytes_used += s.bytes_used;
      found->wavefronts += s.wavefronts;
      found->bank_conflicts += s.bank_conflicts;
      found->odd_size += s.odd_size;
      found->out_of_order += s.out_of_order;
      found->misaligned += s.misaligned;
    }
  }

 private:
  struct request {
    unsigned mask = 0;
    unsigned width = 0;
    std::array<std::uintptr_t, 32> address{};
  };
  struct pending {
    std::vector<request> requests;
    std::array<unsigned, 32> made{};  // by lane
  };
  struct warp {
    std::vector<pending> open;  // by site
  };

  std::size_t id_of(traffic what, site at, unsigned bytes) {
    for (std::size_t id = 0; id < sites_.size(); ++id) {
      const site_counts& s = sites_[id];
      if (s.at == at && s.what == what && s.access_bytes == bytes) return id;
    }
    site_counts s;
    s.at = at;
    s.what = what;
    s.access_bytes = bytes;
    sites_.push_back(s);
    return sites_.size() - 1;
  }

  static bool is_shared(traffic what) {
    return what == traffic::shared_load || what == traffic::shared_store;
  }

  static void count(site_counts& s, const request& r, unsigned all) {
    std::array<std::uintptr_t, 32> addresses;
    unsigned n = 0, first_lane = 32;
    bool in_order = true;
    for (unsigned lane = 0; lane < 32; ++lane) {
      if ((r.mask >> lane & 1) == 0) continue;
      if (first_lane == 32) first_lane = lane;
      if (r.address[lane] - r.address[first_lane] != std::uintptr_t{lane - first_lane} * r.width) {
        in_order = false;
      }
      addresses[n++] = r.address[lane];
    }
    ++s.requests;
    s.lanes += n;
    s.partial += r.mask != all;
    if (is_shared(s.what)) {
      const passes p = wavefronts(r);
      s.wavefronts += p.made;
      s.bank_conflicts += p.made - p.least;
      s.bytes_used += std::uint64_t{n} * r.width;
      return;
    }
    std::sort(addresses.begin(), addresses.begin() + n);
    std::uint64_t sectors = 0, used = 0;
    std::uintptr_t next_sector = 0, next_byte = 0;
    for (unsigned k = 0; k < n; ++k) {
      const std::uintptr_t from = addresses[k], to = from + r.width;
      const std::uintptr_t first = (std::max)(from / 32, next_sector), last = (to - 1) / 32;
      if (last >= first) {
        sectors += last - first + 1;
        next_sector = last + 1;
      }
      if (to > next_byte) {
        used += to - (std::max)(from, next_byte);
        next_byte = to;
      }
    }
    s.sectors += sectors;
    s.bytes_used += used;
    s.ideal_sectors += (used + 31) / 32;
    s.odd_size += s.access_bytes != 4 && s.access_bytes != 8 && s.access_bytes != 16;
    s.out_of_order += !in_order;
    s.misaligned += addresses[0] % 32 != 0;
  }

  // Every bank delivers one word at a time, to all lanes that request it. Half warps serve accesses
  // of 8 bytes, and quarters those of 16. Two groups are served together if no bank has to deliver
  // two words: the halves of the warp for 8 bytes, the quarters of each half for 16. (Observed with
  // Nsight Compute on an H100.)
  struct passes {
    std::uint64_t made = 0;
    std::uint64_t least = 0;
  };
  static passes wavefronts(const request& r) {
    passes p;
    const unsigned group = r.width <= 4 ? 32 : r.width == 8 ? 16 : 8;
    const unsigned pair = group == 32 ? 32 : 2 * group;
    for (unsigned from = 0; from < 32; from += pair) {
      const unsigned together = max_words(r, from, from + pair);
      if (together <= 1 || group == 32) {
        p.made += together;
        p.least += together != 0;
        continue;
      }
      for (unsigned g = from; g < from + pair; g += group) {
        const unsigned alone = max_words(r, g, g + group);
        p.made += alone;
        p.least += alone != 0;
      }
    }
    return p;
  }

  // The number of different words that lanes `from` to `to - 1` request from the busiest bank.
  static unsigned max_words(const request& r, unsigned from, unsigned to) {
    std::array<unsigned, 32> words{};
    std::array<std::uintptr_t, 128> seen;
    unsigned n = 0;
    for (unsigned lane = from; lane < to; ++lane) {
      if ((r.mask >> lane & 1) == 0) continue;
      for (std::uintptr_t a = r.address[lane] / 4; a * 4 < r.address[lane] + r.width; ++a) {
        if (std::find(seen.begin(), seen.begin() + n, a) != seen.begin() + n) continue;
        seen[n++] = a;
        ++words[a % 32];
      }
    }
    return *std::max_element(words.begin(), words.end());
  }

  unsigned threads_ = 0;
  std::vector<site_counts> sites_;
  std::vector<warp> warps_;
};

}  // namespace warpfold::emulation
