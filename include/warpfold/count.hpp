/// @file
/// `count`, `count_if`, `all_of`, `any_of` and `none_of` of a range. With `_async` behind its name,
/// a function writes its result and does not wait.
///
/// The last argument, before the output, may be a projection, as in `std::ranges::count_if`:
/// `count_if(policy, range, is, f)` is `count_if(policy, project(range, f), is)`.
///
/// All of them read the range once, without an early exit: the predicate runs on every element.
/// Stream, cost and errors are those of `reduce`. Results do not depend on the order.
#pragma once

#include <cstddef>

#include <warpfold/transform_reduce.hpp>

namespace warpfold {

namespace detail {

template <class T>
struct equals {
  T value;

  WARPFOLD_ANY_SIDE
  template <class U>
    requires requires(const U& x, const T& y) { static_cast<bool>(x == y); }
  WARPFOLD_HD constexpr bool operator()(const U& x) const {
    if constexpr (std::is_arithmetic_v<T> && std::is_arithmetic_v<U>) {
      using both = std::common_type_t<T, U>;  // the type that == compares in, without a warning
      return static_cast<both>(x) == static_cast<both>(value);
    } else {
      return static_cast<bool>(x == value);
    }
  }
#if defined(__CUDACC__)
  template <class U>
  WARPFOLD_DEVICE void name_user_functions(const U& x) const {
    (void)static_cast<bool>(x == value);
  }
#endif
};

template <class Predicate, class T>
concept converts_to_bool =
    callable<Predicate, T> && std::is_convertible_v<call_result_t<Predicate, T>, bool>;

// Converts a predicate's result to a number or a bool.
template <class Result, class Predicate>
struct predicate_as {
  Predicate is;

