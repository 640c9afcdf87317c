/// @file
/// The exact sum of doubles with similar exponents in registers, in front of a table of digits
/// (op/exact_table.hpp).
///
/// A thread has a window of 32 exponents. A number of the window is the sum of a multiple of 2^q
/// and of a smaller number, which two doubles add up: both have digits left for the sum of 512
/// numbers. Adding and subtracting 1.5 * 2^(52 + q) rounds to that multiple. Numbers outside of the
/// window go to the table (op/exponent_window.hpp).
///
/// Source: the binned sums of J. Demmel and H. D. Nguyen, "Fast Reproducible Floating-Point
/// Summation", 2013. There the lower digits are dropped; here all are kept.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/op/double_bits.hpp>
#include <warpfold/op/exact_table.hpp>
#include <warpfold/op/exponent_window.hpp>
#include <warpfold/op/rounded_product.hpp>

namespace warpfold::detail {

// The sizes of doubles are those of their upper halves. Numbers with the exponent fields f to f +
// 31 are multiples of 2^(f - 1075) below 2^(f - 991), and q is f - 1031. From `lowest` on the
// multiples are not subnormal, and up to `highest` the rounder is finite.
struct window_of_doubles {
  static constexpr unsigned field_bits = 21;
  static constexpr std::uint32_t infinity = 2047u << field_bits;
  static constexpr int fields = 32, lowest = 54, highest = 2001;
  static constexpr bool holds_zeros = true;

  static WARPFOLD_HD std::uint32_t size_of(double x) {
    return static_cast<std::uint32_t>(__builtin_bit_cast(std::uint64_t, x) >> 32) << 1;
  }
  static WARPFOLD_HD bool is_zero(double x) { return detail::is_zero(x); }
};

template <class Sum, class Column, unsigned Adds = 1>
class windowed_table : public table_in_front<digit_table<Sum, Column, Adds>> {
  using digits_type = digit_table<Sum, Column, Adds>;
  using format = window_of_doubles;

 public:
  template <unsigned Size, bool IsWhole>
  using group = number_group<windowed_table, double, Size, IsWhole, Adds>;
  static constexpr bool keeps_groups = true;

  WARPFOLD_HD explicit windowed_table(const Column& own) : digits_(own) {}

  static WARPFOLD_HD double number(double x) { return x; }
  static WARPFOLD_HD double number(float x, float y) { return wide_double(x) * wide_double(y); }

  /// @tparam IsWhole false if some of the numbers may be -0 because they are not there
  template <bool IsWhole, std::size_t Size>
  WARPFOLD_HD void add_all(const double (&numbers)[Size]) {
    if (!window_.rests() && holds<IsWhole>(numbers)) [[likely]] {
      WARPFOLD_UNROLL
      for (std::size_t k = 0; k < Size; ++k) {
        const double upper = unfused_sum(numbers[k], rounder_) - rounder_;
        upper_ += upper;
        lower_ += unfused_sum(numbers[k], -upper);
      }
      digits_.saw_numbers();  // there is no window before a number that is not 0
      added_ += Size;
      if (added_ + most_at_once * Adds > most_added) {
        flush();
        window_.settle();
      }
    } else {
      if (window_.width == 0 && !exponent_window::are_zeros<format>(numbers)) {
        digits_.use_all();
      } else {
        digits_.use_for(numbers);
      }
      digits_.add_all(numbers);
      digits_.renew(Size / Adds);
    }
  }

  WARPFOLD_HD void finish() {
    flush();
    digits_.finish();
  }

  WARPFOLD_HD void join(const table_marks* marks) { digits_.join(marks); }

 private:
  static constexpr unsigned most_added = 512;
  static constexpr double negative_zero = -0.0;  // a table does not count it as a number

  // True if the window holds the numbers, perhaps after a move.
  template <bool IsWhole, std::size_t Size>
  WARPFOLD_HD bool holds(const double (&numbers)[Size]) {
    const auto set_rounder = [this] {
      const std::int64_t first = window_.first >> format::field_bits;
      rounder_ = 1.5 * __builtin_bit_cast(double, (first + 44) << 52);
    };
    return window_.template holds_or_moves<format, IsWhole>(
        numbers, [this] { flush(); }, set_rounder);
  }

  WARPFOLD_HD void flush() {
    digits_.use_for({upper_, lower_});
    WARPFOLD_NO_UNROLL
    for (int part = 0; part < 2; ++part) {
      digits_.add(upper_);
      upper_ = lower_;
    }
    digits_.renew(2);
    upper_ = lower_ = negative_zero;
    added_ = 0;
  }

  digits_type digits_;
  exponent_window window_;
  double upper_ = negative_zero, lower_ = negative_zero, rounder_ = 0;
  unsigned added_ = 0;
};

}  // namespace warpfold::detail
