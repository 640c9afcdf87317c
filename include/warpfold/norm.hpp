/// @file
/// Norms of a vector of real or complex numbers: `norm_1`, `norm_2`, `norm_infinity`, `norm_p`.
/// With `_async` behind its name, a function writes its result and does not wait. The last
/// argument, before the output, may be a projection: `norm_2(policy, range, f)` is
/// `norm_2(policy, project(range, f))`.
///
/// All of them read the range once, return 0 for an empty range, and return NaN if any element is
/// NaN. Complex numbers may be those of any library (op/complex.hpp). Stream, order, cost and
/// errors are those of `reduce`.
#pragma once

#include <cmath>

#include <warpfold/op/magnitude.hpp>
#include <warpfold/op/squares.hpp>
#include <warpfold/op/with_finish.hpp>
#include <warpfold/transform_reduce.hpp>

namespace warpfold {

namespace detail {

template <class Range>
constexpr bool are_normed() {
  using T = reduced_t<view_of_t<Range>>;
  constexpr bool numbers = (is_number_v<T> && !std::is_same_v<T, long double>) ||
                           (complex_number<T> && !std::is_same_v<complex_part_t<T>, long double>);
  static_assert(numbers,
                "warpfold: norms are of numbers that a double holds: real or complex, but not long "
                "double; project other elements to their magnitude");
  return numbers;
}

// True if `SumOp` is `plus{}.exact()`, and the elements have exact squares.
template <class Range, class SumOp>
constexpr bool are_squared_exactly() {
  if constexpr (are_normed<Range>() && check_exact_plus<SumOp>()) {
    using T = reduced_t<view_of_t<Range>>;
    constexpr bool floating = std::is_floating_point_v<T> || is_half_v<T> || complex_number<T>;
    static_assert(floating,
                  "warpfold: norm_2(..., plus{}.exact()) requires floating-point or complex "
                  "elements; omit the op for integers");
    return floating;
  } else {
    return false;
  }
}

struct magnitude_to_power {
  double p;

  template <class T>
  WARPFOLD_HD double operator()(const T& x) const {
    return ::pow(static_cast<double>(magnitude{}(x)), p);
  }
};

// The norm of a sum of squares.
struct root_of_squares {
  WARPFOLD_HD double operator()(double sum) const { return std::sqrt(sum); }
  WARPFOLD_HD double operator()(const scaled_squares& sum) const { return sum.root(); }
};

// The norm of a sum of powers.
struct root_of_powers {
  double p;

