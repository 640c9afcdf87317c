// Folds along one axis of an array of any strides.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include <warpfold/policy/par.hpp>
#include <warpfold/reduce_axis.hpp>

#include "group_operations.hpp"
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
  with_group_operation<T>(r, [&]<class Op, class Result>(const Op& op, Result*) {
    const std::size_t extent = array.extent_of[7];
    if (extent == 0 && (r.operation == WARPFOLD_ARGMIN || r.operation == WARPFOLD_ARGMAX)) {
      wf::throw_error<wf::empty_range>("warpfold: an axis of extent 0 has no index of an extremum");
    }
    if constexpr (requires { op.function.is_of_sample(); }) {
      const bool of_sample = op.function.is_of_sample();
      if (extent < (of_sample ? 2 : 1)) {
        wf::throw_error<wf::empty_range>("warpfold: an axis of extent ", extent,
                                         " has no mean or variance",
                                         of_sample ? " of a sample" : "");
      }
    }
    const std::span<Result> results(static_cast<Result*>(r.result), array.results());
    wf::reduce_axis<7>(wf::par, array, op, results);
  });
}

}  // namespace compiled
