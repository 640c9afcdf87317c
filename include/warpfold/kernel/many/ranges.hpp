/// @file
/// Folds the ranges of a list, wherever they are in memory, in the declared order
/// (op/fold_order.hpp), in one launch: a warp, a block or several blocks for each range.
///
/// - Idea: the pointers and sizes of up to 1024 ranges are an argument of the kernel. The call
///   copies and allocates nothing, and a graph keeps the table. A short list has a smaller
///   argument, because the launch copies all of it. Long ranges are divided into parts of a power
///   of two of chunks, one for each of the first blocks. A part is a node of the declared order, so
///   the bits do not depend on the division. The block with the last part of a range combines the
///   nodes (collective/node_finish.hpp). A warp folds each other range if none of them is longer
///   than 4 KB; otherwise a block does.
/// - Parts: at least one tile for each warp, 16 KB. Eight parts for each multiprocessor, so that
///   all have an equal share; 64 beyond the L2 cache. A range of at most two parts is not divided.
/// - A range larger than 256 MB gets its own launch, that of `reduce` (kernel/automatic.hpp): the
///   launch takes less than a tenth of its time, and indices of a table have 32 bits.
/// - Cost: that of kernel/many/share.hpp. A block finds its part by binary search in the argument.
#pragma once

#include <cstddef>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/grid_finish.hpp>
#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/collective/last_block.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/node_finish.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/collective/tile_fold.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/automatic.hpp>
#include <warpfold/kernel/many/share.hpp>
#include <warpfold/kernel/tried_groups.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/op/lift.hpp>
#include <warpfold/view/global_access.hpp>
#include <warpfold/work/many_reduction.hpp>

namespace warpfold::kernel {

namespace detail {

template <class Folds>
struct write_result {
  Folds folds;
  std::size_t range;

  WARPFOLD_DEVICE void operator()(const typename Folds::result_type& result) const {
    folds.write(range, result, global_access{});
  }
  WARPFOLD_DEVICE void* memory() const {
    return const_cast<void*>(static_cast<const void*>(folds.view.data()));
  }
};

}  // namespace detail

/// See the top of this file.
struct many_ranges {
  static constexpr const char* name() { return "many_ranges"; }

  static constexpr unsigned warps_log2 = 3;
  static constexpr unsigned warps = 1u << warps_log2;
  static constexpr unsigned threads = warps * collective::warp_size;
  static constexpr unsigned most = 1024, few = 128;
  /// The longest ranges, in bytes, that a warp folds, and that a table takes.
  static constexpr std::size_t longest_of_warp = 4096, longest_of_table = std::size_t{1} << 28;

  /// @tparam Folds as in work/many_reduction.hpp
  /// @tparam Capacity the most ranges
  template <class Folds, class Reduction, unsigned Capacity>
  struct body {
    using accumulator = typename Reduction::accumulator;
    using state = typename Folds::state;
    using value_type = typename Folds::value_type;

    using folds_share = share_fold<Reduction, warps_log2>;

    static constexpr int max_block = threads;
    static constexpr int min_blocks_per_multiprocessor = folds_share::min_blocks_per_multiprocessor;
    static constexpr bool waits_for_launch_before = true;
    static constexpr bool has_posts = collective::detail::is_posted<accumulator>;
    /// The most parts of a launch, each of which leaves a node.
    static constexpr std::size_t most_parts = collective::max_blocks<accumulator>();
    /// The size of a range that this launch does not fold.
    static constexpr unsigned left_out = static_cast<unsigned>(-1);

    Folds folds;
    Reduction any;      ///< of any range: only its op, init and guards are used
    std::size_t first;  ///< the number of the first range
    unsigned count;     ///< ranges
    caching cache;
    collective::grid_storage scratch;
    unsigned parts = 0;               ///< of all divided ranges
    unsigned shift = 0;               ///< log2 of the chunks of a part
    unsigned longest = left_out - 1;  ///< elements of the longest range that is not divided
    unsigned warps_of_range = 1;      ///< 1 or all of a block, for ranges that are not divided
    const value_type* data[Capacity];
    unsigned sizes[Capacity];              ///< in elements
    unsigned short first_parts[Capacity];  ///< the first part of the range or of the next ones

