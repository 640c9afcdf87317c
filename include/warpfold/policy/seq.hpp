/// @file
/// `wf::seq`: one host thread, first element to last.
#pragma once

#include <warpfold/host/host_axis_transformation.hpp>
#include <warpfold/policy/concept.hpp>
#include <warpfold/policy/counted_range.hpp>
#include <warpfold/runtime/reachable.hpp>
#include <warpfold/work/kinds.hpp>

namespace warpfold {

// A call that makes work includes these: most programs need one of them, or none.
namespace host {
template <class AxisReduction, bool Strict>
class host_axis;  // host/host_axis.hpp
template <class Work>
class host_classes;   // host/host_classes.hpp
struct runs_of_part;  // host/host_keys.hpp
template <class Work>
runs_of_part count_runs(const Work& work, std::size_t first, std::size_t last);
template <class Work>
std::size_t write_runs_in_order(const Work& work);
template <class Segments>
class segment_weights;  // host/host_segments.hpp
template <class Work, bool Strict>
class host_segments;
}  // namespace host

/// Folds and transforms on the calling thread, strictly from the first element to the last. It is
/// the only policy that accepts ops that are neither associative nor commutative. The other
/// policies are tested against it.
///
/// - Stream: none; `enqueue` returns when the result is written.
/// - Order: left to right, so the result is the same on every run.
/// - Cost: one read of the range and no allocation, except as stated at `run` of keys and classes.
class seq_policy {
 public:
  static constexpr const char* name() { return "seq"; }
  static constexpr bool reads_size_on_host = true;
  static constexpr bool returns_states = true;

  WARPFOLD_ANY_SIDE
  template <reduction_work Reduction>
  typename Reduction::result_type run(const Reduction& r) const {
    r.require_valid();
    runtime::check_host_reduction(r);
    using accumulator = typename Reduction::accumulator;
    const auto fold = r.fold();
    const std::size_t n = r.view.size();
    if (n == 0) return r.empty_result();
    std::size_t i = 0;
    accumulator total = [&]() -> accumulator {
      if constexpr (Reduction::has_init) {
        return r.template init_as<accumulator>();
      } else {
        return r.lift(r.view[i++]);
      }
    }();
    if constexpr (detail::folds_elements_of<typename Reduction::view_type,
                                            typename Reduction::op_type, accumulator>) {
      for (; i < n; ++i) r.op.fold_element(total, r.view.elements()[i]);
    } else {
      for (; i < n; ++i) total = fold.apply(total, r.lift(r.view[i]));
    }
    if constexpr (has_finish<Reduction>) {
      return r.result_for(static_cast<typename Reduction::unfinished_type::result_type>(total));
    } else {
      return static_cast<typename Reduction::result_type>(total);
    }
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
    requires runs_to_output<seq_policy, Work>
  void enqueue(const Work& work) const {
    run(work);
  }

  /// See work/transformation.hpp.
  template <transformation_work Transformation>
  void run(const Transformation& t) const {
    t.require_valid();
    runtime::check_host_readable(t.in);
    runtime::check_host_writable(t.out);
    t.run_on_host(0, t.size());
  }

  /// See work/axis_reduction.hpp. Each result is folded strictly from the first element to the
  /// last.
  template <axis_reduction_work AxisReduction>
  void run(const AxisReduction& a) const {
    a.require_valid();
    runtime::check_host_memory(a);
    const host::host_axis<AxisReduction, true> work(a);
    for (std::size_t unit = 0; unit < work.units(); ++unit) work.write(unit);
  }

  /// See work/axis_transformation.hpp.
  template <axis_transformation_work AxisTransformation>
  void run(const AxisTransformation& t) const {
    host::fold_then_transform(*this, t);
  }

  /// See work/segmented_reduction.hpp. Each segment is folded strictly from the first element to
  /// the last.
  template <segmented_reduction_work SegmentedReduction>
  void run(const SegmentedReduction& s) const {
    s.require_valid();
    runtime::check_host_segments(s);
    const std::size_t n = s.size();
    const std::size_t wrong = s.first_invalid(0, n);
    if (wrong != n) s.refuse(wrong);
    host::host_segments<SegmentedReduction, true>(s).write(0, n);
  }

  /// See work/many_reduction.hpp. Each range is folded strictly from the first element to the last.
  template <many_reduction_work ManyReduction>
  void run(const ManyReduction& m) const {
    m.require_valid();
    runtime::check_host_many(m);
    using folds = typename ManyReduction::folds_type;
    for (std::size_t r = 0; r < m.size(); ++r) {
      host::host_segments<folds, true>(m.folds_of(r)).write(r, r + 1);
    }
  }

  /// See work/key_reduction.hpp. Reads the keys twice if an output has fewer elements than there
  /// are keys, or memory that would overlap other memory if it had as many.
  template <key_reduction_work KeyReduction>
  std::size_t run(const KeyReduction& k) const {
    k.require_valid();
    runtime::check_host_memory(k);
    if (!k.has_room_for_all()) k.require_room(host::count_runs(k, 0, k.size()).count);
    return host::write_runs_in_order(k);
  }

  template <key_reduction_work KeyReduction, class Out>
  void enqueue(const KeyReduction& k, Out* runs) const {
    runtime::check_host_pointer(runs, sizeof(Out), alignof(Out), "the output of the runs");
    *runs = static_cast<Out>(run(k));
  }

  /// See work/class_reduction.hpp. Allocates a state for each class.
  template <class_reduction_work ClassReduction>
  void run(const ClassReduction& c) const {
    c.require_valid();
    runtime::check_host_memory(c);
    const host::host_classes<ClassReduction> classes(c, 1);
    const std::size_t n = c.size(), wrong = classes.fold(0, 0, n);
    if (wrong != n) c.refuse_label(wrong);
    classes.write_all();
  }

  /// See work/segmented_transformation.hpp.
  template <segmented_transformation_work Transformation>
  void run(const Transformation& t) const {
    t.require_valid();
    runtime::check_host_memory(t);
    const std::size_t n = t.size();
    const std::size_t wrong = t.first_invalid(0, n);
    if (wrong != n) t.refuse(wrong);
    const host::segment_weights<decltype(t.segments)> at(t.segments);
    for (std::size_t s = 0; s < n; ++s) t.run_on_host(s, at.begin(s), at.end(s));
  }

  template <reduction_work Reduction, class Plan>
  void describe(const Reduction& r, Plan& plan) const {
    plan.kernel = "loop";
    plan.threads = 1;
    plan.bytes = bytes_of(r.view);
  }
  template <axis_reduction_work AxisReduction, class Plan>
  void describe(const AxisReduction& a, Plan& plan) const {
    const host::host_axis<AxisReduction, true> work(a);
    plan.kernel = work.by_rows() ? "rows" : "columns";
    plan.threads = 1;
  }
  template <segmented_reduction_work SegmentedReduction, class Plan>
  void describe(const SegmentedReduction&, Plan& plan) const {
    plan.kernel = "segments";
    plan.threads = 1;
  }
};

static_assert(policy<seq_policy>);

/// One host thread, first element to last.
inline constexpr seq_policy seq{};

}  // namespace warpfold
