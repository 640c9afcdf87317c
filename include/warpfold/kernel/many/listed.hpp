/// @file
/// Folds the ranges of a list in device memory (view/ranges_at.hpp), in one launch and in the
/// declared order (op/fold_order.hpp). The host knows only the number of ranges.
///
/// - Idea: each warp of the first blocks reads the pointer and the size of one range, and folds it
///   if it is short. Longer ranges enter a list (collective/grid_list.hpp). The last blocks, the
///   helpers, divide these evenly into parts of a power of two of chunks. If there are more ranges
///   than the list has room for, the first blocks themselves fold ranges up to 64 KB.
/// - Cost: that of kernel/many/share.hpp. A warp waits once more for memory than with a table as an
///   argument (kernel/many/ranges.hpp), but the host writes and copies no table.
/// - A range has less than 2^32 chunks of 16 bytes, or of one element if that is larger.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/collective/grid_list.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/many/share.hpp>
#include <warpfold/kernel/tried_groups.hpp>
#include <warpfold/op/lift.hpp>
#include <warpfold/view/contiguous.hpp>
#include <warpfold/view/global_access.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct listed_ranges {
  static constexpr const char* name() { return "listed_ranges"; }

  static constexpr unsigned warps_log2 = 3;
  static constexpr unsigned warps = 1u << warps_log2;
  static constexpr unsigned threads = warps * collective::warp_size;
  /// The longest ranges, in bytes, that a warp folds, and that a block folds if ranges are many.
  static constexpr std::size_t longest_of_warp = 8192, longest_of_block = 65536;

  struct plan {
    unsigned lookers;         ///< the first blocks
    unsigned helpers;         ///< the last ones
    unsigned useful_parts;    ///< of all long ranges
    std::size_t longest_own;  ///< elements of the longest range that does not enter the list
  };

  /// @tparam List a view of `contiguous_view`s
  /// @tparam Folds as in work/many_reduction.hpp
  template <class List, class Folds, class Reduction>
  struct body {
    using accumulator = typename Reduction::accumulator;
    using value_type = typename Folds::value_type;
    using range_type = contiguous_view<value_type>;
    using list_type = collective::grid_list<accumulator>;
    using folds_share = share_fold<Reduction, warps_log2>;
    using values_type = typename folds_share::values_type;

    static constexpr int max_block = threads;
    /// Two helpers for each multiprocessor. What they know of a part takes registers, too.
    static constexpr int min_blocks_per_multiprocessor =
        folds_share::min_blocks_per_multiprocessor > 2
            ? folds_share::min_blocks_per_multiprocessor - 1
            : 1;
    static constexpr bool waits_for_launch_before = true;
    static constexpr unsigned log2_of(std::size_t n) {
      unsigned log2 = 0;
      while (std::size_t{1} << log2 < n) ++log2;
      return log2;
    }
    static constexpr unsigned chunk_log2 = log2_of(Reduction::view_type::chunk_size);
    /// log2 of the elements of the smallest part: a tile for each warp.
    static constexpr unsigned least_log2 = log2_of(folds_share::tile) + warps_log2 + chunk_log2;

    List list;
    Folds folds;
    Reduction any;  ///< of any range: only its op, init and guards are used
    caching cache;
    plan how;
    collective::grid_storage scratch;

    WARPFOLD_HD const body& work() const { return *this; }
    WARPFOLD_HD std::size_t size() const { return list.size(); }
#if defined(__CUDACC__)
    WARPFOLD_DEVICE void name_user_functions() const {
      if constexpr (warpfold::detail::names_functions<List>) list.name_user_functions();
      folds.name_user_functions();
    }
#endif
    WARPFOLD_DEVICE void operator()() const {
      collective::wait_for_launch_before();
      WARPFOLD_SHARED values_type values;
      WARPFOLD_SHARED collective::shared_array<bool, warps> aside;
      WARPFOLD_SHARED typename list_type::part_storage firsts;
      WARPFOLD_SHARED typename list_type::number_storage numbers;
      const list_type long_ranges(scratch);
      const bool helps = blockIdx.x >= how.lookers;
      const std::size_t first = std::size_t{blockIdx.x} * warps;  // range of the block
      typename list_type::division divided{};
      range_type range(nullptr, 0);
      if (helps) {
        divided = long_ranges.divide(how.lookers, least_log2, how.useful_parts, firsts, numbers);
      } else {
        range = look(long_ranges, first, aside);
      }
      // In turn 0 each warp of a looker folds its range; then the block folds those put aside. A
      // helper folds every `how.helpers`-th part. One copy of the code of a fold.
      WARPFOLD_NO_UNROLL
      for (unsigned turn = 0;; ++turn) {
        typename list_type::part own{};
        own.of_group = 1;
        unsigned together = warps;
        if (helps) {
          const unsigned p = blockIdx.x - how.lookers + turn * how.helpers;
          if (p >= divided.parts) break;
          own = long_ranges.part_of(p, divided, firsts);
          range = range_of(own.group);
        } else if (turn == 0) {
          together = 1;
          own.group = first + threadIdx.x / collective::warp_size;
        } else {
          if (turn > warps) break;
          if (!aside.load(turn - 1)) continue;
          own.group = first + turn - 1;
          range = range_of(own.group);
        }
        if (range.size() != 0) {
          const Reduction r = reduction_of(range);
          const auto use = [&](const accumulator& a) { write(own.group, a); };
          folds_share::fold(r, {own.of_group, own.number, together}, divided.part_log2 - chunk_log2,
                            cache, values, [&](const accumulator& a) {
                              if (own.of_group == 1) {
                                use(a);
                              } else {
                                long_ranges.store(own, a);
                              }
                            });
          if (own.of_group != 1) long_ranges.complete(r.fold(), own, values, use);
        }
        if (!helps && turn == 0) {
          const bool has_none = !aside.load(threadIdx.x / collective::warp_size);
          if (__syncthreads_and(has_none ? 1 : 0) != 0) return;
        } else {
          __syncthreads();  // others may still read `values`
        }
      }
      if (helps) long_ranges.end_of_help(how.helpers);
    }

   private:
    WARPFOLD_DEVICE range_type range_of(std::size_t r) const {
      return list.at(r, global_loads(caching::keep));
    }
    WARPFOLD_DEVICE Reduction reduction_of(const range_type& range) const {
      return {lifted_like(any.view, range), any.op, any.init};
    }
    WARPFOLD_DEVICE void write(std::size_t r, const accumulator& a) const {
      folds.write(r, folds.result(folds.fold().state_of(a)), global_access{});
    }

    // Returns the range of this warp, or an empty one if the warp does not fold it.
    WARPFOLD_DEVICE range_type look(const list_type& long_ranges, std::size_t first,
                                    collective::shared_span<bool> aside) const {
      const range_type none(nullptr, 0);
      const unsigned warp = threadIdx.x / collective::warp_size;
      const bool is_first_lane = threadIdx.x % collective::warp_size == 0;
      const bool exists = first + warp < list.size();
      const range_type own = exists ? range_of(first + warp) : none;
      const bool entered = is_first_lane && own.size() > how.longest_own &&
                           long_ranges.enter(first + warp, own.size());
      long_ranges.end_of_looks(entered);
      const bool is_short = own.size() * sizeof(value_type) <= longest_of_warp;
      if (is_first_lane) {
        aside.store(warp, !entered && !is_short);
        if (exists && own.size() == 0) folds.write_empty(first + warp, global_access{});
      }
      __syncwarp();
      return is_short ? own : none;
    }
  };

  /// Launches once.
  template <class Many>
  void enqueue(const Many& many, auto& launcher) const {
    using reduction = std::remove_cvref_t<decltype(many.reduction_of(0))>;
    using view_type = std::remove_cvref_t<decltype(many.list.view())>;
    using body_type = body<view_type, typename Many::folds_type, reduction>;
    const std::size_t count = many.size();
    const auto multiprocessors = static_cast<unsigned>(launcher.gpu().multiprocessors);
    constexpr std::size_t room = body_type::list_type::most_groups;
    const std::size_t longest = count <= room ? longest_of_warp : longest_of_block;
    const plan how{static_cast<unsigned>((count - 1) / warps + 1), 2 * multiprocessors,
                   8 * multiprocessors, longest / sizeof(typename Many::value_type)};
    launcher.launch(name(),
                    body_type{many.list.view(), many.folds, many.folds.reduction_of(0, 0),
                              caching::keep, how, launcher.grid()},
                    {grid_of(std::size_t{how.lookers} + how.helpers), threads});
  }
};

}  // namespace warpfold::kernel
