// Folds along one axis of an array of any strides.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <warpfold/op/arg.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/op/exponential_sum.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/multiplies.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/reduce_axis.hpp>

#include "request.hpp"

namespace compiled {

/// An array of eight dimensions, as the headers take it: the folded axis is the last one, and the
/// first ones may have an extent of 1.
template <class T>
struct array_of_8 {
  using element_type = const T;
  using data_handle_type = const T*;
  using reference = const T&;
  struct strides {
    const array_of_8* of;
    std::size_t stride(int d) const { return of->stride_of[d]; }
  };

  const T* data;
  std::size_t extent_of[8];
  std::size_t stride_of[8];

  explicit array_of_8(const request& r) : data(static_cast<const T*>(r.array.data)) {
    int to = 7 - r.rank;
    for (int d = 0; d <= to; ++d) {
      extent_of[d] = 1;
      stride_of[d] = 0;
    }
    const auto put = [&](int place, int d) {
      extent_of[place] = r.extents[d];
      stride_of[place] = r.strides[d];
    };
    for (int d = 0; d < r.rank; ++d) {
      if (d != r.axis) put(++to, d);
    }
    put(7, r.axis);
  }

  static constexpr int rank() { return 8; }
  static constexpr bool is_always_strided() { return true; }
  static constexpr bool is_always_exhaustive() { return false; }
  data_handle_type data_handle() const { return data; }
  strides mapping() const { return {this}; }
  std::size_t extent(int d) const { return extent_of[d]; }
  std::size_t results() const {
    std::size_t n = 1;
    for (int d = 0; d < 7; ++d) n *= extent_of[d];
    return n;
  }
};

template <class T>
void reduce_axis(const request& r) {
  const array_of_8<T> array(r);
  const std::size_t n = array.results();
  const auto fold = [&]<class Result>(const auto& op, Result*) {
    wf::reduce_axis<7>(wf::par, array, op, std::span<Result>(static_cast<Result*>(r.result), n));
  };
  // What `finish` makes of the moments of each result.
  const auto moments = [&](const auto& finish) {
    using real = std::conditional_t<std::is_same_v<T, float>, float, double>;
    const bool of_sample =
        r.operation == WARPFOLD_SAMPLE_VARIANCE || r.operation == WARPFOLD_SAMPLE_STDDEV;
    if (array.extent_of[7] < (of_sample ? 2 : 1)) {
      wf::throw_error<wf::empty_range>("warpfold: an axis of extent ", array.extent_of[7],
                                       " has no mean or variance", of_sample ? " of a sample" : "");
    }
    std::vector<wf::moments> all(n);
    wf::reduce_axis<7>(wf::par, array, wf::moments_op{}, std::span<wf::moments>(all));
    auto* const to = static_cast<real*>(r.result);
    for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<real>(finish(all[i]));
  };
  if (array.extent_of[7] == 0 &&
      (r.operation == WARPFOLD_ARGMIN || r.operation == WARPFOLD_ARGMAX)) {
    wf::throw_error<wf::empty_range>("warpfold: an axis of extent 0 has no index of an extremum");
  }
  using wide = decltype(wf::reduce(wf::par, std::span<const T>(), wf::plus{}));
  switch (r.operation) {
    case WARPFOLD_SUM:
      return fold(wf::plus{}, static_cast<wide*>(nullptr));
    case WARPFOLD_PRODUCT:
      return fold(wf::multiplies{}, static_cast<wide*>(nullptr));
    case WARPFOLD_MINIMUM:
      return fold(wf::minimum{}, static_cast<T*>(nullptr));
    case WARPFOLD_MAXIMUM:
      return fold(wf::maximum{}, static_cast<T*>(nullptr));
    case WARPFOLD_ARGMIN:
      return fold(wf::arg(wf::minimum{}), static_cast<std::uint64_t*>(nullptr));
    case WARPFOLD_ARGMAX:
      return fold(wf::arg(wf::maximum{}), static_cast<std::uint64_t*>(nullptr));
    case WARPFOLD_MEAN:
      return moments([](const wf::moments& m) { return m.mean; });
    case WARPFOLD_VARIANCE:
      return moments([](const wf::moments& m) { return m.variance(); });
    case WARPFOLD_SAMPLE_VARIANCE:
      return moments([](const wf::moments& m) { return m.sample_variance(); });
    case WARPFOLD_STDDEV:
      return moments([](const wf::moments& m) { return std::sqrt(m.variance()); });
    case WARPFOLD_SAMPLE_STDDEV:
      return moments([](const wf::moments& m) { return std::sqrt(m.sample_variance()); });
    case WARPFOLD_LOG_SUM_EXP: {
      using real = std::conditional_t<std::is_same_v<T, float>, float, double>;
      return fold(wf::log_sum_exp_op{}, static_cast<real*>(nullptr));
    }
    case WARPFOLD_EXACT_SUM:
      if constexpr (std::is_floating_point_v<T>) {
        return fold(wf::plus{}.exact(), static_cast<T*>(nullptr));
      }
      [[fallthrough]];
    default:
      refuse_operation("warpfold_reduce_axis", r.operation, r.array.type);
  }
}

}  // namespace compiled
