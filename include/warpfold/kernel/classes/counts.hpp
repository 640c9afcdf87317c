/// @file
/// Counts labels: blocks count in shared memory, with several counters for each class, and add
/// their counts to those of the grid.
///
/// Source: histograms with privatized and replicated tables (J. Gómez-Luna and others, "An
/// Optimized Approach to Histogram Computation on GPU").
///
/// - Loads: chunks of the view, so 16 labels of one byte per load.
/// - Copies: a class has up to 32 counters, next to each other, and lane `k` uses counter `k`. Then
///   the lanes of a warp use different banks and addresses, for any labels. Up to 256 classes have
///   32 copies (32 KB); more classes have fewer.
/// - End: up to 4096 classes are counted in one launch. Blocks add to 64-bit counters in global
///   memory, and the last block writes the results and clears the counters. Otherwise each block
///   stores its table, and a second launch adds the tables.
/// - Ranges: if the counters of all classes do not fit the shared memory, blocks take a range of
///   the classes each (58079 on an H100), and read the labels again.
/// - Order: any order gives the same counts.
/// - Cost: about five instructions a label. Reads the labels once for each range. Scratch for more
///   than 4096 classes: four bytes per class and block.
/// - Wrong labels are left out.
/// - Needs: compute capability 7.0.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/collective/last_block.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/classes/finish.hpp>
#include <warpfold/kernel/classes/table_room.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/view/chunk.hpp>
#include <warpfold/view/concept.hpp>
#include <warpfold/view/global_access.hpp>
#include <warpfold/work/class_reduction.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct class_counts {
  static constexpr const char* name() { return "class_counts"; }

  /// The maximum number of classes that are counted in one launch.
  static constexpr std::size_t max_totals = 4096;

  template <class Work>
  struct body {
    using labels_type = std::remove_cvref_t<decltype(Work::labels)>;
    using label = typename labels_type::value_type;
    using chunk_type = typename labels_type::chunk_type;
    using total = unsigned long long;

    static constexpr int max_block = 1024;
    static constexpr bool waits_for_launch_before = true;
    static constexpr int chunk_size = labels_type::chunk_size;
    /// Chunks of a thread in flight. A user function is inlined for each of their elements.
    static constexpr int unroll =
        chunk_size == 1                                                                  ? 4
        : sizeof(chunk_type) <= 16 && !warpfold::detail::has_unknown_cost<labels_type>() ? 2
                                                                                         : 1;

    Work reduction;
    partition parts;    ///< of the labels
    unsigned in_range;  ///< classes of a block
    unsigned copies;    ///< counters per class: a power of two
    caching cache;
    collective::grid_storage grid;
    collective::global_array<unsigned> tables;  ///< of all blocks; none if there are totals

    WARPFOLD_HD const Work& work() const { return reduction; }
    WARPFOLD_DEVICE void operator()() const {
      if constexpr (Work::has_size_in_memory) {
        // A copy: views behind a count, such as a reversed one, ask for the size.
        body settled = *this;
        collective::wait_for_launch_before();
        settled.reduction.read_size(global_access{});
        settled.parts = partition_of(settled.reduction.labels);
        settled.run_block();
      } else {
        run_block();
      }
    }

   private:
    WARPFOLD_DEVICE void run_block() const {
      const std::size_t first_class = std::size_t{blockIdx.y} * in_range;
      const std::size_t left = reduction.classes - first_class;
      const unsigned here = left < in_range ? static_cast<unsigned>(left) : in_range;
      const auto table = collective::dynamic_shared<unsigned>((here + 1) * copies);
      for (unsigned i = threadIdx.x; i < table.size(); i += blockDim.x) table.store(i, 0);
      __syncthreads();
      collective::wait_for_launch_before();
      count_all(table, first_class, here);
      collective::let_next_launch_start();
      __syncthreads();

      const bool has_totals = tables.size == 0;
      const collective::global_array<total> totals{reinterpret_cast<total*>(grid.posts + 1),
                                                   max_totals};
      for (unsigned c = threadIdx.x; c < here; c += blockDim.x) {
        const unsigned own = sum_of_copies(table, c);
        if (!has_totals) {
          tables.store(blockIdx.x * reduction.classes + first_class + c, own);
        } else if (gridDim.x == 1) {
          write(c, own);
        } else if (own != 0) {
          atomicAdd(totals.data + c, own);
        }
      }
      if (!has_totals || gridDim.x == 1) return;
      // The counter of blocks is in the first post, the totals in the others.
      if (!collective::is_last_block(grid, 0, gridDim.x)) return;
      for (unsigned c = threadIdx.x; c < here; c += blockDim.x) {
        const total all = collective::load_word(totals.data + c);
        totals.store(c, 0);
        write(c, all);
      }
    }

    WARPFOLD_DEVICE void write(std::size_t c, total count) const {
      detail::write_class(
          reduction, c, reduction.fold().state_of(static_cast<typename Work::accumulator>(count)));
    }

    /// Counts this block's chunks; the first block also counts the ends.
    WARPFOLD_DEVICE void count_all(const collective::shared_span<unsigned>& table,
                                   std::size_t first_class, unsigned here) const {
      const global_loads loads(cache);
      const collective::shared_counters column(table, threadIdx.x & (copies - 1), copies);
      const auto count = [&](const label& own) { count_one(column, first_class, here, own); };
      const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
      std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
      WARPFOLD_NO_UNROLL
      for (; i + (unroll - 1) * threads < parts.chunks; i += unroll * threads) {
        count_chunks<unroll>(i, threads, loads, count);
      }
      if constexpr (unroll > 1) {
        WARPFOLD_NO_UNROLL
        for (; i < parts.chunks; i += threads) count_chunks<1>(i, threads, loads, count);
      }
      if (blockIdx.x != 0) return;
      if (threadIdx.x < parts.head) count(reduction.labels.at(threadIdx.x, loads));
      if (threadIdx.x < parts.tail) {
        count(reduction.labels.at(parts.head + parts.chunks * chunk_size + threadIdx.x, loads));
      }
    }

    /// Counts the labels of `Count` chunks, `stride` apart. All loads start before the first one is
    /// used.
    template <int Count, class Loads, class CountOne>
    WARPFOLD_DEVICE void count_chunks(std::size_t i, std::size_t stride, const Loads& loads,
                                      const CountOne& count) const {
      chunk_type own[std::size_t{Count}];
      WARPFOLD_UNROLL
      for (int u = 0; u < Count; ++u) {
        const std::size_t at = i + static_cast<unsigned>(u) * stride;
        reduction.labels.load(own[u], parts.head + at * chunk_size, loads);
      }
      WARPFOLD_UNROLL
      for (int u = 0; u < Count; ++u) {
        WARPFOLD_UNROLL
        for (int k = 0; k < chunk_size; ++k) count(reduction.labels.get(own[u], k));
      }
    }

    /// Wrong labels and those of other ranges have a row of their own, the last one: a branch for
    /// each label would cost eight instructions.
    WARPFOLD_DEVICE void count_one(const collective::shared_counters& column,
                                   std::size_t first_class, unsigned here, const label& own) const {
      column.increment(detail::row_of_label<false>(own, first_class, here));
    }

    /// The sum of the counters of a class. Lanes begin at different copies, and so in different
    /// banks.
    WARPFOLD_DEVICE unsigned sum_of_copies(const collective::shared_span<unsigned>& table,
                                           unsigned c) const {
      unsigned all = 0;
      for (unsigned k = 0; k < copies; ++k) {
        all += table.load(c * copies + ((k + threadIdx.x) & (copies - 1)));
      }
      return all;
    }
  };

  /// Launches once, or twice for more than 4096 classes; not at all without classes.
  /// @throws unsupported_kernel if there are too many classes
  template <class Work, class Launcher>
  void enqueue(const Work& work, Launcher& launcher) const {
    if (work.classes == 0) return;
    using body_type = body<Work>;
    constexpr std::size_t bytes = sizeof(unsigned);
    const auto& gpu = launcher.gpu();
    const std::size_t shared = detail::room_for_classes(gpu);
    const std::size_t fit = shared < 2 * bytes ? 0 : shared / bytes - 1;
    const std::size_t in_range = work.classes < fit ? work.classes : fit;
    const std::size_t ranges = detail::ranges_of_classes(work, in_range, bytes, shared);
    const auto bytes_of = [&](unsigned copies) { return (in_range + 1) * copies * bytes; };
    const std::size_t room = shared < 33 * 1024 ? shared : 33 * 1024;
    unsigned copies = 1;
    while (copies < 32 && bytes_of(2 * copies) <= room) copies *= 2;

    // Up to three blocks of 512 threads per multiprocessor. If only one fits, it has 1024.
    const partition parts = partition_of(work.labels);
    const std::size_t resident = shared / (bytes_of(copies) + 1024);
    const std::size_t threads = resident < 2 ? 1024 : 512;
    const std::size_t at_once =
        static_cast<std::size_t>(gpu.multiprocessors) * (resident < 1   ? 1
                                                         : resident < 3 ? resident
                                                                        : 3);
    std::size_t blocks = (at_once + ranges - 1) / ranges;
    const std::size_t needed = (parts.chunks + threads - 1) / threads;
    if (blocks > needed) blocks = needed;
    const std::size_t n = work.size();
    if (blocks <= n >> 31) blocks = (n >> 31) + 1;  // counts of a block have 32 bits

    const bool has_totals = ranges == 1 && work.classes <= max_totals;
    collective::global_array<unsigned> tables;
    if (!has_totals) tables = launcher.template scratch<unsigned>(blocks * work.classes);
    launcher.launch(name(),
                    body_type{work, parts, static_cast<unsigned>(in_range), copies,
                              tuning::caching_of_reads(work, gpu), launcher.grid(), tables},
                    {{grid_of(blocks), static_cast<unsigned>(ranges)},
                     static_cast<unsigned>(threads),
                     bytes_of(copies)});
    if (!has_totals) detail::finish_classes(name(), work, tables, blocks, launcher);
  }
};

static_assert((class_counts::max_totals + 2) * sizeof(unsigned long long) <=
              collective::post_bytes);

}  // namespace warpfold::kernel
