/// @file
/// `exact_sum`: a sum of floating-point numbers, or of products of them, without rounding, as a
/// vector of integers.
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
#include <warpfold/op/exact_rounding.hpp>

namespace warpfold {

/// The exact sum of numbers of type `T`, or of products of two, which may be added in any order and
/// number.
///
/// It is a fixed-point number that holds every finite `T`, or every product of two, and sums of up
/// to 2^63 of them. Its memory is `word_count` signed integers, and the sum of two states is the
/// sum of their words. So whatever adds 64-bit integers combines states: a loop, MPI_SUM, or
/// ncclSum. `normalize` a state before; then 2^31 states may be added before the next `normalize`.
///
/// Returns: `rounded<To>()`, the sum rounded once, to nearest, ties to even. `quotient<To>(n)` and
/// `root<To>()` divide and take the square root before that rounding.
/// - Infinities and NaN: as IEEE 754 adds and multiplies them; infinity minus infinity is NaN, and
///   so is infinity times zero. Finite numbers give an infinity only if their exact sum rounds to
///   it. No product overflows or underflows.
/// - Zeros: the sum of no number is 0, the sum of only -0 is -0, and all other zero sums are 0.
/// - Order and determinism: the words may depend on the order of additions; the rounded sum does
///   not.
/// - Cost: 128 bytes for `float`, 584 for `double`; for products 200 and 1112. An added number
///   changes two or three words.
/// - Compile flags: none changes the result. The arithmetic is that of integers.
///
/// @tparam T `float` or `double`; `float` also for 16-bit floats
/// @tparam Factors 1, or 2 for products of two numbers
///
/// ```cpp
/// wf::exact_sum<double> sum;
/// for (double x : {1e300, 1.0, -1e300}) sum.add(x);
/// double one = sum.rounded();
///
/// wf::exact_sum<double, 2> products;
/// for (double x : {1e300, -1e300, 3.0}) products.add(x, 1e300);
/// double large = products.rounded();  // 3e300
/// ```
template <class T, int Factors = 1>
class exact_sum {
  static_assert(
      std::is_same_v<T, float> || std::is_same_v<T, double>,
      "warpfold: exact sums are of float, double and 16-bit floats, and exact_sum<T> takes float "
      "or double; project a long double to double");
  static_assert(Factors == 1 || Factors == 2,
                "warpfold: exact_sum<T, 1> adds numbers, and exact_sum<T, 2> products of two");
  using format = detail::float_format<T>;
  using bits = typename format::bits;
  static constexpr int headroom = 63;

 public:
  /// The exponent of the last digit: of the least number, or of the least product.
  static constexpr int least_exponent = Factors * format::least_exponent;
  /// Words of 32 digits, the least first.
  static constexpr int digit_words =
      (Factors * std::numeric_limits<T>::max_exponent - least_exponent + headroom + 31) / 32;
  static constexpr int word_count = digit_words + 5;
  /// The words after the digits, which count numbers. `additions` bounds the digits: a word of them
  /// is below additions * 2^32 in size.
  static constexpr int additions = digit_words;
  static constexpr int negative_zeros = digit_words + 1;
  static constexpr int infinities = digit_words + 2;
  static constexpr int negative_infinities = digit_words + 3;
  static constexpr int nans = digit_words + 4;

  constexpr exact_sum() = default;
  /// The sum of one number.
  WARPFOLD_HD constexpr explicit exact_sum(std::same_as<T> auto x) { add(x); }

  /// Adds a number.
  WARPFOLD_HD constexpr void add(T x) {
    const auto b = __builtin_bit_cast(bits, x);
    if (is_special(b & ~format::sign_bit, b)) return;
    add_digits((b & format::sign_bit) != 0, digits_of(b), exponent_of(b) - least_exponent);
  }

  /// Adds the product of two numbers.
  WARPFOLD_HD constexpr void add(T x, T y)
    requires(Factors == 2)
  {
    const auto a = __builtin_bit_cast(bits, x), b = __builtin_bit_cast(bits, y);
    const auto size_a = static_cast<bits>(a & ~format::sign_bit);
    const auto size_b = static_cast<bits>(b & ~format::sign_bit);
    const auto sign = static_cast<bits>((a ^ b) & format::sign_bit);
    bits size = size_a < size_b ? size_b : size_a;
    if (size_a == 0 || size_b == 0) size = size < format::infinity ? 0 : format::infinity + 1;
    if (is_special(size, static_cast<bits>(sign | size))) return;
    const int position = exponent_of(a) + exponent_of(b) - least_exponent;
    const std::uint64_t p = digits_of(a), q = digits_of(b);
    if constexpr (!format::is_double) {
      add_digits(sign != 0, p * q, position);
    } else {
      const std::uint64_t p0 = p & low_bits, p1 = p >> 32, q0 = q & low_bits, q1 = q >> 32;
      add_digits(sign != 0, p0 * q0, position);
      add_digits(sign != 0, p0 * q1 + p1 * q0, position + 32);
      add_digits(sign != 0, p1 * q1, position + 64);
    }
  }

