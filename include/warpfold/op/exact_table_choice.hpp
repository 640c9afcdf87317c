/// @file
/// The table of a thread (op/exact_table.hpp) for each accumulator of exact sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <warpfold/core/number.hpp>
#include <warpfold/op/exact_float_table.hpp>
#include <warpfold/op/exact_half_table.hpp>
#include <warpfold/op/exact_table.hpp>
#include <warpfold/op/exact_window.hpp>

namespace warpfold::detail {

// A column without words, to ask for the properties of a table.
struct no_column {
  std::int64_t load(unsigned) const;
  void store(unsigned, std::int64_t) const;
  no_column part(unsigned) const;
};

template <class>
inline constexpr bool is_exact_sum = false;
template <class T, int Factors>
inline constexpr bool is_exact_sum<exact_sum<T, Factors>> = true;

// The table of an accumulator `A`, whose elements add `Adds` numbers to each sum. `room` is the
// number of words that it may have: host and GPU agree on it, also if their tables differ.
template <class A, class Column, unsigned Adds = 1>
struct exact_table_of;

template <class T, int Factors, class Column, unsigned Adds>
struct exact_table_of<exact_sum<T, Factors>, Column, Adds> {
  using sum = exact_sum<T, Factors>;
  using digits = digit_table<sum, Column, Adds>;
  using type = std::conditional_t<!adds_doubles || sizeof(T) * Factors == 16, digits,
                                  std::conditional_t<sizeof(T) * Factors == 4, float_table<Column>,
                                                     windowed_table<sum, Column, Adds>>>;
  static constexpr unsigned of_floats = float_table<Column>::words;
  static constexpr unsigned room =
      sizeof(T) * Factors == 4 && digits::words < of_floats ? of_floats : digits::words;
};
// 16-bit floats have tables of their own.
template <class A, class T, class Column>
struct exact_table_of_elements : exact_table_of<A, Column> {};
template <class Column>
struct exact_table_of_elements<exact_sum<float>, __half, Column>
    : exact_table_of<exact_sum<float>, Column> {
  using type =
      std::conditional_t<adds_doubles, half_table<Column>, digit_table<exact_sum<float>, Column>>;
  static constexpr unsigned room = digit_table<exact_sum<float>, Column>::words;
};
template <class Column>
struct exact_table_of_elements<exact_sum<float>, __nv_bfloat16, Column>
    : exact_table_of<exact_sum<float>, Column> {
  using type =
      std::conditional_t<adds_doubles, bfloat_table<Column>, digit_table<exact_sum<float>, Column>>;
};

template <class A, class Column, unsigned Adds = 1>
using exact_table = typename exact_table_of<A, Column, Adds>::type;

// Tables of both parts of complex numbers.
template <class A, class Column, unsigned Adds>
struct complex_table : table_pair<exact_table<typename A::sum_type, Column, Adds>,
                                  exact_table<typename A::sum_type, Column, Adds>> {
  using part = exact_table<typename A::sum_type, Column, Adds>;
  static constexpr int digit_words = A::digit_words;

  WARPFOLD_HD explicit complex_table(const Column& own) : real(own), imag(own.part(part::words)) {}

  template <unsigned Size, bool IsWhole>
  struct group {
    using part_group = typename part::template group<Size, IsWhole>;
    part_group real, imag;

    WARPFOLD_HD explicit group(complex_table& of) : real(of.real), imag(of.imag) {}

    template <class Slot>
    struct slot_type {
      static constexpr int digit_words = A::digit_words;
      Slot real, imag;
    };
    template <unsigned Place>
    WARPFOLD_HD auto slot(bool is_there) {
      return slot_type<decltype(real.template slot<Place>(is_there))>{
          real.template slot<Place>(is_there), imag.template slot<Place>(is_there)};
    }
    WARPFOLD_HD void finish() {
      real.finish();
      imag.finish();
    }
  };

  WARPFOLD_HD void finish() {
    real.finish();
    imag.finish();
  }
  WARPFOLD_HD void join(const table_marks* marks) {
    real.join(marks);
    imag.join(marks + 1);
  }
  static constexpr bool counts = false;

  part real;
  part imag;
};

// The table of the sum of some numbers, whose number the kernel knows.
template <class A, class Column>
struct mean_table : table_in_front<exact_table<exact_sum<typename A::number_type>, Column>> {
  using number_type = typename A::number_type;
  using part = exact_table<exact_sum<number_type>, Column>;
  static constexpr bool keeps_groups = part::keeps_groups;
  static constexpr bool counts = true;

  WARPFOLD_HD explicit mean_table(const Column& own) : sum(own) {}

  template <unsigned Size, bool IsWhole>
  struct group {
    typename part::template group<Size, IsWhole> sum;

    WARPFOLD_HD explicit group(mean_table& of) : sum(of.sum) {}

    template <class Slot>
    struct slot_type {
      using number_type = mean_table::number_type;
      static constexpr bool has_squares = false;
      Slot sum;
      std::uint64_t count = 0;
    };
    template <unsigned Place>
    WARPFOLD_HD auto slot(bool is_there) {
      return slot_type<decltype(sum.template slot<Place>(is_there))>{
          sum.template slot<Place>(is_there)};
    }
    WARPFOLD_HD void finish() { sum.finish(); }
  };

  WARPFOLD_HD void finish() { sum.finish(); }
  WARPFOLD_HD void join(const table_marks* marks) { sum.join(marks); }

  part sum;
};

// The tables of the sum of some numbers and of the sum of their squares.
template <class A, class Column>
struct moments_table : table_pair<exact_table<exact_sum<typename A::number_type>, Column>,
                                  exact_table<exact_sum<typename A::number_type, 2>, Column>> {
  using number_type = typename A::number_type;
  using sum_table = exact_table<exact_sum<number_type>, Column>;
  using squares_table = exact_table<exact_sum<number_type, 2>, Column>;

  WARPFOLD_HD explicit moments_table(const Column& own)
      : sum(own), squares(own.part(sum_table::words)) {}

  template <unsigned Size, bool IsWhole>
  struct group {
    typename sum_table::template group<Size, IsWhole> sum;
    typename squares_table::template group<Size, IsWhole> squares;

    WARPFOLD_HD explicit group(moments_table& of) : sum(of.sum), squares(of.squares) {}

    template <class Slot, class SquaresSlot>
    struct slot_type {
      using number_type = moments_table::number_type;
      static constexpr bool has_squares = true;
      Slot sum;
      SquaresSlot squares;
      std::uint64_t count = 0;
    };
    template <unsigned Place>
    WARPFOLD_HD auto slot(bool is_there) {
      return slot_type<decltype(sum.template slot<Place>(is_there)),
                       decltype(squares.template slot<Place>(is_there))>{
          sum.template slot<Place>(is_there), squares.template slot<Place>(is_there)};
    }
    WARPFOLD_HD void finish() {
      sum.finish();
      squares.finish();
    }
  };

  WARPFOLD_HD void finish() {
    sum.finish();
    squares.finish();
  }
  WARPFOLD_HD void join(const table_marks* marks) {
    sum.join(marks);
    squares.join(marks + 1);
  }
  static constexpr bool counts = true;

  sum_table sum;
  squares_table squares;
};

}  // namespace warpfold::detail