    /// The arrays stay uninitialized.
    body(const Folds& f, const Reduction& r, std::size_t from, unsigned n, caching c,
         const collective::grid_storage& grid)
        : folds(f), any(r), first(from), count(n), cache(c), scratch(grid) {}

    WARPFOLD_HD const Folds& work() const { return folds; }
    WARPFOLD_DEVICE void operator()() const {
      collective::wait_for_launch_before();
      const bool is_part = blockIdx.x < parts;
      place at{{1, 0, warps}, 0, 0};
      if (is_part) {
        at.range = range_of_part(blockIdx.x);
        at.first_part = first_parts[at.range];
        at.part = blockIdx.x - at.first_part;
      } else {
        at.warps = warps_of_range;
        at.range = blockIdx.x - parts;
        if (at.by_warp()) at.range = at.range * warps + threadIdx.x / collective::warp_size;
        if (at.range >= count || sizes[at.range] > longest) return;
      }
      const unsigned size = sizes[at.range];
      if (size == 0) {
        if (at.thread(threadIdx.x) == 0) folds.write_empty(first + at.range, global_access{});
        return;
      }
      const Reduction r{lifted_like(any.view, contiguous_view<value_type>(data[at.range], size)),
                        any.op, any.init};
      if (is_part) {
        at.of_range = ((collective::chunks_of<unsigned>(r.view).count - 1) >> shift) + 1;
      }
      fold_place(r, at);
    }

   private:
    struct place : range_share {
      unsigned range;
      unsigned first_part;  ///< the number of its first part in the launch
    };

    WARPFOLD_DEVICE void write(unsigned range, const accumulator& a) const {
      folds.write(first + range, folds.result(folds.fold().state_of(a)), global_access{});
    }

    // Writes the result of a range, or leaves the node of a part. The block with the last part of a
    // range combines them.
    WARPFOLD_DEVICE void fold_place(const Reduction& r, const place& at) const {
      WARPFOLD_SHARED typename folds_share::values_type values;
      const auto use = [&](const accumulator& a) { write(at.range, a); };
      if constexpr (has_posts) {
        using nodes_type = collective::grid_nodes<accumulator>;
        WARPFOLD_SHARED typename nodes_type::kept_node kept;
        const nodes_type nodes(scratch, at.of_range, at.first_part);
        folds_share::fold(r, at, shift, cache, values, [&](const accumulator& a) {
          if (at.is_whole()) {
            use(a);
          } else {
            nodes.store(at.part, a, kept);
          }
        });
        if (at.is_whole()) return;
        nodes.finish(at.part == at.of_range - 1, r.fold(), values, kept, use);
      } else {
        const collective::global_array<accumulator> nodes{
            static_cast<accumulator*>(scratch.partials), parts};
        folds_share::fold(r, at, shift, cache, values, [&](const accumulator& a) {
          if (at.is_whole()) {
            use(a);
          } else {
            nodes.store(at.first_part + at.part, a);
          }
        });
        if (at.is_whole() || !collective::is_last_block(scratch, at.range, at.of_range)) return;
        collective::fold_values_of_block(
            r.fold(), values, at.of_range,
            [&](unsigned i) { return nodes.load(at.first_part + i); }, use);
      }
    }
    // The last range whose first part is at most `part`: ranges that are not divided have none.
    WARPFOLD_DEVICE unsigned range_of_part(unsigned part) const {
      unsigned range = 0, end = count;
      WARPFOLD_NO_UNROLL
      while (end - range > 1) {
        const unsigned middle = (range + end) / 2;
        (first_parts[middle] <= part ? range : end) = middle;
      }
      return range;
    }
  };

  /// One launch for every 1024 ranges, and those of the ranges that `reduce` folds.
  void enqueue(const auto& many, auto& launcher) const {
    const std::size_t n = many.size();
    for (std::size_t first = 0; first < n; first += most) {
      const std::size_t left = n - first;
      if (left <= few) {
        enqueue_table<few>(many, first, left, launcher);
      } else {
        enqueue_table<most>(many, first, left < most ? left : most, launcher);
      }
    }
  }

