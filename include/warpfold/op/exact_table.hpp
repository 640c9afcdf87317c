/// @file
/// Exact sums of many threads: each has a table of words of its own, in shared memory, and adds its
/// numbers there (kernel/thread_tables.hpp).
///
/// A state of exact sums does not fit registers, and a number changes two of its words. As a table
/// in shared memory, whose words are a warp apart, it takes one load and one store for each of
/// them, without bank conflicts.
///
/// Source: the small superaccumulator of R. Neal, "Fast Exact Summation Using Small and Large
/// Superaccumulators", 2015, one for each thread.
///
/// A table is made of `Column`, the words of a thread: `load(i)` and `store(i, word)`. It has
/// - `words`: 64-bit words of a column; `totals`: words of the result;
/// - `group<Size, IsWhole>`: it takes `Size` elements, 1 to 64, or fewer if it is not whole. Each
///   is added to its `slot<Place>(is_there)` as to an exact_sum, also if it is not there;
///   `finish()` follows;
/// - `keeps_groups`: true if a group stays in registers;
/// - `finish()`, after which all that was added is in the column;
/// - `tables`, 1 or 2, and `marks_at(k)`: the words of marks, one for each table. The marks of a
///   block are those of any of its threads;
/// - `join(marks)`, after which all words are there that any thread of the block has used;
/// - `is_used(i, marks)`: false if no thread has used word `i`;
/// - `split(i, word, part)`, for the other words of any thread: parts that can be added up;
/// - `total(t, low, high, marks)`: word `t` of the result, from the sums of the parts of each word;
/// - `settle(words, n)`: makes the words of the result those of a state, of `n` numbers;
/// - `counts`: true if the state has `n` before its words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <warpfold/op/complex.hpp>
#include <warpfold/op/exact_product.hpp>
#include <warpfold/op/exact_sum.hpp>
#include <warpfold/op/inexact_flag.hpp>

namespace warpfold::detail {

// True if tables may add in double. Some GPUs add few doubles, and tables on hosts, those of the
// emulation, may be compiled with -ffast-math. These add integers.
#if defined(__CUDA_ARCH__)
inline constexpr bool adds_doubles = __CUDA_ARCH__ == 700 || __CUDA_ARCH__ == 720 ||
                                     __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 ||
                                     __CUDA_ARCH__ == 1000;
#else
inline constexpr bool adds_doubles = has_strict_math;
#endif

// The maximum number of elements before `renew`.
inline constexpr unsigned most_at_once = 64;

// What a table has seen, as bits: the counters of exact_sum behind its digits.
enum seen_kind : unsigned {
  seen_number = 1,  // that is not -0
  seen_infinity = 4,
  seen_negative_infinity = 8,
  seen_nan = 16
};

// The marks of a table: what it has seen, and above `used_bit` which groups of words it has used.
using table_marks = std::uint64_t;
inline constexpr int used_bit = 32;

// A counter of a state: word `i` behind its digits.
WARPFOLD_HD constexpr std::int64_t seen_count(table_marks marks, unsigned i) {
  return static_cast<std::int64_t>(marks >> i & 1);
}

// The parts of a word: `low` from 0 to 2^32 - 1, and `high` with a weight of 2^32.
struct word_parts {
  std::int64_t low = 0;
  std::int64_t high = 0;

  WARPFOLD_HD constexpr void add(std::int64_t word) {
    low += word & 0xffffffff;
    high += word >> 32;
  }
  // The same for the word times 2^(place % 32), where that is not 0.
  WARPFOLD_HD constexpr void add_at(std::int64_t word, unsigned place) {
    low += static_cast<std::int64_t>(static_cast<std::uint64_t>(word) << place % 32 & 0xffffffff);
    high += word >> (32 - place % 32);
  }
};

// The upper 32 bits of (upper, lower) << (shift % 32).
WARPFOLD_HD constexpr std::uint32_t shifted_left(std::uint32_t lower, std::uint32_t upper,
                                                 unsigned shift) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_l(lower, upper, shift);
#else
  return static_cast<std::uint32_t>((std::uint64_t{upper} << 32 | lower) << shift % 32 >> 32);
#endif
}

