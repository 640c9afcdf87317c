/// @file
/// Ops of the fuzzer, one struct each: `op()`, the type `reference` for a projection's results, and
/// `takes(x)`, whether the fuzzer may fold the number. It may if no order of folding leaves the
/// bounds that the reference allows.
#pragma once

#include <warpfold/norm.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/arg_by.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/op/exponential_sum.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/moments_to_4.hpp>
#include <warpfold/op/normalization.hpp>
#include <warpfold/op/softmax.hpp>
#include <warpfold/reduce.hpp>

#include "contract/order_certificate.hpp"
#include "fuzz/references.hpp"

namespace fuzz {

struct all_numbers {
  template <class N>
  static bool takes(const N&) {
    return true;
  }
};
/// No partial sum overflows. NaN and infinity are allowed: they give the same result in any order.
struct summable_numbers {
  template <class N>
  static bool takes(const N& x) {
    if constexpr (std::is_integral_v<N>) return true;
    return !(std::fabs(exactly(x)) > 1e12L) || std::isinf(exactly(x));
  }
};
struct finite_numbers {
  template <class N>
  static bool takes(const N& x) {
    if constexpr (std::is_integral_v<N>) return true;
    return std::fabs(exactly(x)) < 1e12L;
  }
};
/// Odd integers, so that no factor disappears from a product; nonzero floating-point numbers.
struct factors {
  template <class N>
  static bool takes(const N& x) {
    if constexpr (std::is_integral_v<N>) return x % 2 != 0;
    return std::fabs(exactly(x)) < 1e6L && std::fabs(exactly(x)) > 1e-6L;
  }
};

template <class T>
using sum_reference =
    std::conditional_t<std::is_integral_v<number_t<T>>, wrapped_reference<number_t<T>, false>,
                       rounded_sum_reference<number_t<T>, false>>;

struct plus : summable_numbers {
  static auto op() { return wf::plus{}; }
  template <class T>
  using reference = by_parts<T, sum_reference<T>>;
};
template <class T>
struct product_reference
    : std::conditional_t<parts<T>::count == 2, complex_product_reference<T>,
                         std::conditional_t<std::is_integral_v<T>, wrapped_reference<T, true>,
                                            rounded_product_reference<T>>> {};
struct multiplies : factors {
  static auto op() { return wf::multiplies{}; }
  template <class T>
  using reference = product_reference<T>;
};
struct minimum : all_numbers {
  static auto op() { return wf::minimum{}; }
  template <class T>
  using reference = extremum_reference<T, true>;
};
struct maximum : all_numbers {
  static auto op() { return wf::maximum{}; }
  template <class T>
  using reference = extremum_reference<T, false>;
};
struct nan_minimum : all_numbers {
  static auto op() { return wf::minimum{}.ignoring_nan(); }
  template <class T>
  using reference = extremum_reference<T, true, true>;
};
struct nan_maximum : all_numbers {
  static auto op() { return wf::maximum{}.ignoring_nan(); }
  template <class T>
  using reference = extremum_reference<T, false, true>;
};
struct arg_minimum : all_numbers {
  static auto op() { return wf::arg(wf::minimum{}); }
  template <class T>
  using reference = extremum_reference<T, true>;
};
struct arg_maximum : all_numbers {
  static auto op() { return wf::arg(wf::maximum{}); }
  template <class T>
  using reference = extremum_reference<T, false>;
};
struct arg_nan_maximum : all_numbers {
  static auto op() { return wf::arg(wf::maximum{}.ignoring_nan()); }
  template <class T>
  using reference = extremum_reference<T, false, true>;
};
struct last_minimum : all_numbers {
  static auto op() { return wf::arg(wf::minimum{}).last(); }
  template <class T>
  using reference = extremum_reference<T, true, false, true>;
};
struct last_maximum : all_numbers {
  static auto op() { return wf::arg(wf::maximum{}).last(); }
  template <class T>
  using reference = extremum_reference<T, false, false, true>;
};
/// A comparison that takes numbers other than NaN.
struct descending {
  template <class T>
  WARPFOLD_HD bool operator()(const T& a, const T& b) const {
    return b < a;
  }
};
struct arg_by_descending : finite_numbers {
  static auto op() { return wf::arg_by(descending{}); }
  template <class T>
  using reference = greatest_reference<T>;
};
struct bit_and : all_numbers {
  static auto op() { return wf::bit_and{}; }
  template <class T>
  using reference = bits_reference<T, bits::both>;
};
struct bit_or : all_numbers {
  static auto op() { return wf::bit_or{}; }
  template <class T>
  using reference = bits_reference<T, bits::either>;
};
struct bit_xor : all_numbers {
  static auto op() { return wf::bit_xor{}; }
  template <class T>
  using reference = bits_reference<T, bits::odd>;
};
struct logical_and : all_numbers {
  static auto op() { return wf::logical_and{}; }
  template <class T>
  using reference = truth_reference<T, true>;
};
struct logical_or : all_numbers {
  static auto op() { return wf::logical_or{}; }
  template <class T>
  using reference = truth_reference<T, false>;
};
struct moments : finite_numbers {
  static auto op() { return wf::moments_op{}; }
  template <class T>
  using reference = moments_reference<T>;
};
struct log_sum_exp : all_numbers {
  static auto op() { return wf::log_sum_exp_op{}; }
  template <class T>
  using reference = log_sum_exp_reference<T>;
};
struct moments_to_4 : finite_numbers {
  static auto op() { return wf::moments_to_4_op{}; }
  template <class T>
  using reference = moments_to_4_reference<T>;
};
struct compensated : summable_numbers {
  static auto op() { return wf::plus{}.compensated(); }
  template <class T>
  using reference = rounded_sum_reference<T, true>;
};
struct exact : summable_numbers {
  static auto op() { return wf::plus{}.exact(); }
  template <class T>
  using reference = by_parts<T, nearest_sum_reference<number_t<T>>>;
};
struct exact_to_double : exact {
  static auto op() { return wf::plus{}.exact<double>(); }
};
struct exact_squares : summable_numbers {
  static auto op() { return wf::exact_squares_op<double>{}; }
  template <class T>
  using reference = nearest_root_reference<T>;
};
struct exact_moments : finite_numbers {
  static auto op() { return wf::exact_moments_op<wf::exact_moments>{}; }
  template <class T>
  using reference = nearest_moments_reference<T>;
};
struct squares : summable_numbers {
  static auto op() { return wf::squares_op{}; }
  template <class T>
  using reference = squares_reference<T>;
};
struct norm : summable_numbers {
  static auto op() { return wf::norm_2_op{}; }
  template <class T>
  using reference = norm_reference<T>;
};
struct min_max : all_numbers {
  static auto op() { return wf::all(wf::minimum{}, wf::maximum{}); }
  template <class T>
  using reference = all_of_them<extremum_reference<T, true>, extremum_reference<T, false>>;
};
struct sum_min_argmax : summable_numbers {
  static auto op() { return wf::all(wf::plus{}, wf::minimum{}, wf::arg(wf::maximum{})); }
  template <class T>
  using reference =
      all_of_them<plus::reference<T>, extremum_reference<T, true>, extremum_reference<T, false>>;
};
struct moments_argmin_or : finite_numbers {
  static auto op() { return wf::all(wf::moments_op{}, wf::arg(wf::minimum{}), wf::logical_or{}); }
  template <class T>
  using reference =
      all_of_them<moments_reference<T>, extremum_reference<T, true>, truth_reference<T, false>>;
};

/// Two folds are equal only if their trees are. The projection's results are mixed, because those
/// of neighbors can be equal.
struct lifted_hash {
  template <class N>
  WARPFOLD_HD std::uint64_t lift(const N& x) const {
    return static_cast<std::uint64_t>(x) * 0xbf58476d1ce4e5b9 + 1;
  }
  WARPFOLD_HD std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    return test::ordered_hash{}(a, b);
  }
};
struct ordered_hash : all_numbers {
  static auto op() { return lifted_hash{}; }
  template <class T>
  using reference = tree_reference<T, lifted_hash>;
};

