// Wrong uses of segments.
#include <vector>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce_by_class.hpp>
#include <warpfold/reduce_by_key.hpp>
#include <warpfold/reduce_many.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/transform_segments.hpp>

// expect: this policy does not run transform_segments; use wf::seq, wf::par, wf::device
// A policy that runs reductions only.
namespace policy_transforms_no_segments {
struct reduces_only {
  static constexpr const char* name() { return "reduces_only"; }
  template <class Reduction>
    requires warpfold::reduction_work<Reduction>
  typename Reduction::result_type run(const Reduction& r) const {
    return warpfold::seq.run(r);
  }
};
void call(const std::vector<float>& v, const std::vector<int>& offsets, std::vector<float>& out) {
  warpfold::transform_segments(reduces_only{}, v, offsets, v, out,
                               [](float x, float y) { return x + y; });
}
}  // namespace policy_transforms_no_segments

// expect: the function cannot be called with an element of the range and the value of its segment
// A function of the element alone.
namespace function_of_segment {
void call(const std::vector<float>& v, const std::vector<int>& offsets, std::vector<float>& out) {
  warpfold::transform_segments(warpfold::seq, v, offsets, v, out, [](float x) { return x; });
}
}  // namespace function_of_segment

// expect: this policy does not run reduce_segments; use
// A policy that runs reductions only.
namespace policy_reduces_no_segments {
struct reduces_only {
  static constexpr const char* name() { return "reduces_only"; }
  template <warpfold::reduction_work Reduction>
  typename Reduction::result_type run(const Reduction& r) const {
    return warpfold::seq.run(r);
  }
  template <warpfold::reduction_work Reduction, class Out>
  void enqueue(const Reduction& r, Out* out) const {
    *out = static_cast<Out>(run(r));
  }
};
static_assert(warpfold::policy<reduces_only>);

void call(const std::vector<float>& v, const std::vector<int>& offsets, std::vector<float>& out) {
  warpfold::reduce_segments(reduces_only{}, v, offsets, warpfold::plus{}, out);
}
}  // namespace policy_reduces_no_segments

// expect: call reduce_by_key\(policy, keys, values, op, keys_out, values_out\).*call run_lengths\(policy, keys, keys_out, lengths_out\).*call reduce_by_class\(policy, labels, values, classes, op, output\).*call count_by_class\(policy, labels, classes, output\).*call reduce_many\(policy, ranges, op, output\).*call transform_segments\(policy, range, segments, values or op, output, function\)
// errors: 6
// Calls on segments, lists, keys and classes with too few arguments: one error each, which shows
// the call.
namespace segment_arguments_missing {
void call(const std::vector<int>& v, std::vector<int>& out) {
  (void)warpfold::reduce_by_key(warpfold::seq, v, v, warpfold::plus{}, out);
  (void)warpfold::run_lengths(warpfold::seq, v, out);
  warpfold::reduce_by_class(warpfold::seq, v, v, warpfold::plus{}, out);
  warpfold::count_by_class(warpfold::seq, v, out);
  warpfold::reduce_many(warpfold::seq, v, warpfold::plus{});
  warpfold::transform_segments(warpfold::seq, v, v, v, out);
}
}  // namespace segment_arguments_missing

// expect: pass no other init
// Two inits.
namespace segments_accumulate_and_init {
void call(const std::vector<float>& v, const std::vector<int>& offsets, std::vector<float>& out) {
  warpfold::reduce_segments(warpfold::seq, v, offsets, warpfold::plus{}, 1.0f,
                            warpfold::accumulate(out));
}
}  // namespace segments_accumulate_and_init

// expect: the offsets of segments are not integers
// Offsets that are not integers.
namespace segments_by_floats {
void call(const std::vector<float>& v, const std::vector<float>& offsets, std::vector<float>& out) {
  warpfold::reduce_segments(warpfold::seq, v, offsets, warpfold::plus{}, out);
}
}  // namespace segments_by_floats

// expect: the values of segments, keys and labels cannot be counted
// errors: 1
// Values of segments with a count.
namespace segment_values_counted {
void call(const std::vector<float>& v, const int* n, const std::vector<int>& offsets,
          std::vector<float>& out) {
  warpfold::transform_segments(warpfold::seq, v, offsets, warpfold::counted(v, n), out,
                               [](float x, float y) { return x - y; });
}
}  // namespace segment_values_counted

