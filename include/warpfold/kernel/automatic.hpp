/// @file
/// The library's choice of kernel, from the size, the element type and the GPU.
#pragma once

#include <warpfold/kernel/bulk_copy.hpp>
#include <warpfold/kernel/concept.hpp>
#include <warpfold/kernel/in_order.hpp>
#include <warpfold/kernel/single_block.hpp>
#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/kernel/staged.hpp>
#include <warpfold/kernel/thread_per_element.hpp>
#include <warpfold/kernel/thread_tables.hpp>
#include <warpfold/kernel/tuning.hpp>

namespace warpfold::kernel {

namespace detail {

// The size in bytes from which elements are reduced through shared memory; 0: never. H100, cold,
// direct -> staged:
// - 1 for elements that a thread cannot load as whole words of its own: equal from 64 KB on, then
//   faster. 50 bytes, 100 MB: 379 -> 46.2 us; 36 bytes, 3 GB: 1072 -> 1046 us.
// - 2 MB for elements with several words per chunk, above all float3, whose words are a chunk apart
//   from lane to lane. 1 MB: 5.8 -> 6.0 us, 4 MB: 8.3 -> 7.8, 100 MB: 45.4 -> 42.8, 3 GB: equal.
template <class View, class Chunk = warpfold::detail::array_chunk_of_t<View>>
inline constexpr std::size_t staged_from_bytes =
    sizeof(typename Chunk::element) > 64 || !std::is_same_v<typename View::chunk_type, Chunk> ? 0
    : !Chunk::fills_words                                                                     ? 1
    : sizeof(Chunk) > word_bytes ? std::size_t{2} << 20
                                 : 0;
template <class View>
inline constexpr std::size_t staged_from_bytes<View, void> = 0;

// True if the memory of a view is one array that bulk_copy copies whole.
template <class Chunk>
inline constexpr bool is_copied_whole = Chunk::fills_words;
template <>
inline constexpr bool is_copied_whole<void> = false;

// True if asynchronous copies are faster for data much larger than the cache. H100, single_pass ->
// bulk_copy:
// - floats, 512 MB 186 -> 184 us, 4 GB 1381 -> 1372, 192 MB 77.3 -> 78.4;
// - minima of doubles, 512 MB 188 -> 185, 4 GB 1391 -> 1377; index of the least float 196 -> 191;
// - float3, 3 GB, staged 1047 -> 1031;
// - five ops at once, 2 GB, 721 -> 698 with stages twice as large, two of 48 KB 705;
// - slower where arithmetic dominates: chars multiplied one by one in 64 bits, 784 -> 920.
template <class Reduction>
inline constexpr bool may_copy_ahead =
    is_copied_whole<warpfold::detail::array_chunk_of_t<typename Reduction::view_type>> &&
    (sizeof(typename Reduction::state) <= 32 ||
     (collective::folds_much<Reduction> && sizeof(typename Reduction::state) <= 64)) &&
    (!collective::folds_one_by_one<Reduction> ||
     folds_groups<typename Reduction::op_type, typename Reduction::value_type,
                  typename Reduction::accumulator>);

// True if half the bytes in flight are faster for data that fits the cache. Five ops at once on
// doubles, H100, all -> half: 16 MB 16.4 -> 15.9 us, 64 MB 34.9 -> 36.1; floats: no difference.
template <class Reduction>
inline constexpr bool may_halve_loads =
    collective::folds_much<Reduction> &&
    warpfold::detail::array_bytes_of<typename Reduction::view_type>() >= 8;

// True if the result depends on the order, which is then the declared one (op/fold_order.hpp). Of a
// range that reads no memory, thread_per_element has the order.
template <class Reduction>
inline constexpr bool has_declared_order =
    !same_in_any_order<typename Reduction::op_type, typename Reduction::accumulator> &&
    warpfold::detail::arrays_of<typename Reduction::view_type>() != 0;

template <class Reduction>
inline constexpr bool has_unknown_cost =
    warpfold::detail::has_unknown_cost<typename Reduction::view_type>();

}  // namespace detail

/// The first that applies:
/// 1. tables of threads, for ops that have them, such as exact sums;
/// 2. an element per thread, for a range that reads no memory: in the declared order
///    (op/fold_order.hpp);
/// 3. in_order, if the result depends on the order. `wf::staged` has no effect then;
/// 4. copies through shared memory, if requested by `wf::staged`;
/// 5. one block, if it can hold the range (at most 16 KB of elements of unknown cost);
/// 6. asynchronous bulk copies, for one array of elements of known cost. The tuning's row for the
///    size must ask for them, which the library's own does from five times the L2 cache on, and the
///    GPU must have enough shared memory;
/// 7. copies through shared memory, for elements that load faster that way;
/// 8. a single pass of many blocks, with half the loads per thread for elements of unknown cost.
///    It also takes counted ranges (view/counted.hpp) that do not fit one block.
struct automatic {
  static constexpr const char* name() { return "automatic"; }
  static constexpr bool is_listed = false;  // it only chooses another kernel
  static constexpr bool in_declared_order = true;
  static constexpr bool reads_size = true;
  static constexpr bool takes_tables = true;

  /// Where the launch shapes on a GPU come from, except those of single_block.
  static constexpr tuning_source table_source(const device_info& gpu) {
    return tuning::source_of(gpu);
  }

