/// @file
/// Ops that find places in a range by a function of the caller: the extremum by a comparison, the
/// first difference of two ranges, and the bound of a partition.
#pragma once

#include <cstddef>

#include <warpfold/core/callable.hpp>
#include <warpfold/op/arg_by.hpp>
#include <warpfold/view/transform.hpp>

namespace warpfold::detail {

/// Returns the op that finds the least element by the comparison `before`, or the greatest one, and
/// its index. Of equivalent elements it finds the first.
template <bool IsGreatest, class Before>
constexpr auto extremum_by(const Before& before) {
  if constexpr (IsGreatest) {
    return arg_by(exchanged<Before>{before});
  } else {
    return arg_by(before);
  }
}

/// Adds +0, which turns -0 to +0: they are equivalent in the order of `<`, but not in that of
/// `arg`.
struct equal_zeros {
  static constexpr bool is_cheap = true;  // view/transform.hpp

  template <class T>
  WARPFOLD_HD constexpr T operator()(const T& x) const {
    return x + T{0};
  }
};

/// The elements that `Op` compares: those of `view`, or numbers with one zero.
template <class Op, view View>
auto compared_elements(const View& view) {
  constexpr bool orders_zeros =
      std::is_same_v<Op, arg_op<minimum>> || std::is_same_v<Op, arg_op<maximum>>;
  if constexpr (orders_zeros && std::is_floating_point_v<typename View::value_type>) {
    return transform_view<View, equal_zeros>(view, {});
  } else {
    return view;
  }
}

/// The index of a pair that a predicate refuses, else the greatest index. Called with tuples of two
/// elements and their index; the minimum is the place of the first difference.
template <class Predicate>
struct place_if_refused {
  Predicate is;

  WARPFOLD_ANY_SIDE
  template <class Triple>
  WARPFOLD_HD constexpr std::size_t operator()(const Triple& t) const {
    return static_cast<bool>(call(is, get<0>(t), get<1>(t))) ? ~std::size_t{0} : get<2>(t);
  }
#if defined(__CUDACC__)
  template <class Triple>
  WARPFOLD_DEVICE void name_user_functions(const Triple& t) const {
    name_call_as<bool>(is, get<0>(t), get<1>(t));
  }
#endif
};

/// The index of the first element that a predicate refuses, and of the last one that it accepts.
struct partition_bounds {
  std::size_t first_refused;
  std::size_t last_accepted;
};

/// Folds the answers of a predicate to `partition_bounds`. `finish` returns true if no accepted
/// element follows a refused one. Both bounds of the identity hold for a range without such an
/// element.
struct is_partition {
  template <class T>
  using accumulator = T;

  WARPFOLD_HD constexpr partition_bounds lift(bool accepted, std::size_t i) const {
    return accepted ? partition_bounds{~std::size_t{0}, i} : partition_bounds{i, 0};
  }
  WARPFOLD_HD constexpr partition_bounds identity() const { return {~std::size_t{0}, 0}; }
  WARPFOLD_HD constexpr partition_bounds operator()(const partition_bounds& a,
                                                    const partition_bounds& b) const {
    return {b.first_refused < a.first_refused ? b.first_refused : a.first_refused,
            b.last_accepted > a.last_accepted ? b.last_accepted : a.last_accepted};
  }
  WARPFOLD_HD constexpr bool finish(const partition_bounds& b) const {
    return b.last_accepted <= b.first_refused;
  }
};

}  // namespace warpfold::detail
