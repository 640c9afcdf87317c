/// @file
/// `exact_sum`: a sum of floating-point numbers without rounding, as a vector of integers.
///
/// Source: U. Kulisch's long accumulator, with words that carry late, as in R. Neal, "Fast Exact
/// Summation Using Small and Large Superaccumulators", 2015.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <warpfold/core/config.hpp>

namespace warpfold {

namespace detail {

// The bits of an IEEE 754 number.
template <class T>
struct float_format {
  static constexpr bool is_double = std::is_same_v<T, double>;
  using bits = std::conditional_t<is_double, std::uint64_t, std::uint32_t>;
  static constexpr int digits = std::numeric_limits<T>::digits;  // 24 or 53
  static constexpr int fraction_bits = digits - 1;
  static constexpr int width = is_double ? 64 : 32;
  // The exponent of the last digit of the least number, 2^-149 or 2^-1074.
  static constexpr int least_exponent = std::numeric_limits<T>::min_exponent - digits;
  static constexpr bits sign_bit = bits{1} << (width - 1);
  static constexpr bits fraction_mask = (bits{1} << fraction_bits) - 1;
  static constexpr bits infinity = (sign_bit - 1) & ~fraction_mask;
};

}  // namespace detail

/// The exact sum of numbers of type `T`, which may be added in any order and number.
///
/// It is a fixed-point number that holds every finite `T`, and sums of up to 2^63 of them. Its
/// memory is `word_count` signed integers, and the sum of two states is the sum of their words. So
/// whatever adds 64-bit integers combines states: a loop, MPI_SUM, or ncclSum. `normalize` a state
/// before; then 2^31 states may be added before the next `normalize`.
///
/// Returns: `rounded<To>()`, the sum rounded once, to nearest, ties to even.
/// - Infinities and NaN: as IEEE 754 adds them; infinity minus infinity is NaN. Finite numbers give
///   an infinity only if their exact sum rounds to it.
/// - Zeros: the sum of no number is 0, the sum of only -0 is -0, and all other zero sums are 0.
/// - Order and determinism: the words may depend on the order of additions; the rounded sum does
///   not.
/// - Cost: 128 bytes for `float`, 584 for `double`. An added number changes two or three words.
/// - Compile flags: none changes the result. The arithmetic is that of integers.
///
/// @tparam T `float` or `double`; `float` also for 16-bit floats
///
/// ```cpp
/// wf::exact_sum<double> sum;
/// for (double x : {1e300, 1.0, -1e300}) sum.add(x);
/// double one = sum.rounded();
/// ```
template <class T>
class exact_sum {
  static_assert(
      std::is_same_v<T, float> || std::is_same_v<T, double>,
      "warpfold: exact sums are of float, double and 16-bit floats, and exact_sum<T> takes float "
      "or double; project a long double to double");
  using format = detail::float_format<T>;
  static constexpr int headroom = 63;
  // 2^0 is the last digit of the least number.
  static constexpr int range_bits = std::numeric_limits<T>::max_exponent - format::least_exponent;

 public:
  /// Words of 32 digits, the least first.
  static constexpr int digit_words = (range_bits + headroom + 31) / 32;
  static constexpr int word_count = digit_words + 5;

  constexpr exact_sum() = default;
  /// The sum of one number.
  WARPFOLD_HD constexpr explicit exact_sum(std::same_as<T> auto x) { add(x); }

  /// Adds a number.
  WARPFOLD_HD constexpr void add(T x) {
    const auto b = __builtin_bit_cast(typename format::bits, x);
    const auto magnitude = static_cast<typename format::bits>(b & ~format::sign_bit);
    if (magnitude > format::infinity) {
      ++words_[nans];
    } else if (magnitude == format::infinity) {
      ++words_[b == magnitude ? infinities : negative_infinities];
    } else if (b == format::sign_bit) {
      ++words_[negative_zeros];
    } else {
      const auto field = static_cast<int>(magnitude >> format::fraction_bits);
      std::uint64_t digits = magnitude & format::fraction_mask;
      if (field != 0) digits |= std::uint64_t{1} << format::fraction_bits;
      add_digits(b != magnitude, digits, field == 0 ? 0 : field - 1);
    }
  }

  /// Adds `digits` * 2^`position` times the least number of type `T`.
  /// @param position from 0, such that the product is at most 2^62 times the largest `T`
  WARPFOLD_HD constexpr void add_digits(bool is_negative, std::uint64_t digits, int position) {
    const int shift = position % 32;
    std::int64_t* const to = words_ + position / 32;
    const std::int64_t sign = is_negative ? -1 : 0;  // (x ^ sign) - sign is x or -x
    const auto part = [&](std::uint64_t x) { return (static_cast<std::int64_t>(x) ^ sign) - sign; };
    to[0] += part(digits << shift & low_bits);
    to[1] += part(digits >> (32 - shift) & low_bits);
    if (digits > low_bits) to[2] += part((digits >> 32) >> (32 - shift));
    count(1);
  }