  /// Adds `digits` * 2^(`least_exponent` + `position`).
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
    if (!is_finite() || is_negative_zero()) return special<To>();
#if defined(__SIZEOF_INT128__)
    int first = 0, last = digit_words - 1;
    // Four at a time: on a GPU a load takes long.
    const auto are_zeros = [this](int i) {
      return (words_[i] | words_[i + 1] | words_[i + 2] | words_[i + 3]) == 0;
    };
    while (last >= 4 && are_zeros(last - 3)) last -= 4;
    while (last > 0 && words_[last] == 0) --last;
    while (first + 4 <= last && are_zeros(first)) first += 4;
    while (first < last && words_[first] == 0) ++first;
    if (last - first < 3) return rounded_words<To>(first, last);
#endif
    const auto [is_negative, size] = magnitude();
    return detail::rounded_natural<To>(is_negative, size, least_exponent);
  }

  /// The sum divided by `n`, rounded once.
  /// @param n from 1 to 2^63
  template <class To = T>
  WARPFOLD_HD constexpr To quotient(std::uint64_t n) const {
    if (!is_finite() || is_negative_zero()) return special<To>();
    const auto [is_negative, size] = magnitude();
    return detail::rounded_quotient<To>(is_negative, size, least_exponent, n);
  }

  /// The square root of the sum, rounded once; NaN for a negative sum.
  template <class To = T>
  WARPFOLD_HD constexpr To root() const {
    if (is_negative_zero()) return special<To>();
    const auto [is_negative, size] = magnitude();
    if (is_negative || words_[negative_infinities] > 0) return detail::float_format<To>::nan();
    if (!is_finite()) return special<To>();
    return detail::rounded_root<To>(size, least_exponent);
  }

  /// True if no infinity and no NaN was added.
  WARPFOLD_HD constexpr bool is_finite() const {
    return words_[nans] == 0 && words_[infinities] == 0 && words_[negative_infinities] == 0;
  }

  /// A finite sum without its sign, as a natural number of 2^`least_exponent`.
  struct sign_and_magnitude {
    bool is_negative;
    detail::long_natural<digit_words> size;
  };
  WARPFOLD_HD constexpr sign_and_magnitude magnitude() const {
    exact_sum s = *this;
    s.normalize();
    sign_and_magnitude m{s.words_[digit_words - 1] < 0, {}};
    if (m.is_negative) {
      for (int i = 0; i < digit_words; ++i) s.words_[i] = -s.words_[i];
      s.normalize();
    }
    for (int i = 0; i < digit_words; ++i) {
      m.size.words[i] = static_cast<std::uint32_t>(s.words_[i]);
    }
    return m;
  }

  /// The words, to store and to send. Words from elsewhere are a state if they came from one.
  WARPFOLD_HD constexpr const std::int64_t* words() const { return words_; }
  WARPFOLD_HD constexpr std::int64_t* words() { return words_; }

 private:
  static constexpr std::uint64_t low_bits = 0xffffffff;
  WARPFOLD_HD constexpr void count(std::int64_t added) {
    words_[additions] += added;
    if (words_[additions] >= std::int64_t{1} << 30) normalize();
  }

  // Counts what has no digits: NaN, an infinity or -0.
  WARPFOLD_HD constexpr bool is_special(bits magnitude, bits b) {
    if (magnitude > format::infinity) {
      ++words_[nans];
    } else if (magnitude == format::infinity) {
      ++words_[b == magnitude ? infinities : negative_infinities];
    } else if (b == format::sign_bit) {
      ++words_[negative_zeros];
    } else {
      return false;
    }
    return true;
  }
  static WARPFOLD_HD constexpr int exponent_of(bits b) {
    const auto field = static_cast<int>((b & ~format::sign_bit) >> format::fraction_bits);
    return format::least_exponent + (field == 0 ? 0 : field - 1);
  }
  static WARPFOLD_HD constexpr std::uint64_t digits_of(bits b) {
    const bool is_normal = (b & ~format::sign_bit) >> format::fraction_bits != 0;
    return (b & format::fraction_mask) | std::uint64_t{is_normal} << format::fraction_bits;
  }

#if defined(__SIZEOF_INT128__)
  // The sum if only the words `first` to `last`, at most three, are not 0.
  template <class To>
  WARPFOLD_HD constexpr To rounded_words(int first, int last) const {
    __extension__ typedef __int128 wide;
    __extension__ typedef unsigned __int128 unsigned_wide;
    wide sum = 0;
    for (int i = last; i >= first; --i) sum = sum * (wide{1} << 32) + words_[i];
    const bool is_negative = sum < 0;
    auto size = static_cast<unsigned_wide>(is_negative ? -sum : sum);
    const auto upper = static_cast<std::uint64_t>(size >> 64);
    const int dropped = detail::bit_count(upper);
    const bool has_more = dropped != 0 && static_cast<std::uint64_t>(size) << (64 - dropped) != 0;
    return detail::rounded_number<To>(is_negative, static_cast<std::uint64_t>(size >> dropped),
                                      least_exponent + 32 * first + dropped, has_more);
  }
#endif

  WARPFOLD_HD constexpr bool is_negative_zero() const {
    return words_[additions] == 0 && words_[negative_zeros] > 0;
  }
  // A sum of infinities and NaN, or of only -0.
  template <class To>
  WARPFOLD_HD constexpr To special() const {
    using to = detail::float_format<To>;
    const bool is_up = words_[infinities] > 0, is_down = words_[negative_infinities] > 0;
    if (words_[nans] > 0 || (is_up && is_down)) return to::nan();
    return to::number(!is_up, is_up || is_down ? to::infinity : 0);
  }

  std::int64_t words_[static_cast<std::size_t>(word_count)] = {};
};

}  // namespace warpfold
