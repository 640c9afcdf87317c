/// @file
/// Folds the ranges of a list, wherever they are in memory, in the declared order
/// (op/fold_order.hpp): a warp or a block for each range.
///
/// - Idea: the pointers and sizes of up to 1024 ranges are an argument of the kernel. The call
///   copies and allocates nothing, and a graph keeps the table. A short list has a smaller
///   argument, because the launch copies all of it. A warp folds each range if none is longer than
///   4 KB; otherwise a block does. A range larger than 64 KB and than a multiprocessor's share of
///   the launch gets its own launch, that of `reduce` (kernel/automatic.hpp).
/// - Cost: every byte is read once; 16-byte loads, or narrower ones if a range with an order is not
///   aligned to 16 bytes; at most one barrier; no scratch but that of `reduce`.
#pragma once

#include <cstddef>

#include <warpfold/collective/block_fold.hpp>
#include <warpfold/collective/block_reduce.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/collective/thread_fold.hpp>
#include <warpfold/collective/tile_fold.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/automatic.hpp>
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

  static constexpr unsigned warps = 8;
  static constexpr unsigned threads = warps * collective::warp_size;
  static constexpr unsigned most = 1024, few = 128;
  /// The longest ranges, in bytes, that a warp folds, and that a block folds in any case.
  static constexpr std::size_t longest_of_warp = 4096, longest_of_block = 65536;

  /// @tparam Folds as in work/many_reduction.hpp
  /// @tparam Capacity the most ranges
  template <class Folds, class Reduction, unsigned Capacity>
  struct body {
    using state = typename Folds::state;
    using value_type = typename Folds::value_type;

    static constexpr int max_block = threads;
    static constexpr int min_blocks_per_multiprocessor = sizeof(state) <= 16 ? 4 : 1;
    static constexpr int unroll = collective::loads_in_flight<Reduction>(64);
    static constexpr int rows = detail::rows_in_flight<Reduction>(64);
    /// The size of a range that this launch does not fold.
    static constexpr unsigned left_out = static_cast<unsigned>(-1);

    Folds folds;
    Reduction any;            ///< of any range: only its op, init and guards are used
    std::size_t first;        ///< the number of the first range
    unsigned count;           ///< ranges
    unsigned warps_of_range;  ///< 1 or all of a block
    caching cache;
    const value_type* data[Capacity];
    unsigned sizes[Capacity];  ///< in elements

    /// `data` and `sizes` stay uninitialized.
    body(const Folds& f, const Reduction& r, std::size_t from, unsigned n, caching c)
        : folds(f), any(r), first(from), count(n), warps_of_range(1), cache(c) {}

    WARPFOLD_HD const Folds& work() const { return folds; }
    WARPFOLD_DEVICE void operator()() const {
      const bool by_warp = warps_of_range == 1;
      const unsigned own =
          by_warp ? blockIdx.x * warps + threadIdx.x / collective::warp_size : blockIdx.x;
      if (own >= count) return;
      const unsigned size = sizes[own];
      if (size == left_out) return;
      const contiguous_view<value_type> elements(data[own], size);
      const Reduction r{lifted_like(any.view, elements), any.op, any.init};
      if (size == 0) {
        if (by_warp ? threadIdx.x % collective::warp_size == 0 : threadIdx.x == 0) {
          folds.write_empty(first + own, global_access{});
        }
      } else if constexpr (detail::has_declared_order<Reduction>) {
        fold_in_order(r, own, by_warp);
      } else {
        fold_in_any_order(r, own, by_warp);
      }
    }

   private:
    WARPFOLD_DEVICE void write(unsigned own, const state& folded) const {
      folds.write(first + own, folds.result(folded), global_access{});
    }
    WARPFOLD_DEVICE void fold_in_order(const Reduction& r, unsigned own, bool by_warp) const {
      using accumulator = typename Reduction::accumulator;
      constexpr unsigned tile = rows * collective::warp_size;
      WARPFOLD_SHARED collective::shared_array<accumulator, warps> values;
      const auto chunks = collective::chunks_of<unsigned>(r.view);
      const global_loads loads(cache);
      const auto fold = r.fold();
      unsigned each = collective::warp_size;  // the chunks of a warp
      while (each * (by_warp ? 1 : warps) < chunks.count) each *= 2;
      const unsigned from = by_warp ? 0 : threadIdx.x / collective::warp_size * each;
      if (from < chunks.count) {
        const unsigned left = chunks.count - from, here = left < each ? left : each;
        const accumulator a =
            each <= tile ? collective::fold_tile_of<rows>(r, chunks, from, here, each, loads)
                         : collective::fold_tiles<rows>(r, chunks, from, from + here, loads);
        if (!by_warp) {
          collective::store_of_warp(values, a);
        } else if (threadIdx.x % collective::warp_size == 0) {
          write(own, fold.state_of(a));
        }
      }
      if (by_warp) return;
      collective::fold_block(fold, values, (chunks.count - 1) / each + 1,
                             [&](const accumulator& a) { write(own, fold.state_of(a)); });
    }
    WARPFOLD_DEVICE void fold_in_any_order(const Reduction& r, unsigned own, bool by_warp) const {
      WARPFOLD_SHARED collective::shared_array<state, warps> states;
      const unsigned thread = by_warp ? threadIdx.x % collective::warp_size : threadIdx.x;
      const unsigned together = by_warp ? unsigned{collective::warp_size} : threads;
      const partition parts = partition_of(r.view);
      const std::size_t rounds = static_cast<unsigned>(parts.chunks) / (unroll * together);
      const state folded = collective::block_reduce(
          r.fold(),
          collective::thread_fold<unroll>(r, {parts, rounds}, global_loads(cache),
                                          {0, 1, thread, together}),
          states, warps_of_range);
      if (thread == 0) write(own, folded);
    }
  };

  /// One launch for every 1024 ranges, and those of the ranges that `reduce` folds.
  void enqueue(const auto& many, auto& launcher) const {
    const std::size_t n = many.size();
    for (std::size_t first = 0; first < n; first += most) {
      const std::size_t left = n - first;
      const std::size_t count = left < most ? left : most;
      const plan own = plan_of(many.list, first, count, launcher.gpu());
      if (own.in_table != 0) {
        if (count <= few) {
          enqueue_table<few>(many, first, count, own, launcher);
        } else {
          enqueue_table<most>(many, first, count, own, launcher);
        }
      }
      if (own.in_table == count) continue;
      for (std::size_t r = first; r < first + count; ++r) {
        if (bytes_of(many.list[r]) > own.limit) enqueue_alone(many, r, launcher);
      }
    }
  }

 private:
  struct plan {
    std::size_t limit;     // longer ranges have launches of their own
    std::size_t in_table;  // the number of other ranges
    std::size_t longest;   // bytes of the longest of them
    std::size_t bytes;     // of all ranges
  };

  static plan plan_of(const auto& list, std::size_t first, std::size_t count,
                      const device_info& gpu) {
    constexpr std::size_t most_bytes = std::size_t{1} << 31;  // indices have 32 bits
    plan p{longest_of_block, count, 0, 0};
    for (std::size_t r = first; r < first + count; ++r) {
      const std::size_t bytes = bytes_of(list[r]);
      p.bytes = p.bytes + bytes < p.bytes ? static_cast<std::size_t>(-1) : p.bytes + bytes;
      if (bytes > p.longest) p.longest = bytes;
    }
    if (p.longest <= p.limit) return p;
    const std::size_t share = p.bytes / static_cast<std::size_t>(gpu.multiprocessors);
    if (share > p.limit) p.limit = share < most_bytes ? share : most_bytes;
    p.in_table = 0;
    p.longest = 0;
    for (std::size_t r = first; r < first + count; ++r) {
      const std::size_t bytes = bytes_of(list[r]);
      if (bytes > p.limit) continue;
      ++p.in_table;
      if (bytes > p.longest) p.longest = bytes;
    }
    return p;
  }

  template <unsigned Capacity, class Many, class Launcher>
  static void enqueue_table(const Many& many, std::size_t first, std::size_t count, const plan& p,
                            Launcher& launcher) {
    using folds = typename Many::folds_type;
    using reduction = std::remove_cvref_t<decltype(many.reduction_of(0))>;
    using body_type = body<folds, reduction, Capacity>;
    static_assert(sizeof(body_type) <= 32764,
                  "warpfold: the op or the init is too large for the arguments of a kernel beside "
                  "1024 ranges; let it hold a pointer to its data");
    body_type table(many.folds, many.folds.reduction_of(0, 0), first, static_cast<unsigned>(count),
                    tuning::row_for(p.bytes, launcher.gpu()).cache);
    for (std::size_t i = 0; i < count; ++i) {
      const auto range = many.list[first + i];
      table.data[i] = range.data();
      table.sizes[i] =
          bytes_of(range) > p.limit ? body_type::left_out : static_cast<unsigned>(range.size());
    }
    const bool by_warp = p.longest <= longest_of_warp;
    if (!by_warp) table.warps_of_range = warps;
    launcher.launch(name(), table,
                    {grid_of(by_warp ? (count + warps - 1) / warps : count), threads});
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
