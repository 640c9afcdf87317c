// The operations on groups of elements: segments, runs of keys, and rows along an axis.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include <warpfold/norm.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/complex.hpp>
#include <warpfold/op/complex_moments.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/op/exponential_sum.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/multiplies.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/op/with_finish.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>

#include "request.hpp"

namespace compiled {

/// The mean of a group. NaN without elements.
template <class Number>
struct mean_of {
  static constexpr bool is_of_sample() { return false; }

  Number operator()(const wf::moments& m) const {
    if (m.count == 0) return std::numeric_limits<Number>::quiet_NaN();
    return static_cast<Number>(m.mean);
  }
  template <class Moments>
  Number operator()(const Moments& m) const {
    const mean_of<typename Number::value_type> of_part;
    return {of_part(m.real), of_part(m.imag)};
  }
};

/// The variance of a group, or its root. NaN for too few elements.
template <class Real>
struct variance_of {
  warpfold_operation operation;

  bool is_of_sample() const {
    return operation == WARPFOLD_SAMPLE_VARIANCE || operation == WARPFOLD_SAMPLE_STDDEV;
  }
  double variance(const wf::moments& m) const {
    if (m.count < (is_of_sample() ? 2 : 1)) return std::numeric_limits<double>::quiet_NaN();
    return is_of_sample() ? m.sample_variance() : m.variance();
  }
  template <class Moments>
  double variance(const Moments& m) const {
    return variance(m.real) + variance(m.imag);
  }
  template <class Moments>
  Real operator()(const Moments& m) const {
    const double v = variance(m);
    const bool is_root = operation == WARPFOLD_STDDEV || operation == WARPFOLD_SAMPLE_STDDEV;
    return static_cast<Real>(is_root ? std::sqrt(v) : v);
  }
};

/// The same as with_group_operation for operations that need an order of the numbers. False for
/// another operation.
template <class T, class Real, class Then>
bool with_ordered_group_operation(warpfold_operation operation, const Then& then) {
  switch (operation) {
    case WARPFOLD_MINIMUM:
      then(wf::minimum{}, static_cast<T*>(nullptr));
      return true;
    case WARPFOLD_MAXIMUM:
      then(wf::maximum{}, static_cast<T*>(nullptr));
      return true;
    case WARPFOLD_ARGMIN:
      then(wf::arg(wf::minimum{}), static_cast<std::uint64_t*>(nullptr));
      return true;
    case WARPFOLD_ARGMAX:
      then(wf::arg(wf::maximum{}), static_cast<std::uint64_t*>(nullptr));
      return true;
    case WARPFOLD_LOG_SUM_EXP:
      then(wf::log_sum_exp_op{}, static_cast<Real*>(nullptr));
      return true;
    default:
      return false;
  }
}

/// Calls `then(op, results)` with the op and a null pointer to the type of its results. Throws if
/// there is none for the operation and elements of type `T`.
template <class T, class Then>
void with_group_operation(const request& r, const Then& then) {
  using wide = decltype(wf::sum(wf::par, std::span<const T>()));
  using real = decltype(wf::variance(wf::par, std::span<const T>()));
  using moments_op = std::conditional_t<wf::complex_number<T>,
                                        wf::complex_moments_op<wf::moments_op>, wf::moments_op>;
  if constexpr (!wf::complex_number<T>) {
    if (with_ordered_group_operation<T, real>(r.operation, then)) return;
  }
  switch (r.operation) {
    case WARPFOLD_SUM:
      return then(wf::plus{}, static_cast<wide*>(nullptr));
    case WARPFOLD_PRODUCT:
      return then(wf::multiplies{}, static_cast<wide*>(nullptr));
    case WARPFOLD_MEAN: {
      using mean = decltype(wf::mean(wf::par, std::span<const T>()));
      return then(wf::with_finish(moments_op{}, mean_of<mean>{}), static_cast<mean*>(nullptr));
    }
    case WARPFOLD_VARIANCE:
    case WARPFOLD_SAMPLE_VARIANCE:
    case WARPFOLD_STDDEV:
    case WARPFOLD_SAMPLE_STDDEV:
      return then(wf::with_finish(moments_op{}, variance_of<real>{r.operation}),
                  static_cast<real*>(nullptr));
    case WARPFOLD_NORM_2:
      return then(wf::norm_2_op{}, static_cast<double*>(nullptr));
    case WARPFOLD_EXACT_SUM:
      if constexpr (!std::is_integral_v<T>) {
        return then(wf::plus{}.exact(), static_cast<wide*>(nullptr));
      }
      [[fallthrough]];
    default:
      refuse_operation(r.call, r.operation, r.array.type);
  }
}

}  // namespace compiled