// --- whose result is a function of elements
// -------------------------------------------------------

/// For normalize_axis and normalize_segments. `function` is its reference.
struct softmax : all_numbers {
  static auto op() { return wf::softmax_op{}; }
  using function = softmax_function;
};
struct log_softmax : all_numbers {
  static auto op() { return wf::log_softmax_op{}; }
  using function = log_softmax_function;
};
struct layer_norm : all_numbers {
  static auto op() { return wf::layer_norm_op{}; }
  using function = layer_norm_function;
};
struct rms_norm : all_numbers {
  static auto op() { return wf::rms_norm_op{}; }
  using function = rms_norm_function;
};

// --- the user's own ------------------------------------------------------------------------------

/// A sum in the element's type; no identity.
struct add_plainly {
  template <class T>
  WARPFOLD_HD T operator()(const T& a, const T& b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<unsigned long long>(a) +
                            static_cast<unsigned long long>(b));
    } else {
      return a + b;
    }
  }
};
struct own_plus : plus {
  static auto op() { return add_plainly{}; }
};
struct own_plus_with_identity : plus {
  static auto op() { return wf::with_identity(add_plainly{}, 0); }
};

/// No identity.
struct greater_of {
  template <class T>
  WARPFOLD_HD T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
struct own_maximum : finite_numbers {
  static auto op() { return greater_of{}; }
  template <class T>
  using reference = greatest_reference<T>;
};

/// Its call operator is not const: each call gets a copy.
struct changing_greater_of {
  int calls = 0;
  template <class T>
  WARPFOLD_HD T operator()(const T& a, const T& b) {
    return ++calls != 1 ? T{} : greater_of{}(a, b);
  }
};
struct own_changing_maximum : own_maximum {
  static auto op() { return changing_greater_of{}; }
};

/// The same by a lambda of the part's own, which sets `value`.
template <class Own, class Lambda>
struct by_lambda : Own {
  static inline const Lambda* value = nullptr;
  static auto op() { return *value; }
};
template <class Own, class Lambda>
struct by_lambda_with_identity : by_lambda<Own, Lambda> {
  static auto op() { return wf::with_identity(*by_lambda<Own, Lambda>::value, 0); }
};

}  // namespace fuzz
