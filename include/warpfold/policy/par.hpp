/// @file
/// needs: tbb
/// `wf::par`: host threads of oneTBB.
///
/// Includes oneTBB by design. Any oneTBB header adds 2 s to the compile time of a translation unit
/// with nvcc.
#pragma once

#include <warpfold/core/config.hpp>  // first: it reports a C++ older than C++20

#include <atomic>
#include <bit>
#include <new>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <warpfold/host/host_segments.hpp>
#include <warpfold/host/ordered_fold.hpp>
#include <warpfold/host/partial_results.hpp>
#include <warpfold/op/fold_order.hpp>
#include <warpfold/policy/host_policy.hpp>

namespace warpfold {

namespace host {

/// The threads of oneTBB; see host/loops.hpp.
class tbb_threads {
 public:
  static constexpr bool is_one_thread = false;

  /// `min_part` for the library's sums, extrema and their like of contiguous numbers, in bytes: one
  /// thread reads this much in 3 to 6 microseconds.
  static constexpr std::size_t min_part_bytes = std::size_t{1} << 18;
  /// The limit that applies to a reduction, in elements.
  template <class Reduction>
  static constexpr std::size_t min_part_of = [] {
    if constexpr (folds_at_memory_speed<Reduction>) {
      constexpr std::size_t bytes =
          warpfold::detail::array_bytes_of<typename Reduction::view_type>();
      return min_part_bytes / (bytes != 0 ? bytes : sizeof(typename Reduction::value_type));
    } else {
      return min_part;
    }
  }();
  /// Ranges of this many elements or fewer are folded on the calling thread. Two threads gain from
  /// 0.5 MB on if the other one is awake; waking it takes as long as folding 2 MB.
  template <class Reduction>
  static constexpr std::size_t longest_alone =
      folds_at_memory_speed<Reduction> ? 2 * min_part_of<Reduction> : min_part;

  /// The threads of the arena, or fewer if a `global_control` limits them.
  static int count() {
    const int arena = tbb::this_task_arena::max_concurrency();
    const std::size_t allowed =
        tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
    return allowed < static_cast<std::size_t>(arena) ? static_cast<int>(allowed) : arena;
  }
  static bool run_alone(std::size_t n, std::size_t elements) {
    return n <= parts_of_one_thread(elements);
  }

  WARPFOLD_ANY_SIDE
  template <class Reduction>
  static typename Reduction::result_type fold(const Reduction& r) {
    const std::size_t n = r.view.size();
    if (runs_alone<Reduction>(n)) return ordered_result(r);
    const auto fold = r.fold();
    if constexpr (has_search<Reduction>) {
      // Searches each part at the speed of reading, then looks for the index in the best part only.
      const auto search = search_of(r);
      const auto best = reduce_parts<decltype(search.look_at(0, n))>(
          0, n, min_part_of<Reduction>,
          [&](std::size_t first, std::size_t last) { return search.look_at(first, last); },
          [&](const auto& a, const auto& b) { return search.better(a, b); });
      return r.result(fold.state_of(search.place(best)));
    } else {
      return r.result(fold.state_of(fold_node(r, 0, n)));
    }
  }
  WARPFOLD_ANY_SIDE
  template <class Reduction>
  static typename Reduction::accumulator fold_node(const Reduction& r, std::size_t first,
                                                   std::size_t last) {
    using accumulator = typename Reduction::accumulator;
    if (runs_alone<Reduction>(last - first)) return ordered_fold(r, first, last);
    const auto fold = r.fold();
    return reduce_parts<accumulator>(
        first, last, min_part_of<Reduction>,
        [&](std::size_t from, std::size_t to) { return ordered_fold(r, from, to); },
        [&](const accumulator& a, const accumulator& b) { return fold.apply(a, b); });
  }
  template <class Reduction, class Plan>
  static void describe(const Reduction& r, Plan& plan) {
    const bool is_alone = runs_alone<Reduction>(r.view.size());
    plan.kernel = is_alone ? "tree" : "tree on threads";
    plan.threads = is_alone ? 1 : count();
  }

  WARPFOLD_ANY_SIDE
  template <class F>
  static void for_each(std::size_t n, std::size_t elements, const F& f) {
    const std::size_t least = parts_of_one_thread(elements);
    if (n <= least || count() == 1) {
      for (std::size_t i = 0; i < n; ++i) f(i);
      return;
    }
    run_parts(tbb::blocked_range<std::size_t>(0, n, least), tbb::auto_partitioner{},
              [&](std::size_t first, std::size_t last) {
                for (std::size_t i = first; i < last; ++i) f(i);
              });
  }
  WARPFOLD_ANY_SIDE
  template <class F>
  static void for_parts(std::size_t n, const F& f) {
    if (n <= min_part || count() == 1) return f(std::size_t{0}, n);
    run_parts(tbb::blocked_range<std::size_t>(0, n, min_part), tbb::auto_partitioner{}, f);
  }
  WARPFOLD_ANY_SIDE
  template <class Weights, class F>
  static void for_segments(const Weights& weights, std::size_t n, const F& f) {
    if (weights.weight(0, n) <= min_part || count() == 1) return f(std::size_t{0}, n);
    run_parts(segments_part<Weights>(weights, 0, n, min_part), tbb::simple_partitioner{}, f);
  }
  WARPFOLD_ANY_SIDE
  template <class Find>
  static std::size_t first_of(std::size_t n, std::size_t elements, const Find& find,
                              std::size_t none) {
    std::atomic<std::size_t> least{none};
    for_each(n, elements, [&](std::size_t i) {
      const std::size_t found = find(i);
      std::size_t before = least.load(std::memory_order_relaxed);
      while (found < before && !least.compare_exchange_weak(before, found)) {
      }
    });
    return least;
  }

