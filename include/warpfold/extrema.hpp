/// @file
/// `min`, `max`, `minmax` of a range, and `argmin`, `argmax`, `argminmax`, which also return the
/// index. With `_async` behind its name, a function writes its result and does not wait.
///
/// The last argument of `min`, `max` and `minmax`, before the output, may be a projection:
/// `max(policy, range, f)` is `max(policy, project(range, f))`, the greatest value of `f`. The
/// element that has it, and its index, are `argmax(policy, range, {}, f)`.
///
/// All of them read the range once and throw `empty_range` for an empty range. Of a counted range
/// (view/counted.hpp), `_async` functions and, on a GPU, `min`, `max` and `minmax` cannot know the
/// size: for a count of 0 they give the op's identity. Stream, cost and all other errors are those
/// of `reduce`. A NaN counts as more extreme than any number, and -0 is less than +0, so every
/// policy gives the same result in any order.
#pragma once

#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/arg_by.hpp>
#include <warpfold/reduce.hpp>

// A program may have macros of these names.
#pragma push_macro("min")
#pragma push_macro("max")
#undef min
#undef max

namespace warpfold {

/// The least and the greatest element of a range, as `minmax` and `argminmax` return them.
template <class T>
struct least_and_greatest {
  T min;
  T max;
};
template <class T>
least_and_greatest(T, T) -> least_and_greatest<T>;

/// Prints both: `1, 9`, or with indices `1 at 4, 9 at 3`.
///
/// @param out,x a stream, and the result of `minmax` or `argminmax`
/// @return `out`
///
/// Errors: those of the stream. Cost: that of printing the values.
///
/// ```cpp
/// #include <iostream>
///
/// std::cout << wf::least_and_greatest<int>{1, 9};  // 1, 9
/// ```
template <class Char, class Traits, class T>
  requires detail::is_printed<std::basic_ostream<Char, Traits>, T>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out,
                                             const least_and_greatest<T>& x) {
  return out << detail::printable(x.min) << ", " << detail::printable(x.max);
}

namespace detail {

// An empty range has no extremum: the identity of the op is not one of its elements.
[[noreturn]] inline void throw_no_element(const char* what) {
  throw_error<empty_range>("warpfold: an empty range has no ", what, "; test the size first");
}
struct require_some {
  const char* what;

  void operator()(std::size_t size) const {
    if (size == 0) throw_no_element(what);
  }
};

// True if the result shows that there was no element. Only an index shows it.
template <class T>
bool is_of_nothing(const indexed<T>& x) {
  return x.index == indexed<T>::nowhere;
}
template <class T>
bool is_of_nothing(const tuple<indexed<T>, indexed<T>>& both) {
  return is_of_nothing(get<0>(both));
}
template <class T>
bool is_of_nothing(const T&) {
  return false;
}

// The same for a view whose size lies in memory. A GPU reads the size in the kernel, so only an
// index tells the host that there was no element.
template <class Policy, class View, class Op>
auto reduce_some_counted(const Policy& policy, const View& view, const char* what, const Op& op) {
  if constexpr (reads_sizes_on_host<decltype(as_policy(policy))>) {
    if (size_read_on_host(view) == 0) throw_no_element(what);
  }
  const auto found = reduce(policy, view, op);
  if (is_of_nothing(found)) throw_no_element(what);
  return found;
}

template <class Policy, class Range, class Op>
auto reduce_some(const Policy& policy, const Range& range, const char* what, const Op& op) {
  const auto view = as_view(range);
  const auto checking = requiring_count(policy, view, require_some{what});
  if constexpr (masked_elements<decltype(as_view(range))>) {
    return reduce(checking, view, without_identity<Op>{op});
  } else if constexpr (has_size_in_memory<decltype(as_view(range))>) {
    return reduce_some_counted(checking, view, what, op);
  } else {
    return reduce(checking, view, op);
  }
}

template <class Policy, class Range, class Op, class Out, class Finish = as_it_is>
void enqueue_some(const Policy& policy, const Range& range, const char* what, const Op& op,
                  Out&& out, const Finish& finish = {}) {
  const auto view = as_view(range);
  enqueue_reduction(requiring_count(policy, view, require_some{what}), view, op, no_init{},
                    static_cast<Out&&>(out), finish);
}

// The orders of both extrema by a comparison. Without one, NaN is the first of both.
template <class Comp, class Proj>
auto least_and_greatest_by(const Comp& comp, const Proj& proj) {
  if constexpr (std::is_same_v<Comp, order_of<minimum>>) {
    return all(arg_by(comp, proj), arg_by(order_of<maximum>{}, proj));
  } else {
    return all(arg_by(comp, proj), arg_by(exchanged<Comp>{comp}, proj));
  }
}

struct as_least_and_greatest {
  WARPFOLD_ANY_SIDE
  template <class T>
  WARPFOLD_HD constexpr least_and_greatest<T> operator()(const tuple<T, T>& both) const {
    return {get<0>(both), get<1>(both)};
  }
  least_and_greatest<refused> operator()(const refused&) const { return {}; }
};

}  // namespace detail