 private:
  template <unsigned Capacity, class Many, class Launcher>
  static void enqueue_table(const Many& many, std::size_t first, std::size_t count,
                            Launcher& launcher) {
    using folds = typename Many::folds_type;
    using reduction = std::remove_cvref_t<decltype(many.reduction_of(0))>;
    using body_type = body<folds, reduction, Capacity>;
    static_assert(sizeof(body_type) <= 32764,
                  "warpfold: the op or the init is too large for the arguments of a kernel beside "
                  "1024 ranges; let it hold a pointer to its data");
    body_type table(many.folds, many.folds.reduction_of(0, 0), first, static_cast<unsigned>(count),
                    caching::keep, {});
    std::size_t bytes = 0, longest = 0, alone = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto range = many.list[first + i];
      const std::size_t own = bytes_of(range);
      table.data[i] = range.data();
      if (own > longest_of_table) {
        table.sizes[i] = body_type::left_out;
        ++alone;
        continue;
      }
      table.sizes[i] = static_cast<unsigned>(range.size());
      bytes += own;
      if (own > longest) longest = own;
    }
    if (alone != count) {
      table.cache = tuning::row_for(bytes, launcher.gpu()).cache;
      longest = divide(table, bytes, longest, launcher);
      const bool by_warp = longest <= longest_of_warp;
      if (!by_warp) table.warps_of_range = warps;
      std::size_t blocks = table.parts;
      if (longest != none) blocks += by_warp ? (count + warps - 1) / warps : count;
      launcher.launch(name(), table, {grid_of(blocks), threads});
    }
    for (std::size_t i = 0; alone != 0; ++i) {
      if (table.sizes[i] != body_type::left_out) continue;
      enqueue_alone(many, first + i, launcher);
      --alone;
    }
  }

  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  // Divides the long ranges of a table. Returns the bytes of the longest one of the others, `none`
  // if there are no others.
  // @param bytes,longest of all ranges of the table
  template <class Body, class Launcher>
  static std::size_t divide(Body& table, std::size_t bytes, std::size_t longest,
                            Launcher& launcher) {
    using value_type = typename Body::value_type;
    constexpr std::size_t size = decltype(table.any.view)::chunk_size,
                          part = warps * Body::folds_share::tile;
    if (longest <= 2 * part * size * sizeof(value_type)) return longest;
    const device_info& gpu = launcher.gpu();
    // Of n parts, the most for which no range is divided into less than three.
    constexpr std::size_t room = Body::most_parts * 2 / 3 - 1;
    const std::size_t useful =
        (bytes >= gpu.l2_bytes ? 64 : 8) * static_cast<std::size_t>(gpu.multiprocessors);
    const std::size_t chunks = bytes / sizeof(value_type) / size + table.count;
    table.shift = 5;
    while (std::size_t{1} << table.shift < part) ++table.shift;
    while (chunks >> table.shift > (useful < room ? useful : room)) ++table.shift;
    const std::size_t longest_whole = (size << table.shift) * 2;
    if (longest <= longest_whole * sizeof(value_type)) return longest;
    table.longest = static_cast<unsigned>(longest_whole);
    table.scratch = launcher.grid();
    longest = none;
    for (unsigned i = 0; i < table.count; ++i) {
      const std::size_t own = table.sizes[i];
      table.first_parts[i] = static_cast<unsigned short>(table.parts);
      if (own == Body::left_out) continue;
      if (own > longest_whole) {
        table.parts += static_cast<unsigned>(((own - 1) / size >> table.shift) + 1);
      } else if (longest == none || own * sizeof(value_type) > longest) {
        longest = own * sizeof(value_type);
      }
    }
    return longest;
  }

  template <class Many, class Launcher>
  static void enqueue_alone(const Many& many, std::size_t r, Launcher& launcher) {
    using write = detail::write_result<typename Many::folds_type>;
    automatic{}.enqueue(
        many.reduction_of(r),
        collective::result_sink<collective::written_by<write>>{{many.folds_of(r), r}}, launcher);
  }
};

}  // namespace warpfold::kernel