  /// Launches once.
  template <class Reduction, class Out>
  void enqueue(const Reduction& r, const collective::result_sink<Out>& sink, auto& launcher) const {
    if constexpr (has_thread_tables<Reduction>) {
      thread_tables{}.enqueue(r, sink, launcher);
    } else if constexpr (detail::has_declared_order<Reduction>) {
      order_of<Reduction>{}.enqueue(r, sink, launcher);
    } else if constexpr (detail::has_unknown_cost<Reduction>) {
      const std::size_t chunks = r.view.size() / Reduction::view_type::chunk_size;
      enqueue_as(tuning::row_for_functions(chunks, loaded_bytes(r.view), launcher.gpu()), r, sink,
                 launcher);
    } else {
      enqueue_as(tuning::row_for(loaded_bytes(r.view), launcher.gpu()), r, sink, launcher);
    }
  }

  /// The same with a row of a tuning.
  template <class Reduction, class Out, class Launcher>
  static void enqueue_as(const tuning::row& row, const Reduction& r,
                         const collective::result_sink<Out>& sink, Launcher& launcher) {
    using view_type = typename Reduction::view_type;
    constexpr std::size_t staged_from = detail::staged_from_bytes<view_type>;
    if constexpr (has_thread_tables<Reduction>) {
      thread_tables{}.enqueue_as(row, r, sink, launcher);
    } else if constexpr (detail::has_declared_order<Reduction>) {
      // The library's own rows are those of the other kernels.
      tuning::row own = tuning::row_for(loaded_bytes(r.view), launcher.gpu());
      own.from_bytes = row.from_bytes;
      if (row == own) return order_of<Reduction>{}.enqueue(r, sink, launcher);
      order_of<Reduction>{}.enqueue_as(row, r, sink, launcher);
    } else if constexpr (warpfold::detail::arrays_of<view_type>() == 0) {
      thread_per_element{}.enqueue(r, sink, launcher);
    } else if constexpr (warpfold::detail::has_size_in_memory<view_type>) {
      if (single_block::fits(r)) return single_block{}.enqueue(r, sink, launcher);
      single_pass<>{}.enqueue_as(row, r, sink, launcher);
    } else if constexpr (warpfold::detail::prefers_staging<view_type>()) {
      staged<>{}.enqueue_as(row, r, sink, launcher);
    } else if (single_block::fits(r) && !is_better_spread(r)) {
      single_block{}.enqueue(r, sink, launcher);
    } else if (copies_ahead(row, r, launcher.gpu())) {
      if constexpr (detail::may_copy_ahead<Reduction>) copies_of(row, r).enqueue(r, sink, launcher);
    } else if constexpr (staged_from == 1) {
      staged<>{}.enqueue_as(row, r, sink, launcher);
    } else if (staged_from != 0 && loaded_bytes(r.view) >= staged_from) {
      if constexpr (staged_from != 0) staged<>{}.enqueue_as(row, r, sink, launcher);
    } else {
      if constexpr (detail::has_unknown_cost<Reduction>) {
        single_pass<64>{}.enqueue_as(row, r, sink, launcher);
        return;
      } else if constexpr (detail::may_halve_loads<Reduction>) {
        if (loaded_bytes(r.view) <= launcher.gpu().l2_bytes) {
          single_pass<64>{}.enqueue_as(row, r, sink, launcher);
          return;
        }
      }
      single_pass<>{}.enqueue_as(row, r, sink, launcher);
    }
  }

 private:
  template <class Reduction>
  using order_of = in_order<detail::has_unknown_cost<Reduction> ? 64 : 128>;
  // True if one block would take long: more than 16 KB of elements of unknown cost. 16384 floats,
  // H200, a function of 100 steps, one block -> many: 93 -> 8.2 us.
  template <class Reduction>
  static constexpr bool is_better_spread(const Reduction& r) {
    constexpr std::size_t most = 16 * 1024;
    return detail::has_unknown_cost<Reduction> && loaded_bytes(r.view) > most;
  }
  template <class Reduction>
  static constexpr bulk_copy copies_of(const tuning::row& row, const Reduction&) {
    constexpr unsigned most = collective::max_threads<Reduction>;
    bulk_copy copies{.block = row.block < most ? row.block : most, .cache = row.cache};
    // Five ops at once, 2 GB of doubles, two stages of 96 KB, three of 64, four of 48: H200 520,
    // 544, 710 us; H100 715, 714, 725 us.
    if (collective::folds_much<Reduction>) copies.stage_bytes = 96 * 1024;
    return copies;
  }
  template <class Reduction>
  static constexpr bool copies_ahead(const tuning::row& row, const Reduction& r,
                                     const device_info& gpu) {
    return detail::may_copy_ahead<Reduction> && row.loads == loading::ahead &&
           copies_of(row, r).template fits<Reduction>(gpu);
  }
};

/// True if a kernel runs ops with tables by thread_tables, whose states may be large.
template <class Kernel>
inline constexpr bool chooses_tables = requires { requires Kernel::takes_tables; };

static_assert(reduction_kernel<automatic>);

/// Notes where the launch shape in a plan of a `Reduction` comes from; `plan.kernel` is the kernel
/// that `by` chose. The library's own shapes for elements of unknown cost are in no table.
template <class Reduction, class Kernel, class Plan>
void note_table(const Kernel& by, const device_info& gpu, Plan& plan) {
  constexpr bool has_own_shapes =
      std::is_same_v<Kernel, automatic> && detail::has_unknown_cost<Reduction>;
  if constexpr (requires { by.table_source(gpu); } && !has_own_shapes) {
    const bool is_one_block = plan.kernel == single_block::name() ||
                              (plan.kernel == in_order<>::name() && plan.grid.count() == 1);
    const bool has_other_shapes =
        plan.kernel == thread_per_element::name() || plan.kernel == thread_tables::name();
    if (!is_one_block && !has_other_shapes) {
      plan.table = by.table_source(gpu);
    }
  }
}

}  // namespace warpfold::kernel