/// Returns the least element of `range`; for vectors of components, the least of each component.
///
/// @param policy,range as for `reduce`
/// @return the least element, in the element's type; NaN if any element is NaN
/// @throws empty_range if the range is empty
///
/// Stream, order, cost and other errors: as `reduce`, with one read of the range.
///
/// ```cpp
/// std::vector<float> v{3, 1, 2};
/// float least = wf::min(wf::seq, v);  // 1
/// ```
template <policy_like Policy, reducible_range Range>
auto min(const Policy& policy, const Range& range) {
  return detail::reduce_some(policy, range, "least element", minimum{});
}

/// Returns the greatest element of `range`; for vectors of components, the greatest of each
/// component.
///
/// @param policy,range as for `reduce`
/// @return the greatest element, in the element's type; NaN if any element is NaN
/// @throws empty_range if the range is empty
///
/// Stream, order, cost and other errors: as `reduce`, with one read of the range.
///
/// ```cpp
/// std::vector<float> v{3, 1, 2};
/// float greatest = wf::max(wf::seq, v);  // 3
/// auto abs = [](float x) { return x < 0 ? -x : x; };
/// float greatest_magnitude = wf::max(wf::seq, v, abs);  // 3
/// ```
template <policy_like Policy, reducible_range Range>
auto max(const Policy& policy, const Range& range) {
  return detail::reduce_some(policy, range, "greatest element", maximum{});
}

/// Returns the least and the greatest element, in one read of the range.
///
/// @param policy,range as for `reduce`
/// @return a `least_and_greatest<T>` of the element's type, `.min` and `.max`; NaN if any element
///     is NaN
/// @throws empty_range if the range is empty
///
/// Stream, order, cost and other errors: as `reduce`.
///
/// ```cpp
/// std::vector<float> v{3, 1, 2};
/// auto [least, greatest] = wf::minmax(wf::seq, v);  // 1 and 3
/// ```
template <policy_like Policy, reducible_range Range>
auto minmax(const Policy& policy, const Range& range) {
  return detail::as_least_and_greatest{}(
      detail::reduce_some(policy, range, "least and greatest element", all(minimum{}, maximum{})));
}

/// Returns the value and the index of the least element, as an `indexed<T>`; or with `comp` and
/// `proj` the least element by a comparison, as `std::ranges::min_element(range, comp, proj)` finds
/// it.
///
/// @param policy,range as for `reduce`
/// @param comp,proj none, or as for `arg_by` (op/arg_by.hpp): `comp(a, b)` is true if key `a` comes
///     before key `b`, and `proj` makes the key of an element. `{}` is the order of `minimum`
/// @return `.value` is the least element, the whole one; `.index` is the lowest 64-bit index at
///     which it, or an equivalent one, occurs. In a matrix the index counts elements in memory
///     order. If there is a NaN, the result without `comp` is the first NaN. For the highest index,
///     call `reduce(policy, range, arg_by(comp, proj).last())`
/// @throws empty_range if the range is empty
///
/// Stream, order, cost and other errors: as `reduce`, with one read of the range.
///
/// ```cpp
/// std::vector<float> v{3, -4, 2};
/// auto m = wf::argmin(wf::seq, v);  // m.value is -4, m.index is 1
/// auto abs = [](float x) { return x < 0 ? -x : x; };
/// auto least = wf::argmin(wf::seq, v, {}, abs);  // least.value is 2, least.index is 2
/// ```
template <policy_like Policy, reducible_range Range, class Comp = detail::order_of<minimum>,
          class Proj = detail::itself>
  requires(!detail::ends_array<Range, Comp>)
auto argmin(const Policy& policy, const Range& range, Comp comp, Proj proj = {}) {
  if constexpr (detail::check_comparison<Comp, Proj, detail::reduced_t<view_of_t<Range>>>()) {
    return detail::reduce_some(policy, range, "least element", arg_by(comp, proj));
  } else {
    return detail::refused{};
  }
}
template <policy_like Policy, reducible_range Range>
auto argmin(const Policy& policy, const Range& range) {
  return detail::reduce_some(policy, range, "least element", arg(minimum{}));
}

