/// @file
/// `transform` and `transform_async`: write a function of every element, in place or to another
/// range. To reduce the function's results without writing them, see view/transform.hpp and
/// transform_reduce.hpp.
#pragma once

#include <tuple>

#include <warpfold/kernel/elementwise/automatic.hpp>
#include <warpfold/policy/call_check.hpp>
#include <warpfold/policy/concept.hpp>
#include <warpfold/policy/device.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/view/as_view.hpp>
#include <warpfold/view/counted.hpp>
#include <warpfold/view/counting.hpp>
#include <warpfold/view/expression.hpp>
#include <warpfold/view/expression_view.hpp>
#include <warpfold/view/strided.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>
#include <warpfold/work/transformation.hpp>

namespace warpfold {

namespace detail {

// All checks of an output are here, so that misuse gives one error.
template <class Out>
constexpr bool check_output() {
  constexpr bool some_output = output_like<Out>;
  constexpr bool is_function = !some_output && std::is_empty_v<std::remove_cvref_t<Out>>;
  static_assert(!is_function,
                "warpfold: an op or a function stands where the output goes; exchange them");
  static_assert(
      some_output || is_function,
      "warpfold: this output type is not writable; pass a span, a container with data() and "
      "size(), a pointer, or an output view");
  if constexpr (some_output) {
    return check_writable_output<Out, output_range<Out>>();
  } else {
    return false;
  }
}

template <class Result, class Out>
constexpr bool check_function_result() {
  constexpr bool converts = !std::is_void_v<Result> && std::is_constructible_v<Out, Result>;
  static_assert(converts,
                "warpfold: the function's result cannot be converted to the output's elements, or "
                "the function returns nothing");
  return converts;
}

template <class F, class In, class Out>
constexpr bool check_function() {
  constexpr bool copyable = std::is_trivially_copyable_v<In> && std::is_trivially_copyable_v<Out>;
  static_assert(copyable,
                "warpfold: the elements of the range or of the output are not trivially copyable; "
                "use elements that are");
  if constexpr (is_device_lambda<F>() || !copyable) {
    return copyable;
  } else {
    constexpr bool takes_element = callable<F, const In&> && !std::is_member_function_pointer_v<F>;
    static_assert(takes_element,
                  "warpfold: the function cannot be called with an element of the range, nor with "
                  "the elements of a zip as its arguments");
    if constexpr (takes_element) {
      return check_function_result<call_result_t<F, const In&>, Out>();
    } else {
      return false;
    }
  }
}

// True if a transformation can write all elements of a view; otherwise reports an error.
template <class View>
constexpr bool check_all_elements() {
  constexpr bool unmasked = !masked_elements<View>;
  static_assert(unmasked,
                "warpfold: transform and copy cannot take a range with a mask, because only "
                "reductions leave elements out; pass the range itself");
  return unmasked;
}

template <class Policy, class Range, class Out, class F, class Then>
void with_transformation(const Policy& policy, const Range& range, Out&& out, const F& f,
                         const Then& then) {
  if constexpr (check_all_elements<view_of_t<Range>>() &&
                check_copyable<typename view_of_t<Range>::value_type>() && check_output<Out>()) {
    const auto in = guarded(as_view(range));
    const auto to = as_output(static_cast<Out&&>(out), in.size());
    using transformation_type =
        transformation<std::remove_const_t<decltype(in)>, std::remove_const_t<decltype(to)>,
                       function_object_t<F>>;
    using in_type = typename transformation_type::in_type;
    using out_type = typename transformation_type::out_type;
    if constexpr (check_function<F, in_type, out_type>()) {
      const auto own = as_policy(policy);
      if constexpr (check_runs<decltype(as_policy(policy)), transformation_type>()) {
        then(own, transformation_type{in, to, as_function_object(f)});
      }
    }
  }
}

// True if an expression of arrays is written index by index: to an mdspan, or because it has no
// order of its own.
template <class In, class Out>
concept written_by_index =
    has_axes<In> && (mdspan_like<std::remove_cvref_t<Out>> || !reducible_range<In>);

template <int Rank, class Out>
constexpr bool check_output_of_expression() {
  using plain = std::remove_cvref_t<Out>;
  if constexpr (mdspan_like<plain>) {
    constexpr bool one_rank = static_cast<int>(plain::rank()) == Rank;
    static_assert(
        one_rank,
        "warpfold: the output's rank is not that of the expression; pass an mdspan of the "
        "same extents");
    return one_rank && check_array_output<plain>();
  } else if constexpr (check_output<Out>()) {
    constexpr bool contiguous = is_plain_output<Out>;
    static_assert(
        contiguous,
        "warpfold: an expression is written to an mdspan, a span or a container; pass one "
        "of these");
    return contiguous;
  } else {
    return false;
  }
}

// The elements of the rows that exist.
template <class View, class Count>
auto counted_elements(const View& elements, const Count* count, std::size_t rows) {
  return counted_view<View, Count, std::size_t>(elements, count, rows);
}

template <class Policy, class In, class Out, class F, class Then>
void with_expression_transformation(const Policy& policy, const In& in, Out& out, const F& f,
                                    const Then& then) {
  constexpr int rank = array_node<In>::rank;
  if constexpr (array_node<In>::check() && check_counts<In>() &&
                check_output_of_expression<rank, Out&>()) {
    using source = array_source_t<In>;
    constexpr int arrays = source::arrays;
    using out_type = std::remove_pointer_t<decltype(data_of_output(out))>;
    const auto e = flat(in);
    const array_shape whole = e.whole();
    whole.require_countable("an expression", 1);
    array_shape to = shape_of_output(out, whole, "the expression has");
    to.has_counted_rows = whole.has_counted_rows;

    const auto write = [&](const auto& elements) {
      const auto view = guarded(elements);
      using transformation_type =
          transformation<std::remove_const_t<decltype(view)>, strided_output<out_type>, F>;
      if constexpr (check_function<F, typename source::value_type, out_type>()) {
        const auto own = as_policy(policy);
        if constexpr (check_runs<decltype(as_policy(policy)), transformation_type>()) {
          then(own,
               transformation_type{view, strided_output<out_type>(data_of_output(out), to), f});
        }
      }
    };
    // In the order of the output's memory.
    const expression_view<source> all(e.source, in_order_of<arrays>(to, e.shapes));
    if constexpr (array_node<In>::counts == 0) {
      write(all);
    } else {
      write(counted_elements(all, array_node<In>::count(in), whole.extent[0]));
    }
  }
}

// Calls `then(zip of all ranges, out, f)` for a call with several ranges. `rest` is the ranges
// after the first, then the output and the function.
template <class Range, class... Rest, std::size_t... At, class Then>
void with_zip(const Range& range, const std::tuple<Rest...>& rest, std::index_sequence<At...>,
              const Then& then) {
  using out = std::tuple_element_t<sizeof...(At), std::tuple<Rest...>>;
  const auto& f = std::get<sizeof...(At) + 1>(rest);
  // Arrays are written index by index to an mdspan, or because one of them repeats.
  constexpr bool are_arrays =
      has_axes<Range> &&
      (has_axes<std::remove_cvref_t<std::tuple_element_t<At, std::tuple<Rest...>>>> && ...);
  constexpr bool have_order =
      (reducible_range<std::remove_cvref_t<std::tuple_element_t<At, std::tuple<Rest...>>>> && ...);
  if constexpr (are_arrays && (mdspan_like<std::remove_cvref_t<out>> || !have_order)) {
    then(zip(range, std::get<At>(rest)...), static_cast<out>(std::get<sizeof...(At)>(rest)), f);
  } else {
    require_one_order(range, std::get<At>(rest)...);
    const auto first = as_view(range);
    const auto require_same_size = [&](const auto& other) {
      if (other.size() == first.size()) return;
      throw_error<invalid_range>(
          "warpfold: transform needs ranges of the same size, but they have ", first.size(),
          " and ", other.size(), " elements; pass ranges of equal size");
    };
    (require_same_size(as_view(std::get<At>(rest))), ...);
    then(zip(first, as_view(std::get<At>(rest))...),
         static_cast<out>(std::get<sizeof...(At)>(rest)), f);
  }
}

// The iterator `n` elements after `out`.
template <class Out>
Out end_of(const Out& out, std::size_t n) {
  return out + static_cast<typename std::iterator_traits<Out>::difference_type>(n);
}

// True if the last two of several arguments follow at least one range.
template <class... Args>
constexpr bool are_ranges_and_two() {
  constexpr std::size_t ranges = sizeof...(Args) - 2;
  std::size_t seen = 0, i = 0;
  ((seen += (i++ < ranges &&
             (reducible_range<std::remove_cvref_t<Args>> || has_axes<std::remove_cvref_t<Args>>))),
   ...);
  return seen == ranges;
}
template <class... Args>
concept ranges_output_function = (sizeof...(Args) >= 3) && are_ranges_and_two<Args...>();

}  // namespace detail

/// Writes `f(in[i])` to element `i` of `out`, for each element of `in`.
///
/// @param policy who runs it, as for `reduce`; policies that run no transformations do not compile
/// @param in readable from the policy; any range that `reduce` takes, except masked ones,
///     including projected, zipped and counting views. The first
///     `*count` elements of a counted range (view/counted.hpp) are read and written
/// @param out writable from the policy, with at least as many elements as `in`, or as the limit of
///     a counted range. A named container, a span of non-const elements, a pointer or an output
///     view. Elements beyond the size of `in` stay unchanged
/// @param f callable where the policy runs; copied into the kernel's arguments. If its call
///     operator is not const, each call gets a copy. Called once for each element, in any order
///     except with `wf::seq`. Its result is converted to the output's element type
///
/// `out` may be the memory of `in` if element `i` of both starts at the same byte: each element is
/// read before it is overwritten. Any other overlap throws, if the ranges declare their memory.
///
/// - Empty range: writes nothing and launches nothing.
/// - Stream: enqueues on the policy's stream and waits until all elements are written.
///   `transform_async` does not wait.
/// - Order and determinism: elements are independent, so the result does not depend on the order.
/// - Cost: `in` is read once and `out` is written once. `wf::device` makes one launch and needs no
///   scratch.
/// @throws invalid_range if `out` is shorter than `in` or overlaps it in another way than above, or
///     if the host finds that a count is negative or larger than its range. Also if memory is null,
///     misaligned or not accessible from the policy. Nothing is written then
/// @throws no_device if the policy needs a GPU and none is usable
/// @throws cuda_error if the launch, or earlier work on the stream, failed, or if the stream is
///     being captured
///
/// On the host, exceptions of `f` reach the caller, and `out` is partly written.
///
/// ```cpp
/// std::vector<int> in{1, 2, 3}, out(in.size());
/// wf::transform(wf::seq, in, out, [](int x) { return x * x; });  // 1, 4, 9
/// ```
/// More: test/examples/transform.cpp
template <policy_like Policy, reducible_range Range, class Out, class F>
  requires(!detail::written_by_index<Range, Out>)
void transform(const Policy& policy, const Range& in, Out&& out, F f) {
  detail::with_transformation(policy, in, static_cast<Out&&>(out), f, detail::run_now);
}

/// Writes `f(in[i])` to element `i` of `out`, without waiting. Takes the arguments of each
/// `transform`: also an expression of arrays, several ranges, or two ranges of iterators.
///
/// @param policy,in,out,f as for `transform`. They must live until the stream has finished this
///     work
///
/// - Empty range: writes nothing and launches nothing.
/// - Stream: enqueues on the policy's stream and returns; host policies return when all elements
///   are written. Can be captured into a graph.
/// - Cost and errors: as `transform`; errors are thrown before anything is launched.
///
/// ```cpp
/// std::vector<int> in{1, 2, 3}, out(in.size());
/// wf::transform_async(wf::seq, in, out, [](int x) { return x * x; });  // 1, 4, 9
/// const auto times = [](int x, int y) { return x * y; };
/// wf::transform_async(wf::seq, in, in, out, times);  // 1, 4, 9
/// wf::transform_async(wf::seq, in.begin(), in.end(), in.begin(), out.begin(), times);  // 1, 4, 9
/// ```
template <policy_like Policy, reducible_range Range, class Out, class F>
  requires(!detail::written_by_index<Range, Out>)
void transform_async(const Policy& policy, const Range& in, Out&& out, F f) {
  detail::with_transformation(policy, in, static_cast<Out&&>(out), f, detail::enqueue_now);
}

/// Writes `f(x)` for each element of an expression of arrays to the element of `out` with the same
/// indices: the second pass of a softmax or a normalization, with one value for each row or column.
///
/// @param policy as above
/// @param in an mdspan, or an expression of mdspans: `zip(m, broadcast<0>(v))` pairs the elements
///     of row `i` of a matrix with `v[i]`, and `broadcast<1>(v)` those of column `j` with `v[j]`
/// @param out an mdspan of the same extents, with strides as for `reduce_axis`: each is larger than
///     the span of the dimensions with smaller strides. For expressions with `broadcast` also a
///     named container or a span, in row-major order. It may be the memory of an array of `in` if
///     both have no gaps and the same layout
/// @param f as above. It takes the elements of a zip as arguments, or as one tuple
///
/// Empty range, stream, order and errors: as above. Cost: one launch; every array is read once and
/// `out` is written once, in words where they are contiguous and aligned. The values that repeat
/// come from the caches after the first time.
/// @throws invalid_range also if the extents differ
///
/// ```cuda
/// #include <cuda/std/mdspan>
///
/// const float values[] = {1, 2, 3, 4};
/// const cuda::std::mdspan<const float, cuda::std::dextents<int, 2>> m(values, 2, 2);
/// const std::vector<float> means{1, 3};  // of the rows
/// std::vector<float> out(4);
/// const auto minus = [](float x, float mean) { return x - mean; };
/// wf::transform(wf::seq, wf::zip(m, wf::broadcast<0>(means)), out, minus);  // 0, 1, 0, 1
/// ```
/// More: test/examples/expressions.cpp
template <policy_like Policy, class In, class Out, class F>
  requires detail::written_by_index<In, Out>
void transform(const Policy& policy, const In& in, Out& out, F f) {
  detail::with_expression_transformation(policy, in, out, f, detail::run_now);
}
// For an mdspan or span without a name. One overload for `Out&&` is ambiguous to nvcc.
template <policy_like Policy, class In, class Out, class F>
  requires detail::written_by_index<In, Out>
void transform(const Policy& policy, const In& in, const Out& out, F f) {
  detail::with_expression_transformation(policy, in, out, f, detail::run_now);
}
template <policy_like Policy, class In, class Out, class F>
  requires detail::written_by_index<In, Out>
void transform_async(const Policy& policy, const In& in, Out& out, F f) {
  detail::with_expression_transformation(policy, in, out, f, detail::enqueue_now);
}
template <policy_like Policy, class In, class Out, class F>
  requires detail::written_by_index<In, Out>
void transform_async(const Policy& policy, const In& in, const Out& out, F f) {
  detail::with_expression_transformation(policy, in, out, f, detail::enqueue_now);
}

/// Writes `f(a[i], b[i], ...)` to element `i` of `out`: `transform(policy, a, b, out, f)`.
///
/// @param policy as for `transform` of one range
/// @param a the first range
/// @param rest one to seven more ranges of the same size, then `out` and `f` as for one range. `f`
///     may also take one tuple, as for a zip
///
/// If all ranges and `out` are mdspans, or if a `broadcast` is among mdspans, elements are paired
/// by index. Empty range, stream, order and cost: as for one range; each range is read once.
/// @throws invalid_range if the sizes differ, or if `out` is no mdspan and two ranges are mdspans
///     of the same extents with another order of strides; otherwise as above
///
/// ```cpp
/// std::vector<float> a{1, 2}, b{3, 4}, out(2);
/// wf::transform(wf::seq, a, b, out, [](float x, float y) { return x * y; });  // 3, 8
/// ```
template <policy_like Policy, reducible_range Range, class... Rest>
  requires detail::ranges_output_function<Rest...>
void transform(const Policy& policy, const Range& a, Rest&&... rest) {
  detail::with_zip(a, std::forward_as_tuple(static_cast<Rest&&>(rest)...),
                   std::make_index_sequence<sizeof...(Rest) - 2>{},
                   [&](const auto& in, auto&& out, const auto& f) {
                     transform(policy, in, static_cast<decltype(out)>(out), f);
                   });
}
template <policy_like Policy, reducible_range Range, class... Rest>
  requires detail::ranges_output_function<Rest...>
void transform_async(const Policy& policy, const Range& a, Rest&&... rest) {
  detail::with_zip(a, std::forward_as_tuple(static_cast<Rest&&>(rest)...),
                   std::make_index_sequence<sizeof...(Rest) - 2>{},
                   [&](const auto& in, auto&& out, const auto& f) {
                     transform_async(policy, in, static_cast<decltype(out)>(out), f);
                   });
}

/// Writes `f(x)` for the elements in [first, last) to `out`, as `std::transform` and
/// `thrust::transform` do.
///
/// @param policy,f as for `transform`
/// @param first,last random-access iterators, or a pointer and a count
/// @param out a pointer or an iterator of contiguous elements, writable from the policy
/// @return the end of what it wrote
///
/// Empty range, stream, order, cost and errors: as `transform`.
///
/// ```cpp
/// std::vector<int> in{1, 2, 3}, out(4);
/// auto end = wf::transform(wf::seq, in.begin(), in.end(), out.begin(), [](int x) { return -x; });
/// ```
template <policy_like Policy, class It, class Last, class Out, class F>
  requires(detail::ends<It, Last> && detail::unwrappable<Out>)
Out transform(const Policy& policy, It first, const Last& last, Out out, F f) {
  const auto in = as_view(first, last);
  warpfold::transform(policy, in, out, f);
  return detail::end_of(out, in.size());
}

/// Writes `f(a[i], b[i])` to element `i` of `out` for the elements `a` in [first1, last1) and those
/// `b` from `first2` on.
///
/// @param policy,out,f as for `transform` of two ranges
/// @param first1,last1,first2 random-access iterators. Or two pointers and a count,
///     `transform(policy, x, y, n, out, f)`; or `transform(policy, x, n, y, out, f)`
/// @return the end of what it wrote if `out` is a pointer or an iterator
///
/// Empty range, stream, order, cost and errors: as `transform` of two ranges.
///
/// ```cpp
/// std::vector<float> a{1, 2}, b{3, 4}, out(2);
/// const auto times = [](float x, float y) { return x * y; };
/// wf::transform(wf::seq, a.begin(), a.end(), b.begin(), out.begin(), times);  // 3, 8
/// ```
template <policy_like Policy, class A, class B, class C, class Out, class F>
  requires detail::delimit_two<A, B, C>
auto transform(const Policy& policy, A first1, const B& last1, C first2, Out&& out, F f) {
  return detail::with_two(first1, last1, first2, [&](const auto& a, const auto& b) {
    warpfold::transform(policy, a, b, static_cast<Out&&>(out), f);
    if constexpr (detail::unwrappable<std::remove_cvref_t<Out>>) {
      return detail::end_of(out, a.size());
    }
  });
}
template <policy_like Policy, class A, class B, class C, class Out, class F>
  requires detail::delimit_two<A, B, C>
void transform_async(const Policy& policy, A first1, const B& last1, C first2, Out&& out, F f) {
  detail::with_two(first1, last1, first2, [&](const auto& a, const auto& b) {
    warpfold::transform_async(policy, a, b, static_cast<Out&&>(out), f);
  });
}

WARPFOLD_FORMS(transform, 2, 99, "transform(policy, range, output, function)")
WARPFOLD_FORMS(transform_async, 2, 99, "transform_async(policy, range, output, function)")

}  // namespace warpfold
