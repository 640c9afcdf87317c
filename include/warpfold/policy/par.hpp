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

#include <warpfold/host/host_axis.hpp>
#include <warpfold/host/host_axis_transformation.hpp>
#include <warpfold/host/host_classes.hpp>
#include <warpfold/host/host_keys.hpp>
#include <warpfold/host/host_segments.hpp>
#include <warpfold/host/interleaved_fold.hpp>
#include <warpfold/policy/concept.hpp>
#include <warpfold/policy/counted_range.hpp>
#include <warpfold/runtime/reachable.hpp>
#include <warpfold/work/axis_reduction.hpp>
#include <warpfold/work/class_reduction.hpp>
#include <warpfold/work/key_reduction.hpp>
#include <warpfold/work/many_reduction.hpp>
#include <warpfold/work/segmented_reduction.hpp>
#include <warpfold/work/segmented_transformation.hpp>
#include <warpfold/work/transformation.hpp>

namespace warpfold {

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
/// - Cost: one read of the range, except as stated at `run` of keys.
class par_policy {
 public:
  static constexpr const char* name() { return "par"; }
  static constexpr bool reads_size_on_host = true;
  static constexpr bool returns_states = true;

  /// Parts of this many elements or fewer are not halved further. One takes a microsecond or more.
  static constexpr std::size_t min_part = 16384;
  /// The same for the library's sums, extrema and their like of contiguous numbers, in bytes: one
  /// thread reads this much in 3 to 6 microseconds.
  static constexpr std::size_t min_part_bytes = std::size_t{1} << 18;
  /// Long ranges are divided into this many parts: enough to keep hundreds of threads busy to the
  /// end.
  static constexpr std::size_t max_parts = 2048;
  /// The limit that applies to a reduction, in elements.
  template <class Reduction>
  static constexpr std::size_t min_part_of = [] {
    if constexpr (host::folds_at_memory_speed<Reduction>) {
      constexpr std::size_t bytes = detail::array_bytes_of<typename Reduction::view_type>();
      return min_part_bytes / (bytes != 0 ? bytes : sizeof(typename Reduction::value_type));
    } else {
      return min_part;
    }
  }();
  /// Ranges of this many elements or fewer are folded on the calling thread. Two threads gain from
  /// 0.5 MB on if the other one is awake; waking it takes as long as folding 2 MB.
  template <class Reduction>
  static constexpr std::size_t longest_alone =
      host::folds_at_memory_speed<Reduction> ? 2 * min_part_of<Reduction> : min_part;

  WARPFOLD_ANY_SIDE
  template <reduction_work Reduction>
  typename Reduction::result_type run(const Reduction& r) const {
    r.require_valid();
    runtime::check_host_reduction(r);
    if (r.view.size() == 0) return r.empty_result();
    return fold_all(r);
  }

  template <reduction_work Reduction, class Out>
  void enqueue(const Reduction& r, Out* out) const {
    runtime::check_host_pointer(out, sizeof(Out), alignof(Out), "the output");
    *out = static_cast<Out>(run(r));
  }

  /// Of a view/counted.hpp.
  /// @throws invalid_range if the count is negative or larger than the range
  template <counted_work Reduction>
  typename Reduction::result_type run(const Reduction& r) const {
    return run(settled_on_host(r));
  }
  template <counted_work Reduction, class Out>
  void enqueue(const Reduction& r, Out* out) const {
    enqueue(settled_on_host(r), out);
  }

  /// Work with an output of its own.
  template <class Work>
    requires runs_to_output<par_policy, Work>
  void enqueue(const Work& work) const {
    run(work);
  }

  /// See work/transformation.hpp. Exceptions of the function reach the caller after all threads
  /// have stopped calling it.
  template <transformation_work Transformation>
  void run(const Transformation& t) const {
    t.require_valid();
    runtime::check_host_readable(t.in);
    runtime::check_host_writable(t.out);
    const std::size_t n = t.size();
    if (n <= min_part) return t.run_on_host(0, n);
    using part = tbb::blocked_range<std::size_t>;
    tbb::task_group_context context(tbb::task_group_context::isolated);  // as in reduce_parts
    tbb::parallel_for(
        part(0, n, min_part), [&](const part& p) { t.run_on_host(p.begin(), p.end()); },
        tbb::auto_partitioner{}, context);
  }