/// Returns the value and the index of the greatest element, as an `indexed<T>`; or with `comp` and
/// `proj` the greatest element by a comparison.
///
/// @param policy,range as for `reduce`
/// @param comp,proj as for `argmin`. `{}` is the order of `maximum`, in which NaN is the greatest
/// @return `.value` is the greatest element, the whole one; `.index` is the lowest 64-bit index at
///     which it, or an equivalent one, occurs. If there is a NaN, the result without `comp` is the
///     first NaN
/// @throws empty_range if the range is empty
///
/// Stream, order, cost and other errors: as `reduce`, with one read of the range.
///
/// ```cpp
/// std::vector<float> v{3, -4, 2};
/// auto m = wf::argmax(wf::seq, v);  // m.value is 3, m.index is 0
/// auto abs = [](float x) { return x < 0 ? -x : x; };
/// auto greatest = wf::argmax(wf::seq, v, {}, abs);  // greatest.value is -4, greatest.index is 1
/// ```
template <policy_like Policy, reducible_range Range,
          class Comp = detail::exchanged<detail::order_of<maximum>>, class Proj = detail::itself>
  requires(!detail::ends_array<Range, Comp>)
auto argmax(const Policy& policy, const Range& range, Comp comp, Proj proj = {}) {
  if constexpr (detail::check_comparison<Comp, Proj, detail::reduced_t<view_of_t<Range>>>()) {
    return detail::reduce_some(policy, range, "greatest element",
                               arg_by(detail::exchanged<Comp>{comp}, proj));
  } else {
    return detail::refused{};
  }
}
template <policy_like Policy, reducible_range Range>
auto argmax(const Policy& policy, const Range& range) {
  return detail::reduce_some(policy, range, "greatest element", arg(maximum{}));
}

/// Returns the values and the indices of the least and the greatest element, in one read; or with
/// `comp` and `proj` those by a comparison.
///
/// @param policy,range as for `reduce`
/// @param comp,proj as for `argmin`
/// @return a `least_and_greatest<indexed<T>>`: `.min` and `.max`, each with the lowest index at
///     which it, or an equivalent element, occurs. If there is a NaN, both are the first NaN
///     without `comp`
/// @throws empty_range if the range is empty
///
/// Stream, order, cost and other errors: as `reduce`.
///
/// ```cpp
/// std::vector<float> v{3, -4, 2};
/// auto both = wf::argminmax(wf::seq, v);  // both.min.index is 1, both.max.index is 0
/// auto abs = [](float x) { return x < 0 ? -x : x; };
/// auto magnitudes = wf::argminmax(wf::seq, v, {}, abs);  // 2 at 2, -4 at 1
/// ```
template <policy_like Policy, reducible_range Range, class Comp = detail::order_of<minimum>,
          class Proj = detail::itself>
  requires(!detail::ends_array<Range, Comp>)
auto argminmax(const Policy& policy, const Range& range, Comp comp, Proj proj = {}) {
  if constexpr (detail::check_comparison<Comp, Proj, detail::reduced_t<view_of_t<Range>>>()) {
    return detail::as_least_and_greatest{}(detail::reduce_some(
        policy, range, "least and greatest element", detail::least_and_greatest_by(comp, proj)));
  } else {
    return detail::refused{};
  }
}
template <policy_like Policy, reducible_range Range>
auto argminmax(const Policy& policy, const Range& range) {
  return detail::as_least_and_greatest{}(detail::reduce_some(
      policy, range, "least and greatest element", all(arg(minimum{}), arg(maximum{}))));
}

/// Writes the least element to `*out`, without waiting.
///
/// @param policy,range,out as for `reduce_async`
/// @throws empty_range if the range is empty, before anything is launched; otherwise as
///     `reduce_async`
///
/// Stream, order, cost and other errors: as `reduce_async`, with one read of the range.
///
/// ```cpp
/// std::vector<float> v{3, 1, 2};
/// float least = 0;
/// wf::min_async(wf::seq, v, &least);  // least is 1
/// ```
template <policy_like Policy, reducible_range Range, detail::result_target Out>
void min_async(const Policy& policy, const Range& range, Out&& out) {
  detail::enqueue_some(policy, range, "least element", minimum{}, static_cast<Out&&>(out));
}

