/// @file
/// How the kernels that wf::device chooses are launched, as data.
///
/// Measured on an H100 and an H200, float sums, minima of doubles and of chars, products of int, cold, each shape beside
/// CUB (benchmarks/results/h100/report.md has the sizes):
///
/// - Few threads with eight loads each rather than twice as many with four: 8 MB of floats multiplied by a lambda, in a
///   graph: 1.42 times CUB, with 512 threads and four loads 1.30; 32 MB: 1.38, 1.24; cold 1.20, 1.17.
/// - Where a thread has one load, as many threads as there are loads. As long as one block of 256 threads a
///   multiprocessor loads the rest at once, a second one only makes more states to fold (4 MB of shorts, minimum, in a
///   graph: 1.18, with two blocks 1.14). Between 128 KB and 0.8 MB blocks of 512, for more than 32 states take more
///   than a warp to fold (256 KB of floats: 1.34, of 256 threads 1.26; at 128 KB 1.30, 1.31; at 1 MB 1.14, two of 256
///   1.21).
/// - Two blocks of 256 as long as the data fits the cache, then four (64 MB: 1.23, two 1.21). Where nothing is left of
///   the data in the cache eight of 512, more than are resident at once, so that the last ones even out the end (512 MB
///   of doubles, minimum: 1.01, four 0.99), and from 2 GB on four (4 GB: 1.013, eight 1.010).
/// - The H200's memory is faster, and the shapes are the same, since a block reads one stretch of memory and loads
///   leave the eviction priority as it is.
///
/// About a third of the L2 cache is for the data, and part of what exceeds it streams past. The more streams, the less
/// waits in a cold call for others' modified lines to be written back. The less streams, the more is found again in the
/// next call, if that is of the same data and the cache was full of others' lines, which streaming never pushes out; where
/// another has just left the data in the cache, streaming costs nothing. Times CUB cold, and the second of two graphs of
/// twenty calls, from a cache full of others' lines (H100, 50 MB of L2, minima of short):
///
///             keep         quarter      half         three qu.    all
///     20 MB   1.15, 1.14   1.17, 1.07   1.19, 0.96   1.22, 0.76   1.24, 0.64
///     24 MB   1.17, 1.23   1.19, 1.23   1.21, 1.05   1.25, 0.82   1.29, 0.68
///     32 MB   1.16, 1.28   1.18, 1.27   1.21, 1.04   1.25, 0.80   1.29, 0.66
///     40 MB   1.11, 1.12   1.13, 1.89   1.16, 1.54   1.21, 1.18   1.26, 0.96
///
/// So as much streams as does not lose to CUB either way. (Nine sixteenths at 32 MB: 1.22, 0.97.)
/// What exceeds the cache pushes itself out if it is all kept (64 MB in a graph: kept 1.04, half of it streaming 1.38,
/// three quarters 1.32, seven eighths 1.17, all 1.05; cold 1.08, 1.12, 1.18, 1.20, 1.23). From five times the cache on
/// that is lost in the whole, and loads that keep are the faster (4.3 GB: 1385 us, 1408).
#pragma once

#include <cstddef>

#include <warpfold/core/device_info.hpp>
#include <warpfold/core/error.hpp>
#include <warpfold/view/chunk.hpp>

namespace warpfold {

/// How the data comes to the threads.
enum class loading {
  direct,  ///< each loads into registers what it folds
  ahead  ///< bulk copies to shared memory run ahead of them (kernel/bulk_copy.hpp); compute capability 9.0
};

/// A table of launches by size, for one GPU. Plain data: print it, compare it, change it, and give it to
/// `wf::device.with(table)`.
struct tuning {
  /// How ranges of so many bytes and more are reduced, up to where the next row starts. Its block and blocks are
  /// single_pass's, which for chars takes twice the block where that is less than 512; single_block, which takes up
  /// to 64 KB, has its own, and blocks of states of more than 32 bytes may be merged; staged, which takes what
  /// kernel/automatic.hpp gives it, takes only `cache`; and bulk_copy only `block` and `cache`.
  struct row {
    std::size_t from_bytes = 0;
    unsigned block = 256;  ///< threads: a multiple of 32, up to 1024
    unsigned blocks = 2;   ///< a multiprocessor, at most: 1 to 64
    caching cache = caching::keep;
    /// How one array is loaded whose states are small, of 64 bytes at the most, and whose elements are not folded one by
    /// one where 16 and more are a load (kernel/automatic.hpp); all else is loaded directly.
    loading loads = loading::direct;

