/// @file
/// Layer norm and RMS norm of rows and segments: ops whose result is the function that normalizes
/// an element, for `transform_axis` and `transform_segments`.
///
/// Source: J. Ba, J. Kiros, G. Hinton, "Layer Normalization", 2016; B. Zhang, R. Sennrich, "Root
/// Mean Square Layer Normalization", 2019.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include <warpfold/op/fold_order.hpp>
#include <warpfold/op/group_terms.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/squares.hpp>
#include <warpfold/op/traits.hpp>

namespace warpfold {

/// The function that normalizes the elements of one row: `normalization(center, scale)(x)` returns
/// (x - `center`) * `scale`.
///
/// - Result: a `float` for `float` and 16-bit floats, otherwise a `double`. It has the same bits on
///   hosts and GPUs.
/// - Error: at most 3 roundings of a `float` and that of `center` in `double`, or 2 roundings of a
///   `double`.
/// - Cost: a `float` element takes two subtractions and one product.
class normalization {
 public:
  normalization() = default;

  WARPFOLD_HD constexpr normalization(double center, double scale)
      : center_(center),
        scale_(scale),
        high_(static_cast<float>(center)),
        low_(remainder(center, high_)),
        short_scale_(static_cast<float>(scale)) {}

  WARPFOLD_HD constexpr double center() const { return center_; }
  WARPFOLD_HD constexpr double scale() const { return scale_; }

  /// (x - center) * scale.
  template <class T>
    requires is_number_v<T>
  WARPFOLD_HD constexpr auto operator()(const T& x) const {
    if constexpr (is_half_v<T> || std::is_same_v<T, float>) {
      return ((static_cast<float>(x) - high_) - low_) * short_scale_;
    } else {
      return (static_cast<double>(x) - center_) * scale_;
    }
  }

 private:
  // The center may be infinite, or too large for a `float`.
  static WARPFOLD_HD constexpr float remainder(double center, float high) {
    const double low = center - static_cast<double>(high);
    return low < 0x1p110 && low > -0x1p110 ? static_cast<float>(low) : 0;
  }

  double center_, scale_;
  float high_, low_, short_scale_;
};

/// `moments_op` whose result is the layer norm of an element: a `normalization` by the mean and the
/// variance of the row, (x - mean) / sqrt(variance + `epsilon`).
///
/// - Rows without elements normalize nothing. With an `epsilon` of 0, equal elements give NaN.
/// - Order, error and cost: as `moments_op`, and for each row a root and a division in `double`.
///
/// ```cuda
/// #include <cuda/std/mdspan>
/// #include <warpfold/transform_axis.hpp>
///
/// const std::vector<float> v{1, 3, 10, 30};
/// const cuda::std::mdspan<const float, cuda::std::dextents<int, 2>> m(v.data(), 2, 2);
/// std::vector<float> out(4);
/// wf::transform_axis<1>(wf::seq, m, wf::layer_norm_op{0}, out);  // -1, 1, -1, 1
/// ```
struct layer_norm_op : moments_op {
  using exactly = layer_norm_op;

  double epsilon = 1e-5;

  constexpr layer_norm_op() = default;
  WARPFOLD_HD constexpr explicit layer_norm_op(double added) : epsilon(added) {}

  WARPFOLD_HD constexpr const moments_op& unfinished() const { return *this; }

  WARPFOLD_HD normalization finish(const moments& row) const {
    return {row.mean, 1 / std::sqrt(row.variance() + epsilon)};
  }
};

/// The number of some elements, and the sum of their squares.
struct square_sum {
  double count;
  double squares;

  friend WARPFOLD_HD constexpr bool operator==(const square_sum& a, const square_sum& b) {
    return a.count == b.count && a.squares == b.squares;
  }
};

/// Adds squares in `double`, and counts. Its result is the RMS norm of an element: a
/// `normalization` without a center, x / sqrt(mean of the squares + `epsilon`).
///
/// - Rows without elements normalize nothing. Squares of doubles beyond 1e154 overflow: their row
///   becomes 0.
/// - Order: as for `reduce`. Identity: no elements.
/// - Error: at most log2 n + 1 roundings of `double` for the sum of n squares.
/// - Cost: a state of 16 bytes, and for each row a root and two divisions in `double`.
///
/// ```cpp
/// #include <warpfold/transform_segments.hpp>
///
/// std::vector<float> v{3, 3, 1, 7};
/// std::vector<int> offsets{0, 2, 4};
/// wf::transform_segments(wf::seq, v, offsets, wf::rms_norm_op{0}, v);  // 1, 1, 0.2, 1.4
/// ```
struct rms_norm_op {
  using exactly = rms_norm_op;

  double epsilon = 1e-5;

  constexpr rms_norm_op() = default;
  WARPFOLD_HD constexpr explicit rms_norm_op(double added) : epsilon(added) {}

  template <class>
  using accumulator = square_sum;

  template <class T>
    requires is_number_v<T>
  WARPFOLD_HD constexpr square_sum lift(const T& x) const {
    return {1, squares_op::square{}(x)};
  }
  template <std::same_as<square_sum> State>
  WARPFOLD_HD constexpr State identity() const {
    return {0, 0};
  }
  WARPFOLD_HD constexpr square_sum operator()(const square_sum& a, const square_sum& b) const {
    return {a.count + b.count, a.squares + b.squares};
  }

  /// A node without its count (op/group_terms.hpp).
  template <class T>
    requires is_number_v<T>
  struct group_terms {
    using node = double;

    static constexpr bool has_reference = false;
    static constexpr bool is_sum = true;

    WARPFOLD_ANY_SIDE
    template <int Count, class Element, class There>
    static WARPFOLD_HD constexpr double fold(const Element& element, const There& there) {
      const auto add = [](double a, double b) { return a + b; };
      double squares[std::size_t{Count}] = {};
      WARPFOLD_UNROLL
      for (int k = 0; k < Count; ++k) {
        squares[k] = detail::exists(k, there) ? squares_op::square{}(element(k)) : 0;
      }
      return detail::fold_levels<std::size_t{Count}>(add, squares);
    }
    static WARPFOLD_HD constexpr bool set_state(square_sum& state, double squares, unsigned count,
                                                unsigned) {
      state = {static_cast<double>(count), squares};
      return true;
    }
  };

  /// Folds `Count` neighbors (`folds_neighbors`, op/lift.hpp): their number is known.
  WARPFOLD_ANY_SIDE
  template <int Count, class Element, class Lifted>
  WARPFOLD_HD constexpr square_sum fold_neighbors(const Element& element, const Lifted&) const {
    using T = std::remove_cvref_t<decltype(element(0))>;
    return {Count, group_terms<T>::template fold<Count>(element, detail::all_terms{})};
  }

  WARPFOLD_HD normalization finish(const square_sum& row) const {
    return {0, 1 / std::sqrt(row.squares / row.count + epsilon)};
  }
};

template <>
inline constexpr bool never_compares<layer_norm_op> = true;
template <>
inline constexpr bool never_compares<rms_norm_op> = true;

}  // namespace warpfold