/// Writes the greatest element to `*out`, without waiting.
///
/// @param policy,range,out as for `reduce_async`
/// @throws empty_range if the range is empty, before anything is launched
///
/// Stream, order, cost and other errors: as `reduce_async`.
///
/// ```cpp
/// std::vector<float> v{3, 1, 2};
/// float greatest = 0;
/// wf::max_async(wf::seq, v, &greatest);  // greatest is 3
/// ```
template <policy_like Policy, reducible_range Range, detail::result_target Out>
void max_async(const Policy& policy, const Range& range, Out&& out) {
  detail::enqueue_some(policy, range, "greatest element", maximum{}, static_cast<Out&&>(out));
}

/// Writes the least and the greatest element, a `least_and_greatest<T>`, to `*out`, without
/// waiting.
///
/// @param policy,range,out as for `reduce_async`
/// @throws empty_range if the range is empty, before anything is launched
///
/// Stream, order, cost and other errors: as `reduce_async`.
///
/// ```cpp
/// std::vector<float> v{3, 1, 2};
/// wf::least_and_greatest<float> both;
/// wf::minmax_async(wf::seq, v, &both);  // 1 and 3
/// ```
template <policy_like Policy, reducible_range Range, detail::result_target Out>
void minmax_async(const Policy& policy, const Range& range, Out&& out) {
  detail::enqueue_some(policy, range, "least and greatest element", all(minimum{}, maximum{}),
                       static_cast<Out&&>(out), detail::as_least_and_greatest{});
}

/// Writes the value and the index of the least element, an `indexed<T>`, to `*out`, without
/// waiting; with `comp` and `proj`, or `comp` alone, those of the least element by a comparison.
///
/// @param policy,range,out as for `reduce_async`
/// @param comp,proj none, or as for `argmin`; `{}` is the order of `minimum`
/// @throws empty_range if the range is empty, before anything is launched; otherwise as
///     `reduce_async`
///
/// Stream, order, cost and other errors: as `reduce_async`, with one read of the range.
///
/// ```cpp
/// std::vector<float> v{3, -4, 2};
/// auto abs = [](float x) { return x < 0 ? -x : x; };
/// auto descending = [](float a, float b) { return a > b; };
/// wf::indexed<float> m;
/// wf::argmin_async(wf::seq, v, &m);  // m.value is -4, m.index is 1
/// wf::argmin_async(wf::seq, v, {}, abs, &m);  // m.value is 2, m.index is 2
/// wf::argmin_async(wf::seq, v, descending, &m);  // m.value is 3, m.index is 0
/// ```
template <policy_like Policy, reducible_range Range, class Comp = detail::order_of<minimum>,
          class Proj = detail::itself, detail::result_target Out>
  requires(!detail::ends_array<Range, Comp>)
void argmin_async(const Policy& policy, const Range& range, Comp comp, Proj proj, Out&& out) {
  if constexpr (detail::check_comparison<Comp, Proj, detail::reduced_t<view_of_t<Range>>>()) {
    detail::enqueue_some(policy, range, "least element", arg_by(comp, proj),
                         static_cast<Out&&>(out));
  }
}
template <policy_like Policy, reducible_range Range, detail::result_target Out>
void argmin_async(const Policy& policy, const Range& range, Out&& out) {
  detail::enqueue_some(policy, range, "least element", arg(minimum{}), static_cast<Out&&>(out));
}

/// Writes the value and the index of the greatest element, an `indexed<T>`, to `*out`, without
/// waiting; with `comp` and `proj`, or `comp` alone, those of the greatest element by a comparison.
///
/// @param policy,range,out as for `reduce_async`
/// @param comp,proj none, or as for `argmax`; `{}` is the order of `maximum`. Of equivalent
///     elements the first is written
/// @throws empty_range if the range is empty, before anything is launched
///
/// Stream, order, cost and other errors: as `reduce_async`.
///
/// ```cpp
/// std::vector<float> v{3, -4, 2};
/// auto abs = [](float x) { return x < 0 ? -x : x; };
/// wf::indexed<float> m;
/// wf::argmax_async(wf::seq, v, &m);  // m.value is 3, m.index is 0
/// wf::argmax_async(wf::seq, v, {}, abs, &m);  // m.value is -4, m.index is 1
/// ```
template <policy_like Policy, reducible_range Range,
          class Comp = detail::exchanged<detail::order_of<maximum>>, class Proj = detail::itself,
          detail::result_target Out>
  requires(!detail::ends_array<Range, Comp>)