// expect: the count of the range may leave no element in a segment
// errors: 1
// The count makes empty segments, and the op has no result for these.
namespace segments_counted_without_identity {
struct least {
  int operator()(int a, int b) const { return a < b ? a : b; }
};

void call(const std::vector<int>& v, const int* n, const std::vector<int>& offsets,
          std::vector<int>& out) {
  warpfold::reduce_segments(warpfold::seq, warpfold::counted(v, n), offsets, least{}, out);
}
}  // namespace segments_counted_without_identity

// expect: this policy cannot read the size of a counted range
// errors: 1
// A policy that runs reductions only.
namespace counted_segments_with_own_policy {
struct reduces_only {
  static constexpr const char* name() { return "reduces_only"; }
  template <class Reduction>
    requires warpfold::reduction_work<Reduction>
  typename Reduction::result_type run(const Reduction& r) const {
    return warpfold::seq.run(r);
  }
};

void call(const std::vector<float>& v, const int* n, const std::vector<int>& offsets,
          std::vector<float>& out) {
  warpfold::reduce_segments(reduces_only{}, v, warpfold::counted(offsets, n), warpfold::plus{},
                            out);
}
}  // namespace counted_segments_with_own_policy

// expect: a pointer is not a range, because it has no size
// Offsets without a size.
namespace segments_of_a_pointer {
void call(const std::vector<float>& v, const int* offsets, std::vector<float>& out) {
  warpfold::reduce_segments(warpfold::seq, v, offsets, warpfold::plus{}, out);
}
}  // namespace segments_of_a_pointer

// expect: an op or a function stands where the output goes; exchange them
// The output of reduce_segments stands before the op.
namespace segments_output_before_op {
void call(const std::vector<float>& v, const std::vector<int>& offsets, std::vector<float>& out) {
  warpfold::reduce_segments(warpfold::seq, v, offsets, out, warpfold::plus{});
}
}  // namespace segments_output_before_op

// expect: with_range_index\(segments\) is for ops with an index
// errors: 1
// A sum has no index.
namespace range_index_of_a_sum {
void call(const std::vector<float>& v, const std::vector<int>& offsets, std::vector<float>& out) {
  warpfold::reduce_segments(warpfold::seq, v, warpfold::with_range_index(offsets), warpfold::plus{},
                            out);
}
}  // namespace range_index_of_a_sum

// expect: the op cannot move the index in its accumulator
// errors: 1
// An op of the caller with an index, but without `moved`.
namespace range_index_of_op_that_cannot_move {
struct sum_of_indices {
  template <class T>
  std::size_t lift(const T&, std::size_t i) const {
    return i;
  }
  std::size_t operator()(std::size_t a, std::size_t b) const { return a + b; }
  template <class T>
  T identity() const {
    return 0;
  }
};
void call(const std::vector<float>& v, const std::vector<int>& offsets,
          std::vector<std::size_t>& out) {
  warpfold::reduce_segments(warpfold::seq, v, warpfold::with_range_index(offsets), sum_of_indices{},
                            out);
}
}  // namespace range_index_of_op_that_cannot_move

// expect: reduce_segments takes no init with with_range_index\(segments\)
// errors: 1
// The init would be moved, too.
namespace range_index_and_init {
void call(const std::vector<float>& v, const std::vector<int>& offsets,
          std::vector<std::size_t>& out) {
  warpfold::reduce_segments(warpfold::seq, v, warpfold::with_range_index(offsets),
                            warpfold::arg(warpfold::maximum{}), warpfold::indexed<float>{0, 0},
                            out);
}
}  // namespace range_index_and_init

// expect: only reduce_segments takes with_range_index\(segments\)
// errors: 1
// A transformation of segments.
namespace range_index_transformed {
void call(const std::vector<float>& v, const std::vector<int>& offsets, std::vector<float>& out) {
  warpfold::transform_segments(warpfold::seq, v, warpfold::with_range_index(offsets),
                               warpfold::arg(warpfold::maximum{}), out,
                               [](float x, const auto& best) { return x - best.value; });
}
}  // namespace range_index_transformed
