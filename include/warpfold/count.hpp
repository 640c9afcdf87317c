/// @file
/// How many elements are so, and whether all, any or none are.
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
      using both = std::common_type_t<T, U>;  // as == has it, without a warning
      return static_cast<both>(x) == static_cast<both>(value);
    } else {
      return x == value;
    }
  }
#if defined(__CUDACC__)
  template <class U>
  WARPFOLD_DEVICE void name_user_functions(const U& x) const {
    (void)(x == value);
  }
#endif
};

// What a predicate gives, as a number that can be added or as a bool, whatever it converts to it by.
template <class Result, class Predicate>
struct predicate_as {
  Predicate is;

  WARPFOLD_ANY_SIDE
  template <class U>
    requires(is_device_lambda<Predicate>() || (std::is_invocable_r_v<bool, const Predicate&, U> &&
                                               !std::is_member_function_pointer_v<Predicate>))
  WARPFOLD_HD constexpr Result operator()(const U& x) const {
    return static_cast<bool>(call(is, x)) ? Result{1} : Result{0};
  }
#if defined(__CUDACC__)
  template <class U>
  WARPFOLD_DEVICE void name_user_functions(const U& x) const {
    name_call(is, x);
  }
#endif
};

}  // namespace detail

/// How many elements `is` is true of: 64 bits; 0 of an empty range. One read of the range; waits, costs and
/// throws as `reduce` does. `is` is called where the policy runs.
template <policy_like Policy, reducible_range Range, class Predicate>
std::size_t count_if(const Policy& policy, const Range& range, Predicate is) {
  return static_cast<std::size_t>(
      transform_reduce(policy, range, plus{}, detail::predicate_as<unsigned char, Predicate>{is}));
}

/// How many elements equal `value`; otherwise as `count_if`.
template <policy_like Policy, reducible_range Range, class T>
std::size_t count(const Policy& policy, const Range& range, const T& value) {
  return count_if(policy, range, detail::equals<T>{value});
}

/// Whether `is` is true of every element; true of an empty range. Every element is asked, also behind one that
/// decides; waits and throws as `reduce` does.
template <policy_like Policy, reducible_range Range, class Predicate>
bool all_of(const Policy& policy, const Range& range, Predicate is) {
  return transform_reduce(policy, range, logical_and{}, detail::predicate_as<bool, Predicate>{is});
}

/// Whether `is` is true of an element; false of an empty range; otherwise as `all_of`.
template <policy_like Policy, reducible_range Range, class Predicate>
bool any_of(const Policy& policy, const Range& range, Predicate is) {
  return transform_reduce(policy, range, logical_or{}, detail::predicate_as<bool, Predicate>{is});
}

/// Whether `is` is true of no element; true of an empty range; otherwise as `all_of`.
template <policy_like Policy, reducible_range Range, class Predicate>
bool none_of(const Policy& policy, const Range& range, Predicate is) {
  return !any_of(policy, range, is);
}

WARPFOLD_REFUSE_MISUSE(count_if)
WARPFOLD_REFUSE_MISUSE(count)
WARPFOLD_REFUSE_MISUSE(all_of)
WARPFOLD_REFUSE_MISUSE(any_of)
WARPFOLD_REFUSE_MISUSE(none_of)

}  // namespace warpfold
