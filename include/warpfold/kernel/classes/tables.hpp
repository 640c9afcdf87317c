/// @file
/// Folds classes of values: a table of states for each thread or each warp in shared memory. The
/// tables of all blocks are folded by the last block, or in a second launch.
///
/// Source: histograms with privatized tables (C. Nugteren and others, "High Performance Predictable
/// Histogramming on GPUs"). Those add by atomics; here the order is fixed.
///
/// - Few classes: each thread has a table of its own. Those of a block are interleaved, so that the
///   lanes of a warp use different banks, for any labels. Wrong labels have an entry of their own.
///   Blocks have 256 threads for up to 111 classes of 4-byte states, and 128 for up to 223, or 450
///   from 2^20 values on (H100, H200).
/// - Otherwise each warp has a table. Lanes with the same label combine first, and one of them
///   writes.
/// - Ranges: if the tables of all classes do not fit the shared memory, blocks take a range of the
///   classes each (7260 classes of floats) and read everything again.
/// - End: the last block folds the states of all blocks, in the order of the blocks, if they are
///   few (8192 floats for 256 threads). A second launch folds more.
/// - Order: fixed by the numbers of values and classes and the GPU: the same bits on every run.
/// - Cost: a load, an op and a store of shared memory for each value in a table of the thread. The
///   data is read once for each range of classes. Scratch: one state per class and block.
/// - Wrong labels: their values are left out.
/// - Needs: compute capability 7.0.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/collective/last_block.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/matching_lanes.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/classes/finish.hpp>
#include <warpfold/kernel/classes/table_room.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/view/chunk.hpp>
#include <warpfold/work/class_reduction.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct class_tables {
  static constexpr const char* name() { return "class_tables"; }

  /// Warps of a block, and tables if each warp has one.
  static constexpr unsigned warps_of_block = 8;
  /// A thread of the last block waits for loads at most this many times.
  static constexpr std::size_t loads_at_end = 4;

  /// @tparam PerThread true if each thread has a table
  template <class Work, bool PerThread>
  struct body {
    using state = typename Work::state;
    using shared_states = collective::shared_span<state>;
    using label = typename std::remove_cvref_t<decltype(Work::labels)>::value_type;

    static constexpr int max_block = warps_of_block * collective::warp_size;
    static constexpr bool waits_for_launch_before = true;
    static constexpr bool is_costly =
        warpfold::detail::has_unknown_cost<std::remove_cvref_t<decltype(Work::labels)>>() ||
        warpfold::detail::has_unknown_cost<typename Work::view_type>();
    /// Values of a thread in flight. A user function is inlined for each of them, twice.
    static constexpr int unroll = sizeof(state) > 16 ? 1 : PerThread && !is_costly ? 8 : 4;

    Work reduction;
    std::size_t in_range;   ///< classes of a block
    unsigned bits;          ///< of the numbers from 0 to `in_range`
    std::size_t part_size;  ///< values of a block
    caching cache;
    bool ends_here;  ///< the last block writes the results
    collective::grid_storage grid;
    collective::global_array<state> tables;  ///< of all blocks, one after the other

    WARPFOLD_HD const Work& work() const { return reduction; }
    WARPFOLD_DEVICE void operator()() const {
      const auto fold = reduction.fold();
      const std::size_t first_class = blockIdx.y * in_range;
      const std::size_t left = reduction.classes - first_class;
      const auto here = static_cast<unsigned>(left < in_range ? left : in_range);
      const unsigned warp = threadIdx.x / collective::warp_size;
      const unsigned warps = blockDim.x / collective::warp_size;
      const auto table = collective::dynamic_shared<state>(PerThread ? blockDim.x * (here + 1)
                                                                     : warps_of_block * here);
      for (unsigned i = threadIdx.x; i < table.size(); i += blockDim.x) {
        table.store(i, fold.start());
      }
      __syncthreads();
      collective::wait_for_launch_before();

      const std::size_t begin = blockIdx.x * part_size;
      const std::size_t rest = reduction.size() - begin;
      const std::size_t end = rest < part_size ? reduction.size() : begin + part_size;
      constexpr std::size_t round = std::size_t{unroll} * collective::warp_size;
      const unsigned lane = threadIdx.x % collective::warp_size;
      std::size_t i = begin + warp * round;
      WARPFOLD_NO_UNROLL
      for (; i + round <= end; i += warps * round) {
        fold_round(table, first_class, here, i + lane, [](int) { return true; });
      }
      if (i < end) {
        fold_round(table, first_class, here, i + lane, [&](int u) {
          return i + lane + static_cast<unsigned>(u) * collective::warp_size < end;
        });
      }
      collective::let_next_launch_start();

      const auto finish = [&](unsigned c, const state& all) {
        if (ends_here && gridDim.x == 1) {
          detail::write_class(reduction, c, all);
        } else {
          tables.store(blockIdx.x * reduction.classes + first_class + c, all);
        }
      };
      if constexpr (PerThread) {
        __syncthreads();
        fold_threads(table, here, finish);
      } else {
        fold_slices(table, here, warps_of_block, finish);
      }
      if (!ends_here || gridDim.x == 1) return;
      if (collective::is_last_block(grid, 0, gridDim.x)) fold_blocks(table, here);
    }

   private:
    /// Folds the values number `i`, `i + 32`, and so on, of each lane: those of up to `unroll` for
    /// which `is_there(u)`. All loads start before the first one is used.
    template <class IsThere>
    WARPFOLD_DEVICE void fold_round(const shared_states& table, std::size_t first_class,
                                    unsigned here, std::size_t i, const IsThere& is_there) const {
      const auto fold = reduction.fold();
      const global_loads loads(cache);
      const unsigned none = here;  // the key of a value that is in no class of this range
      label labels[std::size_t{unroll}];
      chunk<state, unroll> own;  // states need no default constructor
      WARPFOLD_UNROLL
      for (int u = 0; u < unroll; ++u) {
        // A lane without a value loads one that another lane has, and leaves it out.
        const std::size_t from = is_there(u) ? i + static_cast<unsigned>(u) * collective::warp_size
                                             : reduction.size() - 1;
        labels[u] = reduction.labels.at(from, loads);
        ::new (static_cast<void*>(&own.elements[u]))
            state(fold.state_of(reduction.lift_at(from, loads)));
      }
      unsigned key[std::size_t{unroll}];
      WARPFOLD_UNROLL
      for (int u = 0; u < unroll; ++u) {
        key[u] = detail::row_of_label<PerThread>(labels[u], first_class, here);
        if (!is_there(u)) key[u] = none;
      }
      const auto add = [&](unsigned at, const state& more) {
        table.store(at, fold.combine(table.load(at), more));
      };
      WARPFOLD_UNROLL
      for (int u = 0; u < unroll; ++u) {
        if constexpr (PerThread) {
          add(key[u] * blockDim.x + threadIdx.x, own.elements[u]);  // without a branch
        } else {
          const collective::matching_lanes same(key[u], bits);
          const state all = same.reduce(fold, own.elements[u]);
          if (key[u] != none && same.is_first()) {
            add(threadIdx.x / collective::warp_size * here + key[u], all);
          }
          __syncwarp();
        }
      }
    }

    /// Folds the states of all threads: up to eight threads for each class, each of which folds a
    /// part of the columns. Calls `finish(c, state)` in one thread for each class.
    template <class Finish>
    WARPFOLD_DEVICE void fold_threads(const shared_states& table, unsigned here,
                                      const Finish& finish) const {
      unsigned slices = 1;
      while (slices < warps_of_block && 2 * slices * here <= blockDim.x) slices *= 2;
      const unsigned columns = blockDim.x / slices;  // a power of two
      // Neighboring threads begin at different columns, and so in different banks.
      const auto fold_columns = [&](unsigned i) {
        const unsigned first = i % here * blockDim.x + i / here * columns;
        state all = table.load(first + (i & (columns - 1)));
        for (unsigned k = 1; k < columns; ++k) {
          all = reduction.fold().combine(all, table.load(first + ((i + k) & (columns - 1))));
        }
        return all;
      };
      if (slices == 1) {
        for (unsigned c = threadIdx.x; c < here; c += blockDim.x) finish(c, fold_columns(c));
        return;
      }
      const unsigned i = threadIdx.x;
      const bool has_part = i < here * slices;
      const state part = has_part ? fold_columns(i) : reduction.fold().start();
      __syncthreads();
      if (has_part) table.store(i, part);
      fold_slices(table, here, slices, finish);
    }

    /// Folds the states of `slices` rows of the table, which the block has just stored.
    template <class Finish>
    WARPFOLD_DEVICE void fold_slices(const shared_states& table, unsigned here, unsigned slices,
                                     const Finish& finish) const {
      __syncthreads();
      for (unsigned c = threadIdx.x; c < here; c += blockDim.x) {
        state all = table.load(c);
        for (unsigned s = 1; s < slices; ++s) {
          all = reduction.fold().combine(all, table.load(s * here + c));
        }
        finish(c, all);
      }
    }

    /// Folds the tables of all blocks: up to eight threads for each class, each of which folds a
    /// part of the tables.
    WARPFOLD_DEVICE void fold_blocks(const shared_states& table, unsigned here) const {
      const auto fold = reduction.fold();
      const unsigned fit = blockDim.x / here;
      const unsigned slices = fit < 1 ? 1 : fit < warps_of_block ? fit : warps_of_block;
      for (unsigned i = threadIdx.x; i < here * slices; i += blockDim.x) {
        const unsigned c = i % here;
        const state all = detail::fold_tables(fold, tables, gridDim.x, here, c, i / here, slices,
                                              [](const state& own) -> const state& { return own; });
        table.store(i, all);
      }
      fold_slices(table, here, slices,
                  [&](unsigned c, const state& all) { detail::write_class(reduction, c, all); });
    }
  };

  /// Launches once or twice; not at all without classes.
  /// @throws unsupported_kernel if a block's shared memory does not hold a state for each warp, or
  ///     if there are too many classes
  template <class Work, class Launcher>
  void enqueue(const Work& work, Launcher& launcher) const {
    if (work.classes == 0) return;
    constexpr std::size_t bytes = sizeof(typename Work::state);
    const auto& gpu = launcher.gpu();
    // Halves of the shared memory, so that two blocks are resident, and threads of a block.
    const std::size_t shared = detail::room_for_classes(gpu);
    const std::size_t half = shared / 2;
    const std::size_t reserved = 1024;
    const auto fits = [&](std::size_t threads, std::size_t room) {
      return room > reserved && work.classes < (room - reserved) / (threads * bytes);
    };
    if (fits(256, half)) {
      enqueue_per_thread(work, 256, launcher);
    } else if (fits(128, half) || (fits(128, 2 * half) && work.size() >= many_values)) {
      enqueue_per_thread(work, 128, launcher);
    } else {
      constexpr std::size_t bytes_per_class = bytes * warps_of_block;
      const std::size_t fit = shared / bytes_per_class;
      const std::size_t in_range = work.classes < fit ? work.classes : fit;
      const std::size_t ranges = detail::ranges_of_classes(work, in_range, bytes, shared);
      enqueue_body<body<Work, false>>(work, {in_range, ranges, in_range * bytes_per_class}, 256, 8,
                                      2048, launcher);
    }
  }

 private:
  /// From this number of values on, tables of the threads are faster even if a multiprocessor
  /// has room for 128 threads only.
  static constexpr std::size_t many_values = std::size_t{1} << 20;

  struct division {
    std::size_t in_range;      ///< classes of a block
    std::size_t ranges;        ///< of classes
    std::size_t shared_bytes;  ///< of a block
  };

  template <class Work, class Launcher>
  static void enqueue_per_thread(const Work& work, unsigned threads, Launcher& launcher) {
    constexpr std::size_t bytes = sizeof(typename Work::state);
    using body_type = body<Work, true>;
    constexpr std::size_t least = body_type::unroll < 4 ? 4 : body_type::unroll;  // of a thread
    enqueue_body<body_type>(work, {work.classes, 1, (work.classes + 1) * threads * bytes}, threads,
                            4, threads * least, launcher);
  }

  /// @param most blocks per multiprocessor
  /// @param least values of a block
  template <class Body, class Work, class Launcher>
  static void enqueue_body(const Work& work, const division& d, unsigned threads, std::size_t most,
                           std::size_t least, Launcher& launcher) {
    using state = typename Work::state;
    const auto& gpu = launcher.gpu();
    // As many blocks as are resident, with tables of at most 64 MB.
    const std::size_t resident = gpu.shared_bytes_per_block / (d.shared_bytes + 1024);
    const std::size_t at_once =
        static_cast<std::size_t>(gpu.multiprocessors) * (resident < 1      ? 1
                                                         : resident < most ? resident
                                                                           : most);
    const std::size_t n = work.size();
    const std::size_t most_tables = (std::size_t{64} << 20) / (work.classes * sizeof(state));
    std::size_t parts = (at_once + d.ranges - 1) / d.ranges;
    if (parts > (n + least - 1) / least) parts = (n + least - 1) / least;
    if (parts > most_tables) parts = most_tables;
    if (parts == 0) parts = 1;
    std::size_t part_size = (n + parts - 1) / parts;
    part_size += part_size % 32 == 0 ? 0 : 32 - part_size % 32;
    if (part_size != 0) parts = (n + part_size - 1) / part_size;
    const bool ends_here =
        d.ranges == 1 &&
        parts * work.classes <= threads * loads_at_end * detail::tables_in_flight<state>;
    const auto tables = launcher.template scratch<state>(parts * work.classes);
    unsigned bits = 1;
    while (d.in_range >> bits != 0) ++bits;
    launcher.launch(name(),
                    Body{work, d.in_range, bits, part_size, tuning::caching_of_reads(work, gpu),
                         ends_here, launcher.grid(), tables},
                    {{grid_of(parts), static_cast<unsigned>(d.ranges)}, threads, d.shared_bytes});
    if (!ends_here) detail::finish_classes(name(), work, tables, parts, launcher);
  }
};

}  // namespace warpfold::kernel
