/// @file
/// needs: tbb
/// `wf::par`: host threads of oneTBB.
///
/// Includes oneTBB by design. Any oneTBB header adds 2 s to the compile time of a translation unit
/// with nvcc.
#pragma once

#include <warpfold/core/config.hpp>  // first: it reports a C++ older than C++20

#include <atomic>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <warpfold/host/host_segments.hpp>
#include <warpfold/host/interleaved_fold.hpp>
#include <warpfold/policy/host_policy.hpp>

namespace warpfold {

namespace host {

/// The threads of oneTBB; see host/loops.hpp.
class tbb_threads {
 public:
  static constexpr bool is_strict = false;

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

  static int count() { return tbb::this_task_arena::max_concurrency(); }
  static bool run_alone(std::size_t n, std::size_t elements) {
    return n <= parts_of_one_thread(elements);
  }

  WARPFOLD_ANY_SIDE
  template <class Reduction>
  static typename Reduction::result_type fold(const Reduction& r) {
    const std::size_t n = r.view.size();
    constexpr std::size_t part = min_part_of<Reduction>;
    if (n <= longest_alone<Reduction>)
      return r.result(r.fold().state_of(interleaved_fold(r, 0, n)));
    const auto fold = r.fold();
    if constexpr (has_search<Reduction>) {
      // Searches each part at the speed of reading, then looks for the index in the best part only.
      using warpfold::detail::maybe;
      const auto search = search_of(r);
      const auto best = reduce_parts(
          n, part, maybe<decltype(search.look_at(0, n))>{},
          [&](std::size_t first, std::size_t last) { return maybe{search.look_at(first, last)}; },
          [&](const auto& a, const auto& b) {
            return a.engaged() && b.engaged() ? maybe{search.better(a.value, b.value)}
                   : a.engaged()              ? a
                                              : b;
          });
      return r.result(fold.state_of(search.place(best.value)));
    } else {
      return r.result(reduce_parts(
          n, part, fold.start(),
          [&](std::size_t first, std::size_t last) {
            return fold.state_of(interleaved_fold(r, first, last));
          },
          [&](const auto& a, const auto& b) { return fold.combine(a, b); }));
    }
  }
  template <class Reduction, class Plan>
  static void describe(const Reduction& r, Plan& plan) {
    const bool short_range = r.view.size() <= longest_alone<Reduction>;
    plan.kernel = short_range ? "interleaved" : "interleaved on threads";
    plan.threads = short_range ? 1 : count();
  }

  WARPFOLD_ANY_SIDE
  template <class F>
  static void for_each(std::size_t n, std::size_t elements, const F& f) {
    const std::size_t least = parts_of_one_thread(elements);
    if (n <= least) {
      for (std::size_t i = 0; i < n; ++i) f(i);
      return;
    }
    using part = tbb::blocked_range<std::size_t>;
    tbb::task_group_context context(tbb::task_group_context::isolated);  // as in reduce_parts
    tbb::parallel_for(
        part(0, n, least),
        [&](const part& p) {
          for (std::size_t i = p.begin(); i < p.end(); ++i) f(i);
        },
        tbb::auto_partitioner{}, context);
  }
  WARPFOLD_ANY_SIDE
  template <class F>
  static void for_parts(std::size_t n, const F& f) {
    if (n <= min_part) return f(std::size_t{0}, n);
    using part = tbb::blocked_range<std::size_t>;
    tbb::task_group_context context(tbb::task_group_context::isolated);  // as in reduce_parts
    tbb::parallel_for(
        part(0, n, min_part), [&](const part& p) { f(p.begin(), p.end()); },
        tbb::auto_partitioner{}, context);
  }
  WARPFOLD_ANY_SIDE
  template <class Weights, class F>
  static void for_segments(const Weights& weights, std::size_t n, const F& f) {
    if (weights.weight(0, n) <= min_part) return f(std::size_t{0}, n);
    using part = segments_part<Weights>;
    tbb::task_group_context context(tbb::task_group_context::isolated);  // as in reduce_parts
    tbb::parallel_for(
        part(weights, 0, n, min_part), [&](const part& p) { f(p.begin(), p.end()); },
        tbb::simple_partitioner{}, context);
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
  // Up to this many parts of `elements` elements each run on one thread.
  static std::size_t parts_of_one_thread(std::size_t elements) {
    return elements < min_part ? min_part / (elements + 1) : 1;
  }

  // Calls `fold(first, last)` for each part of `n` elements and `combine`s the results in a tree
  // that depends on `n` only.
  WARPFOLD_ANY_SIDE
  template <class State, class Fold, class Combine>
  static State reduce_parts(std::size_t n, std::size_t least, const State& start, const Fold& fold,
                            const Combine& combine) {
    using part = tbb::blocked_range<std::size_t>;
    const std::size_t longest = 2 * n / max_parts;
    // Isolated: cancelling a task group of the caller must not stop this reduction, which would
    // return a partial result.
    tbb::task_group_context context(tbb::task_group_context::isolated);
    return tbb::parallel_deterministic_reduce(
        part(0, n, longest > least ? longest : least), start,
        [&](const part& p, const State& seen) { return combine(seen, fold(p.begin(), p.end())); },
        combine, tbb::simple_partitioner{}, context);
  }
};

}  // namespace host

/// Folds on oneTBB's threads; short ranges are folded on the calling thread.
///
/// - Stream: none; `enqueue` returns when the result is written.
/// - Threads: those of the caller's task arena; limit them with `tbb::task_arena` or
///   `tbb::global_control`. Several threads call the op at once. Exceptions of the op reach the
///   caller.
/// - Order: the range is halved until its parts are short. Each part is folded in several
///   interleaved accumulators, and the parts are combined along the tree of halves. All of this
///   depends on the range's size only, so every run gives the same bits with any number of threads.
///   Sums, dot products, norms and extrema of numbers use AVX2 if the processor has it, with the
///   same bits as without it.
/// - NUMA: any thread of the arena may take any part; oneTBB is asked for no placement. To read the
///   memory of one node only with its own cores, call `par` in a `tbb::task_arena` with the
///   constraint `set_numa_id`.
/// - Cost: one read of the range. The loops of keys, classes and transform_axis state theirs
///   (host/host_keys.hpp, host/host_classes.hpp, host/host_axis_transformation.hpp).
class par_policy : public host_policy<host::tbb_threads> {
 public:
  static constexpr const char* name() { return "par"; }

  /// Parts of this many elements or fewer are not halved further.
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
