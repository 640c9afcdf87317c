/// @file
/// Exact sums of neighboring columns: rows of numbers are added in double, and the processor's flag
/// says if an addition rounded (op/inexact_flag.hpp).
#pragma once

#include <cstddef>

#include <warpfold/op/double_bits.hpp>
#include <warpfold/op/double_vectors.hpp>
#include <warpfold/op/exact_bins.hpp>
#include <warpfold/op/inexact_flag.hpp>
#include <warpfold/op/trial_backoff.hpp>

namespace warpfold::detail {

// The sums of some columns, of the upper and of the lower digits. Floats have no lower ones.
struct column_sums {
  static constexpr std::size_t most = 64;
  double parts[2][most];
};

#if WARPFOLD_HAS_INEXACT_FLAG

template <class T>
struct sum_rows_in_vectors {
  static constexpr int left = 27;  // digits in the lower part

  // Adds `Rows` rows to the columns of one vector.
  template <std::size_t Rows, int Bytes>
  __attribute__((always_inline)) static void add_vector(column_sums& sums, std::size_t column,
                                                        const T* from, std::size_t step) {
    using vectors = double_vectors<Bytes>;
    typename vectors::numbers upper, lower;
    vectors::load(upper, sums.parts[0] + column);
    if constexpr (sizeof(T) == 8) vectors::load(lower, sums.parts[1] + column);
    for (std::size_t row = 0; row < Rows; ++row) {
      typename vectors::numbers x, own;
      vectors::load(x, from + row * step + column);
      if constexpr (sizeof(T) == 8) {
        vectors::template take_upper<left>(own, x);
        upper += own;
        lower += x - own;
      } else {
        upper += x;
      }
    }
    __builtin_memcpy(sums.parts[0] + column, &upper, Bytes);
    if constexpr (sizeof(T) == 8) __builtin_memcpy(sums.parts[1] + column, &lower, Bytes);
  }
  template <std::size_t Rows, int Bytes>
  __attribute__((always_inline)) static void add_rows(column_sums& sums, std::size_t columns,
                                                      const T* from, std::size_t step) {
    constexpr std::size_t width = double_vectors<Bytes>::count;
    std::size_t column = 0;
    for (; column + width <= columns; column += width) {
      add_vector<Rows, Bytes>(sums, column, from, step);
    }
    for (; column < columns; ++column) {
      for (std::size_t row = 0; row < Rows; ++row) {
        const double x = from[row * step + column];
        double upper = x;
        if constexpr (sizeof(T) == 8) {
          upper = upper_digits<left>(x);
          sums.parts[1][column] += x - upper;
        }
        sums.parts[0][column] += upper;
      }
    }
  }
  template <int Bytes>
  __attribute__((always_inline)) static void run(column_sums& sums, const std::size_t& columns,
                                                 const T* const& from, const std::size_t& step,
                                                 const std::size_t& rows) {
    std::size_t row = 0;
    for (; rows - row >= 4; row += 4) add_rows<4, Bytes>(sums, columns, from + row * step, step);
    for (; row < rows; ++row) add_rows<1, Bytes>(sums, columns, from + row * step, step);
  }
};

// Sums up columns, at most `column_sums::most`. Row `i` begins at `from + i * step`.
// @return false if a sum is not exact
template <class T>
bool sum_columns(column_sums& sums, std::size_t columns, const T* from, std::size_t step,
                 std::size_t rows) {
  if (!default_fp_environment::has_inexact_flag()) return false;
  for (auto& part : sums.parts) {
    for (std::size_t column = 0; column < columns; ++column) part[column] = -0.0;
  }
  const default_fp_environment own;
  column_sums* address = &sums;
  keep_here(address);
  run_in_vectors<sum_rows_in_vectors<T>>(sums, columns, from, step, rows);
  keep_here(address);
  if (own.is_inexact()) return false;
  for (std::size_t column = 0; column < columns; ++column) {
    if (!is_finite(sums.parts[0][column])) return false;
  }
  return true;
}

#else

template <class T>
bool sum_columns(column_sums&, std::size_t, const T*, std::size_t, std::size_t) {
  return false;
}

#endif

// Adds rows of numbers, one to each of `columns` sums, at most `column_sums::most`: `sum_of(i)` is
// that of column `i`.
template <class T, class SumOf>
void add_exact_rows(const SumOf& sum_of, std::size_t columns, const T* from, std::size_t step,
                    std::size_t rows) {
  constexpr std::size_t at_once = 512, few = 4;
  trial_backoff trials;
  column_sums sums;
  for (std::size_t some = 0; rows != 0; rows -= some, from += some * step) {
    some = rows < at_once ? rows : at_once;
    if (some >= few && trials.may_try()) {
      if (sum_columns(sums, columns, from, step, some)) {
        trials.succeeded();
        for (std::size_t column = 0; column < columns; ++column) {
          add_double(sum_of(column), sums.parts[0][column]);
          const double lower = sizeof(T) == 8 ? sums.parts[1][column] : 0;
          if (!is_zero(lower)) add_double(sum_of(column), lower);
        }
        continue;
      }
      trials.failed();
    }
    for (std::size_t row = 0; row < some; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        sum_of(column).add(from[row * step + column]);
      }
    }
  }
}

}  // namespace warpfold::detail