  /// See work/axis_reduction.hpp. Each thread computes its own results; if there are few results,
  /// threads share the axis.
  template <axis_reduction_work AxisReduction>
  void run(const AxisReduction& a) const {
    a.require_valid();
    runtime::check_host_memory(a);
    const host::host_axis<AxisReduction, false> work(a);
    const axis_parts parts = parts_of(a, work.units());
    if (parts.count == 0) return;
    const std::size_t pieces = parts.pieces;
    if (pieces == 1) {
      for_each(parts.count, parts.elements, [&](std::size_t u) { work.write(u); });
      return;
    }
    const typename host::host_axis<AxisReduction, false>::partials partials(a.layout.outputs,
                                                                            pieces);
    for_each(parts.count, parts.elements,
             [&](std::size_t i) { work.write_partials(i / pieces, i % pieces, partials); });
    work.write_all(partials);
  }

  /// See work/axis_transformation.hpp.
  template <axis_transformation_work AxisTransformation>
  void run(const AxisTransformation& t) const {
    host::fold_then_transform(*this, t);
  }

  /// See work/segmented_reduction.hpp. Threads share elements and segments evenly, and long
  /// segments are folded by several threads.
  template <segmented_reduction_work SegmentedReduction>
  void run(const SegmentedReduction& s) const {
    s.require_valid();
    runtime::check_host_segments(s);
    require_segments(s);
    fold_segments(s);
  }