  WARPFOLD_ANY_SIDE
  template <class U>
    requires(is_device_lambda<Predicate>() ||
             (converts_to_bool<Predicate, U> && !std::is_member_function_pointer_v<Predicate>))
  WARPFOLD_HD constexpr Result operator()(const U& x) const {
    return static_cast<bool>(call(is, x)) ? Result{1} : Result{0};
  }
#if defined(__CUDACC__)
  template <class U>
  WARPFOLD_DEVICE void name_user_functions(const U& x) const {
    name_call_as<bool>(is, x);
  }
#endif
};

// True if elements of type `U` can be compared with a value of type `T`; otherwise reports an
// error.
template <class U, class T>
constexpr bool check_equals() {
  constexpr bool comparable = requires(const U& x, const T& y) { static_cast<bool>(x == y); };
  static_assert(comparable,
                "warpfold: count cannot compare the elements with the value by ==; pass a value of "
                "their type, or call count_if with a predicate");
  return comparable;
}

struct negated {
  WARPFOLD_HD constexpr bool operator()(bool x) const { return !x; }
};

}  // namespace detail

/// Returns the number of elements for which `is` is true, as a 64-bit integer.
///
/// @param policy,range as for `reduce`
/// @param is predicate; callable where the policy runs, copied into the kernel's arguments
/// @return the count; 0 for an empty range
///
/// Stream, order, cost and errors: as `reduce`, with one read of the range.
///
/// ```cpp
/// std::vector<int> v{1, -2, 3};
/// std::size_t n = wf::count_if(wf::seq, v, [](int x) { return x < 0; });  // 1
/// ```
template <policy_like Policy, reducible_range Range, class Predicate>
std::size_t count_if(const Policy& policy, const Range& range, Predicate is) {
  return static_cast<std::size_t>(
      transform_reduce(policy, range, plus{}, detail::predicate_as<unsigned char, Predicate>{is}));
}

/// Returns the number of elements equal to `value`, as a 64-bit integer.
///
/// @param policy,range as for `reduce`
/// @param value compared by `==`; arithmetic types are compared in their common type
/// @return the count; 0 for an empty range
///
/// Stream, order, cost and errors: as `reduce`, with one read of the range.
///
/// ```cpp
/// std::vector<int> v{1, 2, 1};
/// std::size_t n = wf::count(wf::seq, v, 1);  // 2
/// ```
template <policy_like Policy, reducible_range Range, class T>
std::size_t count(const Policy& policy, const Range& range, const T& value) {
  using own = std::decay_t<const T>;  // of a string literal: a pointer
  if constexpr (detail::check_equals<detail::reduced_t<view_of_t<Range>>, own>()) {
    return count_if(policy, range, detail::equals<own>{value});
  } else {
    return 0;
  }
}

/// Returns true if `is` is true for every element.
///
/// @param policy,range as for `reduce`
/// @param is as for `count_if`
/// @return the answer; true for an empty range
///
/// Every element is read: no policy stops early. Stream, order, cost and errors: as `reduce`.
///
/// ```cpp
/// std::vector<int> v{1, 2, 3};
/// bool positive = wf::all_of(wf::seq, v, [](int x) { return x > 0; });  // true
/// ```
template <policy_like Policy, reducible_range Range, class Predicate>
bool all_of(const Policy& policy, const Range& range, Predicate is) {
  return transform_reduce(policy, range, logical_and{}, detail::predicate_as<bool, Predicate>{is});
}

/// Returns true if `is` is true for at least one element.
///
/// @param policy,range as for `reduce`
/// @param is as for `count_if`
/// @return the answer; false for an empty range
///
/// Every element is read: no policy stops early. Stream, order, cost and errors: as `reduce`.
///
/// ```cpp
/// std::vector<int> v{1, 2, 3};
/// bool negative = wf::any_of(wf::seq, v, [](int x) { return x < 0; });  // false
/// ```
template <policy_like Policy, reducible_range Range, class Predicate>
bool any_of(const Policy& policy, const Range& range, Predicate is) {
  return transform_reduce(policy, range, logical_or{}, detail::predicate_as<bool, Predicate>{is});
}

/// Returns true if `is` is false for every element.
///
/// @param policy,range as for `reduce`
/// @param is as for `count_if`
/// @return the answer; true for an empty range
///
/// Every element is read: no policy stops early. Stream, order, cost and errors: as `reduce`.
///
/// ```cpp
/// std::vector<int> v{1, 2, 3};
/// bool no_negative = wf::none_of(wf::seq, v, [](int x) { return x < 0; });  // true
/// ```
template <policy_like Policy, reducible_range Range, class Predicate>
bool none_of(const Policy& policy, const Range& range, Predicate is) {
  return !any_of(policy, range, is);
}

/// Writes the number of elements for which `is` is true to `*out`, without waiting.
///
/// @param policy,range,out as for `reduce_async`; the count is converted to the type of `*out`
/// @param is as for `count_if`
///
/// Stream, order, cost and errors: as `reduce_async`, with one read of the range.
///
/// ```cpp
/// std::vector<int> v{1, -2, 3};
/// std::size_t n = 0;
/// wf::count_if_async(wf::seq, v, [](int x) { return x < 0; }, &n);  // n is 1
/// ```
template <policy_like Policy, reducible_range Range, class Predicate, detail::result_target Out>
void count_if_async(const Policy& policy, const Range& range, Predicate is, Out&& out) {
  transform_reduce_async(policy, range, plus{}, detail::predicate_as<unsigned char, Predicate>{is},
                         static_cast<Out&&>(out));
}

/// Writes the number of elements equal to `value` to `*out`, without waiting.
///
/// @param policy,range,out as for `reduce_async`; the count is converted to the type of `*out`
/// @param value as for `count`
///
/// An empty range writes 0. Stream, order, cost and errors: as `reduce_async`.
///
/// ```cpp
/// std::vector<int> v{1, 2, 1};
/// std::size_t n = 0;
/// wf::count_async(wf::seq, v, 1, &n);  // n is 2
/// ```
template <policy_like Policy, reducible_range Range, class T, detail::result_target Out>
void count_async(const Policy& policy, const Range& range, const T& value, Out&& out) {
  using own = std::decay_t<const T>;
  if constexpr (detail::check_equals<detail::reduced_t<view_of_t<Range>>, own>()) {
    count_if_async(policy, range, detail::equals<own>{value}, static_cast<Out&&>(out));
  }
}

/// Writes to `*out` whether `is` is true for every element, without waiting.
///
/// @param policy,range,out as for `reduce_async`
/// @param is as for `count_if`
///
/// An empty range writes true. Stream, order, cost and errors: as `reduce_async`.
///
/// ```cpp
/// std::vector<int> v{1, 2, 3};
/// bool positive = false;
/// wf::all_of_async(wf::seq, v, [](int x) { return x > 0; }, &positive);  // true
/// ```
template <policy_like Policy, reducible_range Range, class Predicate, detail::result_target Out>
void all_of_async(const Policy& policy, const Range& range, Predicate is, Out&& out) {
  transform_reduce_async(policy, range, logical_and{}, detail::predicate_as<bool, Predicate>{is},
                         static_cast<Out&&>(out));
}

/// Writes to `*out` whether `is` is true for at least one element, without waiting.
///
/// @param policy,range,out as for `reduce_async`
/// @param is as for `count_if`
///
/// An empty range writes false. Stream, order, cost and errors: as `reduce_async`.
///
/// ```cpp
/// std::vector<int> v{1, 2, 3};
/// bool any = false;
/// wf::any_of_async(wf::seq, v, [](int x) { return x > 0; }, &any);  // true
/// ```
template <policy_like Policy, reducible_range Range, class Predicate, detail::result_target Out>
void any_of_async(const Policy& policy, const Range& range, Predicate is, Out&& out) {
  transform_reduce_async(policy, range, logical_or{}, detail::predicate_as<bool, Predicate>{is},
                         static_cast<Out&&>(out));
}

/// Writes to `*out` whether `is` is false for every element, without waiting.
///
/// @param policy,range,out as for `reduce_async`
/// @param is as for `count_if`
///
/// An empty range writes true. Stream, order, cost and errors: as `reduce_async`.
///
/// ```cpp
/// std::vector<int> v{1, 2, 3};
/// bool none = false;
/// wf::none_of_async(wf::seq, v, [](int x) { return x > 0; }, &none);  // false
/// ```
template <policy_like Policy, reducible_range Range, class Predicate, detail::result_target Out>
void none_of_async(const Policy& policy, const Range& range, Predicate is, Out&& out) {
  detail::enqueue_reduction(policy, project(range, detail::predicate_as<bool, Predicate>{is}),
                            logical_or{}, no_init{}, static_cast<Out&&>(out), detail::negated{});
}

WARPFOLD_PROJECTED_FORMS_OF_BOTH(count_if, 1, 1, "policy, range, predicate")
WARPFOLD_PROJECTED_FORMS_OF_BOTH(count, 1, 1, "policy, range, value")
WARPFOLD_PROJECTED_FORMS_OF_BOTH(all_of, 1, 1, "policy, range, predicate")
WARPFOLD_PROJECTED_FORMS_OF_BOTH(any_of, 1, 1, "policy, range, predicate")
WARPFOLD_PROJECTED_FORMS_OF_BOTH(none_of, 1, 1, "policy, range, predicate")

}  // namespace warpfold
