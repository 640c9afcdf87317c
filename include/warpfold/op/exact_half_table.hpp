/// @file
/// The exact sums of 16-bit floats, whose tables (op/exact_table.hpp) are mostly registers: a bin
/// in shared memory for each would take longer than the load of two bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/op/exact_float_table.hpp>
#include <warpfold/op/exact_table.hpp>
#include <warpfold/op/exponent_window.hpp>

namespace warpfold::detail {

// The sum of `__half`, as floats. All are multiples of 2^-24 below 2^16, so that a double holds the
// sum of 2^13 of them, and an integer the sum of 2^22: more than a thread gets.
template <class Column>
class half_table {
  using sum_type = exact_sum<float>;
  static constexpr int least_exponent = -24;
  static constexpr unsigned place = least_exponent - sum_type::least_exponent;
  static constexpr unsigned most_added = 1 << 13;

 public:
  static constexpr int digit_words = sum_type::digit_words;
  using parts = word_parts;
  using marks_type = table_marks;
  template <unsigned Size, bool>
  using group = table_group<half_table, Size>;
  static constexpr unsigned words = 3;  // the sum, its lower 32 digits first, and marks
  static constexpr unsigned totals = sum_type::word_count;
  static constexpr unsigned tables = 1;
  static constexpr bool keeps_groups = false;

  WARPFOLD_HD explicit half_table(const Column& own) : own_(own) {}

  WARPFOLD_HD void add(float x) {
    sum_ += wide_double(x);
    bits_ |= __builtin_bit_cast(std::uint32_t, x) ^ float_format<float>::sign_bit;
  }
  WARPFOLD_HD void renew(unsigned n) {
    added_ += n;
    if (added_ + most_at_once > most_added) flush();
  }
  WARPFOLD_HD void finish() {
    flush();
    own_.store(0, all_ & 0xffffffff);
    own_.store(1, all_ >> 32);
    own_.store(2, seen_ | (bits_ != 0 ? seen_number : 0u));
  }

  WARPFOLD_HD void join(const table_marks*) {}

  static WARPFOLD_HD unsigned marks_at(unsigned) { return 2; }
  static WARPFOLD_HD bool is_used(unsigned i, const table_marks*) { return i < 2; }
  static WARPFOLD_HD void split(unsigned, std::int64_t word, word_parts& part) {
    part.add_at(word, place);
  }
  static WARPFOLD_HD std::int64_t total(unsigned t, const auto& low, const auto& high,
                                        const table_marks* marks) {
    if (t >= digit_words) return seen_count(marks[0], t - digit_words);
    constexpr unsigned first = place / 32;
    return t == first ? low(0) : t == first + 1 ? high(0) + low(1) : t == first + 2 ? high(1) : 0;
  }
  static constexpr bool counts = false;
  static WARPFOLD_HD void settle(std::int64_t* words_of_sum, std::size_t n) {
    settle_words<sum_type>(words_of_sum, n);
  }

 private:
  WARPFOLD_HD void flush() {
    const auto word = __builtin_bit_cast(std::int64_t, sum_);
    if (is_finite_word(word)) {
      all_ += static_cast<std::int64_t>(sum_ * 0x1p24);
    } else {
      seen_ |= seen_of_word(word);
    }
    sum_ = 0;
    added_ = 0;
  }

  Column own_;
  double sum_ = 0;
  std::int64_t all_ = 0;
  std::uint32_t bits_ = 0;
  unsigned seen_ = 0;
  unsigned added_ = 0;
};

// The numbers of a window are multiples of 2^-104 below 2^114: parts of their sums are floats, and
// none is subnormal.
struct window_of_bfloats {
  static constexpr unsigned field_bits = 24;
  static constexpr std::uint32_t infinity = 255u << field_bits;
  static constexpr int fields = 32, lowest = 30, highest = 209;
  // Zeros leave the window: a second test spills registers. 256 MB, H200: 1.12 -> 1.59 times a
  // plain sum.
  static constexpr bool holds_zeros = false;

  static WARPFOLD_HD std::uint32_t size_of(float x) {
    return __builtin_bit_cast(std::uint32_t, x) << 1;
  }
  static WARPFOLD_HD bool is_zero(float x) { return size_of(x) == 0; }
};

// The sum of `__nv_bfloat16`, as floats: those of 32 neighboring exponents in a double, the others
// in a `float_table`. As op/exact_window.hpp, but their 8 digits need no lower part.
template <class Column>
class bfloat_table : public table_in_front<float_table<Column>> {
  using bins_type = float_table<Column>;
  using format = window_of_bfloats;

 public:
  template <unsigned Size, bool IsWhole>
  using group = number_group<bfloat_table, float, Size, IsWhole>;
  static constexpr bool keeps_groups = true;

  WARPFOLD_HD explicit bfloat_table(const Column& own) : bins_(own) {}

  static WARPFOLD_HD float number(float x) { return x; }

  /// As `windowed_table::add_all`.
  template <bool IsWhole, std::size_t Size>
  WARPFOLD_HD void add_all(const float (&numbers)[Size]) {
    if (!window_.rests() && holds<IsWhole>(numbers)) [[likely]] {
      WARPFOLD_UNROLL
      for (std::size_t k = 0; k < Size; ++k) sum_ += wide_double(numbers[k]);
      bins_.saw_numbers();  // as in `windowed_table`
      added_ += Size;
      if (added_ + most_at_once > most_added) {
        flush();
        window_.settle();
      }
    } else {
      WARPFOLD_UNROLL
      for (std::size_t k = 0; k < Size; ++k) bins_.add(numbers[k]);
      bins_.renew(Size);
    }
  }
  WARPFOLD_HD void finish() {
    flush();
    bins_.finish();
  }

  WARPFOLD_HD void join(const table_marks*) {}

 private:
  static constexpr unsigned most_added = 512;

  // As `windowed_table::holds`.
  template <bool IsWhole, std::size_t Size>
  WARPFOLD_HD bool holds(const float (&numbers)[Size]) {
    return window_.template holds_or_moves<format, IsWhole>(numbers, [this] { flush(); }, [] {});
  }

  // Three floats hold the 53 digits of a double.
  WARPFOLD_HD void flush() {
    WARPFOLD_NO_UNROLL
    for (int part = 0; part < 3; ++part) {
      const auto own = static_cast<float>(sum_);
      bins_.add_digits(own);
      sum_ -= wide_double(own);
    }
    bins_.renew(3);
    sum_ = 0;
    added_ = 0;
  }

  bins_type bins_;
  exponent_window window_;
  double sum_ = 0;
  unsigned added_ = 0;
};

}  // namespace warpfold::detail
