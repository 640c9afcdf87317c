/// @file
/// Long natural numbers, and their quotients and square roots, rounded once: the last step of exact
/// sums.
///
/// Digits come one by one, by long division and by the written square root. Rounding needs the
/// first 60 of them, and whether any digit follows.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <warpfold/core/config.hpp>

namespace warpfold::detail {

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

  static WARPFOLD_HD constexpr T number(bool is_negative, bits magnitude) {
    return __builtin_bit_cast(T, static_cast<bits>(is_negative ? magnitude | sign_bit : magnitude));
  }
  // Not -x, which may be 0 - x with some flags.
  static WARPFOLD_HD constexpr T negated(T x) {
    return __builtin_bit_cast(T, static_cast<bits>(__builtin_bit_cast(bits, x) ^ sign_bit));
  }
  static WARPFOLD_HD constexpr T nan() { return number(false, infinity | infinity >> 1); }
};

WARPFOLD_HD constexpr int bit_count(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
  if (!__builtin_is_constant_evaluated()) return 64 - __clzll(static_cast<long long>(x));
#endif
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
  return x == 0 ? 0 : 64 - __builtin_clzll(x);
#else
  int count = 0;
  for (; x != 0; x >>= 1) ++count;
  return count;
#endif
}

// `digits` * 2^`exponent` as a `To`, rounded to nearest, ties to even.
// @param has_more true if more digits follow; then there are at least 55 here
template <class To>
WARPFOLD_HD constexpr To rounded_number(bool is_negative, std::uint64_t digits, int exponent,
                                        bool has_more) {
  using to = float_format<To>;
  if (digits == 0) return to::number(is_negative, 0);
  const int normal_last = exponent + bit_count(digits) - to::digits;
  const int last = normal_last > to::least_exponent ? normal_last : to::least_exponent;
  if (last - to::least_exponent > static_cast<int>(to::infinity >> to::fraction_bits)) {
    return to::number(is_negative, to::infinity);
  }
  const int dropped = last - exponent;
  if (dropped <= 0) {
    digits <<= -dropped;
  } else if (dropped > 64) {
    digits = 0;  // less than half of the least number
  } else {
    const bool half = (digits >> (dropped - 1) & 1) != 0;
    const bool below = has_more || (digits & ((std::uint64_t{1} << (dropped - 1)) - 1)) != 0;
    digits = dropped == 64 ? 0 : digits >> dropped;
    if (half && (below || (digits & 1) != 0)) ++digits;
  }
  // Digits that need one more place carry into the exponent.
  const std::uint64_t magnitude =
      (static_cast<std::uint64_t>(last - to::least_exponent) << to::fraction_bits) + digits;
  return to::number(is_negative, magnitude < to::infinity
                                     ? static_cast<typename to::bits>(magnitude)
                                     : to::infinity);
}

// A natural number of `Words` words of 32 digits, the least first.
template <int Words>
struct long_natural {
  std::uint32_t words[static_cast<std::size_t>(Words)] = {};

  // The place of the first digit that is not zero; -1 for 0.
  WARPFOLD_HD constexpr int highest() const {
    int i = Words - 1;
    while (i >= 0 && words[i] == 0) --i;
    return i < 0 ? -1 : 32 * i + bit_count(words[i]) - 1;
  }
  WARPFOLD_HD constexpr bool digit(int place) const {
    return place >= 0 && (words[place / 32] >> place % 32 & 1) != 0;
  }
  WARPFOLD_HD constexpr bool any_below(int place) const {
    if (place <= 0) return false;
    for (int i = 0; i < place / 32; ++i) {
      if (words[i] != 0) return true;
    }
    return place % 32 != 0 && (words[place / 32] & ((std::uint32_t{1} << place % 32) - 1)) != 0;
  }
  // The 64 digits from `place` up.
  WARPFOLD_HD constexpr std::uint64_t digits_from(int place) const {
    const int shift = place % 32;
    const auto word = [&](int i) { return i < Words ? std::uint64_t{words[i]} : std::uint64_t{0}; };
    const int i = place / 32;
    return word(i) >> shift | word(i + 1) << (32 - shift) | word(i + 2) << 32 << (32 - shift);
  }

