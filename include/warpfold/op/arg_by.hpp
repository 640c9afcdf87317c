/// @file
/// `arg_by(comp, proj)` and `.last()`: the value and the index of the least element by a
/// comparison, a key or both; of equal elements the first or the last.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/op/arg.hpp>
#include <warpfold/op/in_register.hpp>

namespace warpfold {

namespace detail {

// The order in which `Extremum` selects numbers: NaN first, -0 before +0.
template <class Extremum>
struct order_of {
  WARPFOLD_ANY_SIDE
  template <class T>
    requires(is_number_v<T> || requires(const T& a, const T& b) { static_cast<bool>(a < b); })
  WARPFOLD_HD constexpr bool operator()(const T& a, const T& b) const {
    return arg_op<Extremum>::is_before(a, b);
  }
#if defined(__CUDACC__)
  template <class T>
  WARPFOLD_DEVICE void name_user_functions(const T& a, const T& b) const {
    name_call(Extremum{}, a, b);
  }
#endif
};

// The key of an element that is its own.
struct itself {
  template <class T>
  WARPFOLD_HD constexpr const T& operator()(const T& x) const {
    return x;
  }
};

template <>
inline constexpr bool only_selects<itself> = true;

// `comp` with its operands exchanged: for the greatest element.
template <class Comp>
struct exchanged {
  Comp comp;

  WARPFOLD_ANY_SIDE
  template <class T>
    requires(is_device_lambda<Comp>() || callable<Comp, const T&, const T&>)
  WARPFOLD_HD constexpr bool operator()(const T& a, const T& b) const {
    return static_cast<bool>(call(comp, b, a));
  }
#if defined(__CUDACC__)
  template <class T>
  WARPFOLD_DEVICE void name_user_functions(const T& a, const T& b) const {
    name_call_as<bool>(comp, b, a);
  }
#endif
};

template <class Comp, class Key>
concept compares = callable<Comp, const Key&, const Key&> &&
                   std::is_constructible_v<bool, call_result_t<Comp, const Key&, const Key&>>;
template <class Comp, class Proj, class T>
concept compares_keys = is_device_lambda<Comp>() || is_device_lambda<Proj>() ||
                        (callable<Proj, const T&> && !std::is_member_function_pointer_v<Proj> &&
                         compares<Comp, std::remove_cvref_t<call_result_t<Proj, const T&>>>);

// True if `comp` compares the keys of two elements of type `T`; otherwise reports an error.
template <class Comp, class Proj, class T>
constexpr bool check_comparison() {
  constexpr bool fit = compares_keys<Comp, Proj, T>;
  constexpr bool is_member_function =
      std::is_member_function_pointer_v<Comp> || std::is_member_function_pointer_v<Proj>;
  static_assert(!is_member_function,
                "warpfold: the function is a pointer to a member function, which the GPU cannot "
                "call; pass {} and a lambda that calls it: argmin(policy, range, {}, key)");
  static_assert(
      fit || is_member_function,
      "warpfold: the comparison cannot be called with the keys of two elements, or the "
      "key not with an element; pass comp(a, b), which is true if a comes first, and then "
      "the function that makes the key");
  return fit;
}

}  // namespace detail

/// The least element by `comp` and its index: the first of equivalent ones, or with `IsLast` the
/// last. `arg_by` makes one. The result does not depend on the order of the fold.
///
/// Accumulator: `indexed<T>` of whole elements. The key is computed at each comparison.
/// Identity: none; an empty range needs an init.
template <class Comp, class Proj, bool IsLast = false>
struct arg_by_op {
  Comp comp;
  Proj proj;
  in_register keep{};  // a key may be computed, as elements of `project` are

  template <class T>
  using accumulator = T;

  /// The same for the last of equal elements.
  constexpr arg_by_op<Comp, Proj, true> last() const { return {comp, proj, keep}; }

  template <class T>
  WARPFOLD_HD constexpr indexed<T> lift(const T& value, std::size_t index) const {
    return {value, index};
  }

  template <class T>
  WARPFOLD_HD constexpr indexed<T> moved(const indexed<T>& a, std::size_t by) const {
    return a.moved(by);
  }

  WARPFOLD_ANY_SIDE
  template <class T>
    requires detail::compares_keys<Comp, Proj, T>
  WARPFOLD_HD constexpr indexed<T> operator()(const indexed<T>& a, const indexed<T>& b) const {
    if (is_before(a.value, b.value)) return a;
    if (is_before(b.value, a.value)) return b;
    return (b.index < a.index) != IsLast ? b : a;
  }

#if defined(__CUDACC__)
  template <class T>
  WARPFOLD_DEVICE void name_user_functions(const indexed<T>& a, const indexed<T>& b) const {
    detail::name_call(proj, a.value);
    detail::name_call_as<bool>(comp, detail::call(proj, a.value), detail::call(proj, b.value));
  }
#endif

 private:
  WARPFOLD_ANY_SIDE
  template <class T>
  WARPFOLD_HD constexpr bool is_before(const T& a, const T& b) const {
    if constexpr (detail::only_selects<Proj>) {
      return static_cast<bool>(detail::call(comp, detail::call(proj, a), detail::call(proj, b)));
    } else {
      return static_cast<bool>(
          detail::call(comp, keep(detail::call(proj, a)), keep(detail::call(proj, b))));
    }
  }
};

/// Returns an op that finds the least element and its index, as an `indexed<T>`:
/// `reduce(policy, range, arg_by(comp, proj))`. `arg_by(comp, proj).last()` finds the last of equal
/// elements, and `arg(minimum{}).last()` does so in the order of `minimum`.
///
/// @param comp `comp(a, b)` is true if key `a` comes before key `b`: a strict weak order, callable
///     where the policy runs. `{}`: the order of `minimum`, in which NaN comes first
/// @param proj the key of an element: a function, or a pointer to a data member. Without it, the
///     element itself
///
/// ```cpp
/// struct point { float x, y; };
/// std::vector<point> v{{1, 5}, {2, 3}, {4, 3}};
/// auto low = wf::reduce(wf::seq, v, wf::arg_by({}, &point::y));  // {2, 3} at index 1
/// ```
template <class Comp = detail::order_of<minimum>, class Proj = detail::itself>
constexpr arg_by_op<Comp, detail::function_object_t<Proj>> arg_by(Comp comp = {}, Proj proj = {}) {
  return {comp, detail::as_function_object(proj)};
}

template <class Extremum>
constexpr auto arg_op<Extremum>::last() const {
  return arg_by_op<detail::order_of<Extremum>, detail::itself, true>{};
}

}  // namespace warpfold
