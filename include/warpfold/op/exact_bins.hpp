/// @file
/// The exact sum of numbers of any exponents, as one integer for each sign and exponent.
///
/// The significand of a number is added to the integer that its sign and exponent select, so the
/// cost does not depend on the exponents. The integers of many numbers are then added to a sum that
/// has few words (op/exact_sum.hpp).
///
/// Source: the large superaccumulator of R. Neal, "Fast Exact Summation Using Small and Large
/// Superaccumulators", 2015. There a count bounds each integer; here its carries are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include <warpfold/op/exact_sum.hpp>

namespace warpfold::detail {

// Adds a double. All its digits are digits of the sum.
template <class T, int Factors>
WARPFOLD_HD constexpr void add_double(exact_sum<T, Factors>& sum, double x) {
  using format = float_format<double>;
  const auto b = __builtin_bit_cast(std::uint64_t, x);
  const std::uint64_t size = b & ~format::sign_bit;
  if (size == 0 || size >= format::infinity) return sum.add(static_cast<T>(x));
  const int field = static_cast<int>(size >> format::fraction_bits);
  std::uint64_t digits = size & format::fraction_mask;
  if (field != 0) digits |= std::uint64_t{1} << format::fraction_bits;
  int place =
      (field == 0 ? 0 : field - 1) + format::least_exponent - exact_sum<T, Factors>::least_exponent;
  if (place < 0) {
    digits = place > -64 ? digits >> -place : 0;  // the dropped digits are zeros
    place = 0;
  }
  sum.add_digits(b != size, digits, place);
}

#if defined(__SIZEOF_INT128__)

// The sum of numbers of type `T`: at most 2^32, so that the totals of `add_to` fit 128 bits. The
// integer of a bin is the sum of its numbers' digits.
template <class T>
class exact_bins {
  using format = float_format<T>;
  using bits = typename format::bits;
  static constexpr std::uint64_t first_digit = std::uint64_t{1} << format::fraction_bits;
  // Bins of infinities and NaN, and the first one of negative numbers.
  static constexpr std::size_t special = format::infinity >> format::fraction_bits;
  static constexpr std::size_t negative = special + 1;

 public:
  // Adds `n` numbers: `number(i)` is one of them.
  template <class U, int Factors, class Number>
  void add(exact_sum<U, Factors>& sum, std::size_t n, const Number& number) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto b = __builtin_bit_cast(bits, number(i));
      const std::size_t bin = b >> format::fraction_bits;
      const std::uint64_t digits = (b & format::fraction_mask) | first_digit;
      bins_[bin] += digits;
      if constexpr (format::is_double) {
        if (bins_[bin] < digits) {
          ++carries_[bin];
          has_carries_ = true;
        }
      }
    }
    if (!is_empty(0) || !is_empty(negative) || !is_empty(special) ||
        !is_empty(negative + special)) {
      add_without_first_digit(sum, n, number);
    }
  }

  // Adds all numbers to `sum`.
  template <class U, int Factors>
  void add_to(exact_sum<U, Factors>& sum) const {
    if (has_zero_) sum.add(U(0));
    if (has_negative_zero_) sum.add(float_format<U>::negated(0));
    // The numbers whose last digits share a word of the sum are added as one.
    constexpr int least_place = format::least_exponent - exact_sum<U, Factors>::least_exponent;
    wide total = 0;
    int word = least_place & ~31;
    bool has_digits = false;
    for (std::size_t from = 0; from < special; from += at_once) {
      if (are_empty(from)) continue;
      for (std::size_t e = from == 0 ? 1 : from; e < from + at_once && e < special; ++e) {
        const int place = least_place + static_cast<int>(e - 1);
        if (place - word >= 32) {
          add_wide(sum, total, word);
          total = 0;
          word = place & ~31;
        }
        const wide up = digits(e), down = digits(negative + e);
        has_digits |= (up | down) != 0;
        total += (up - down) * (wide{1} << (place - word));
      }
    }
    add_wide(sum, total, word);
    if (has_digits) sum.add(U(0));  // if they cancel, zeros with a sign do not decide
  }

 private:
  __extension__ typedef __int128 wide;
  __extension__ typedef unsigned __int128 unsigned_wide;

  // Adds what was in the bins of numbers that have no first digit: zeros, numbers below the normal
  // ones, infinities and NaN.
  template <class U, int Factors, class Number>
  __attribute__((noinline)) void add_without_first_digit(exact_sum<U, Factors>& sum, std::size_t n,
                                                         const Number& number) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto b = __builtin_bit_cast(bits, number(i));
      const std::size_t bin = b >> format::fraction_bits;
      if (bin % negative != 0 && bin % negative != special) continue;
      if (b == 0) {
        has_zero_ = true;
      } else if (b == format::sign_bit) {
        has_negative_zero_ = true;
      } else if constexpr (std::is_same_v<T, U>) {
        sum.add(number(i));
      } else {
        add_double(sum, number(i));
      }
    }
    for (const std::size_t bin : {std::size_t{0}, negative, special, negative + special}) {
      bins_[bin] = 0;
      carries_[format::is_double ? bin : 0] = 0;
    }
  }

  bool is_empty(std::size_t bin) const {
    return bins_[bin] == 0 && carries_[format::is_double ? bin : 0] == 0;
  }
  bool are_empty(std::size_t from) const {
    std::uint64_t any = has_carries_;
    for (std::size_t e = from; e < from + at_once; ++e) any |= bins_[e] | bins_[negative + e];
    return any == 0;
  }
  // The sum of a bin's numbers, in units of their last digit.
  wide digits(std::size_t bin) const {
    return static_cast<wide>(unsigned_wide{carries_[format::is_double ? bin : 0]} << 64 |
                             bins_[bin]);
  }
  template <class Sum>
  static void add_wide(Sum& sum, wide x, int place) {
    if (x == 0) return;
    auto size = x < 0 ? -static_cast<unsigned_wide>(x) : static_cast<unsigned_wide>(x);
    if (place < 0) {
      size >>= -place;  // the dropped digits are zeros
      place = 0;
    }
    sum.add_digits(x < 0, static_cast<std::uint64_t>(size), place);
    const auto upper = static_cast<std::uint64_t>(size >> 64);
    if (upper != 0) sum.add_digits(x < 0, upper, place + 64);
  }

  // Bins that are tested together.
  static constexpr std::size_t at_once = 16;

  bool has_carries_ = false, has_zero_ = false, has_negative_zero_ = false;
  std::uint64_t bins_[2 * negative] = {};
  std::uint32_t carries_[format::is_double ? 2 * negative : 1] = {};  // of doubles
};

#else

// Without integers of 128 bits, numbers are added one by one.
template <class T>
class exact_bins {
 public:
  template <class U, int Factors>
  void add_to(exact_sum<U, Factors>&) const {}
};

#endif

}  // namespace warpfold::detail