// A double as a table's word.
WARPFOLD_HD constexpr bool is_finite_word(std::int64_t word) {
  return (word >> 52 & 0x7ff) != 0x7ff;
}
WARPFOLD_HD constexpr unsigned seen_of_word(std::int64_t word) {
  return (word & 0xfffffffffffff) != 0 ? seen_nan
         : word < 0                    ? seen_negative_infinity
                                       : seen_infinity;
}

// Makes words of a result, which are below 2^52, those of a state: the low parts of 2^9 blocks of
// 2^10 threads.
template <class Sum>
WARPFOLD_HD void settle_words(std::int64_t* words, std::size_t n) {
  constexpr int first = Sum::digit_words;
  static_assert(1 << (Sum::additions - first) == seen_number &&
                1 << (Sum::infinities - first) == seen_infinity &&
                1 << (Sum::negative_infinities - first) == seen_negative_infinity &&
                1 << (Sum::nans - first) == seen_nan);
  if (words[Sum::additions] != 0) {
    words[Sum::additions] = std::int64_t{1} << 20;
  } else if (n != 0 && words[Sum::nans] == 0 && words[Sum::infinities] == 0 &&
             words[Sum::negative_infinities] == 0) {
    words[Sum::negative_zeros] = 1;
  }
}

// Elements that go to the table one by one.
template <class Table, unsigned Size>
class table_group {
  static_assert(Size <= most_at_once);

 public:
  WARPFOLD_HD explicit table_group(Table& of) : of_(of) {}

  struct slot_type {
    static constexpr int digit_words = Table::digit_words;
    Table& of;
    bool is_there;

    template <class... T>
    WARPFOLD_HD void add(T... x) const {
      if (is_there) of.add(x...);
    }
  };
  template <unsigned>
  WARPFOLD_HD slot_type slot(bool is_there) {
    return {of_, is_there};
  }
  WARPFOLD_HD void finish() { of_.renew(Size); }

 private:
  Table& of_;
};

// Numbers that stay in registers, because each has a place that the compiler knows, until the table
// gets all at once. One that is not there is -0, which a table does not count.
template <class Table, class Number, unsigned Size, bool IsWhole, unsigned Adds = 1>
class number_group {
  static_assert(Size <= most_at_once);

 public:
  WARPFOLD_HD explicit number_group(Table& of) : of_(of) {}

  template <unsigned Place>
  struct slot_type {
    static constexpr int digit_words = Table::digit_words;
    number_group& group;
    bool is_there;
    unsigned added = 0;

    template <class... T>
    WARPFOLD_HD void add(T... x) {
      group.numbers_[Place * Adds + added] = is_there ? Table::number(x...) : Number(-0.0);
      ++added;
    }
  };
  template <unsigned Place>
  WARPFOLD_HD slot_type<Place> slot(bool is_there) {
    return {*this, is_there};
  }
  WARPFOLD_HD void finish() { of_.template add_all<IsWhole>(numbers_); }

 private:
  Table& of_;
  Number numbers_[std::size_t{Size} * Adds];
};

// The digits of a sum: the words of `Sum`, and one for what was seen. A word is the sum of up to
// 1024 parts of numbers, of 52 digits, or 256 parts of products, of 54.
// @tparam Adds numbers that are added for each element
template <class Sum, class Column, unsigned Adds = 1>
class digit_table {
 public:
  static constexpr int digit_words = Sum::digit_words;
  using parts = word_parts;
  using marks_type = table_marks;
  template <unsigned Size, bool>
  struct group : table_group<digit_table, Size> {
    WARPFOLD_HD explicit group(digit_table& of) : table_group<digit_table, Size>(of) {
      of.use_all();
    }
  };
  static constexpr unsigned words = Sum::digit_words + 1;
  static constexpr unsigned totals = Sum::word_count;
  static constexpr unsigned tables = 1;
  static constexpr bool keeps_groups = false;

  WARPFOLD_HD explicit digit_table(const Column& own) : own_(own) {}

