/// @file
/// `reduce_by_key` and `run_lengths`: one result for each run of equal adjacent keys.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>

#include <warpfold/host/host_keys.hpp>
#include <warpfold/kernel/key_runs.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/work/key_reduction.hpp>

namespace warpfold {

namespace detail {

// True if `equal(a, b)` of two keys converts to bool.
template <class Equal, class Key>
constexpr bool gives_truth() {
  if constexpr (is_device_lambda<Equal>()) {
    return true;
  } else if constexpr (callable<Equal, const Key&, const Key&>) {
    return std::is_constructible_v<bool, call_result_t<Equal, const Key&, const Key&>>;
  } else {
    return false;
  }
}

// True if the elements of a view can be keys; otherwise reports an error.
template <class Keys, class Equal>
constexpr bool check_keys() {
  using Key = typename Keys::value_type;
  constexpr bool all = check_unmasked_elements<Keys>();
  constexpr bool compares = gives_truth<Equal, Key>();
  static_assert(compares || !all,
                "warpfold: the keys cannot be compared; define operator== for them, or pass a "
                "function of two keys that returns whether they are equal");
  return all && compares;
}

template <class Out, class T>
constexpr bool check_run_output() {
  if constexpr (check_output<Out>()) {
    using to = typename decltype(as_output(std::declval<Out>(), 0))::value_type;
    constexpr bool converts = std::is_constructible_v<to, T>;
    static_assert(converts,
                  "warpfold: the keys, or the lengths of their runs, do not convert to the "
                  "output's elements; change the output's element type");
    constexpr bool copyable = std::is_trivially_copyable_v<to>;
    static_assert(
        copyable,
        "warpfold: the output's elements are not trivially copyable; use elements that are");
    return converts && copyable;
  } else {
    return false;
  }
}

// Calls `then` with the policy and the work, if the policy takes it; otherwise reports an error.
template <class Policy, class Work, class Then>
void with_policy_of_keys(const Policy& policy, const Work& work, const Then& then) {
  if constexpr (check_runs<decltype(as_policy(policy)), Work>()) {
    then(as_policy(policy), work);
  }
}

template <class Policy, class Keys, class Values, class Op, class Equal, class KeysOut,
          class ValuesOut, class Then>
void with_runs_of(const Policy& policy, const Keys& keys, const Values& values, const Op& op,
                  const Equal& equal, KeysOut& keys_out, ValuesOut& values_out, const Then& then) {
  // with_reduction reports misuse of the op.
  with_reduction(values, op, no_init{}, [&]<class Reduction>(const Reduction&) {
    using fold = typename Reduction::result_type;
    const auto keys_to = as_output(keys_out, keys.size());
    const auto values_to = as_output(values_out, keys.size());
    using values_to_type = std::remove_const_t<decltype(values_to)>;
    if constexpr (check_result<typename values_to_type::value_type, fold, finished_t<Op, fold>>()) {
      using work = key_reduction<Keys, Values, Op, Equal, std::remove_const_t<decltype(keys_to)>,
                                 values_to_type>;
      with_policy_of_keys(policy, work{keys, values, op, equal, keys_to, values_to}, then);
    }
  });
}

// Calls `then(policy, work)` for `reduce_by_key`, if its arguments fit; otherwise reports an error.
template <class Policy, class Keys, class Values, class Op, class Equal, class KeysOut,
          class ValuesOut, class Then>
void with_keys(const Policy& policy, const Keys& keys, const Values& values, const Op& op,
               const Equal& equal, KeysOut&& keys_out, ValuesOut&& values_out, const Then& then) {
  using keys_view = view_of_t<Keys>;
  if constexpr (check_keys<keys_view, Equal>() && check_values<view_of_t<Values>>() &&
                check_run_output<KeysOut, typename keys_view::value_type>() &&
                check_output<ValuesOut>()) {
    with_runs_of(policy, as_view(keys), as_view(values), op, equal, keys_out, values_out, then);
  }
}

// The same for `run_lengths`.
template <class Policy, class Keys, class KeysOut, class LengthsOut, class Then>
void with_lengths(const Policy& policy, const Keys& keys, KeysOut&& keys_out,
                  LengthsOut&& lengths_out, const Then& then) {
  using keys_view = view_of_t<Keys>;
  if constexpr (check_keys<keys_view, equal_keys>() &&
                check_run_output<KeysOut, typename keys_view::value_type>() &&
                check_run_output<LengthsOut, std::size_t>()) {
    const auto view = as_view(keys);
    const auto keys_to = as_output(keys_out, view.size());
    const auto lengths_to = as_output(lengths_out, view.size());
    using work = key_reduction<keys_view, no_values, no_values, equal_keys,
                               std::remove_const_t<decltype(keys_to)>,
                               std::remove_const_t<decltype(lengths_to)>>;
    with_policy_of_keys(policy, work{view, {}, {}, {}, keys_to, lengths_to}, then);
  }
}

// Enqueues work that writes the number of runs, which fits, to `to`.
// @throws invalid_range if `to` overlaps other memory of the call
template <class Policy, class Work, class Out>
void enqueue_and_count(const Policy& policy, const Work& work, Out* to) {
  work.visit_read([&](const void* from, std::size_t bytes, std::size_t) {
    require_outside_input(to, sizeof(Out), from, bytes);
  });
  work.visit_written([&](const void* other, std::size_t bytes, std::size_t) {
    require_own_memory(to, sizeof(Out), other, bytes);
  });
  policy.enqueue(work, to);
}

// The same for a number that may not fit.
// @throws invalid_range also in that case
template <class Policy, class Work, class Out>
void enqueue_runs(const Policy& policy, const Work& work, Out* to) {
  if (work.size() > static_cast<std::uint64_t>((std::numeric_limits<Out>::max)())) {
    throw_error<invalid_range>("warpfold: the number of runs, up to ", work.size(),
                               ", may not fit an integer of ", sizeof(Out),
                               " bytes; pass an output of a wider integer");
  }
  enqueue_and_count(policy, work, to);
}

// True if the number of runs can be written to an output; otherwise reports an error.
template <class Out>
constexpr bool check_runs_out() {
  if constexpr (!result_output<Out>) {
    (void)refuse_output<Out>();
    return false;
  } else {
    using to = std::remove_pointer_t<decltype(result_address(std::declval<Out&>()))>;
    constexpr bool counts = std::is_integral_v<to> && !std::is_same_v<to, bool>;
    static_assert(counts,
                  "warpfold: the output of the number of runs is not of integers; pass a pointer "
                  "to an integer");
    return counts;
  }
}

}  // namespace detail

/// Folds the values of each run of equal adjacent keys. Writes the first key of each run, and the
/// fold of its values.
///
/// @param policy `wf::seq`, `wf::par`, `wf::device` or `wf::emulated`
/// @param keys,values ranges of one size, readable from the policy. Only the first `*count` keys of
///     a counted range (view/counted.hpp) exist, and their values. Keys need not be sorted; equal
///     keys that are not adjacent are in different runs. For one result of each key, sort first:
///     `cub::DeviceRadixSort::SortPairs` or `thrust::sort_by_key` (docs/calls.md)
/// @param op as for `reduce`. Ops with an index get the index within the run
/// @param equal a function of two adjacent keys, true if they are in one run. It may be called
///     several times for a pair, also with one key twice, and must return the same each time.
///     Without it, keys are compared with `==`
/// @param keys_out,values_out writable from the policy, each with an element for each run: a named
///     container, a span, a pointer or an output view. Elements beyond the number of runs stay
///     unchanged. The elements written must not overlap what is read, or the other output
/// @return the number of runs
///
/// Each result is what `reduce` of the run's values returns (64 bits for sums of integers, the
/// result of `finish`), converted to the output's elements. If these have the accumulator's type, a
/// class, they get the accumulator, as for `reduce_async`.
///
/// - Empty range: writes nothing and returns 0.
/// - Stream: enqueues on the policy's stream and waits for the number of runs. Host policies have
///   none.
/// - Order: the declared one (op/fold_order.hpp), so a run has the bits of `reduce` of its values.
/// - Cost: one read of keys and values. `wf::par` reads the keys twice. So do the others if an
///   output has no element for each key, or if these would overlap other memory. `wf::par` divides
///   elements and runs evenly among the threads, whatever the lengths. It allocates 16 bytes for
///   each part of at least 16384 keys, at most 32 KB. `wf::device` makes two launches
///   (kernel/key_runs.hpp), or one for up to 4096 keys. Its scratch is 17 bytes for each 4096 keys,
///   and 64 KB more for values from 2^19 keys on.
/// @throws invalid_range if the sizes of keys and values differ, or if an output has too few
///     elements or overlaps. Also if memory is null, misaligned or not accessible from the policy.
///     Nothing is written then
/// @throws std::bad_alloc if `wf::par` cannot allocate its parts
///
/// ```cpp
/// std::vector<int> keys{7, 7, 3, 7}, keys_out(4);
/// std::vector<float> values{1, 2, 3, 4}, sums(4);
/// // 3 runs: keys 7, 3, 7 and sums 3, 3, 4
/// auto runs = wf::reduce_by_key(wf::seq, keys, values, wf::plus{}, keys_out, sums);
/// const auto same = [](int a, int b) { return a % 4 == b % 4; };
/// runs = wf::reduce_by_key(wf::seq, keys, values, wf::plus{}, same, keys_out, sums);  // 1 run
/// ```
template <policy_like Policy, reducible_range Keys, reducible_range Values, class Op, class Equal,
          class KeysOut, class ValuesOut>
std::size_t reduce_by_key(const Policy& policy, const Keys& keys, const Values& values, Op op,
                          Equal equal, KeysOut&& keys_out, ValuesOut&& values_out) {
  std::size_t runs = 0;
  detail::with_keys(policy, keys, values, op, equal, static_cast<KeysOut&&>(keys_out),
                    static_cast<ValuesOut&&>(values_out),
                    [&](const auto& own, const auto& work) { runs = own.run(work); });
  return runs;
}
template <policy_like Policy, reducible_range Keys, reducible_range Values, class Op, class KeysOut,
          class ValuesOut>
std::size_t reduce_by_key(const Policy& policy, const Keys& keys, const Values& values, Op op,
                          KeysOut&& keys_out, ValuesOut&& values_out) {
  return warpfold::reduce_by_key(policy, keys, values, op, equal_keys{},
                                 static_cast<KeysOut&&>(keys_out),
                                 static_cast<ValuesOut&&>(values_out));
}

/// Folds the values of each run of equal adjacent keys, without waiting. Writes the number of runs
/// to `*runs_out`.
///
/// @param policy,keys,values,op,equal,keys_out,values_out as above. They must live until the stream
///     has finished this work
/// @param runs_out where the number of runs goes, as for `reduce_async`: a pointer to an integer, a
///     contiguous iterator, a span or a named container. The integer can hold the number of keys,
///     and overlaps no other memory of the call
///
/// Host policies return when everything is written. Empty range: writes 0 to `runs_out`. Order,
/// cost and errors: as above. But `wf::device` does not wait for the number of runs. If it exceeds
/// the elements of an output, as many runs are written as fit, and `*runs_out` tells. An output
/// then overlaps other memory if all its elements do, those of a pointer being as many as there are
/// keys. `wf::emulated` does the same.
///
/// ```cpp
/// std::vector<int> keys{7, 7, 3, 7}, keys_out(4);
/// std::vector<float> values{1, 2, 3, 4}, sums(4);
/// int runs = 0;
/// wf::reduce_by_key_async(wf::seq, keys, values, wf::plus{}, keys_out, sums, &runs);  // 3
/// ```
template <policy_like Policy, reducible_range Keys, reducible_range Values, class Op, class Equal,
          class KeysOut, class ValuesOut, class RunsOut>
void reduce_by_key_async(const Policy& policy, const Keys& keys, const Values& values, Op op,
                         Equal equal, KeysOut&& keys_out, ValuesOut&& values_out,
                         RunsOut&& runs_out) {
  if constexpr (detail::check_runs_out<RunsOut>()) {
    auto* const to = detail::result_address(runs_out);
    detail::with_keys(policy, keys, values, op, equal, static_cast<KeysOut&&>(keys_out),
                      static_cast<ValuesOut&&>(values_out), [&](const auto& own, const auto& work) {
                        detail::enqueue_runs(own, work, to);
                      });
  }
}
template <policy_like Policy, reducible_range Keys, reducible_range Values, class Op, class KeysOut,
          class ValuesOut, class RunsOut>
void reduce_by_key_async(const Policy& policy, const Keys& keys, const Values& values, Op op,
                         KeysOut&& keys_out, ValuesOut&& values_out, RunsOut&& runs_out) {
  warpfold::reduce_by_key_async(
      policy, keys, values, op, equal_keys{}, static_cast<KeysOut&&>(keys_out),
      static_cast<ValuesOut&&>(values_out), static_cast<RunsOut&&>(runs_out));
}

/// Writes the first key of each run of equal adjacent keys, and the number of its keys.
///
/// @param policy,keys,keys_out as for `reduce_by_key`; keys are compared with `==`
/// @param lengths_out as `values_out` there, for numbers of elements
/// @return the number of runs
///
/// Empty range, stream, order, cost and errors: as for `reduce_by_key`; there are no values to
/// read.
///
/// ```cpp
/// std::vector<char> text{'a', 'a', 'b', 'a'}, letters(4);
/// std::vector<int> lengths(4);
/// auto runs = wf::run_lengths(wf::seq, text, letters, lengths);  // 3: a 2, b 1, a 1
/// ```
template <policy_like Policy, reducible_range Keys, class KeysOut, class LengthsOut>
std::size_t run_lengths(const Policy& policy, const Keys& keys, KeysOut&& keys_out,
                        LengthsOut&& lengths_out) {
  std::size_t runs = 0;
  detail::with_lengths(policy, keys, static_cast<KeysOut&&>(keys_out),
                       static_cast<LengthsOut&&>(lengths_out),
                       [&](const auto& own, const auto& work) { runs = own.run(work); });
  return runs;
}

/// Writes the first key of each run and the number of its keys, without waiting.
///
/// @param policy,keys,keys_out,lengths_out as for `run_lengths`. They must live until the stream
///     has finished this work
/// @param runs_out where the number of runs goes, as for `reduce_by_key_async`
///
/// Empty range, too small outputs, order, cost and errors: as for `reduce_by_key_async`.
///
/// ```cpp
/// std::vector<char> text{'a', 'a', 'b', 'a'}, letters(4);
/// std::vector<int> lengths(4);
/// int runs = 0;
/// wf::run_lengths_async(wf::seq, text, letters, lengths, &runs);  // 3
/// ```
template <policy_like Policy, reducible_range Keys, class KeysOut, class LengthsOut, class RunsOut>
void run_lengths_async(const Policy& policy, const Keys& keys, KeysOut&& keys_out,
                       LengthsOut&& lengths_out, RunsOut&& runs_out) {
  if constexpr (detail::check_runs_out<RunsOut>()) {
    auto* const to = detail::result_address(runs_out);
    detail::with_lengths(
        policy, keys, static_cast<KeysOut&&>(keys_out), static_cast<LengthsOut&&>(lengths_out),
        [&](const auto& own, const auto& work) { detail::enqueue_runs(own, work, to); });
  }
}

WARPFOLD_FORMS_OF_TWO(reduce_by_key, 3, 4,
                      "reduce_by_key(policy, keys, values, op, keys_out, values_out)")
WARPFOLD_FORMS_OF_TWO(reduce_by_key_async, 4, 5,
                      "reduce_by_key_async(policy, keys, values, op, keys_out, values_out, &runs)")
WARPFOLD_FORMS(run_lengths, 2, 2, "run_lengths(policy, keys, keys_out, lengths_out)")
WARPFOLD_FORMS(run_lengths_async, 3, 3,
               "run_lengths_async(policy, keys, keys_out, lengths_out, &runs)")

}  // namespace warpfold