 private:
  // Parts of a long range: enough that threads end at nearly the same time.
  static constexpr std::size_t parts_per_thread = 16;

  template <class Reduction>
  static bool runs_alone(std::size_t n) {
    return n <= longest_alone<Reduction> || count() == 1;
  }

  // Up to this many parts of `elements` elements each run on one thread.
  static std::size_t parts_of_one_thread(std::size_t elements) {
    return elements < min_part ? min_part / (elements + 1) : 1;
  }

  // A function of a part, whatever its type: oneTBB's templates are compiled once.
  class part_function {
   public:
    WARPFOLD_ANY_SIDE
    template <class F>
    part_function(const F& f)
        : f_(&f), call_([](const void* any, std::size_t first, std::size_t last) {
            (*static_cast<const F*>(any))(first, last);
          }) {}
    void operator()(std::size_t first, std::size_t last) const { call_(f_, first, last); }

   private:
    const void* f_;
    void (*call_)(const void*, std::size_t, std::size_t);
  };

  // Calls `f(first, last)` for each part of a range. Isolated: cancelling a task group of the
  // caller must not stop this call, which would give a partial result.
  template <class Range, class Partitioner>
  static void run_parts(const Range& range, const Partitioner& partitioner,
                        const part_function& f) {
    tbb::task_group_context context(tbb::task_group_context::isolated);
    tbb::parallel_for(
        range, [&](const Range& some) { f(some.begin(), some.end()); }, partitioner, context);
  }

  // Calls `fold(from, to)` for each part of the elements `begin` to `end - 1` and `combine`s the
  // results in the declared order, on the calling thread: an op that throws in oneTBB's own joins
  // would leave its threads waiting.
  WARPFOLD_ANY_SIDE
  template <class State, class Fold, class Combine>
  static State reduce_parts(std::size_t begin, std::size_t end, std::size_t least, const Fold& fold,
                            const Combine& combine) {
    const std::size_t n = end - begin;
    // Long parts: a core that begins one reads slowly until it prefetches.
    const std::size_t share = n / (parts_per_thread * static_cast<std::size_t>(count()));
    const std::size_t length = std::bit_ceil(share > least ? share : least);
    const std::size_t parts = (n + length - 1) / length;
    const partial_results<State> states(1, parts);
    run_parts(tbb::blocked_range<std::size_t>(0, parts, 1), tbb::simple_partitioner{},
              [&](std::size_t from, std::size_t to) {
                for (std::size_t p = from; p < to; ++p) {
                  const std::size_t first = begin + p * length;
                  ::new (static_cast<void*>(states.at(0, p)))
                      State(fold(first, end - first < length ? end : first + length));
                }
              });
    return warpfold::detail::fold_by_nodes<State>(
        combine, [&](std::size_t p, std::size_t) -> const State& { return *states.at(0, p); }, 1, 0,
        parts);
  }
};

}  // namespace host

/// Folds on oneTBB's threads; short ranges are folded on the calling thread.
///
/// - Stream: none; `enqueue` returns when the result is written.
/// - Threads: those of the caller's task arena; limit them with `tbb::task_arena` or
///   `tbb::global_control`. Several threads call the op at once. Exceptions of the op reach the
///   caller.
/// - Order: the declared one (op/fold_order.hpp): the bits of `wf::seq`, with any number of
///   threads. Operands keep their sides. Sums, dot products, norms and extrema of numbers use
///   AVX2 if the processor has it, with the same bits as without it.
/// - NUMA: any thread of the arena may take any part; oneTBB is asked for no placement. To read the
///   memory of one node only with its own cores, call `par` in a `tbb::task_arena` with the
///   constraint `set_numa_id`.
/// - Cost: one read of the range; a long one allocates a state for each part, at most 2048 of them.
///   The loops of keys, classes and transform_axis state theirs
///   (host/host_keys.hpp, host/host_classes.hpp, host/host_axis_transformation.hpp).
class par_policy : public host_policy<host::tbb_threads> {
 public:
  static constexpr const char* name() { return "par"; }

  /// Ranges of this many elements or fewer are not divided.
  static constexpr std::size_t min_part = host::min_part;
  /// The same for the library's sums and their like, in bytes.
  static constexpr std::size_t min_part_bytes = host::tbb_threads::min_part_bytes;
  /// The limit that applies to a reduction, in elements.
  template <class Reduction>
  static constexpr std::size_t min_part_of = host::tbb_threads::min_part_of<Reduction>;
};

/// Host threads of oneTBB.
inline constexpr par_policy par{};

static_assert(policy<par_policy>);

}  // namespace warpfold