  WARPFOLD_HD double operator()(double sum) const { return ::pow(sum, 1 / p); }
};

inline void require_finite_power(double p) {
  if (p > 0 && !std::isinf(p)) return;
  throw_error<invalid_argument>("warpfold: norm_p takes a finite p above 0, but p is ",
                                p > 0    ? "infinity"
                                : p < 0  ? "a negative number"
                                : p == 0 ? "0"
                                         : "NaN",
                                "; use norm_infinity for infinity");
}

}  // namespace detail

/// `norm_2` as an op, for the norms of rows, segments and lists of arrays. Its result is a
/// `double`; rounding and cost are those of `norm_2`.
///
/// ```cpp
/// #include <warpfold/reduce_many.hpp>
///
/// std::vector<std::vector<float>> gradients{{3, 4}, {5, 12, 84}};
/// std::vector<double> norms(2);
/// wf::reduce_many(wf::seq, gradients, wf::norm_2_op{}, norms);  // 5, 85
/// ```
using norm_2_op = op_with_finish<squares_op, detail::root_of_squares>;

/// Returns the sum of the magnitudes.
///
/// @param policy,range as for `reduce`
/// @return the sum, in the accumulator type of the magnitudes: unsigned modulo 2^64 for integers,
///     the type of the parts for complex numbers. Infinity if any element is infinite and none is
///     NaN
///
/// Error: at most n roundings of the sum; for complex numbers also those of `hypot`.
///
/// Stream, order, cost and errors: as `reduce`, with one read of the range.
///
/// ```cpp
/// std::vector<float> v{3, -4};
/// auto s = wf::norm_1(wf::seq, v);  // 7
/// ```
template <policy_like Policy, reducible_range Range>
auto norm_1(const Policy& policy, const Range& range) {
  if constexpr (detail::are_normed<Range>()) {
    return transform_reduce(policy, range, plus{}, magnitude{});
  } else {
    return detail::refused{};
  }
}

/// Returns the square root of the sum of the squares of the magnitudes, as a `double`: the
/// Euclidean norm. With `plus{}.exact()` it has no rounding errors and does not depend on the
/// policy: the root of the exact sum of the squares, rounded once.
///
/// @param policy,range as for `reduce`; with `plus{}.exact()`, elements are floating-point or
///     complex numbers
/// @tparam SumOp that of the last argument, if there is one: `plus{}.exact()` (op/exact.hpp) for a
///     `double`, or `plus{}.exact<float>()` for a `float`
/// @return the norm, 0 for an empty range. Squares and their sum neither overflow nor underflow.
///     Infinity if any element is infinite and none is NaN. With `plus{}.exact()`, the number of
///     its type nearest to the mathematical one
///
/// - Rounding: at most about n / 2 roundings of `double`; for complex numbers n.
/// - Cost: one read and a single square root. A state has 8 bytes; for `double` 24 bytes. With
///   `plus{}.exact()` its cost, and a state of 200 bytes, for `double` 1112.
/// - Stream, order and errors: as `reduce`.
///
/// ```cpp
/// #include <warpfold/op/exact.hpp>
///
/// std::vector<double> v{3e300, 4e300};
/// double n = wf::norm_2(wf::seq, v);  // 5e300
/// double exact = wf::norm_2(wf::seq, v, wf::plus{}.exact());  // 5e300
/// ```
template <policy_like Policy, reducible_range Range, class SumOp>
  requires(!detail::is_form<0, Range, SumOp> && !detail::projection_of<SumOp, Range>)
auto norm_2(const Policy& policy, const Range& range, SumOp) {
  if constexpr (detail::are_squared_exactly<Range, SumOp>()) {
    return reduce(policy, range, typename SumOp::squares_op{});
  } else {
    return detail::refused{};
  }
}
template <policy_like Policy, reducible_range Range>
double norm_2(const Policy& policy, const Range& range) {
  if constexpr (detail::are_normed<Range>()) {
    return detail::root_of_squares{}(reduce(policy, range, squares_op{}));
  } else {
    return 0;
  }
}

/// Returns the greatest magnitude, in the magnitude's type.
///
/// @param policy,range as for `reduce`
/// @return the greatest magnitude; NaN if any element is NaN
///
/// An empty range gives 0. Stream, order, cost and errors: as `reduce`, with one read of the range.
///
/// ```cpp
/// std::vector<float> v{3, -4};
/// float n = wf::norm_infinity(wf::seq, v);  // 4
/// ```
template <policy_like Policy, reducible_range Range>
auto norm_infinity(const Policy& policy, const Range& range) {
  if constexpr (detail::are_normed<Range>()) {
    using Magnitude =
        decltype(magnitude{}(std::declval<const detail::reduced_t<view_of_t<Range>>&>()));
    return transform_reduce(policy, range, Magnitude{0}, maximum{}, magnitude{});
  } else {
    return detail::refused{};
  }
}

/// Returns the `p`-th root of the sum of the magnitudes to the power `p`, as a `double`.
///
/// @param policy,range as for `reduce`
/// @param p a finite number above 0. Use `norm_2` for 2 and `norm_infinity` for infinity
/// @return the norm; powers may overflow or underflow
///
/// - Empty range: returns 0.
/// - Cost: one read, and one `pow` for each element. Stream, order and other errors: as `reduce`.
/// @throws invalid_argument if `p` is not a finite number above 0
///
/// ```cpp
/// std::vector<float> v{3, 4, 5};
/// double n = wf::norm_p(wf::seq, v, 3);  // 6
/// ```
template <policy_like Policy, reducible_range Range>
double norm_p(const Policy& policy, const Range& range, double p) {
  if constexpr (detail::are_normed<Range>()) {
    detail::require_finite_power(p);
    return detail::root_of_powers{p}(
        transform_reduce(policy, range, plus{}, detail::magnitude_to_power{p}));
  } else {
    return 0;
  }
}

/// Writes `norm_1` to `*out`, without waiting.
///
/// @param policy,range,out as for `reduce_async`; the norm is converted to the type of `*out`
///
/// An empty range writes 0. Stream, order, cost and errors: as `reduce_async`.
///
/// ```cpp
/// std::vector<float> v{3, -4};
/// float s = 0;
/// wf::norm_1_async(wf::seq, v, &s);  // s is 7
/// ```
template <policy_like Policy, reducible_range Range, detail::result_target Out>
void norm_1_async(const Policy& policy, const Range& range, Out&& out) {
  if constexpr (detail::are_normed<Range>()) {
    transform_reduce_async(policy, range, plus{}, magnitude{}, static_cast<Out&&>(out));
  }
}

/// Writes `norm_2` to `*out`, without waiting: the thread that writes the result takes the root.
///
/// @param policy,range,out as for `reduce_async`; the norm is converted to the type of `*out`
/// @tparam SumOp that of the argument before `out`, if there is one, as for `norm_2`
///
/// An empty range writes 0. Stream, order, cost and errors: as `reduce_async`. With
/// `plus{}.exact()`, elements and cost are those of `norm_2`.
///
/// ```cpp
/// #include <warpfold/op/exact.hpp>
///
/// std::vector<double> v{3e300, 4e300};
/// double n = 0;
/// wf::norm_2_async(wf::seq, v, &n);  // n is 5e300
/// wf::norm_2_async(wf::seq, v, wf::plus{}.exact(), &n);  // n is 5e300
/// ```
template <policy_like Policy, reducible_range Range, class SumOp, detail::result_target Out>
  requires(!detail::is_form<1, Range, SumOp, Out> && !detail::projection_of<SumOp, Range>)
void norm_2_async(const Policy& policy, const Range& range, SumOp, Out&& out) {
  if constexpr (detail::are_squared_exactly<Range, SumOp>()) {
    reduce_async(policy, range, typename SumOp::squares_op{}, static_cast<Out&&>(out));
  }
}
template <policy_like Policy, reducible_range Range, detail::result_target Out>
void norm_2_async(const Policy& policy, const Range& range, Out&& out) {
  if constexpr (detail::are_normed<Range>()) {
    detail::enqueue_reduction(policy, range, squares_op{}, no_init{}, static_cast<Out&&>(out),
                              detail::root_of_squares{});
  }
}

/// Writes `norm_infinity` to `*out`, without waiting.
///
/// @param policy,range,out as for `reduce_async`; the norm is converted to the type of `*out`
///
/// An empty range writes 0. Stream, order, cost and errors: as `reduce_async`.
///
/// ```cpp
/// std::vector<float> v{3, -4};
/// float n = 0;
/// wf::norm_infinity_async(wf::seq, v, &n);  // n is 4
/// ```
template <policy_like Policy, reducible_range Range, detail::result_target Out>
void norm_infinity_async(const Policy& policy, const Range& range, Out&& out) {
  if constexpr (detail::are_normed<Range>()) {
    using Magnitude =
        decltype(magnitude{}(std::declval<const detail::reduced_t<view_of_t<Range>>&>()));
    if constexpr (detail::accumulates<std::remove_cvref_t<Out>>) {
      transform_reduce_async(policy, range, maximum{}, magnitude{}, static_cast<Out&&>(out));
    } else {
      transform_reduce_async(policy, range, Magnitude{0}, maximum{}, magnitude{},
                             static_cast<Out&&>(out));
    }
  }
}

/// Writes `norm_p` to `*out`, without waiting.
///
/// @param policy,range,out as for `reduce_async`; the norm is converted to the type of `*out`
/// @param p as for `norm_p`
/// @throws invalid_argument if `p` is not a finite number above 0; otherwise as `reduce_async`
///
/// An empty range writes 0. Cost: one read, and one `pow` for each element.
///
/// ```cpp
/// std::vector<float> v{3, 4, 5};
/// double n = 0;
/// wf::norm_p_async(wf::seq, v, 3, &n);  // n is 6
/// ```
template <policy_like Policy, reducible_range Range, detail::result_target Out>
void norm_p_async(const Policy& policy, const Range& range, double p, Out&& out) {
  if constexpr (detail::are_normed<Range>()) {
    detail::require_finite_power(p);
    detail::enqueue_reduction(policy, project(range, detail::magnitude_to_power{p}), plus{},
                              no_init{}, static_cast<Out&&>(out), detail::root_of_powers{p});
  }
}

WARPFOLD_PROJECTED_FORMS_OF_BOTH(norm_1, 0, 0, "policy, range")
WARPFOLD_PROJECTED_FORMS_OF_BOTH(norm_2, 0, 1, "policy, range")
WARPFOLD_PROJECTED_FORMS_OF_BOTH(norm_infinity, 0, 0, "policy, range")
WARPFOLD_PROJECTED_FORMS_OF_BOTH(norm_p, 1, 1, "policy, range, p")

}  // namespace warpfold
