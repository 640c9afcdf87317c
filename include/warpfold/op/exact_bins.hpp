/// @file
/// The exact sum of numbers of any exponents, as one integer for each sign and exponent.
///
/// To add a number is to add its digits to the integer that its upper bits name, so numbers of all
/// exponents cost the same. The integers of many numbers are then added to a sum that has few words
/// (op/exact_sum.hpp).
///
/// Source: the large superaccumulator of R. Neal, "Fast Exact Summation Using Small and Large
/// Superaccumulators", 2015. There a count bounds each integer; here its carries are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <warpfold/op/exact_sum.hpp>

namespace warpfold::detail {

// Adds a double. All its digits are digits of the sum.
template <class T, int Factors>
constexpr void add_double(exact_sum<T, Factors>& sum, double x) {
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
    digits = place > -64 ? digits >> -place : 0;  // the digits that go are zeros
    place = 0;
  }
  sum.add_digits(b != size, digits, place);
}

// The sum of up to 2^17 numbers of type `T`. The integer of a bin is the sum of the fractions of
// its numbers. That of floats also has their count, above the fractions, so any float is one
// addition. That of doubles has the first digits too, and carries.
template <class T>
class exact_bins {
  using format = float_format<T>;
  using bits = typename format::bits;
  static constexpr std::uint64_t first_digit = std::uint64_t{1} << format::fraction_bits;
  static constexpr int count_place = 40;
  // Bins of infinities and NaN, and the first one of negative numbers.
  static constexpr std::size_t special = format::infinity >> format::fraction_bits;
  static constexpr std::size_t negative = special + 1;

 public:
  static constexpr std::size_t most = std::size_t{1} << 17;

  // Adds a number; to `sum`, if it is a double that is neither normal nor zero.
  template <class U, int Factors>
  void add(exact_sum<U, Factors>& sum, T x) {
    const auto b = __builtin_bit_cast(bits, x);
    const std::size_t bin = b >> format::fraction_bits;
    if constexpr (format::is_double) {
      const bits size = b & ~format::sign_bit;
      if (size >= format::infinity || size - 1 < first_digit - 1) return add_special(sum, b);
      const std::uint64_t digits = (b & format::fraction_mask) | first_digit;  // of zeros, too
      bins_[bin] += digits;
      if (bins_[bin] < digits) {
        ++carries_[bin];
        has_carries_ = true;
      }
    } else {
      bins_[bin] += (b & format::fraction_mask) + (std::uint64_t{1} << count_place);
    }
  }

  // Adds all numbers to `sum`.
  template <class U, int Factors>
  void add_to(exact_sum<U, Factors>& sum) const {
    for (std::size_t sign = 0; sign <= negative; sign += negative) {
      const auto special_number = [&](bits size) {
        return static_cast<U>(format::number(sign != 0, size));
      };
      const bool has_zeros = bins_[sign] != 0 || carries_[format::is_double ? sign : 0] != 0;
      if (has_zeros && digits(sign) == 0) sum.add(special_number(0));
      if (bins_[special + sign] != 0) {
        sum.add(
            special_number(digits(special + sign) == 0 ? format::infinity : format::infinity + 1));
      }
    }
    // The numbers whose last digits share a word of the sum are added as one.
    constexpr int least_place = format::least_exponent - exact_sum<U, Factors>::least_exponent;
    wide total = 0;
    int word = least_place & ~31;
    bool has_digits = false;
    for (std::size_t from = 0; from < special; from += at_once) {
      if (are_empty(from)) continue;
      for (std::size_t e = from; e < from + at_once && e < special; ++e) {
        const int place = least_place + static_cast<int>(e == 0 ? 0 : e - 1);
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

  // Not inlined: the loop that calls it keeps its values in registers.
  template <class U, int Factors>
  __attribute__((noinline, cold)) static void add_special(exact_sum<U, Factors>& sum, bits x) {
    add_double(sum, __builtin_bit_cast(T, x));
  }

  bool are_empty(std::size_t from) const {
    std::uint64_t any = has_carries_;
    for (std::size_t e = from; e < from + at_once; ++e) any |= bins_[e] | bins_[negative + e];
    return any == 0;
  }
  // The sum of a bin's numbers, in units of their last digit. Doubles that are zero have none.
  wide digits(std::size_t bin) const {
    const bool is_least = bin % negative == 0;
    if constexpr (format::is_double) {
      if (is_least) return 0;
      return static_cast<wide>(unsigned_wide{carries_[bin]} << 64 | bins_[bin]);
    } else {
      const std::uint64_t fractions = bins_[bin] & ((std::uint64_t{1} << count_place) - 1);
      const std::uint64_t firsts = (bins_[bin] >> count_place) * first_digit;
      return static_cast<wide>(fractions + (is_least || bin % negative == special ? 0 : firsts));
    }
  }
  template <class Sum>
  static void add_wide(Sum& sum, wide x, int place) {
    if (x == 0) return;
    auto size = x < 0 ? -static_cast<unsigned_wide>(x) : static_cast<unsigned_wide>(x);
    if (place < 0) {
      size >>= -place;  // the digits that go are zeros
      place = 0;
    }
    sum.add_digits(x < 0, static_cast<std::uint64_t>(size), place);
    const auto upper = static_cast<std::uint64_t>(size >> 64);
    if (upper != 0) sum.add_digits(x < 0, upper, place + 64);
  }

  // Bins that are looked at at once.
  static constexpr std::size_t at_once = 16;

  bool has_carries_ = false;
  std::uint64_t bins_[2 * negative] = {};
  std::uint32_t carries_[format::is_double ? 2 * negative : 1] = {};
};

}  // namespace warpfold::detail
