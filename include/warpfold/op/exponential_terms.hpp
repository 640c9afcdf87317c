/// @file
/// The terms of a sum of exponentials, scaled by the greatest exponent of its group
/// (op/group_terms.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <warpfold/op/fold_order.hpp>
#include <warpfold/op/group_terms.hpp>
#include <warpfold/op/split_exponential.hpp>
#include <warpfold/op/traits.hpp>

namespace warpfold::detail {

/// The terms of `Op`, for `float` and 16-bit floats `T`: e^x times 2^-K, where K is the greatest
/// exponent of the group.
///
/// - Scaling is exact, and so the sums of terms are those of the merges times a power of two.
/// - The op folds groups with an element above 255.4 or NaN, and those without one above -138.
/// - Cost: a GPU of compute capability 9.0 executes about 24 instructions for an element. Chunks
///   with an element whose exponent is less than K - 90 take longer: their terms are not kept.
template <class Op, class T>
struct exponential_terms {
  static_assert(is_half_v<T> || std::is_same_v<T, float>);

  using node = double;

  static constexpr bool has_reference = true;
  static constexpr bool is_sum = true;

  /// The biased exponent of the greatest element. NaN is ignored, and small elements have that of
  /// `lowest`.
  WARPFOLD_ANY_SIDE
  template <int Count, class Element>
  static WARPFOLD_HD std::uint32_t reference_of(const Element& element) {
    float most = lowest;
    WARPFOLD_UNROLL
    for (int k = 0; k < Count; ++k) most = __builtin_fmaxf(most, static_cast<float>(element(k)));
    return split::of(most).biased;
  }

  /// If the exponent of the reference is from -200 to 368, every element that `split_exponential`
  /// does not admit is more than `most_apart` below it. 369 is also that of numbers above 256.
  static WARPFOLD_HD constexpr bool admits(std::uint32_t reference) {
    return reference - (split::bias - 200) <= 200 + 368;
  }

  WARPFOLD_ANY_SIDE
  template <int Count, class Element, class There, class Keep, class Lose>
  static WARPFOLD_HD double fold(const Element& element, const There& there, std::uint32_t most,
                                 const Keep& keep, const Lose& lose) {
    few<Count> kept;
    std::uint32_t farthest = 0;
    WARPFOLD_UNROLL
    for (int k = 0; k < Count; ++k) {
      const split e = split::of(static_cast<float>(element(k)));
      const float near_1 = exponential_near_1(e.remainder);
      const std::uint32_t distance = most - e.biased;
      farthest = farthest < distance ? distance : farthest;
      kept.of[k] = lowered(near_1, distance);
    }
    double sum;
    if (farthest > most_apart) [[unlikely]] {
      few<Count> x;
      WARPFOLD_UNROLL
      for (int k = 0; k < Count; ++k) x.of[k] = static_cast<float>(element(k));
      sum = fold_any(x, number_of<Count>(there), most);
      lose();
    } else {
      double terms[std::size_t{Count}] = {};
      WARPFOLD_UNROLL
      for (int k = 0; k < Count; ++k) terms[k] = exists(k, there) ? scaled(kept.of[k], 0) : 0;
      const auto add = [](double a, double b) { return a + b; };
      sum = fold_levels<std::size_t{Count}>(add, terms);
    }
    WARPFOLD_UNROLL
    for (int k = 0; k < Count; ++k) keep(k, kept.of[k]);
    return sum;
  }

  /// False if an element is NaN.
  template <class State>
  static WARPFOLD_HD constexpr bool set_state(State& state, double sum, unsigned,
                                              std::uint32_t most) {
    state = {sum, exponent_of<float>(most)};
    return sum < 0x1p100;
  }

 private:
  using split = split_exponential<float>;

  // A kept term and its product with the reciprocal of the sum must not be subnormal.
  static constexpr std::uint32_t most_apart = 90;
  static constexpr float lowest = -300;

  // near_1 * 2^-distance by its bits.
  static WARPFOLD_HD constexpr float lowered(float near_1, std::uint32_t distance) {
    return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, near_1) - (distance << 23));
  }

  // By value: then GPUs pass them in registers.
  template <int Count>
  struct few {
    float of[std::size_t{Count}];
  };

  template <int Count>
  WARPFOLD_NOINLINE static WARPFOLD_HD double fold_any(few<Count> x, unsigned there,
                                                       std::uint32_t most) {
    double terms[std::size_t{Count}] = {};
    WARPFOLD_NO_UNROLL
    for (int k = 0; k < Count; ++k) {
      if (static_cast<unsigned>(k) >= there) break;
      if (split::admits(x.of[k])) {
        const split e = split::of(x.of[k]);
        terms[k] = scaled(exponential_near_1(e.remainder), most - e.biased);
      } else {
        const auto e = Op{}.lift(x.of[k]);
        terms[k] = e.sum * power_of_half(exponent_of<float>(most) - e.exponent);
      }
    }
    const auto add = [](double a, double b) { return a + b; };
    return fold_levels<std::size_t{Count}>(add, terms);
  }
};

}  // namespace warpfold::detail
