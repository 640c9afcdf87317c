/// @file
/// Tables of exact sums (op/exact_table.hpp) as the threads of a block have them, without a kernel.
/// Words that a table has not cleared hold garbage.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/op/exact_sum.hpp>
#include <warpfold/op/exact_table.hpp>

namespace test {

class vector_column {
 public:
  explicit vector_column(std::int64_t* words) : words_(words) {}
  std::int64_t load(unsigned i) const { return words_[i]; }
  void store(unsigned i, std::int64_t word) const { words_[i] = word; }
  vector_column part(unsigned first) const { return vector_column(words_ + first); }

 private:
  std::int64_t* words_;
};

template <class Table>
class table_columns {
 public:
  explicit table_columns(std::size_t threads)
      : words_(threads * Table::words, std::int64_t{0x5a5a5a5a5a5a5a5a}) {
    for (std::size_t t = 0; t < threads; ++t) {
      tables_.emplace_back(vector_column(words_.data() + t * Table::words));
    }
  }

  Table& of(std::size_t thread) { return tables_[thread]; }

  /// Adds up to four elements as a group: `add(slot, k)` adds element `k`.
  template <bool IsWhole, class Add>
  void add_group(std::size_t thread, std::size_t count, const Add& add) {
    typename Table::template group<4, IsWhole> group(of(thread));
    const auto to = [&](auto&& slot, std::size_t k) { add(slot, k); };
    to(group.template slot<0>(0 < count), std::size_t{0});
    to(group.template slot<1>(1 < count), std::size_t{1});
    to(group.template slot<2>(2 < count), std::size_t{2});
    to(group.template slot<3>(3 < count), std::size_t{3});
    group.finish();
  }

  /// The words of the result of `n` elements.
  std::vector<std::int64_t> settled(std::size_t n) {
    std::vector<typename Table::marks_type> marks(Table::tables);
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      tables_[t].finish();
      for (unsigned k = 0; k < Table::tables; ++k) {
        marks[k] |= static_cast<typename Table::marks_type>(word(t, Table::marks_at(k)));
      }
    }
    for (Table& table : tables_) table.join(marks.data());
    std::vector<typename Table::parts> sums(Table::words);
    for (unsigned i = 0; i < Table::words; ++i) {
      if (!Table::is_used(i, marks.data())) continue;
      for (std::size_t t = 0; t < tables_.size(); ++t) Table::split(i, word(t, i), sums[i]);
    }
    std::vector<std::int64_t> totals(Table::totals);
    for (unsigned t = 0; t < Table::totals; ++t) {
      totals[t] = Table::total(
          t, [&](unsigned i) { return sums.at(i).low; },
          [&](unsigned i) { return sums.at(i).high; }, marks.data());
    }
    // So that the words of 2^17 threads are below 2^52.
    for (const std::int64_t word : totals) {
      CHECK(std::abs(word) < static_cast<std::int64_t>(tables_.size()) << 35);
    }
    Table::settle(totals.data(), n);
    return totals;
  }

 private:
  std::int64_t word(std::size_t thread, unsigned i) const {
    return words_[thread * Table::words + i];
  }

  std::vector<std::int64_t> words_;
  std::vector<Table> tables_;
};

/// The sum of `numbers` by tables of a few threads, in groups of four.
template <class Table, class Sum, class T>
Sum sum_in_tables(const std::vector<T>& numbers, std::size_t threads = 3) {
  table_columns<Table> columns(threads);
  for (std::size_t i = 0; i < numbers.size(); i += 4) {
    const std::size_t left = numbers.size() - i;
    const auto add = [&](auto& slot, std::size_t k) { slot.add(numbers[i + (k < left ? k : 0)]); };
    if (left >= 4) {
      columns.template add_group<true>(i / 4 % threads, 4, add);
    } else {
      columns.template add_group<false>(i / 4 % threads, left, add);
    }
  }
  const std::vector<std::int64_t> words = columns.settled(numbers.size());
  REQUIRE(words.size() == Sum::word_count);
  Sum sum;
  std::copy(words.begin(), words.end(), sum.words());
  return sum;
}

/// Numbers with random digits, whose exponents differ by up to `binades`.
template <class T>
std::vector<T> numbers_of(std::size_t n, int least_exponent, int binades, bool are_signed = true) {
  std::mt19937_64 random(n + static_cast<unsigned>(binades));
  std::vector<T> numbers(n);
  for (T& x : numbers) {
    const T digits = T{1} + static_cast<T>(random() >> 11) * static_cast<T>(0x1p-53);
    const int exponent =
        least_exponent + static_cast<int>(random() % static_cast<unsigned>(binades));
    x = std::ldexp(digits, exponent);
    if (are_signed && random() % 2 != 0) x = -x;
  }
  return numbers;
}

/// True if two sums have the same digits, also those that a rounding drops.
template <class Sum>
bool have_same_digits(Sum a, Sum b) {
  a.normalize();
  b.normalize();
  return std::equal(a.words(), a.words() + Sum::digit_words, b.words());
}

/// Compares sums of numbers by tables with those of exact_sum.
template <class Table, class Sum, class T>
void check_sums(const std::vector<T>& numbers, std::size_t threads = 3) {
  Sum want;
  for (const T x : numbers) want.add(x);
  const Sum got = sum_in_tables<Table, Sum>(numbers, threads);
  using R = std::conditional_t<sizeof(T) == 8, double, float>;
  const auto bits = [](const Sum& s) {
    return __builtin_bit_cast(std::uint64_t, static_cast<double>(s.template rounded<R>()));
  };
  CHECK(bits(got) == bits(want));
  CHECK(have_same_digits(got, want));
}

}  // namespace test
