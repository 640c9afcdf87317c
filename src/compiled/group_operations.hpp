// The operations on groups of elements: segments, runs of keys, and rows along an axis.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include <warpfold/norm.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/op/exponential_sum.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/multiplies.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/op/with_finish.hpp>
#include <warpfold/policy/par.hpp>

#include "request.hpp"

namespace compiled {

/// The mean or the variance of a group, or the root of the variance. NaN for too few elements.
template <class Real>
struct moment_of {
  warpfold_operation operation;

  bool is_of_sample() const {
    return operation == WARPFOLD_SAMPLE_VARIANCE || operation == WARPFOLD_SAMPLE_STDDEV;
  }
  Real operator()(const wf::moments& m) const {
    if (m.count < (is_of_sample() ? 2 : 1)) return std::numeric_limits<Real>::quiet_NaN();
    if (operation == WARPFOLD_MEAN) return static_cast<Real>(m.mean);
    const double variance = is_of_sample() ? m.sample_variance() : m.variance();
    const bool is_root = operation == WARPFOLD_STDDEV || operation == WARPFOLD_SAMPLE_STDDEV;
    return static_cast<Real>(is_root ? std::sqrt(variance) : variance);
  }
};

/// Calls `then(op, results)` with the op and a null pointer to the type of its results. Throws if
/// there is none for the operation and elements of type `T`.
template <class T, class Then>
void with_group_operation(const request& r, const Then& then) {
  using wide = decltype(wf::reduce(wf::par, std::span<const T>(), wf::plus{}));
  using real = std::conditional_t<std::is_same_v<T, float>, float, double>;
  switch (r.operation) {
    case WARPFOLD_SUM:
      return then(wf::plus{}, static_cast<wide*>(nullptr));
    case WARPFOLD_PRODUCT:
      return then(wf::multiplies{}, static_cast<wide*>(nullptr));
    case WARPFOLD_MINIMUM:
      return then(wf::minimum{}, static_cast<T*>(nullptr));
    case WARPFOLD_MAXIMUM:
      return then(wf::maximum{}, static_cast<T*>(nullptr));
    case WARPFOLD_ARGMIN:
      return then(wf::arg(wf::minimum{}), static_cast<std::uint64_t*>(nullptr));
    case WARPFOLD_ARGMAX:
      return then(wf::arg(wf::maximum{}), static_cast<std::uint64_t*>(nullptr));
    case WARPFOLD_MEAN:
    case WARPFOLD_VARIANCE:
    case WARPFOLD_SAMPLE_VARIANCE:
    case WARPFOLD_STDDEV:
    case WARPFOLD_SAMPLE_STDDEV:
      return then(wf::with_finish(wf::moments_op{}, moment_of<real>{r.operation}),
                  static_cast<real*>(nullptr));
    case WARPFOLD_NORM_2:
      return then(wf::norm_2_op{}, static_cast<double*>(nullptr));
    case WARPFOLD_LOG_SUM_EXP:
      return then(wf::log_sum_exp_op{}, static_cast<real*>(nullptr));
    case WARPFOLD_EXACT_SUM:
      if constexpr (std::is_floating_point_v<T>) {
        return then(wf::plus{}.exact(), static_cast<T*>(nullptr));
      }
      [[fallthrough]];
    default:
      refuse_operation(r.call, r.operation, r.array.type);
  }
}

}  // namespace compiled
