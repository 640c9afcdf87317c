/// @file
/// Combines the values of a warp in the declared order (op/fold_order.hpp). A warp that loads 16
/// bytes per lane holds rows of 32 words: neighbors in memory are neighbors among the lanes, and
/// the rows follow each other. So first the lanes of each row are combined and then the rows.
///
/// - Idea: lanes that combine several rows exchange halves. In the first step lane k and lane k ^ 1
///   have `Rows` pairs to combine; each sends the other one half of its rows and combines the other
///   half. After `log Rows` such steps a lane has one value, of one row, and the rest takes five
///   shuffles. Eight rows take 4 + 2 + 1 + 5 shuffles instead of 8 * 5.
/// - The last value of a level may have no neighbor: then it moves up unchanged. So `there`, the
///   number of values, decides, and no value needs a mark or an identity.
/// - A fold may have `apply_sized(left, m, right, n)` in place of `apply(left, right)`: of nodes of
///   `m` and `n` values.
#pragma once

#include <type_traits>
#include <utility>

#include <warpfold/collective/shuffle.hpp>
#include <warpfold/view/chunk.hpp>

namespace warpfold::collective {

namespace detail {

// A class: in the declaration of a device function Clang does not find std::declval.
template <class Fold>
struct value_of_fold {
  using type = std::remove_cvref_t<decltype(std::declval<const Fold&>().value(
      std::declval<const typename Fold::state&>()))>;
};

}  // namespace detail

/// The type of the values that a fold combines.
template <class Fold>
using value_of = typename detail::value_of_fold<Fold>::type;

/// Pass it instead of a number of values if all exist: it saves the comparisons.
struct all_values {};
/// Pass it instead of a number of lanes: 32, which the compiler then knows.
struct all_lanes {};

namespace detail {

WARPFOLD_DEVICE constexpr bool exists(unsigned value, unsigned there) { return value < there; }
WARPFOLD_DEVICE constexpr bool exists(unsigned, all_values) { return true; }

WARPFOLD_DEVICE constexpr unsigned number_of(unsigned lanes) { return lanes; }
WARPFOLD_DEVICE constexpr unsigned number_of(all_lanes) { return warp_size; }

// The number of values of a node that starts with value `first`, if the nodes of its level have
// `span` values.
WARPFOLD_DEVICE constexpr unsigned values_of_node(unsigned span, unsigned first, unsigned there) {
  return there - first < span ? there - first : span;
}
WARPFOLD_DEVICE constexpr unsigned values_of_node(unsigned span, unsigned, all_values) {
  return span;
}

// The fold of two neighboring nodes, of which `right` starts with value `first`.
template <class Fold, class A, class There>
WARPFOLD_DEVICE A folded_pair(const Fold& fold, const A& left, const A& right, unsigned span,
                              unsigned first, const There& there) {
  if constexpr (requires { fold.apply_sized(left, span, right, span); }) {
    return fold.apply_sized(left, span, right, values_of_node(span, first, there));
  } else {
    return fold.apply(left, right);
  }
}

}  // namespace detail

/// Combines the values of the first `there` lanes of a group, at least one. Valid in its first
/// lane. `lane` is the number of a lane in its group. The groups of a warp may differ in `there`;
/// `most` is at least the greatest. All lanes of the warp call it with the same `most`.
template <class Fold, class A>
WARPFOLD_DEVICE A fold_lanes(const Fold& fold, A value, unsigned there, unsigned most,
                             unsigned lane) {
  WARPFOLD_NO_UNROLL
  for (unsigned apart = 1; apart < most; apart *= 2) {
    const A right = shuffle_down(value, apart);
    if (lane + apart < there) {
      value = detail::folded_pair(fold, value, right, apart, lane + apart, there);
    }
  }
  return value;
}

/// Combines the values of lanes 0 to `there - 1`; `there` is at least 1.
///
/// Result: valid in lane 0. All lanes call it, with the same `there`; one step per doubling of it.
template <class Fold, class A>
WARPFOLD_DEVICE A fold_lanes(const Fold& fold, const A& value, unsigned there) {
  return fold_lanes(fold, value, there, there, threadIdx.x % warp_size);
}

namespace detail {

// The lanes k and k ^ `Apart` combine `Rows` rows of `lanes` values; each keeps the half that
// starts at `row`.
template <unsigned Apart, int Rows, class Fold, class A, class There, class Lanes>
WARPFOLD_DEVICE A fold_exchanged(const Fold& fold, const chunk<A, Rows>& values, unsigned row,
                                 const There& there, const Lanes& of_group) {
  const unsigned lanes = number_of(of_group), lane = threadIdx.x & (lanes - 1);
  if constexpr (Rows == 1) {
    // Now the bits of a lane's number from `Apart` on select a part of a row. The bits below select
    // the row; the lowest of them selects the half of the rows.
    A value = values.elements[0];
    const unsigned first = row * lanes + lane / Apart * Apart;
    WARPFOLD_UNROLL
    for (unsigned apart = Apart; apart < lanes; apart *= 2) {
      const A right = shuffle_down(value, apart);
      if (exists(first + apart, there)) {
        value = folded_pair(fold, value, right, apart, first + apart, there);
      }
    }
    WARPFOLD_UNROLL
    for (unsigned apart = Apart / 2; apart > 0; apart /= 2) {
      const A right = shuffle_down(value, apart);
      const unsigned rows = Apart / 2 / apart, next = (row + rows) * lanes;
      if (exists(next, there)) {
        value = folded_pair(fold, value, right, rows * lanes, next, there);
      }
    }
    return value;
  } else {
    constexpr int half = Rows / 2;
    const bool is_right = (lane & Apart) != 0;
    if (is_right) row += half;
    const unsigned first = row * lanes + (lane / Apart | 1) * Apart;  // of the right lane
    chunk<A, half> folded;
    WARPFOLD_UNROLL
    for (int i = 0; i < half; ++i) {
      // Copies: a selected reference would be an address, and the values would leave the registers.
      const A lower = values.elements[i];
      const A upper = values.elements[i + half];
      const A own = is_right ? A(upper) : A(lower);
      const A other = shuffle_xor(is_right ? A(lower) : A(upper), Apart);
      A left = is_right ? A(other) : A(own);
      const A right = is_right ? A(own) : A(other);
      const unsigned next = first + static_cast<unsigned>(i) * lanes;
      if (exists(next, there)) left = folded_pair(fold, left, right, Apart, next, there);
      folded.set(i, left);
    }
    return fold_exchanged<Apart * 2, half>(fold, folded, row, there, of_group);
  }
}

}  // namespace detail

/// Combines `Rows` rows of `lanes` values in each group of `lanes` lanes, a power of two from
/// `Rows` on: value `row * lanes + lane` is element `row` of that lane. The first `there` take
/// part, at least one, or `all_values`. The others must be valid values: the op may combine them.
/// Valid in the first lane of a group. All lanes of the warp call it.
/// @tparam Rows a power of two up to 32
template <int Rows, class Fold, class A, class There, class Lanes>
WARPFOLD_DEVICE A fold_rows_of(const Fold& fold, const chunk<A, Rows>& values, const There& there,
                               const Lanes& lanes) {
  static_assert((Rows & (Rows - 1)) == 0 && Rows <= 32);
  return detail::fold_exchanged<1, Rows>(fold, values, 0, there, lanes);
}
/// The same for rows of all 32 lanes.
template <int Rows, class Fold, class A, class There>
WARPFOLD_DEVICE A fold_rows(const Fold& fold, const chunk<A, Rows>& values, const There& there) {
  return fold_rows_of<Rows>(fold, values, there, all_lanes{});
}

}  // namespace warpfold::collective