    friend constexpr bool operator==(const row&, const row&) = default;
  };
  static constexpr int most_rows = 16;

  /// The GPU that it is for.
  int compute_capability = 0;  ///< major * 10 + minor
  int multiprocessors = 0;
  std::size_t l2_bytes = 0;

  int count = 0;  ///< of rows
  row rows[most_rows];

  /// The library's own table for a GPU.
  static constexpr tuning of(const device_info& gpu) {
    tuning t{gpu.compute_capability, gpu.multiprocessors, gpu.l2_bytes, 0, {}};
    const places at(gpu);
    const std::size_t starts[] = {at.more_posts,
                                  at.two_blocks,
                                  at.two_loads,
                                  at.all_loads,
                                  at.streams_quarter,
                                  at.streams_half,
                                  at.streams_three_quarters,
                                  at.four_blocks,
                                  at.streams_most,
                                  at.streams,
                                  at.uncached,
                                  at.beyond_cache,
                                  at.large};
    t.rows[t.count++] = row_for(0, gpu);
    for (std::size_t from = 0;;) {
      std::size_t next = 0;  // the least start behind `from`
      for (const std::size_t start : starts) {
        if (start > from && (next == 0 || start < next)) next = start;
      }
      if (next == 0) return t;
      t.rows[t.count++] = row_for(next, gpu);
      from = next;
    }
  }

  /// What that table says of a range of `bytes` bytes.
  static constexpr row row_for(std::size_t bytes, const device_info& gpu) {
    const places at(gpu);
    row r{bytes, 256, 2, caching::keep};
    if (bytes >= at.four_blocks) r.blocks = 4;
    if (bytes >= at.uncached) r = {bytes, 512, 8, caching::keep};
    if (bytes >= at.large) r.blocks = 4;
    if (bytes < at.all_loads) r = {bytes, 256, 1, caching::keep};
    if (bytes < at.two_loads) r.blocks = 2;
    if (bytes >= at.more_posts && bytes < at.two_blocks) r.block = 512;
    if (bytes >= at.streams_quarter) r.cache = caching::stream_quarter;
    if (bytes >= at.streams_half) r.cache = caching::stream_half;
    if (bytes >= at.streams_three_quarters) r.cache = caching::stream_three_quarters;
    if (bytes >= at.streams_most) r.cache = caching::stream_seven_eighths;
    if (bytes >= at.streams) r.cache = caching::stream;
    if (bytes >= at.beyond_cache) {
      r.cache = caching::keep;
      if (gpu.compute_capability >= has_bulk_copies) r.loads = loading::ahead;
    }
    return r;
  }

  /// The row for a range of so many bytes.
  constexpr const row& row_of(std::size_t bytes) const {
    int i = 0;
    while (i + 1 < count && rows[i + 1].from_bytes <= bytes) ++i;
    return rows[i];
  }

  friend constexpr bool operator==(const tuning& a, const tuning& b) {
    if (a.compute_capability != b.compute_capability || a.multiprocessors != b.multiprocessors ||
        a.l2_bytes != b.l2_bytes || a.count != b.count) {
      return false;
    }
    for (int i = 0; i < a.count; ++i) {
      if (!(a.rows[i] == b.rows[i])) return false;
    }
    return true;
  }