  // Clears all words, or those that some numbers change: before `add`. Words that no thread uses
  // take no time at the end.
  WARPFOLD_HD void use_all() {
    if (used_ != all_groups) [[unlikely]]
      use(all_groups);
  }
  template <class T, std::size_t Size>
  WARPFOLD_HD void use_for(const T (&numbers)[Size]) {
    using format = float_format<T>;
    unsigned groups = 0;
    WARPFOLD_UNROLL
    for (std::size_t k = 0; k < Size; ++k) {
      const auto size = static_cast<typename format::bits>(
          __builtin_bit_cast(typename format::bits, numbers[k]) & ~format::sign_bit);
      const auto field = static_cast<int>(size >> format::fraction_bits);
      const int place = field - 1 + format::least_exponent - Sum::least_exponent;
      const unsigned i = place < 0 ? 0 : static_cast<unsigned>(place) / 32;
      const unsigned both = 1u << i / in_group | 1u << (i + 1) / in_group;
      groups |= size == 0 || size >= format::infinity ? 0 : both;
    }
    use(groups);
  }

  template <class T>
  WARPFOLD_HD void add(T x) {
    using format = float_format<T>;
    const auto b = __builtin_bit_cast(typename format::bits, x);
    const auto size = static_cast<typename format::bits>(b & ~format::sign_bit);
    constexpr auto fields = static_cast<unsigned>(format::infinity >> format::fraction_bits);
    const auto field = static_cast<unsigned>(size >> format::fraction_bits);
    auto digits = static_cast<std::int64_t>(size & format::fraction_mask);
    int place = static_cast<int>(field) - 1;
    if (field - 1 < fields - 1) [[likely]] {
      digits |= std::int64_t{1} << format::fraction_bits;
    } else {
      if (size == 0 || field == fields) return add_special(size, b != size, format{});
      place = 0;
    }
    place += format::least_exponent - Sum::least_exponent;
    if constexpr (format::least_exponent < Sum::least_exponent) {
      if (place < 0) {
        digits = place > -64 ? digits >> -place : 0;  // the dropped digits are zeros
        place = 0;
      }
    }
    seen_ |= seen_number;
    add_digits(b != size ? -digits : digits, place);
  }

  // Adds numbers without a test of each, if all are normal and no smaller than the last digit.
  template <class T, std::size_t Size>
  WARPFOLD_HD void add_all(const T (&numbers)[Size]) {
    using format = float_format<T>;
    constexpr auto fields = static_cast<unsigned>(format::infinity >> format::fraction_bits);
    const auto bits = [&](std::size_t k) {
      return __builtin_bit_cast(typename format::bits, numbers[k]);
    };
    unsigned least = fields, most = 0;
    WARPFOLD_UNROLL
    for (std::size_t k = 0; k < Size; ++k) {
      const unsigned field = static_cast<unsigned>(bits(k) >> format::fraction_bits) & fields;
      least = field < least ? field : least;
      most = field > most ? field : most;
    }
    constexpr int above = format::least_exponent - Sum::least_exponent;  // may be negative
    if (least == 0 || most == fields || static_cast<int>(least) - 1 + above < 0) {
      WARPFOLD_UNROLL
      for (std::size_t k = 0; k < Size; ++k) add(numbers[k]);
      return;
    }
    seen_ |= seen_number;
    WARPFOLD_UNROLL
    for (std::size_t k = 0; k < Size; ++k) {
      const auto field = static_cast<int>(bits(k) >> format::fraction_bits & fields);
      const auto sign = static_cast<std::int64_t>(bits(k) >> (format::width - 1));
      const auto digits = static_cast<std::int64_t>(
          (bits(k) & format::fraction_mask) | typename format::bits{1} << format::fraction_bits);
      add_digits((digits ^ -sign) + sign, field - 1 + above);
    }
  }