  /// See work/many_reduction.hpp. Threads share elements and ranges evenly, and long ranges are
  /// folded by several threads.
  template <many_reduction_work ManyReduction>
  void run(const ManyReduction& m) const {
    m.require_valid();
    runtime::check_host_many(m);
    using folds = typename ManyReduction::folds_type;
    const host::segment_weights<typename ManyReduction::list_type> weights(m.list);
    for_segments(weights, m.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t r = first; r < last; ++r) {
        const folds own = m.folds_of(r);
        write_segments(own, host::host_segments<folds, false>(own), r, r + 1);
      }
    });
  }

  /// See work/key_reduction.hpp. Reads the keys twice: threads count the runs of their keys first.
  /// Several threads fold a long run. Allocates 16 bytes for each part of the keys.
  template <key_reduction_work KeyReduction>
  std::size_t run(const KeyReduction& k) const {
    k.require_valid();
    runtime::check_host_memory(k);
    const std::size_t n = k.size();
    if (n == 0) return 0;
    const std::size_t length = n / max_parts > min_part ? n / max_parts : min_part;
    const std::size_t parts = (n + length - 1) / length;
    const auto last_of = [=](std::size_t p) { return p + 1 == parts ? n : (p + 1) * length; };

    // For each part, the number of runs before it and where the runs of the following parts begin.
    const host::partial_results<host::runs_of_part> found(parts, 1);
    for_each(parts, length,
             [&](std::size_t p) { *found.at(p, 0) = host::count_runs(k, p * length, last_of(p)); });
    std::size_t runs = 0;
    for (std::size_t p = 0; p < parts; ++p) {
      const std::size_t count = found.at(p, 0)->count;
      found.at(p, 0)->count = runs;
      runs += count;
    }
    k.require_room(runs);
    std::size_t begin = n;
    for (std::size_t p = parts; p-- > 0;) {
      const std::size_t own = found.at(p, 0)->first;
      found.at(p, 0)->first = begin;
      if (own != last_of(p)) begin = own;
    }

    for_each(parts, length, [&](std::size_t p) {
      const host::runs_of_part own = *found.at(p, 0);
      host::for_runs(
          k, p * length, last_of(p), own.count, own.first,
          [&](const host::some_runs& some, std::size_t count) { write_runs(k, some, count); });
    });
    return runs;
  }

  template <key_reduction_work KeyReduction, class Out>
  void enqueue(const KeyReduction& k, Out* runs) const {
    runtime::check_host_pointer(runs, sizeof(Out), alignof(Out), "the output of the runs");
    *runs = static_cast<Out>(run(k));
  }

  /// See work/class_reduction.hpp. Allocates a state for each class and part of the values.
  template <class_reduction_work ClassReduction>
  void run(const ClassReduction& c) const {
    c.require_valid();
    runtime::check_host_memory(c);
    // At least as many values as the combination of the tables has states.
    constexpr std::size_t most = 64;
    const std::size_t n = c.size(), least = c.classes > min_part / 4 ? 4 * c.classes : min_part;
    const std::size_t parts = n / least > most ? most : n / least > 1 ? n / least : 1;
    const std::size_t length = n / parts;
    const host::host_classes<ClassReduction> classes(c, parts);
    std::atomic<std::size_t> wrong{n};
    for_each(parts, length, [&](std::size_t p) {
      const std::size_t last = p + 1 == parts ? n : (p + 1) * length;
      const std::size_t found = classes.fold(p, p * length, last);
      if (found != last) lower(wrong, found);
    });
    if (wrong != n) c.refuse_label(wrong);
    classes.write_all();
  }

  /// See work/segmented_transformation.hpp. Threads share elements and segments evenly.
  template <segmented_transformation_work Transformation>
  void run(const Transformation& t) const {
    t.require_valid();
    runtime::check_host_memory(t);
    require_segments(t);
    const host::segment_weights at(t.segments);
    for_segments(at, t.size(), [&](std::size_t first, std::size_t last) {
      if (last - first == 1) {
        const std::size_t from = at.begin(first), n = at.end(first) - from;
        for_each((n + min_part - 1) / min_part, min_part, [&](std::size_t i) {
          const std::size_t begin = i * min_part, rest = n - begin;
          const std::size_t end = rest < min_part ? n : begin + min_part;
          t.run_on_host(first, from + begin, from + end);
        });
      } else {
        for (std::size_t s = first; s < last; ++s) t.run_on_host(s, at.begin(s), at.end(s));
      }
    });
  }

  template <reduction_work Reduction, class Plan>
  void describe(const Reduction& r, Plan& plan) const {
    const bool short_range = r.view.size() <= longest_alone<Reduction>;
    plan.kernel = short_range ? "interleaved" : "interleaved on threads";
    plan.threads = short_range ? 1 : tbb::this_task_arena::max_concurrency();
    plan.bytes = bytes_of(r.view);
  }
  template <axis_reduction_work AxisReduction, class Plan>
  void describe(const AxisReduction& a, Plan& plan) const {
    const host::host_axis<AxisReduction, false> work(a);
    const axis_parts parts = parts_of(a, work.units());
    const bool alone = parts.count <= parts_of_one_thread(parts.elements);
    static constexpr const char* names[2][3] = {
        {"columns", "columns on threads", "columns in pieces on threads"},
        {"rows", "rows on threads", "rows in pieces on threads"}};
    plan.kernel = names[work.by_rows()][alone ? 0 : parts.pieces > 1 ? 2 : 1];
    plan.threads = alone ? 1 : tbb::this_task_arena::max_concurrency();
  }
  /// Assumes that all elements are in segments.
  template <segmented_reduction_work SegmentedReduction, class Plan>
  void describe(const SegmentedReduction& s, Plan& plan) const {
    const bool alone = s.view.size() + s.size() <= min_part;
    plan.kernel = alone ? "segments" : "segments on threads";
    plan.threads = alone ? 1 : tbb::this_task_arena::max_concurrency();
  }

 private:
  // This many parts of a fold along an axis keep hundreds of threads busy.
  static constexpr std::size_t enough_units = 256;

  // How threads divide a fold along an axis: `count` parts of `elements` elements; each unit of
  // work has `pieces` parts.
  struct axis_parts {
    std::size_t count;
    std::size_t elements;
    std::size_t pieces;
  };
  template <class AxisReduction>
  static axis_parts parts_of(const AxisReduction& a, std::size_t units) {
    if (units == 0) return {0, 0, 1};
    const std::size_t unit = a.layout.outputs * a.layout.length / units;  // elements
    std::size_t pieces = enough_units / units;
    if (pieces > unit / min_part) pieces = unit / min_part;
    if (pieces == 0) pieces = 1;
    return {units * pieces, unit / pieces, pieces};
  }

  // Up to this many parts of `elements` elements each run on one thread.
  static std::size_t parts_of_one_thread(std::size_t elements) {
    return elements < min_part ? min_part / (elements + 1) : 1;
  }

  // The result of a reduction of at least one element.
  WARPFOLD_ANY_SIDE
  template <class Reduction>
  static typename Reduction::result_type fold_all(const Reduction& r) {
    const std::size_t n = r.view.size();
    constexpr std::size_t part = min_part_of<Reduction>;
    if (n <= longest_alone<Reduction>)
      return r.result(r.fold().state_of(host::interleaved_fold(r, 0, n)));
    const auto fold = r.fold();
    if constexpr (host::has_search<Reduction>) {
      // Searches each part at the speed of reading, then looks for the index in the best part only.
      const auto search = host::search_of(r);
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
            return fold.state_of(host::interleaved_fold(r, first, last));
          },
          [&](const auto& a, const auto& b) { return fold.combine(a, b); }));
    }
  }

  // Writes the keys and the results of some runs.
  template <class KeyReduction>
  static void write_runs(const KeyReduction& k, const host::some_runs& runs, std::size_t count) {
    const std::size_t first = runs.number, last = first + count;
    const host_stores stores;
    for (std::size_t r = first; r < last; ++r) k.write_key(r, runs.begin(r), stores);
    if constexpr (KeyReduction::has_values) {
      const auto folds = k.folds_of(runs);
      const host::host_segments<std::remove_const_t<decltype(folds)>, false> work(folds);
      if (work.weight(first, last) <= min_part) return work.write(first, last);
      for (std::size_t r = first; r < last; ++r) write_segments(folds, work, r, r + 1);
    } else {
      for (std::size_t r = first; r < last; ++r) {
        k.write_length(r, runs.end(r) - runs.begin(r), stores);
      }
    }
  }

  // Several segments of up to `min_part` elements, or one of any length.
  template <class SegmentedReduction, class Work>
  static void write_segments(const SegmentedReduction& s, const Work& work, std::size_t first,
                             std::size_t last) {
    if (last - first == 1 && work.weight(first, last) > min_part) {
      s.write(first, fold_all(work.reduction_of(first)), host_stores{});
    } else {
      work.write(first, last);
    }
  }

  // Folds segments whose bounds have been checked.
  template <class SegmentedReduction>
  static void fold_segments(const SegmentedReduction& s) {
    const host::host_segments<SegmentedReduction, false> work(s);
    for_segments(work, s.size(), [&](std::size_t first, std::size_t last) {
      write_segments(s, work, first, last);
    });
  }

  // Calls `f(first, last)` for parts of `n` segments: some segments of together up to `min_part`
  // elements and segments, or one of any length.
  WARPFOLD_ANY_SIDE
  template <class Weights, class F>
  static void for_segments(const Weights& weights, std::size_t n, const F& f) {
    if (weights.weight(0, n) <= min_part) return f(std::size_t{0}, n);
    using part = host::segments_part<Weights>;
    tbb::task_group_context context(tbb::task_group_context::isolated);  // as in reduce_parts
    tbb::parallel_for(
        part(weights, 0, n, min_part), [&](const part& p) { f(p.begin(), p.end()); },
        tbb::simple_partitioner{}, context);
  }

  // Threads find several wrong elements; the first one is reported.
  static void lower(std::atomic<std::size_t>& least, std::size_t found) {
    std::size_t before = least.load(std::memory_order_relaxed);
    while (found < before && !least.compare_exchange_weak(before, found)) {
    }
  }

  // @throws invalid_range,empty_range for the first segment with wrong bounds
  template <class SegmentedReduction>
  static void require_segments(const SegmentedReduction& s) {
    constexpr std::size_t some = 65536;  // at a time
    const std::size_t n = s.size();
    std::atomic<std::size_t> wrong{n};
    for_each((n + some - 1) / some, some, [&](std::size_t i) {
      const std::size_t first = i * some, last = n - first < some ? n : first + some;
      const std::size_t found = s.first_invalid(first, last);
      if (found != last) lower(wrong, found);
    });
    if (wrong != n) s.refuse(wrong);
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

  // Calls `f(i)` for each `i` below `n`; one call processes `elements` elements.
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
};

/// Host threads of oneTBB.
inline constexpr par_policy par{};

static_assert(policy<par_policy>);

}  // namespace warpfold
