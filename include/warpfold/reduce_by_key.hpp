/// @file
/// `reduce_by_key` and `run_lengths`: one result for each run of equal adjacent keys.
#pragma once

#include <utility>

#include <warpfold/reduce_segments.hpp>
#include <warpfold/work/key_reduction.hpp>

namespace warpfold {

namespace detail {

// True if `equal(a, b)` of two keys converts to bool.
template <class Equal, class K>
constexpr bool gives_truth() {
  if constexpr (is_device_lambda<Equal>()) {
    return true;
  } else if constexpr (callable<Equal, const K&, const K&>) {
    return std::is_constructible_v<bool, call_result_t<Equal, const K&, const K&>>;
  } else {
    return false;
  }
}

// True if the elements of a view can be keys; otherwise reports an error.
template <class Keys, class Equal>
constexpr bool check_keys() {
  using K = typename Keys::value_type;
  constexpr bool all = !has_size_in_memory<Keys> && !masked_elements<Keys>;
  static_assert(all,
                "warpfold: the keys are a range with a count or a mask in memory; pass the range "
                "itself");
  constexpr bool compares = gives_truth<Equal, K>();
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

template <class Policy, class Work>
constexpr bool check_reduces_keys() {
  constexpr bool can = requires(const Policy& p, const Work& work) {
    { p.run(work) } -> std::same_as<std::size_t>;
  };
  static_assert(can,
                "warpfold: this policy does not reduce by key yet: it has no run(k) for a "
                "key_reduction that returns the number of runs. Use wf::seq or wf::par");
  return can;
}

template <class Policy, class Work>
std::size_t run_keys(const Policy& policy, const Work& work) {
  if constexpr (check_reduces_keys<decltype(as_policy(policy)), Work>()) {
    return as_policy(policy).run(work);
  } else {
    return 0;
  }
}

template <class Policy, class Keys, class Values, class Op, class Equal, class KeysOut,
          class ValuesOut>
std::size_t reduce_runs(const Policy& policy, const Keys& keys, const Values& values, const Op& op,
                        const Equal& equal, KeysOut& keys_out, ValuesOut& values_out) {
  std::size_t runs = 0;
  // with_reduction reports misuse of the op.
  with_reduction(values, op, no_init{}, [&]<class Reduction>(const Reduction&) {
    using fold = typename Reduction::result_type;
    using result = std::remove_cvref_t<decltype(finished(op, std::declval<const fold&>()))>;
    const auto keys_to = as_output(keys_out, keys.size());
    const auto values_to = as_output(values_out, keys.size());
    using values_to_type = std::remove_const_t<decltype(values_to)>;
    if constexpr (check_result<typename values_to_type::value_type, fold, result>()) {
      runs = run_keys(policy,
                      key_reduction<Keys, Values, Op, Equal, std::remove_const_t<decltype(keys_to)>,
                                    values_to_type>{keys, values, op, equal, keys_to, values_to});
    }
  });
  return runs;
}

}  // namespace detail

/// Folds the values of each run of equal adjacent keys. Writes the first key of each run, and the
/// fold of its values.
///
/// @param policy `wf::seq` or `wf::par`; other policies do not compile yet
/// @param keys,values ranges of one size, readable from the policy. Keys need not be sorted; equal
///     keys that are not adjacent are in different runs
/// @param op as for `reduce`; only `wf::seq` keeps the order of the values. Ops with an index get
///     the index within the run
/// @param equal a function of two adjacent keys, true if they are in one run. It is called twice
/// for
///     the same keys, and must return the same then
/// @param keys_out,values_out writable from the policy, each with at least one element for each
/// run:
///     a named container, a span, a pointer or an output view. Elements beyond the number of runs
///     stay unchanged. Neither may overlap what is read, or the other one
/// @return the number of runs
///
/// Each result is what `reduce` of the run's values returns (64 bits for sums of integers, the
/// result of `finish`), converted to the output's elements. If these have the accumulator's type,
/// the op's `finish` is not called.
///
/// - Empty range: writes nothing and returns 0.
/// - Stream: none; host policies return when the results are written.
/// - Order: `wf::seq` folds each run strictly from the first value to the last. With `wf::par` the
///   order depends on the run's length only, so every run of the program gives the same bits.
/// - Cost: one read of keys and values. The keys are read a second time by `wf::par`, and by
///   `wf::seq` if an output has fewer elements than there are keys. `wf::par` divides elements and
///   runs evenly among the threads, whatever the lengths. It allocates 16 bytes for each part of at
///   least 16384 keys, at most 32 KB.
/// @throws invalid_range if the sizes of keys and values differ, or if an output has too few
///     elements or overlaps. Also if memory is null, misaligned or not accessible from the policy.
///     Nothing is written then
///
/// ```cpp
/// std::vector<int> keys{7, 7, 3, 7}, keys_out(4);
/// std::vector<float> values{1, 2, 3, 4}, sums(4);
/// const auto same = [](int a, int b) { return a == b; };
/// // 3 runs: keys 7, 3, 7 and sums 3, 3, 4
/// auto runs = wf::reduce_by_key(wf::seq, keys, values, wf::plus{}, same, keys_out, sums);
/// ```
template <policy_like Policy, reducible_range Keys, reducible_range Values, class Op, class Equal,
          class KeysOut, class ValuesOut>
std::size_t reduce_by_key(const Policy& policy, const Keys& keys, const Values& values, Op op,
                          Equal equal, KeysOut&& keys_out, ValuesOut&& values_out) {
  using keys_view = view_of_t<Keys>;
  if constexpr (detail::check_keys<keys_view, Equal>() &&
                detail::check_segmented_elements<view_of_t<Values>>() &&
                detail::check_run_output<KeysOut, typename keys_view::value_type>() &&
                detail::check_output<ValuesOut>()) {
    return detail::reduce_runs(policy, as_view(keys), as_view(values), op, equal, keys_out,
                               values_out);
  } else {
    return 0;
  }
}

/// Likewise, for keys that are compared with `==`.
///
/// ```cpp
/// std::vector<int> keys{7, 7, 3, 7}, keys_out(4);
/// std::vector<float> values{1, 2, 3, 4}, sums(4);
/// auto runs = wf::reduce_by_key(wf::seq, keys, values, wf::plus{}, keys_out, sums);  // 3
/// ```
template <policy_like Policy, reducible_range Keys, reducible_range Values, class Op, class KeysOut,
          class ValuesOut>
std::size_t reduce_by_key(const Policy& policy, const Keys& keys, const Values& values, Op op,
                          KeysOut&& keys_out, ValuesOut&& values_out) {
  return warpfold::reduce_by_key(policy, keys, values, op, equal_keys{},
                                 static_cast<KeysOut&&>(keys_out),
                                 static_cast<ValuesOut&&>(values_out));
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
  using keys_view = view_of_t<Keys>;
  if constexpr (detail::check_keys<keys_view, equal_keys>() &&
                detail::check_run_output<KeysOut, typename keys_view::value_type>() &&
                detail::check_run_output<LengthsOut, std::size_t>()) {
    const auto view = as_view(keys);
    const auto keys_to = as_output(keys_out, view.size());
    const auto lengths_to = as_output(lengths_out, view.size());
    return detail::run_keys(policy, key_reduction<keys_view, no_values, no_values, equal_keys,
                                                  std::remove_const_t<decltype(keys_to)>,
                                                  std::remove_const_t<decltype(lengths_to)>>{
                                        view, {}, {}, {}, keys_to, lengths_to});
  } else {
    return 0;
  }
}

// Misuse of the above is one error; see policy/call_check.hpp.
template <class Policy = detail::braces, class Keys = detail::braces, class Values = detail::braces,
          class... Rest>
  requires(detail::misused<Policy, Keys, Values>)
auto reduce_by_key(const Policy&, const Keys& = {}, const Values& = {}, const Rest&...) {
  return detail::refuse<Policy, Keys, Values>();
}

// Misuse of the above is one error; see policy/call_check.hpp.
template <class Policy = detail::braces, class Keys = detail::braces, class... Rest>
  requires(detail::misused<Policy, Keys>)
auto run_lengths(const Policy&, const Keys& = {}, const Rest&...) {
  return detail::refuse<Policy, Keys>();
}

}  // namespace warpfold