  /// Adds a product.
  template <class T>
  WARPFOLD_HD void add(T x, T y) {
    using format = float_format<T>;
    using bits = typename format::bits;
    const auto a = __builtin_bit_cast(bits, x), b = __builtin_bit_cast(bits, y);
    const auto size_a = static_cast<bits>(a & ~format::sign_bit);
    const auto size_b = static_cast<bits>(b & ~format::sign_bit);
    const bool is_negative = ((a ^ b) & format::sign_bit) != 0;
    const bits most = size_a < size_b ? size_b : size_a;
    const bool has_zero = size_a == 0 || size_b == 0;
    if (has_zero || most >= format::infinity) {
      const bits size = !has_zero ? most : most < format::infinity ? 0 : format::infinity + 1;
      return add_special(size, is_negative, format{});
    }
    const auto exponent = [](bits size) {
      const auto field = static_cast<int>(size >> format::fraction_bits);
      return field == 0 ? 0 : field - 1;
    };
    const auto digits = [](bits size) {
      const bool is_normal = size >> format::fraction_bits != 0;
      return std::uint64_t{size & format::fraction_mask} | std::uint64_t{is_normal}
                                                               << format::fraction_bits;
    };
    seen_ |= seen_number;
    const int place = exponent(size_a) + exponent(size_b);
    const std::uint64_t p = digits(size_a), q = digits(size_b);
    const auto add_part = [&](std::uint64_t part, int at) {
      const auto own = static_cast<std::int64_t>(part);
      add_digits(is_negative ? -own : own, at);
    };
    if constexpr (!format::is_double) {
      add_part(p * q, place);
    } else {
      constexpr std::uint64_t low_bits = 0xffffffff;
      const std::uint64_t p0 = p & low_bits, p1 = p >> 32, q0 = q & low_bits, q1 = q >> 32;
      add_part(p0 * q0 & low_bits, place);
      add_part(p0 * q1 + p1 * q0 + (p0 * q0 >> 32), place + 32);
      add_part(p1 * q1, place + 64);
    }
  }

  WARPFOLD_HD void renew(unsigned n) {
    added_ += n * Adds;
    if (added_ + most_at_once * Adds > most_added) carry();
  }
  // Says that numbers were added elsewhere.
  WARPFOLD_HD void saw_numbers() { seen_ |= seen_number; }

  WARPFOLD_HD void finish() {
    own_.store(digit_words, static_cast<std::int64_t>(std::uint64_t{used_} << used_bit | seen_));
  }

  WARPFOLD_HD void join(const table_marks* marks) {
    use(static_cast<unsigned>(marks[0] >> used_bit));
  }

  static WARPFOLD_HD unsigned marks_at(unsigned) { return digit_words; }
  static WARPFOLD_HD bool is_used(unsigned i, const table_marks* marks) {
    return i < digit_words && (marks[0] >> (used_bit + i / in_group) & 1) != 0;
  }
  static WARPFOLD_HD void split(unsigned, std::int64_t word, word_parts& part) { part.add(word); }

  static WARPFOLD_HD std::int64_t total(unsigned t, const auto& low, const auto& high,
                                        const table_marks* marks) {
    if (t >= digit_words) return seen_count(marks[0], t - digit_words);
    std::int64_t sum = low(t);
    if (t != 0) sum += high(t - 1);
    if (t == digit_words - 1) sum += high(t) * (std::int64_t{1} << 32);  // nothing is above it
    return sum;
  }

  static constexpr bool counts = false;
  static WARPFOLD_HD void settle(std::int64_t* words_of_sum, std::size_t n) {
    settle_words<Sum>(words_of_sum, n);
  }

 private:
  // Of a product of doubles, a word gets two parts.
  static constexpr unsigned most_added = Sum::least_exponent < -2000 ? 256 : 1024;

  // Adds `digits` * 2^`place`, in units of the last digit of the sum.
  WARPFOLD_HD void add_digits(std::int64_t digits, int place) {
    const auto at = static_cast<unsigned>(place);
    const auto lower = static_cast<std::uint32_t>(digits);
    const auto upper = static_cast<std::uint32_t>(static_cast<std::uint64_t>(digits) >> 32);
    const auto sign = static_cast<std::uint32_t>(digits >> 63);
    const std::int64_t first = shifted_left(0, lower, at);
    const auto second = static_cast<std::int64_t>(
        std::uint64_t{shifted_left(upper, sign, at)} << 32 | shifted_left(lower, upper, at));
    const Column words_at = own_.part(at / 32);
    const std::int64_t w = words_at.load(0), v = words_at.load(1);
    words_at.store(0, w + first);
    words_at.store(1, v + second);
  }

  template <class Format>
  WARPFOLD_HD void add_special(typename Format::bits size, bool is_negative, Format) {
    if (size > Format::infinity) {
      seen_ |= seen_nan;
    } else if (size == Format::infinity) {
      seen_ |= is_negative ? seen_negative_infinity : seen_infinity;
    } else if (!is_negative) {
      seen_ |= seen_number;
    }
  }