void argmax_async(const Policy& policy, const Range& range, Comp comp, Proj proj, Out&& out) {
  if constexpr (detail::check_comparison<Comp, Proj, detail::reduced_t<view_of_t<Range>>>()) {
    detail::enqueue_some(policy, range, "greatest element",
                         arg_by(detail::exchanged<Comp>{comp}, proj), static_cast<Out&&>(out));
  }
}
template <policy_like Policy, reducible_range Range, detail::result_target Out>
void argmax_async(const Policy& policy, const Range& range, Out&& out) {
  detail::enqueue_some(policy, range, "greatest element", arg(maximum{}), static_cast<Out&&>(out));
}

/// Writes the values and the indices of the least and the greatest element, a
/// `least_and_greatest<indexed<T>>`, to `*out`, without waiting; with `comp` and `proj`, or `comp`
/// alone, those by a comparison.
///
/// @param policy,range,out as for `reduce_async`
/// @param comp,proj none, or as for `argmin`; `{}` is the order of `minimum`
/// @throws empty_range if the range is empty, before anything is launched
///
/// Stream, order, cost and other errors: as `reduce_async`.
///
/// ```cpp
/// std::vector<float> v{3, -4, 2};
/// auto abs = [](float x) { return x < 0 ? -x : x; };
/// wf::least_and_greatest<wf::indexed<float>> both;
/// wf::argminmax_async(wf::seq, v, &both);  // both.min.index is 1, both.max.index is 0
/// wf::argminmax_async(wf::seq, v, {}, abs, &both);  // 2 at 2, -4 at 1
/// ```
template <policy_like Policy, reducible_range Range, class Comp = detail::order_of<minimum>,
          class Proj = detail::itself, detail::result_target Out>
  requires(!detail::ends_array<Range, Comp>)
void argminmax_async(const Policy& policy, const Range& range, Comp comp, Proj proj, Out&& out) {
  if constexpr (detail::check_comparison<Comp, Proj, detail::reduced_t<view_of_t<Range>>>()) {
    detail::enqueue_some(policy, range, "least and greatest element",
                         detail::least_and_greatest_by(comp, proj), static_cast<Out&&>(out),
                         detail::as_least_and_greatest{});
  }
}
template <policy_like Policy, reducible_range Range, detail::result_target Out>
void argminmax_async(const Policy& policy, const Range& range, Out&& out) {
  detail::enqueue_some(policy, range, "least and greatest element",
                       all(arg(minimum{}), arg(maximum{})), static_cast<Out&&>(out),
                       detail::as_least_and_greatest{});
}

// With a comparison only. The comparison of `{}` is that of the function.
#define WARPFOLD_COMPARED_ASYNC(function, order)                                   \
  template <policy_like Policy, reducible_range Range, class Comp = detail::order, \
            detail::result_target Out>                                             \
    requires(!detail::ends_array<Range, Comp>)                                     \
  void function(const Policy& policy, const Range& range, Comp comp, Out&& out) {  \
    function(policy, range, comp, detail::itself{}, static_cast<Out&&>(out));      \
  }
WARPFOLD_COMPARED_ASYNC(argmin_async, order_of<minimum>)
WARPFOLD_COMPARED_ASYNC(argmax_async, exchanged<detail::order_of<maximum>>)
WARPFOLD_COMPARED_ASYNC(argminmax_async, order_of<minimum>)
#undef WARPFOLD_COMPARED_ASYNC

WARPFOLD_PROJECTED_FORMS_OF_BOTH(min, 0, 0, "policy, range")
WARPFOLD_PROJECTED_FORMS_OF_BOTH(max, 0, 0, "policy, range")
WARPFOLD_PROJECTED_FORMS_OF_BOTH(minmax, 0, 0, "policy, range")
WARPFOLD_FORMS(argmin, 0, 2, "argmin(policy, range) or argmin(policy, range, comp, key)")
WARPFOLD_FORMS(argmax, 0, 2, "argmax(policy, range) or argmax(policy, range, comp, key)")
WARPFOLD_FORMS(argminmax, 0, 2, "argminmax(policy, range) or argminmax(policy, range, comp, key)")
WARPFOLD_ASYNC_FORMS(argmin_async, 1, 3,
                     "argmin_async(policy, range, &result) or "
                     "argmin_async(policy, range, comp, key, &result)")
WARPFOLD_ASYNC_FORMS(argmax_async, 1, 3,
                     "argmax_async(policy, range, &result) or "
                     "argmax_async(policy, range, comp, key, &result)")
WARPFOLD_ASYNC_FORMS(argminmax_async, 1, 3,
                     "argminmax_async(policy, range, &result) or "
                     "argminmax_async(policy, range, comp, key, &result)")

}  // namespace warpfold

#pragma pop_macro("min")
#pragma pop_macro("max")
