/// @file
/// `reduce_by_class` and `count_by_class`: one result for each class of values, by labels that are
/// small integers in any order.
#pragma once

#include <utility>

#include <warpfold/host/host_classes.hpp>
#include <warpfold/kernel/classes/automatic.hpp>
#include <warpfold/reduce_by_key.hpp>
#include <warpfold/work/class_reduction.hpp>

namespace warpfold {

namespace detail {

// True if the elements of a view can be labels; otherwise reports an error.
template <class Labels>
constexpr bool check_labels() {
  using T = typename Labels::value_type;
  constexpr bool all = check_unmasked_elements<Labels>();
  constexpr bool integers = std::is_integral_v<T> && !std::is_same_v<T, bool>;
  static_assert(integers || !all,
                "warpfold: the labels are not integers; project each element to the number of its "
                "class");
  return integers && all;
}

// The number that each label counts for.
struct one_each {
  static constexpr bool returns_one = true;  // work/class_reduction.hpp

  WARPFOLD_HD constexpr std::size_t operator()(std::size_t) const { return 1; }
};

// Calls `then(policy, work)` if the arguments of a call fit; otherwise reports an error.
template <class Policy, class Labels, class Values, class Op, class Out, class Then>
void with_classes(const Policy& policy, const Labels& labels, const Values& values,
                  std::size_t classes, const Op& op, Out&& out, const Then& then) {
  if constexpr (check_labels<view_of_t<Labels>>() && check_values<view_of_t<Values>>() &&
                check_output<Out>()) {
    // with_reduction reports misuse of the op.
    with_reduction(as_view(values), op, no_init{}, [&]<class Reduction>(const Reduction&) {
      using fold = typename Reduction::result_type;
      const auto to = as_output(out, classes);
      using out_view = std::remove_const_t<decltype(to)>;
      if constexpr (check_result<typename out_view::value_type, fold, finished_t<Op, fold>>()) {
        // Of the reduction's op: otherwise nvcc reports misuse here too.
        using work = class_reduction<view_of_t<Labels>, view_of_t<Values>,
                                     typename Reduction::op_type, out_view>;
        if constexpr (check_runs<decltype(as_policy(policy)), work>()) {
          then(as_policy(policy), work{as_view(labels), as_view(values), op, classes, to});
        }
      }
    });
  }
}

template <class Policy, class Labels, class Out, class Then>
void with_counts(const Policy& policy, const Labels& labels, std::size_t classes, Out&& out,
                 const Then& then) {
  if constexpr (check_labels<view_of_t<Labels>>()) {
    const auto ones = project(counting(std::size_t{0}, as_view(labels).size()), one_each{});
    with_classes(policy, labels, ones, classes, plus{}, static_cast<Out&&>(out), then);
  }
}

}  // namespace detail

/// Folds the values of each class to an element of `out`.
///
/// @param policy `wf::seq`, `wf::par`, `wf::device` or `wf::emulated`; other policies do not
///     compile
/// @param labels integers of any type from 0 to `classes` - 1, in any order, readable from the
///     policy. Only the first `*count` labels of a counted range (view/counted.hpp) exist, and
///     their values
/// @param values a range of the same size; value `i` is in class `labels[i]`
/// @param classes the number of classes
/// @param op as for `reduce`. Ops with an index get the index in the range
/// @param out writable from the policy, with one element for each class: a named container, a span,
///     a pointer or an output view. It must not overlap what is read
///
/// Each result is what `reduce` of the values returns (64 bits for sums of integers, the result of
/// `finish`), converted to the output's elements. If these have the accumulator's type, a class,
/// they get the accumulator, as for `reduce_async`. An output of integers takes the index of
/// `arg(...)` alone.
///
/// - Empty classes: write the op's identity. Each class starts from it, so the sum of only -0 is 0.
/// - Empty range: every class is empty.
/// - Stream: enqueues on the policy's stream and waits. Host policies have none.
/// - Order: with `wf::seq` and `wf::par` it depends on the numbers of values and classes only
///   (host/host_classes.hpp), and both give the same bits. With `wf::device` every run on one GPU
///   model gives the same bits.
/// - Cost: host policies read the data once. `wf::seq` allocates two states for each class, and
///   `wf::par` one for each class and part of the range; it makes at most 64 parts. `wf::device`
///   makes one launch for counts of up to 4096 classes and for folds of few values or classes;
///   otherwise two. It takes scratch for one state for each class and block, but none to count up
///   to 4096 classes. It reads the data once; counts read it once for every 58079 classes (H100,
///   H200).
/// - Many classes on `wf::device`: from 2^20 values and 3072 classes on, or above 7260 classes of
///   4-byte states, folds take four launches. They read the labels twice. Scratch holds the values,
///   or accumulators, with one or two bytes for each. With counted labels, folds take two launches,
///   and read the data once for every 7260 such classes. Exact sums take twice as many launches,
///   and one more. They read all values again if a class needs more digits.
/// - On a GPU, values with a wrong label are left out. A class without values whose op has no
///   identity leaves its element of `out` unchanged.
/// @throws invalid_range if a label is negative or not less than `classes`; the message has the
///     first one (host policies and `wf::emulated`). Also if sizes differ, if the output overlaps
///     what is read, or if memory is null, misaligned or not accessible from the policy. Nothing is
///     written then
/// @throws empty_range if a class has no values and the op has no identity (host policies and
///     `wf::emulated`)
/// @throws unsupported_kernel if the states of so many classes do not fit the GPU
/// @throws no_device,out_of_memory,cuda_error as `reduce`; also if the stream is being captured
/// @throws std::bad_alloc if the states cannot be allocated on the host
///
/// ```cpp
/// std::vector<int> labels{1, 0, 1, 1};
/// std::vector<float> values{1, 2, 3, 4}, sums(3);
/// wf::reduce_by_class(wf::seq, labels, values, 3, wf::plus{}, sums);  // 2, 8, 0
/// ```
template <policy_like Policy, reducible_range Labels, reducible_range Values, class Op, class Out>
void reduce_by_class(const Policy& policy, const Labels& labels, const Values& values,
                     std::size_t classes, Op op, Out&& out) {
  detail::with_classes(policy, labels, values, classes, op, static_cast<Out&&>(out),
                       detail::run_now);
}

/// Folds the values of each class to an element of `out`, without waiting.
///
/// @param policy,labels,values,classes,op,out as for `reduce_by_class`. `labels`, `values` and
///     `out` must live until the stream has finished this work
///
/// Host policies return when the results are written. Can be captured into a graph. Empty classes,
/// order, cost and errors: as `reduce_by_class`.
///
/// ```cpp
/// std::vector<int> labels{1, 0, 1, 1};
/// std::vector<float> values{1, 2, 3, 4}, sums(3);
/// wf::reduce_by_class_async(wf::seq, labels, values, 3, wf::plus{}, sums);  // 2, 8, 0
/// ```
template <policy_like Policy, reducible_range Labels, reducible_range Values, class Op, class Out>
void reduce_by_class_async(const Policy& policy, const Labels& labels, const Values& values,
                           std::size_t classes, Op op, Out&& out) {
  detail::with_classes(policy, labels, values, classes, op, static_cast<Out&&>(out),
                       detail::enqueue_now);
}

/// Counts the labels of each class: a histogram of small integers.
///
/// @param policy,labels,classes as for `reduce_by_class`
/// @param out as there, for numbers
///
/// Empty range: writes zeros. Stream, order, cost and errors: as for `reduce_by_class`; there are
/// no values to read.
///
/// ```cpp
/// std::vector<int> labels{1, 0, 1, 1}, counts(3);
/// wf::count_by_class(wf::seq, labels, 3, counts);  // 1, 3, 0
/// ```
template <policy_like Policy, reducible_range Labels, class Out>
void count_by_class(const Policy& policy, const Labels& labels, std::size_t classes, Out&& out) {
  detail::with_counts(policy, labels, classes, static_cast<Out&&>(out), detail::run_now);
}

/// Counts the labels of each class, without waiting.
///
/// @param policy,labels,classes,out as for `count_by_class`. `labels` and `out` must live until the
///     stream has finished this work
///
/// Can be captured into a graph. Empty range, order, cost and errors: as `reduce_by_class`.
///
/// ```cpp
/// std::vector<int> labels{1, 0, 1, 1}, counts(3);
/// wf::count_by_class_async(wf::seq, labels, 3, counts);  // 1, 3, 0
/// ```
template <policy_like Policy, reducible_range Labels, class Out>
void count_by_class_async(const Policy& policy, const Labels& labels, std::size_t classes,
                          Out&& out) {
  detail::with_counts(policy, labels, classes, static_cast<Out&&>(out), detail::enqueue_now);
}

WARPFOLD_FORMS_OF_TWO(reduce_by_class, 3, 3,
                      "reduce_by_class(policy, labels, values, classes, op, output)")
WARPFOLD_FORMS_OF_TWO(reduce_by_class_async, 3, 3,
                      "reduce_by_class_async(policy, labels, values, classes, op, output)")
WARPFOLD_FORMS(count_by_class, 2, 2, "count_by_class(policy, labels, classes, output)")
WARPFOLD_FORMS(count_by_class_async, 2, 2, "count_by_class_async(policy, labels, classes, output)")

}  // namespace warpfold
