/// @file
/// `reduce_many(policy, ranges, op, out)`: folds each range of a list, wherever they are in memory.
#pragma once

#include <initializer_list>

#include <warpfold/host/host_segments.hpp>
#include <warpfold/kernel/many/listed.hpp>
#include <warpfold/kernel/many/ranges.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/view/range_list.hpp>
#include <warpfold/view/ranges_at.hpp>
#include <warpfold/work/many_reduction.hpp>

namespace warpfold {

namespace detail {

template <class Policy, class Ranges, class Op, class Init, class Out, class Then>
void with_ranges(const Policy& policy, const Ranges& ranges, const Op& op, const Init& init,
                 Out&& out, const Then& then) {
  if constexpr (check_range_list<Ranges>()) {
    using list_type = range_list<view_of_t<Ranges>>;
    const list_type list(as_view(ranges));
    const typename list_type::view_type none;
    with_segment_folds_into(
        none, range_of_many(0, list.size()), op, init, static_cast<Out&&>(out), {"ranges", "range"},
        [&]<class Folds>(const Folds& folds) {
          using work = many_reduction<list_type, Folds>;
          const auto own = as_policy(policy);
          if constexpr (check_runs<std::remove_const_t<decltype(own)>, work>()) {
            then(own, work{list, folds});
          }
        });
  }
}

template <class Policy, class Range, class Op, class Init, class Out, class Then>
void with_braced_ranges(const Policy& policy, const std::initializer_list<Range>& ranges,
                        const Op& op, const Init& init, Out&& out, const Then& then) {
  if constexpr (check_braced_ranges<Range>()) {
    with_ranges(policy, ranges, op, init, static_cast<Out&&>(out), then);
  }
}

}  // namespace detail

/// Folds each range of a list to an element of `out`, starting from `init` if there is one.
///
/// @param policy `wf::seq`, `wf::par`, `wf::device` or `wf::emulated`; other policies do not
///     compile
/// @param ranges a list of ranges of one type, read by the host before the call returns: a
///     container, array or span of spans or containers, or spans in braces, `{a, b, c}`. Or
///     `ranges_at(pointers, sizes)`, read by the policy (view/ranges_at.hpp). The ranges have
///     contiguous elements, readable from the policy. They may overlap and be empty
/// @param op as for `reduce`. Ops with an index, such as `arg(maximum{})`, get the index within the
///     range
/// @param init combined once with each range. If the op has `lift`, `init` is a lifted value. The
///     results have the type of `op(init, x)`, as for `reduce` with an init. The op and the init
///     may come in any order, as for `reduce_segments`
/// @param out writable from the policy, with one element for each range: as for `reduce_segments`,
///     also `zip(mdspan...)` and, without `init`, `accumulate(out)`. Outputs must not overlap a
///     range, or each other
///
/// Each result is what `reduce` of the range returns (64 bits for sums of integers, the result of
/// `finish`), converted to the output's elements. If these have the accumulator's type, a class,
/// they get the accumulator, as for `reduce_async`. An output of integers takes the index of
/// `arg(...)` alone.
///
/// - Empty ranges: write `init`, or without one the op's identity; `accumulate(out)` keeps its
///   value. An empty list does nothing.
/// - Stream: enqueues on the policy's stream and waits; it cannot be captured, but
///   `reduce_many_async` can. Host policies have none.
/// - Order: the declared one (op/fold_order.hpp), on hosts and GPUs. So a range has the bits of
///   `reduce` by wf::seq.
/// - Cost: one read of the elements; no allocation. `wf::par` divides the ranges evenly among the
///   threads; several threads share a range of more than 16384 elements. `wf::device`: one launch
///   for every 1024 ranges, with the list as an argument of the kernel; several blocks share a long
///   range. A range larger than 256 MB gets its own launch. The memory check asks the driver once
///   for each allocation, if the list alternates between at most four. With `ranges_at`: one launch
///   for any number of ranges, each of fewer than 2^32 words; the memory of the ranges is not
///   checked. Exact sums take twice as many launches, and one more. They read all ranges again if
///   one of them needs more digits.
/// @throws empty_range if a range is empty and the op has no identity; the message has its number.
///     With `ranges_at`, only host policies and `wf::emulated` throw; a GPU leaves the output
///     unchanged
/// @throws invalid_range if the output has another size than the list, or overlaps a range, or if
///     memory is null, misaligned or not accessible from the policy. Nothing is written then
/// @throws no_device,out_of_memory,cuda_error as `reduce`; also if the stream is being captured
///
/// ```cpp
/// std::vector<float> a{1, 2}, b{3, 4, 5}, sums(2);
/// wf::reduce_many(wf::seq, {std::span(a), std::span(b)}, wf::plus{}, sums);  // 3, 12
/// std::vector<std::vector<int>> lists{{1, 2}, {}, {4, 3}};
/// std::vector<int> greatest(3);
/// wf::reduce_many(wf::seq, lists, wf::maximum{}, 0, greatest);  // 2, 0, 4
/// ```
template <policy_like Policy, reducible_range Ranges, class Op, class Init, class Out>
void reduce_many(const Policy& policy, const Ranges& ranges, Op op, Init init, Out&& out) {
  detail::with_ranges(policy, ranges, op, init, static_cast<Out&&>(out), detail::run_now);
}
template <policy_like Policy, class Range, class Op, class Init, class Out>
void reduce_many(const Policy& policy, std::initializer_list<Range> ranges, Op op, Init init,
                 Out&& out) {
  detail::with_braced_ranges(policy, ranges, op, init, static_cast<Out&&>(out), detail::run_now);
}
template <policy_like Policy, reducible_range Ranges, class Op, class Out>
void reduce_many(const Policy& policy, const Ranges& ranges, Op op, Out&& out) {
  detail::with_ranges(policy, ranges, op, no_init{}, static_cast<Out&&>(out), detail::run_now);
}
template <policy_like Policy, class Range, class Op, class Out>
void reduce_many(const Policy& policy, std::initializer_list<Range> ranges, Op op, Out&& out) {
  detail::with_braced_ranges(policy, ranges, op, no_init{}, static_cast<Out&&>(out),
                             detail::run_now);
}

/// Folds each range of a list to an element of `out`, starting from `init` if there is one, without
/// waiting.
///
/// @param policy,ranges,op,init,out as for `reduce_many`. The elements of the ranges and `out` must
///     live until the stream has finished this work, and so must the arrays of `ranges_at`. Other
///     lists may be temporaries
///
/// Host policies return when the results are written. Can be captured into a graph. Empty ranges,
/// order, cost and errors: as `reduce_many`.
///
/// ```cpp
/// std::vector<float> a{1, 2}, b{3, 4, 5}, sums(2);
/// wf::reduce_many_async(wf::seq, {std::span(a), std::span(b)}, wf::plus{}, sums);  // 3, 12
/// ```
template <policy_like Policy, reducible_range Ranges, class Op, class Init, class Out>
void reduce_many_async(const Policy& policy, const Ranges& ranges, Op op, Init init, Out&& out) {
  detail::with_ranges(policy, ranges, op, init, static_cast<Out&&>(out), detail::enqueue_now);
}
template <policy_like Policy, class Range, class Op, class Init, class Out>
void reduce_many_async(const Policy& policy, std::initializer_list<Range> ranges, Op op, Init init,
                       Out&& out) {
  detail::with_braced_ranges(policy, ranges, op, init, static_cast<Out&&>(out),
                             detail::enqueue_now);
}
template <policy_like Policy, reducible_range Ranges, class Op, class Out>
void reduce_many_async(const Policy& policy, const Ranges& ranges, Op op, Out&& out) {
  detail::with_ranges(policy, ranges, op, no_init{}, static_cast<Out&&>(out), detail::enqueue_now);
}
template <policy_like Policy, class Range, class Op, class Out>
void reduce_many_async(const Policy& policy, std::initializer_list<Range> ranges, Op op,
                       Out&& out) {
  detail::with_braced_ranges(policy, ranges, op, no_init{}, static_cast<Out&&>(out),
                             detail::enqueue_now);
}

WARPFOLD_FORMS(reduce_many, 2, 3, "reduce_many(policy, ranges, op, output)")
WARPFOLD_FORMS(reduce_many_async, 2, 3, "reduce_many_async(policy, ranges, op, output)")

}  // namespace warpfold