  // Adds `x` * 2^(32 * `at`); the sum must fit.
  WARPFOLD_HD constexpr void add(std::uint64_t x, int at) {
    std::uint64_t carry = 0;
    for (int i = at; i < Words && (x != 0 || carry != 0); ++i, x >>= 32) {
      carry += words[i] + (x & 0xffffffff);
      words[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }
  // Adds a * b; the sum must fit.
  template <int A, int B>
  WARPFOLD_HD constexpr void add_product(const long_natural<A>& a, const long_natural<B>& b) {
    for (int i = 0; i < A; ++i) {
      if (a.words[i] == 0) continue;
      for (int j = 0; j < B; ++j) {
        if (b.words[j] != 0) add(std::uint64_t{a.words[i]} * b.words[j], i + j);
      }
    }
  }
  // Subtracts a number that is at most this one.
  WARPFOLD_HD constexpr void subtract(const long_natural& b) {
    std::int64_t borrow = 0;
    for (int i = 0; i < Words; ++i) {
      borrow += static_cast<std::int64_t>(words[i]) - b.words[i];
      words[i] = static_cast<std::uint32_t>(borrow);
      borrow >>= 32;
    }
  }
};

WARPFOLD_HD constexpr long_natural<2> to_long(std::uint64_t x) {
  return {{static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(x >> 32)}};
}

// A natural number, rounded once to a `To`; `exponent` is that of its last digit.
template <class To, int Words>
WARPFOLD_HD constexpr To rounded_natural(bool is_negative, const long_natural<Words>& x,
                                         int exponent) {
  const int highest = x.highest();
  const int from = highest < 63 ? 0 : highest - 63;
  return rounded_number<To>(is_negative, x.digits_from(from), exponent + from, x.any_below(from));
}

// The digits of x / (n m), from the first digit of x down to any place after its last.
// @param n,m from 1 to 2^63
template <int Words>
class quotient_digits {
 public:
  WARPFOLD_HD constexpr quotient_digits(const long_natural<Words>& x, std::uint64_t n,
                                        std::uint64_t m)
      : x_(x), place_(x.highest()), n_{n, 0}, m_{m, 0} {}

  /// The place of the next digit.
  WARPFOLD_HD constexpr int place() const { return place_; }
  WARPFOLD_HD constexpr bool next() { return m_.next(n_.next(x_.digit(place_--))); }
  /// True if a digit that follows is not zero.
  WARPFOLD_HD constexpr bool has_more() const {
    return n_.rest != 0 || m_.rest != 0 || x_.any_below(place_ + 1);
  }

 private:
  struct divider {
    std::uint64_t by, rest;

    WARPFOLD_HD constexpr bool next(bool digit) {
      rest = rest << 1 | (digit ? 1 : 0);
      if (rest < by) return false;
      rest -= by;
      return true;
    }
  };

  const long_natural<Words>& x_;
  int place_;
  divider n_, m_;
};

// x / (n m), rounded once to a `To`; `exponent` is that of the last digit of x.
template <class To, int Words>
WARPFOLD_HD constexpr To rounded_quotient(bool is_negative, const long_natural<Words>& x,
                                          int exponent, std::uint64_t n, std::uint64_t m = 1) {
  quotient_digits<Words> quotient(x, n, m);
  std::uint64_t digits = 0;
  while (digits >> 60 == 0 && quotient.has_more()) digits = digits << 1 | (quotient.next() ? 1 : 0);
  return rounded_number<To>(is_negative, digits, exponent + quotient.place() + 1,
                            quotient.has_more());
}

// The square root of x / (n m), rounded once to a `To`; `exponent` is that of the last digit of x.
template <class To, int Words>
WARPFOLD_HD constexpr To rounded_root(const long_natural<Words>& x, int exponent,
                                      std::uint64_t n = 1, std::uint64_t m = 1) {
  quotient_digits<Words> quotient(x, n, m);
  std::uint64_t root = 0, rest = 0;
  // Each digit of the root takes two digits of the number; the second has an even exponent.
  bool is_second = (exponent + quotient.place()) % 2 == 0;
  while (root >> 60 == 0 && (is_second || rest != 0 || quotient.has_more())) {
    rest = rest << 1 | (quotient.next() ? 1 : 0);
    if (is_second) {
      const std::uint64_t trial = root << 2 | 1;
      root <<= 1;
      if (rest >= trial) {
        rest -= trial;
        root |= 1;
      }
    }
    is_second = !is_second;
  }
  return rounded_number<To>(false, root, (exponent + quotient.place() + 1) / 2,
                            rest != 0 || quotient.has_more());
}

}  // namespace warpfold::detail
