/// @file
/// Folds classes of values: a table of states for each warp in shared memory, and a second launch
/// that folds the tables of all blocks.
///
/// Source: histograms with privatized tables (C. Nugteren and others, "High Performance Predictable
/// Histogramming on GPUs"). Those add by atomics; here lanes with the same label combine first, so
/// that one lane for each label writes, and the order is fixed.
///
/// - Counts: any order gives the same bits, so a block has one table, and lanes add to it by
///   atomics. The hardware merges those of a warp to one address.
/// - Ranges: if the tables of all classes do not fit the shared memory, blocks take a range of the
///   classes each (7000 classes of floats) and read everything again.
/// - Order: fixed by the numbers of values and classes and the GPU: the same bits on every run.
/// - Cost: two launches. The data is read once for each range of classes. Scratch: one state per
///   class and block; four bytes for counts.
/// - Wrong labels: their values are left out.
/// - Needs: compute capability 7.0.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/matching_lanes.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/warp_reduce.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/view/chunk.hpp>
#include <warpfold/view/global_access.hpp>
#include <warpfold/work/class_reduction.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct class_tables {
  static constexpr const char* name() { return "class_tables"; }

  /// An entry of a table: the state of a class, or the number of its labels.
  template <class Work>
  using entry = std::conditional_t<Work::is_count, unsigned, typename Work::state>;

  /// The number of tables of a block; an equal number of warps shares each.
  template <class Work>
  static constexpr unsigned tables_of_block = Work::is_count ? 1 : 8;

  template <class Work>
  struct body {
    using state = typename Work::state;
    using entry_type = entry<Work>;

    static constexpr int max_block = Work::is_count ? 1024 : 256;
    static constexpr unsigned count_of_tables = tables_of_block<Work>;
    static constexpr bool waits_for_launch_before = true;
    static constexpr int unroll = sizeof(state) <= 16 ? 4 : 1;

    Work reduction;
    std::size_t in_range;   ///< classes of a block
    unsigned bits;          ///< of the numbers from 0 to `in_range`
    std::size_t part_size;  ///< values of a block
    caching cache;
    collective::global_array<entry_type> tables;  ///< of all blocks, one after the other

    WARPFOLD_HD const Work& work() const { return reduction; }
    WARPFOLD_DEVICE void operator()() const {
      const std::size_t first_class = blockIdx.y * in_range;
      const std::size_t left = reduction.classes - first_class;
      const auto here = static_cast<unsigned>(left < in_range ? left : in_range);
      const unsigned warp = threadIdx.x / collective::warp_size;
      const unsigned warps = blockDim.x / collective::warp_size;
      const auto table = collective::dynamic_shared<entry_type>(count_of_tables * here);
      for (unsigned c = threadIdx.x; c < table.size(); c += blockDim.x) table.store(c, empty());
      __syncthreads();
      collective::wait_for_launch_before();

      const std::size_t begin = blockIdx.x * part_size;
      const std::size_t rest = reduction.size() - begin;
      const std::size_t end = rest < part_size ? reduction.size() : begin + part_size;
      constexpr std::size_t round = std::size_t{unroll} * collective::warp_size;
      WARPFOLD_NO_UNROLL
      for (std::size_t i = begin + warp * round; i < end; i += warps * round) {
        fold_round(table, warp % count_of_tables * here, first_class, here,
                   i + threadIdx.x % collective::warp_size, end);
      }

      collective::let_next_launch_start();
      __syncthreads();
      for (unsigned c = threadIdx.x; c < here; c += blockDim.x) {
        entry_type all = table.load(c);
        for (unsigned t = 1; t < count_of_tables; ++t) all = combine(all, table.load(t * here + c));
        tables.store(blockIdx.x * reduction.classes + first_class + c, all);
      }
    }

   private:
    WARPFOLD_DEVICE entry_type empty() const {
      if constexpr (Work::is_count) {
        return 0;
      } else {
        return reduction.fold().start();
      }
    }
    WARPFOLD_DEVICE entry_type combine(const entry_type& a, const entry_type& b) const {
      if constexpr (Work::is_count) {
        return a + b;
      } else {
        return reduction.fold().combine(a, b);
      }
    }

    /// Folds `unroll` values of each lane, a warp apart, into the table whose first element is
    /// number `at`. All loads start before the first one is used.
    WARPFOLD_DEVICE void fold_round(const collective::shared_span<entry_type>& table, unsigned at,
                                    std::size_t first_class, unsigned here, std::size_t i,
                                    std::size_t end) const {
      const auto fold = reduction.fold();
      const global_loads loads(cache);
      const unsigned none = here;  // the key of a value that is in no class of this range
      unsigned key[std::size_t{unroll}];
      chunk<entry_type, unroll> own;  // states need no default constructor
      WARPFOLD_UNROLL
      for (int u = 0; u < unroll; ++u) {
        const std::size_t place = i + static_cast<unsigned>(u) * collective::warp_size;
        const bool inside = place < end;
        // Beyond the end a lane loads its first value again, and leaves it out.
        const std::size_t from = inside ? place : i < end ? i : end - 1;
        const std::size_t c = reduction.class_at(from, loads) - first_class;
        key[u] = inside && c < here ? static_cast<unsigned>(c) : none;
        if constexpr (!Work::is_count) {
          ::new (static_cast<void*>(&own.elements[u]))
              entry_type(fold.state_of(reduction.lift_at(from, loads)));
        }
      }
      WARPFOLD_UNROLL
      for (int u = 0; u < unroll; ++u) {
        if constexpr (Work::is_count) {
          if (key[u] != none) table.increment(at + key[u]);
        } else {
          const collective::matching_lanes same(key[u], bits);
          const state all = same.reduce(fold, own.elements[u]);
          if (key[u] != none && same.is_first()) {
            table.store(at + key[u], combine(table.load(at + key[u]), all));
          }
          __syncwarp();
        }
      }
    }
  };

  /// The code of the second launch: a warp per class, or a thread if there are many classes.
  template <class Work>
  struct finish_body {
    using state = typename Work::state;

    static constexpr int max_block = 256;
    static constexpr bool waits_for_launch_before = true;

    Work reduction;
    collective::global_array<entry<Work>> tables;
    std::size_t parts;
    unsigned lanes;  ///< per class

    WARPFOLD_HD const Work& work() const { return reduction; }
    WARPFOLD_DEVICE void operator()() const {
      const auto fold = reduction.fold();
      const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
      const std::size_t c = thread / lanes;
      state all = fold.start();
      collective::wait_for_launch_before();
      if (c < reduction.classes) {
        for (std::size_t p = thread % lanes; p < parts; p += lanes) {
          all = fold.combine(all, state_of(fold, tables.load(p * reduction.classes + c)));
        }
      }
      all = collective::reduce_lanes(fold, all, lanes);
      if (c >= reduction.classes || thread % lanes != 0) return;
      const global_access stores;
      if constexpr (Work::has_identity) {
        reduction.write(c, fold.value(all), stores);
      } else {
        if (all.engaged()) reduction.write(c, fold.value(all), stores);
      }
    }

   private:
    static WARPFOLD_DEVICE state state_of(const typename Work::fold_type& fold,
                                          const entry<Work>& own) {
      if constexpr (Work::is_count) {
        return fold.state_of(static_cast<typename Work::accumulator>(own));
      } else {
        return own;
      }
    }
  };

  /// Launches twice; not at all without classes.
  /// @throws unsupported_kernel if a block's shared memory does not hold a state for each warp, or
  ///     if there are too many classes
  template <class Work, class Launcher>
  void enqueue(const Work& work, Launcher& launcher) const {
    if (work.classes == 0) return;
    using body_type = body<Work>;
    using entry_type = entry<Work>;
    constexpr std::size_t bytes_per_class = sizeof(entry_type) * tables_of_block<Work>;
    const auto& gpu = launcher.gpu();
    const std::size_t shared = gpu.shared_bytes_per_block;
    const std::size_t fit = shared / bytes_per_class;
    const std::size_t in_range = work.classes < fit ? work.classes : fit;
    const std::size_t ranges = in_range == 0 ? 0 : (work.classes + in_range - 1) / in_range;
    if (ranges == 0 || ranges > 65535) {
      throw_error<unsupported_kernel>(
          "warpfold: ", work.classes, " classes of ", sizeof(entry_type), " bytes do not fit ",
          shared,
          " bytes of shared memory in 65535 ranges of classes; use wf::par, or "
          "sort the values by class and use reduce_segments");
    }
    // As many blocks as are resident, of at least 2048 values, with tables of at most 64 MB.
    const std::size_t resident = shared / (in_range * bytes_per_class + 1024);
    const std::size_t at_once =
        static_cast<std::size_t>(gpu.multiprocessors) * (resident < 1   ? 1
                                                         : resident < 8 ? resident
                                                                        : 8);
    const std::size_t n = work.size();
    const std::size_t most_tables = (std::size_t{64} << 20) / (work.classes * sizeof(entry_type));
    std::size_t parts = (at_once + ranges - 1) / ranges;
    if (parts > (n + 2047) / 2048) parts = (n + 2047) / 2048;
    if (parts > most_tables) parts = most_tables;
    if (parts <= n >> 31) parts = (n >> 31) + 1;  // counts of a block have 32 bits
    if (parts == 0) parts = 1;
    std::size_t part_size = (n + parts - 1) / parts;
    part_size += part_size % 32 == 0 ? 0 : 32 - part_size % 32;
    if (part_size != 0) parts = (n + part_size - 1) / part_size;
    const auto tables = launcher.template scratch<entry_type>(parts * work.classes);
    unsigned bits = 1;
    while (in_range >> bits != 0) ++bits;
    // Large tables leave room for few blocks, so a block has more threads.
    const unsigned threads =
        body_type::max_block > 256 && resident <= 2 ? body_type::max_block : 256;
    launcher.launch(
        name(),
        body_type{work, in_range, bits, part_size, tuning::caching_of_reads(work, gpu), tables},
        {{grid_of(parts), static_cast<unsigned>(ranges)}, threads, in_range * bytes_per_class});
    const bool few = work.classes < static_cast<std::size_t>(gpu.multiprocessors) * 64;
    const std::size_t lanes = few ? collective::warp_size : 1;
    constexpr std::size_t block = finish_body<Work>::max_block;
    launcher.launch(
        name(), finish_body<Work>{work, tables, parts, static_cast<unsigned>(lanes)},
        {grid_of((work.classes * lanes + block - 1) / block), static_cast<unsigned>(block)});
  }
};

}  // namespace warpfold::kernel