  // Words are cleared when the first one of their group is used.
  static constexpr unsigned in_group = digit_words < 32 ? 2 : digit_words < 124 ? 4 : 8;
  static_assert(digit_words <= 32 * in_group);
  static constexpr auto all_groups =
      static_cast<unsigned>((std::uint64_t{1} << (digit_words + in_group - 1) / in_group) - 1);
  WARPFOLD_HD void use(unsigned groups) {
    WARPFOLD_NO_UNROLL
    for (unsigned left = groups & ~used_; left != 0; left &= left - 1) {
      const auto last = static_cast<unsigned>(bit_count(left & (~left + 1)));
      const unsigned first = (last - 1) * in_group;
      WARPFOLD_UNROLL
      for (unsigned k = 0; k < in_group; ++k) {
        if (first + k < digit_words) own_.store(first + k, 0);
      }
    }
    used_ |= groups;
  }

  WARPFOLD_HD void carry() {
    use(all_groups);
    std::int64_t over = 0;
    WARPFOLD_NO_UNROLL
    for (unsigned i = 0; i + 1 < digit_words; ++i) {
      const std::int64_t word = own_.load(i) + over;
      own_.store(i, word & 0xffffffff);
      over = word >> 32;
    }
    own_.store(digit_words - 1, own_.load(digit_words - 1) + over);
    added_ = 1;
  }

  Column own_;
  unsigned seen_ = 0;
  unsigned used_ = 0;
  unsigned added_ = 0;
};

// What a table has that is in front of another one, which has the words.
template <class Behind>
struct table_in_front {
  static constexpr int digit_words = Behind::digit_words;
  using parts = word_parts;
  using marks_type = table_marks;
  static constexpr unsigned words = Behind::words;
  static constexpr unsigned totals = Behind::totals;
  static constexpr unsigned tables = 1;
  static constexpr bool counts = false;

  static WARPFOLD_HD unsigned marks_at(unsigned k) { return Behind::marks_at(k); }
  static WARPFOLD_HD bool is_used(unsigned i, const table_marks* marks) {
    return Behind::is_used(i, marks);
  }
  static WARPFOLD_HD void split(unsigned i, std::int64_t word, word_parts& part) {
    Behind::split(i, word, part);
  }
  static WARPFOLD_HD std::int64_t total(unsigned t, const auto& low, const auto& high,
                                        const table_marks* marks) {
    return Behind::total(t, low, high, marks);
  }
  static WARPFOLD_HD void settle(std::int64_t* words_of_sum, std::size_t n) {
    Behind::settle(words_of_sum, n);
  }
};

// What two tables have in common with one; the second is behind the first.
template <class First, class Second>
struct table_pair {
  using parts = word_parts;
  using marks_type = table_marks;
  static constexpr unsigned words = First::words + Second::words;
  static constexpr unsigned totals = First::totals + Second::totals;
  static constexpr unsigned tables = 2;
  static constexpr bool keeps_groups = First::keeps_groups || Second::keeps_groups;

  static WARPFOLD_HD unsigned marks_at(unsigned k) {
    return k == 0 ? First::marks_at(0) : First::words + Second::marks_at(0);
  }
  static WARPFOLD_HD bool is_used(unsigned i, const table_marks* marks) {
    return i < First::words ? First::is_used(i, marks)
                            : Second::is_used(i - First::words, marks + 1);
  }
  static WARPFOLD_HD void split(unsigned i, std::int64_t word, word_parts& part) {
    if (i < First::words) {
      First::split(i, word, part);
    } else {
      Second::split(i - First::words, word, part);
    }
  }
  static WARPFOLD_HD std::int64_t total(unsigned t, const auto& low, const auto& high,
                                        const table_marks* marks) {
    if (t < First::totals) return First::total(t, low, high, marks);
    return Second::total(
        t - First::totals, [&](unsigned i) { return low(i + First::words); },
        [&](unsigned i) { return high(i + First::words); }, marks + 1);
  }

  static WARPFOLD_HD void settle(std::int64_t* words_of_both, std::size_t n) {
    First::settle(words_of_both, n);
    Second::settle(words_of_both + First::totals, n);
  }
};

}  // namespace warpfold::detail