  /// Adds all numbers of another state.
  WARPFOLD_HD constexpr void add(const exact_sum& other) {
    for (int i = 0; i < word_count; ++i) {
      if (i != additions) words_[i] += other.words_[i];
    }
    count(other.words_[additions]);
  }

  /// Carries, so that every word of digits but the last is from 0 to 2^32 - 1. The sum stays the
  /// same.
  WARPFOLD_HD constexpr void normalize() {
    for (int i = 0; i + 1 < digit_words; ++i) {
      const std::int64_t carry = words_[i] >> 32;  // rounds down
      words_[i] -= carry * (std::int64_t{1} << 32);
      words_[i + 1] += carry;
    }
    if (words_[additions] != 0) words_[additions] = 1;
  }

  /// The sum as a `To`, rounded once.
  /// @tparam To `float` or `double`
  template <class To = T>
  WARPFOLD_HD constexpr To rounded() const {
    using to = detail::float_format<To>;
    using bits = typename to::bits;
    exact_sum s = *this;
    s.normalize();
    if (words_[nans] > 0 || (words_[infinities] > 0 && words_[negative_infinities] > 0)) {
      return __builtin_bit_cast(To, static_cast<bits>(to::infinity | to::infinity >> 1));
    }
    bool is_negative = words_[negative_infinities] > 0;
    const auto result = [&](bits magnitude) {
      return __builtin_bit_cast(
          To, static_cast<bits>(is_negative ? magnitude | to::sign_bit : magnitude));
    };
    if (is_negative || words_[infinities] > 0) return result(to::infinity);

    is_negative = s.words_[digit_words - 1] < 0;
    if (is_negative) {
      for (int i = 0; i < digit_words; ++i) s.words_[i] = -s.words_[i];
      s.normalize();
    }
    int top = digit_words - 1;
    while (top >= 0 && s.words_[top] == 0) --top;
    if (top < 0) {
      is_negative = words_[additions] == 0 && words_[negative_zeros] > 0;
      return result(0);
    }
    int highest = 32 * top - 1;  // the position of the first digit
    for (std::int64_t w = s.words_[top]; w != 0; w >>= 1) ++highest;

    // The position of the result's last digit, and of the last digit of the least To.
    constexpr int least = to::least_exponent - format::least_exponent;
    const int last = highest - to::fraction_bits > least ? highest - to::fraction_bits : least;
    if (last - least > static_cast<int>(to::infinity >> to::fraction_bits))
      return result(to::infinity);
    std::uint64_t digits = 0;
    if (last <= 0) {
      digits = s.digits_from(0) << -last;
    } else {
      if (last <= highest)
        digits = s.digits_from(last) & ((std::uint64_t{1} << (highest - last + 1)) - 1);
      if (last <= highest + 1 && s.digit(last - 1) && ((digits & 1) != 0 || s.any_below(last - 1)))
        ++digits;
    }
    // Digits that need one more place carry into the exponent.
    const std::uint64_t magnitude =
        (static_cast<std::uint64_t>(last - least) << to::fraction_bits) + digits;
    return result(magnitude < to::infinity ? static_cast<bits>(magnitude) : to::infinity);
  }

  /// The words, to store and to send. Words from elsewhere are a state if they came from one.
  WARPFOLD_HD constexpr const std::int64_t* words() const { return words_; }
  WARPFOLD_HD constexpr std::int64_t* words() { return words_; }

 private:
  static constexpr std::uint64_t low_bits = 0xffffffff;
  // The words after the digits. `additions` bounds them: a word of digits is below
  // additions * 2^32 in size.
  static constexpr int additions = digit_words;
  static constexpr int negative_zeros = digit_words + 1;
  static constexpr int infinities = digit_words + 2;
  static constexpr int negative_infinities = digit_words + 3;
  static constexpr int nans = digit_words + 4;

  WARPFOLD_HD constexpr void count(std::int64_t added) {
    words_[additions] += added;
    if (words_[additions] >= std::int64_t{1} << 30) normalize();
  }

  // Of a normalized sum that is not negative.
  WARPFOLD_HD constexpr bool digit(int position) const {
    return (words_[position / 32] >> position % 32 & 1) != 0;
  }
  // 64 digits or more, from `position` up.
  WARPFOLD_HD constexpr std::uint64_t digits_from(int position) const {
    const int shift = position % 32;
    const auto word = [&](int i) {
      return i < digit_words ? static_cast<std::uint64_t>(words_[i]) : std::uint64_t{0};
    };
    const int i = position / 32;
    return word(i) >> shift | word(i + 1) << (32 - shift) | word(i + 2) << 32 << (32 - shift);
  }
  WARPFOLD_HD constexpr bool any_below(int position) const {
    for (int i = 0; i < position / 32; ++i) {
      if (words_[i] != 0) return true;
    }
    return position % 32 != 0 &&
           (words_[position / 32] & ((std::int64_t{1} << position % 32) - 1)) != 0;
  }

  std::int64_t words_[static_cast<std::size_t>(word_count)] = {};
};

}  // namespace warpfold