  /// @throws invalid_tuning  that names the field, if this is not a table that every launch could use
  constexpr void check() const {
    if (compute_capability < 0 || multiprocessors < 0) {
      throw invalid_tuning("warpfold: this tuning's ",
                           compute_capability < 0 ? "compute_capability" : "multiprocessors",
                           " is negative");
    }
    if (count < 1 || count > most_rows) {
      throw invalid_tuning("warpfold: this tuning's count of rows is ", count, "; it takes 1 to ",
                           most_rows);
    }
    for (int i = 0; i < count; ++i) {
      const row& r = rows[i];
      if (i == 0 ? r.from_bytes != 0 : r.from_bytes <= rows[i - 1].from_bytes) {
        throw invalid_tuning(
            "warpfold: row ", i, " of this tuning has from_bytes ", r.from_bytes,
            "; the first starts at 0, and each of the others after the one before");
      }
      if (r.block == 0 || r.block > 1024 || r.block % 32 != 0) {
        throw invalid_tuning("warpfold: row ", i, " of this tuning has block ", r.block,
                             "; it takes a multiple of 32, up to 1024");
      }
      if (r.blocks == 0 || r.blocks > 64) {
        throw invalid_tuning("warpfold: row ", i, " of this tuning has blocks ", r.blocks,
                             " a multiprocessor; it takes 1 to 64");
      }
      if (r.cache < caching::keep || r.cache > caching::stream) {
        throw invalid_tuning("warpfold: row ", i, " of this tuning has cache ",
                             static_cast<int>(r.cache), ", which is none of the enumerators");
      }
      if (r.loads != loading::direct && r.loads != loading::ahead) {
        throw invalid_tuning("warpfold: row ", i, " of this tuning has loads ",
                             static_cast<int>(r.loads), ", which is none of the enumerators");
      }
      if (r.loads == loading::ahead && compute_capability < has_bulk_copies) {
        throw invalid_tuning("warpfold: row ", i,
                             " of this tuning has loads ahead, which takes compute capability 9.0, "
                             "and it is for ",
                             compute_capability / 10, ".", compute_capability % 10);
      }
    }
  }

  /// @throws invalid_tuning  that names the field, if this is the table of another kind of GPU, or none at all
  constexpr void check_for(const device_info& gpu) const {
    check();
    const auto same = [](const char* field, std::size_t here, std::size_t of_gpu) {
      if (here == of_gpu) return;
      throw invalid_tuning("warpfold: this tuning is for another GPU: its ", field, " is ", here,
                           ", and the GPU's ", of_gpu,
                           "; `warpfold tune` measures one, and tuning::of(gpu) computes one");
    };
    same("compute_capability", static_cast<std::size_t>(compute_capability),
         static_cast<std::size_t>(gpu.compute_capability));
    same("multiprocessors", static_cast<std::size_t>(multiprocessors),
         static_cast<std::size_t>(gpu.multiprocessors));
    same("l2_bytes", l2_bytes, gpu.l2_bytes);
  }

 private:
  static constexpr int has_bulk_copies = 90;  // compute capability

  // Where the library's own table changes, in bytes.
  struct places {
    std::size_t more_posts, two_blocks, two_loads, all_loads, streams_quarter, streams_half,
        streams_three_quarters, four_blocks, streams_most, streams, uncached, beyond_cache, large;

    constexpr explicit places(const device_info& gpu)
        : more_posts(32 * 256 * word_bytes + 1),
          two_blocks(threads(gpu, 384) * word_bytes),
          two_loads(threads(gpu, 512) * word_bytes),
          all_loads(threads(gpu, 256) * 8 * word_bytes),
          streams_quarter(gpu.l2_bytes / 10 * 3),
          streams_half(gpu.l2_bytes / 50 * 23),
          streams_three_quarters(gpu.l2_bytes / 50 * 39),
          four_blocks(gpu.l2_bytes / 10 * 9),
          streams_most(gpu.l2_bytes / 5 * 6),
          streams(gpu.l2_bytes / 5 * 9),
          uncached(gpu.l2_bytes / 2 * 5),
          beyond_cache(gpu.l2_bytes * 5),
          large(std::size_t{2} << 30) {}

    // `each` a multiprocessor.
    static constexpr std::size_t threads(const device_info& gpu, std::size_t each) {
      return static_cast<std::size_t>(gpu.multiprocessors) * each;
    }
  };
};

}  // namespace warpfold
