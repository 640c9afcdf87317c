/// @file
/// The exact sum of floats as doubles, one for each 16 exponents: the table of a thread
/// (op/exact_table.hpp) that takes the fewest instructions.
///
/// The digits of floats with such exponents have 39 places, so that a double holds the sum of 2^13
/// of them. A float costs a conversion, an addition, a load, a store and the address. Infinities,
/// NaN and subnormal floats need no branch.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/op/exact_table.hpp>

namespace warpfold::detail {

template <class Column>
class float_table {
  using sum_type = exact_sum<float>;
  // Two more than exponents need, for carries.
  static constexpr unsigned bins = 18;
  static constexpr unsigned most_added = 1 << 13;

 public:
  static constexpr int digit_words = sum_type::digit_words;
  using parts = word_parts;
  using marks_type = table_marks;
  template <unsigned Size, bool>
  using group = table_group<float_table, Size>;
  static constexpr unsigned words = bins + 1;  // the last for marks
  static constexpr unsigned totals = sum_type::word_count;
  static constexpr unsigned tables = 1;
  static constexpr bool keeps_groups = false;

  WARPFOLD_HD explicit float_table(const Column& own) : own_(own) {
    for (unsigned i = 0; i < bins; ++i) own_.store(i, 0);
  }

  WARPFOLD_HD void add(float x) {
    add_digits(x);
    seen_ |= __builtin_bit_cast(std::uint32_t, x) ^ float_format<float>::sign_bit;
  }
  // Adds a part of numbers that were seen.
  WARPFOLD_HD void add_digits(float x) {
    const unsigned bin = __builtin_bit_cast(std::uint32_t, x) >> 27 & 15;
    own_.store(bin, word_of(number_of(own_.load(bin)) + wide_double(x)));
  }
  WARPFOLD_HD void saw_numbers() { seen_ |= 1; }

  WARPFOLD_HD void renew(unsigned n) {
    added_ += n;
    if (added_ + most_at_once > most_added) carry();
  }

  // Infinities and NaN leave their bins, so that the others can be added up.
  WARPFOLD_HD void finish() {
    table_marks marks = seen_ != 0 ? seen_number : 0u;
    WARPFOLD_UNROLL
    for (unsigned i = 0; i < bins; ++i) {
      const std::int64_t word = own_.load(i);
      if (word == 0) continue;
      marks |= table_marks{1} << (used_bit + i);
      if (is_finite_word(word)) continue;
      marks |= seen_of_word(word);
      own_.store(i, 0);
    }
    own_.store(bins, static_cast<std::int64_t>(marks));
  }

  WARPFOLD_HD void join(const table_marks*) {}

  static WARPFOLD_HD unsigned marks_at(unsigned) { return bins; }
  static WARPFOLD_HD bool is_used(unsigned i, const table_marks* marks) {
    return i < bins && (marks[0] >> (used_bit + i) & 1) != 0;
  }
  static WARPFOLD_HD void split(unsigned i, std::int64_t word, word_parts& part) {
    if (word == 0) return;
    const auto digits = static_cast<std::int64_t>(number_of(word) * power_of_2(149 - place_of(i)));
    if (i == 0) {
      part.add(digits);
    } else {
      part.add_at(digits, static_cast<unsigned>(place_of(i)));
    }
  }

  static WARPFOLD_HD std::int64_t total(unsigned t, const auto& low, const auto& high,
                                        const table_marks* marks) {
    if (t >= digit_words) return seen_count(marks[0], t - digit_words);
    // Word t has the last digit of two bins, and more digits of the bins of the two words before.
    // The upper part of a bin has up to 2^52 for each thread, so it is divided once more.
    std::int64_t sum = 0;
    for_bins_of(t, [&](unsigned i) { sum += low(i); });
    if (t >= 1) for_bins_of(t - 1, [&](unsigned i) { sum += high(i) & 0xffffffff; });
    if (t >= 2) for_bins_of(t - 2, [&](unsigned i) { sum += high(i) >> 32; });
    return sum;
  }

  static constexpr bool counts = false;
  static WARPFOLD_HD void settle(std::int64_t* words_of_sum, std::size_t n) {
    settle_words<sum_type>(words_of_sum, n);
  }

 private:
  static WARPFOLD_HD double number_of(std::int64_t word) {
    return __builtin_bit_cast(double, word);
  }
  static WARPFOLD_HD std::int64_t word_of(double x) { return __builtin_bit_cast(std::int64_t, x); }
  static WARPFOLD_HD double power_of_2(int exponent) {
    return number_of(std::int64_t{exponent + 1023} << 52);
  }
  // The place of the last digit of a bin, in units of the least float. Floats with the exponent
  // fields 0 and 1 have the same.
  static WARPFOLD_HD int place_of(unsigned i) { return i == 0 ? 0 : 16 * static_cast<int>(i) - 1; }

  // Calls `use` with the bins whose last digit is in word t.
  static WARPFOLD_HD void for_bins_of(unsigned t, const auto& use) {
    if (t == 0) use(0);
    for (unsigned i = 2 * t + 1; i <= 2 * t + 2 && i < bins; ++i) use(i);
  }

  // Moves what is above the lower 31 or 32 digits of a bin two bins up.
  WARPFOLD_HD void carry() {
    WARPFOLD_NO_UNROLL
    for (unsigned i = 0; i + 2 < bins; ++i) {
      const std::int64_t word = own_.load(i);
      if (word == 0 || !is_finite_word(word)) continue;
      const double sum = number_of(word);
      const double rounder = 1.5 * power_of_2(place_of(i + 2) - 149 + 52);
      const double over = sum + rounder - rounder;
      own_.store(i, word_of(sum - over));
      own_.store(i + 2, word_of(number_of(own_.load(i + 2)) + over));
    }
    added_ = 1;
  }

  Column own_;
  std::uint32_t seen_ = 0;
  unsigned added_ = 0;
};

}  // namespace warpfold::detail
