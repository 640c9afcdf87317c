/// @file
/// The launch shapes of the kernels that wf::device chooses, as data.
///
/// Measured on an H100 and an H200: float sums, minima of doubles and of chars, products of int,
/// cold, each shape compared with CUB (benchmarks/results/h100/report.md has the sizes). Figures
/// are times CUB.
///
/// - Few threads with eight loads each are better than twice as many with four. Products of floats,
///   512 threads with four loads -> this: 8 MB in a graph 1.30 -> 1.42; cold 1.17 -> 1.20.
/// - If a thread has one load, the launch has as many threads as loads. While one block of 256
///   threads per multiprocessor loads the rest at once, a second one only adds states to fold.
///   Minimum of 4 MB of shorts, in a graph, two blocks -> one: 1.14 -> 1.18.
/// - From 128 KB to 0.8 MB blocks have 512 threads, because more than 32 states take more than a
///   warp to fold. Floats, 256 KB, 256 threads -> 512: 1.26 -> 1.34; 1 MB: 1.21 -> 1.14.
/// - Two blocks of 256 while the data fits the cache, then four (64 MB, two -> four: 1.21 -> 1.23).
/// - If nothing of the data stays in the cache, eight blocks of 512: more than are resident at
///   once, so that the last ones balance the end (512 MB of doubles, four -> eight: 0.99 -> 1.01).
///   From 2 GB on four (4 GB, eight -> four: 1.010 -> 1.013).
///
/// About a third of the L2 cache is for the data, and part of the excess streams. With more
/// streaming, a cold call waits less for the write-back of others' modified lines. Less streaming
/// helps the next call on the same data if the cache was full of others' lines, which streaming
/// never evicts. So the table streams as much as is not slower than CUB in either case. Minima of
/// short, 32 MB, H100, 50 MB of L2, cold and the second of two graphs of twenty calls: keep 1.16,
/// 1.28; quarter 1.18, 1.27; half 1.21, 1.04; three quarters 1.25, 0.80; all 1.29, 0.66.
///
/// Data that exceeds the cache evicts itself if all of it is kept: 64 MB, keep, three quarters,
/// all: in a graph 1.04, 1.32, 1.05; cold 1.08, 1.18, 1.23. From five times the cache on this no
/// longer matters, and loads that keep are faster (4.3 GB: 1408 -> 1385 us).
#pragma once

#include <cstddef>

#include <warpfold/core/device_info.hpp>
#include <warpfold/core/error.hpp>
#include <warpfold/view/chunk.hpp>

namespace warpfold {

/// How the data reaches the threads.
enum class loading {
  direct,  ///< each thread loads what it folds into registers
  /// bulk copies to shared memory run ahead (kernel/bulk_copy.hpp); compute capability 9.0
  ahead
};

/// Where the launch shapes of a call come from.
enum class tuning_source {
  none,      ///< the kernel has its own shapes
  measured,  ///< the library's own table, on a GPU that it was measured on
  computed,  ///< the library's own table, on another GPU: computed from its properties
  given      ///< a table of the caller's, `wf::device.with(table)`
};

/// A table of launch shapes by size, valid for one GPU model. Plain data: print it, compare it,
/// change it, and pass it to `wf::device.with(table)`.
struct tuning {
  /// The launch of ranges of at least `from_bytes` bytes, up to the start of the next row.
  ///
  /// `block` and `blocks` are those of single_pass. For chars it doubles `block` if that is below
  /// 512, and it may merge blocks if states exceed 32 bytes. single_block, for up to 64 KB, has its
  /// own shapes. staged (kernel/automatic.hpp) uses only `cache`, and bulk_copy only `block` and
  /// `cache`.
  struct row {
    std::size_t from_bytes = 0;
    unsigned block = 256;  ///< threads: a multiple of 32, up to 1024
    unsigned blocks = 2;   ///< per multiprocessor, at most: 1 to 64
    caching cache = caching::keep;
    /// How one array is loaded. `ahead` applies to states of at most 64 bytes whose elements are
    /// not folded one by one with 16 or more per load (kernel/automatic.hpp). Everything else is
    /// loaded directly.
    loading loads = loading::direct;

    friend constexpr bool operator==(const row&, const row&) = default;
  };
  static constexpr int max_rows = 16;

  /// The GPU of the table.
  int compute_capability = 0;  ///< major * 10 + minor
  int multiprocessors = 0;
  std::size_t l2_bytes = 0;

  int count = 0;  ///< number of rows
  row rows[max_rows];

