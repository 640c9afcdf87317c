/// @file
/// Folds classes of values: a table of states for each thread or each warp in shared memory. The
/// tables of all blocks are folded by the last block, or in a second launch.
///
/// Source: histograms with privatized tables (C. Nugteren and others, "High Performance Predictable
/// Histogramming on GPUs"). Those add by atomics; here the order is fixed.
///
/// - Few classes: each thread has a table of its own (block_tables.hpp). Blocks have 256 threads
///   for up to 111 classes of 4-byte states, and 128 for up to 223, or 450 from 2^20 values on
///   (H100, H200).
/// - Otherwise each warp has a table.
/// - Ranges: if the tables of all classes do not fit the shared memory, each block takes a range of
///   the classes (7260 of floats). Each range reads everything again. automatic.hpp then takes
///   buckets.hpp if it can.
/// - End: the last block folds the states of all blocks, in the order of the blocks, if they are
///   few (8192 floats for 256 threads). A second launch folds more.
/// - Order: fixed by the numbers of values and classes and the GPU: the same bits on every run.
/// - Cost: a load, an op and a store of shared memory for each value in a table of the thread. The
///   data is read once for each range of classes. Scratch: one state per class and block.
/// - Wrong labels: their values are left out.
/// - Needs: compute capability 7.0.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/collective/last_block.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/classes/block_tables.hpp>
#include <warpfold/kernel/classes/finish.hpp>
#include <warpfold/kernel/classes/table_room.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/view/chunk.hpp>
#include <warpfold/view/global_access.hpp>
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
      if constexpr (Work::has_size_in_memory) {
        // A copy: views behind a count, such as a reversed one, ask for the size.
        body settled = *this;
        collective::wait_for_launch_before();
        settled.reduction.read_size(global_access{});
        settled.run_block();
      } else {
        run_block();
      }
    }

   private:
    WARPFOLD_DEVICE void run_block() const {
      const auto fold = reduction.fold();
      const std::size_t first_class = blockIdx.y * in_range;
      const std::size_t left = reduction.classes - first_class;
      const auto here = static_cast<unsigned>(left < in_range ? left : in_range);
      const detail::block_tables<typename Work::fold_type, PerThread> own(fold, here, bits);
      own.clear();
      __syncthreads();
      collective::wait_for_launch_before();

      const std::size_t begin = blockIdx.x * part_size;
      const std::size_t number = reduction.labels.size();
      const std::size_t rest = Work::has_size_in_memory && number < begin ? 0 : number - begin;
      const std::size_t end = rest >= part_size          ? begin + part_size
                              : Work::has_size_in_memory ? begin + rest
                                                         : number;
      own.template fold_values<unroll>(
          values_of_range{reduction, first_class, here, global_loads(cache)}, begin, end);
      collective::let_next_launch_start();

      own.finish([&](unsigned c, const state& all) {
        if (ends_here && gridDim.x == 1) {
          detail::write_class(reduction, c, all);
        } else {
          tables.store(blockIdx.x * reduction.classes + first_class + c, all);
        }
      });
      if (!ends_here || gridDim.x == 1) return;
      if (collective::is_last_block(grid, 0, gridDim.x)) {
        own.finish_all(tables, gridDim.x, [&](unsigned c, const state& all) {
          detail::write_class(reduction, c, all);
        });
      }
    }

    /// The values of a block as its tables take them.
    struct values_of_range {
      using label_type = typename std::remove_cvref_t<decltype(Work::labels)>::value_type;

      const Work& reduction;
      std::size_t first_class;
      unsigned here;
      global_loads loads;

      WARPFOLD_DEVICE label_type label(std::size_t i) const {
        return reduction.labels.at(i, loads);
      }
      WARPFOLD_DEVICE unsigned row(const label_type& own) const {
        return detail::row_of_label<PerThread>(own, first_class, here);
      }
      WARPFOLD_DEVICE typename Work::state state(std::size_t i) const {
        return reduction.fold().state_of(reduction.lift_at(i, loads));
      }
    };
  };

  /// The number of times that a launch reads the data; 0 if no class has room.
  template <class Work>
  static std::size_t reads_of(const Work& work, const device_info& gpu) {
    const std::size_t fit =
        detail::room_for_classes(gpu) / (sizeof(typename Work::state) * warps_of_block);
    return fit == 0 ? 0 : (work.classes + fit - 1) / fit;
  }

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