  /// Returns the library's own table for a GPU. The sizes at which its rows start follow from the
  /// number of multiprocessors and the L2 cache, and bulk copies from the compute capability.
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
      std::size_t next = 0;  // the least start after `from`
      for (const std::size_t start : starts) {
        if (start > from && (next == 0 || start < next)) next = start;
      }
      if (next == 0) return t;
      t.rows[t.count++] = row_for(next, gpu);
      from = next;
    }
  }

  /// Returns how the memory that `work` reads is to be cached.
  static caching caching_of_reads(const auto& work, const device_info& gpu) {
    std::size_t bytes = 0;
    work.visit_read([&](const void*, std::size_t n, std::size_t) { bytes += n; });
    return row_for(bytes, gpu).cache;
  }

  /// Returns the row of that table for a range of `bytes` bytes.
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

  /// Returns the row for elements that are results of functions of unknown cost.
  ///
  /// A function needs many threads to hide its latency, and a plain sum loses 1 % at most by them.
  /// 10^7 floats, H200, warm cache, two blocks of 256 threads with twice the loads -> this: squares
  /// 9.5 -> 9.4 us, 12 instructions 30.3 -> 22.1 us, sin and exp 29.9 -> 25.8 us, 1000 instructions
  /// 449 -> 434 us. Short ranges are spread over all multiprocessors.
  static constexpr row row_for_functions(std::size_t chunks, std::size_t bytes,
                                         const device_info& gpu) {
    const auto multiprocessors = static_cast<std::size_t>(gpu.multiprocessors);
    row r = row_for(bytes, gpu);
    r.block = chunks <= multiprocessors * 128 ? 128 : chunks <= multiprocessors * 256 ? 256 : 512;
    r.blocks = 2;
    if (bytes >= places(gpu).uncached) {
      r.block = 1024;
      r.blocks = 1;
    }
    r.loads = loading::direct;
    return r;
  }

  /// Returns `measured` for an H100 or H200 with 132 multiprocessors, otherwise `computed`.
  static constexpr tuning_source source_of(const device_info& gpu) {
    constexpr std::size_t mb = std::size_t{1} << 20;
    const bool is_measured = gpu.compute_capability == 90 && gpu.multiprocessors == 132 &&
                             (gpu.l2_bytes == 50 * mb || gpu.l2_bytes == 60 * mb);
    return is_measured ? tuning_source::measured : tuning_source::computed;
  }

  /// Returns the row for a range of `bytes` bytes.
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

  /// @throws invalid_tuning if not every launch could use this table; the message names the field
  constexpr void check() const {
    check([](auto... pieces) { throw_error<invalid_tuning>("warpfold: ", pieces...); });
  }
  /// The same, with the pieces of the message for `fail`, which throws.
  template <class Fail>
  constexpr void check(const Fail& fail) const {
    if (compute_capability < 0 || multiprocessors < 0) {
      fail("this tuning's ", compute_capability < 0 ? "compute_capability" : "multiprocessors",
           " is negative; it takes 0 or more");
    }
    if (count < 1 || count > max_rows) {
      fail("this tuning's count of rows is ", count, "; it takes 1 to ", max_rows);
    }
    for (int i = 0; i < count; ++i) {
      const row& r = rows[i];
      if (i == 0 ? r.from_bytes != 0 : r.from_bytes <= rows[i - 1].from_bytes) {
        fail("row ", i, " of this tuning has from_bytes ", r.from_bytes,
             "; the first row starts at 0, and each other row after the one before");
      }
      if (r.block == 0 || r.block > 1024 || r.block % 32 != 0) {
        fail("row ", i, " of this tuning has block ", r.block,
             "; it takes a multiple of 32, up to 1024");
      }
      if (r.blocks == 0 || r.blocks > 64) {
        fail("row ", i, " of this tuning has blocks ", r.blocks,
             " per multiprocessor; it takes 1 to 64");
      }
      if (r.cache < caching::keep || r.cache > caching::stream) {
        fail("row ", i, " of this tuning has cache ", static_cast<int>(r.cache),
             ", which is not an enumerator; it takes caching::keep to caching::stream");
      }
      if (r.loads != loading::direct && r.loads != loading::ahead) {
        fail("row ", i, " of this tuning has loads ", static_cast<int>(r.loads),
             ", which is not an enumerator; it takes loading::direct or loading::ahead");
      }
      if (r.loads == loading::ahead && compute_capability < has_bulk_copies) {
        fail("row ", i,
             " of this tuning has loads ahead, which needs compute capability 9.0, "
             "but the tuning is for ",
             compute_capability / 10, ".", compute_capability % 10);
      }
    }
  }

  /// @throws invalid_tuning if this table is invalid or for another GPU; the message says why
  constexpr void check_for(const device_info& gpu) const {
    check();
    const auto same = [](const char* field, std::size_t here, std::size_t of_gpu) {
      if (here == of_gpu) return;
      throw_error<invalid_tuning>(
          "warpfold: this tuning is for another GPU: its ", field, " is ", here,
          ", but the GPU's is ", of_gpu,
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

  // The sizes at which the library's own table changes, in bytes.
  struct places {
    std::size_t words;  // one for each multiprocessor
    std::size_t more_posts, two_blocks, two_loads, all_loads, streams_quarter, streams_half,
        streams_three_quarters, four_blocks, streams_most, streams, uncached, beyond_cache, large;

    constexpr explicit places(const device_info& gpu)
        : words(static_cast<std::size_t>(gpu.multiprocessors) * word_bytes),
          more_posts(32 * 256 * word_bytes + 1),
          two_blocks(words * 384),
          two_loads(words * 512),
          all_loads(words * 256 * 8),
          streams_quarter(gpu.l2_bytes / 10 * 3),
          streams_half(gpu.l2_bytes / 50 * 23),
          streams_three_quarters(gpu.l2_bytes / 50 * 39),
          four_blocks(gpu.l2_bytes / 10 * 9),
          streams_most(gpu.l2_bytes / 5 * 6),
          streams(gpu.l2_bytes / 5 * 9),
          uncached(gpu.l2_bytes / 2 * 5),
          beyond_cache(gpu.l2_bytes * 5),
          large(std::size_t{2} << 30) {}
  };
};

}  // namespace warpfold
