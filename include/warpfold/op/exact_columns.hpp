/// @file
/// Exact sums of neighboring columns: rows of numbers are added in double, and the processor's flag
/// says if an addition rounded (op/exact_in_double.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/op/exact_bins.hpp>
#include <warpfold/op/exact_in_double.hpp>

namespace warpfold::detail {

// The sums of some columns, of the upper and of the lower digits. Floats have no lower ones.
struct column_sums {
  static constexpr std::size_t most = 64;
  double parts[2][most];
};

#if defined(__x86_64__) && defined(__GNUC__)

template <int Bytes>
struct exact_rows {
  using numbers = typename vector_register<double, Bytes>::type;
  using bits = typename vector_register<long long, Bytes>::type;
  static constexpr std::size_t width = Bytes / sizeof(double);
  static constexpr long long lower_mask = (1LL << 27) - 1;

  template <class T, std::size_t... l>
  __attribute__((always_inline)) static void load(numbers& to, const T* from,
                                                  std::index_sequence<l...>) {
    to = numbers{static_cast<double>(from[l])...};
  }

  // Adds `Rows` rows, each of `Width` columns.
  template <std::size_t Rows, class T>
  __attribute__((always_inline)) static void add_vector(column_sums& sums, std::size_t column,
                                                        const T* from, std::size_t step) {
    numbers upper, lower;
    __builtin_memcpy(&upper, sums.parts[0] + column, Bytes);
    if constexpr (sizeof(T) == 8) __builtin_memcpy(&lower, sums.parts[1] + column, Bytes);
    for (std::size_t row = 0; row < Rows; ++row) {
      numbers x;
      load(x, from + row * step + column, std::make_index_sequence<width>{});
      if constexpr (sizeof(T) == 8) {
        const numbers own = (numbers)((bits)x & ~lower_mask);
        upper += own;
        lower += x - own;
      } else {
        upper += x;
      }
    }
    __builtin_memcpy(sums.parts[0] + column, &upper, Bytes);
    if constexpr (sizeof(T) == 8) __builtin_memcpy(sums.parts[1] + column, &lower, Bytes);
  }
  template <std::size_t Rows, class T>
  __attribute__((always_inline)) static void add_rows(column_sums& sums, std::size_t columns,
                                                      const T* from, std::size_t step) {
    std::size_t column = 0;
    for (; column + width <= columns; column += width) {
      add_vector<Rows>(sums, column, from, step);
    }
    for (; column < columns; ++column) {
      for (std::size_t row = 0; row < Rows; ++row) {
        const double x = from[row * step + column];
        double upper = x;
        if constexpr (sizeof(T) == 8) {
          upper = __builtin_bit_cast(
              double, __builtin_bit_cast(std::uint64_t, x) & ~std::uint64_t{lower_mask});
          sums.parts[1][column] += x - upper;
        }
        sums.parts[0][column] += upper;
      }
    }
  }
  template <class T>
  __attribute__((always_inline)) static void add(column_sums& sums, std::size_t columns,
                                                 const T* from, std::size_t step,
                                                 std::size_t rows) {
    std::size_t row = 0;
    for (; rows - row >= 4; row += 4) add_rows<4>(sums, columns, from + row * step, step);
    for (; row < rows; ++row) add_rows<1>(sums, columns, from + row * step, step);
  }
};

#if !defined(__AVX2__)
template <class T>
__attribute__((target("avx2"))) void add_rows_avx2(column_sums& sums, std::size_t columns,
                                                   const T* from, std::size_t step,
                                                   std::size_t rows) {
  exact_rows<32>::add(sums, columns, from, step, rows);
}
#endif

// The additions stay between two of these.
__attribute__((always_inline)) inline void keep_here(column_sums& sums) {
  __asm__ __volatile__("" : : "r"(&sums) : "memory");
}

// Sums up columns. Row `i` begins at `from + i * step`.
// @return false if a sum is not exact
template <class T>
bool sum_columns(column_sums& sums, std::size_t columns, const T* from, std::size_t step,
                 std::size_t rows) {
  if (!computes_as_written || !ieee_arithmetic::tells_rounding()) return false;
  for (auto& part : sums.parts) {
    for (std::size_t column = 0; column < columns; ++column) part[column] = -0.0;
  }
  const ieee_arithmetic own;
  keep_here(sums);
#if defined(__AVX2__)
  exact_rows<32>::add(sums, columns, from, step, rows);
#else
  if (__builtin_cpu_supports("avx2")) {
    add_rows_avx2(sums, columns, from, step, rows);
  } else {
    exact_rows<16>::add(sums, columns, from, step, rows);
  }
#endif
  keep_here(sums);
  if (own.has_rounded()) return false;
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

// Adds rows of numbers, one to each of `columns` sums: `sum_of(i)` is that of column `i`.
template <class T, class SumOf>
void add_exact_rows(const SumOf& sum_of, std::size_t columns, const T* from, std::size_t step,
                    std::size_t rows) {
  constexpr std::size_t at_once = 512, few = 4;
  std::size_t left_out = 0, next = 0;
  column_sums sums;
  while (rows != 0) {
    const std::size_t some = rows < at_once ? rows : at_once;
    const bool is_tried = some >= few && left_out == 0 && columns <= column_sums::most;
    if (is_tried && sum_columns(sums, columns, from, step, some)) {
      next = 0;
      for (std::size_t column = 0; column < columns; ++column) {
        add_double(sum_of(column), sums.parts[0][column]);
        const double lower = sizeof(T) == 8 ? sums.parts[1][column] : 0;
        if (lower != 0) add_double(sum_of(column), lower);
      }
    } else {
      if (is_tried) {
        left_out = next;
        next = next < 16 ? 2 * next + 1 : next;
      } else if (left_out != 0) {
        --left_out;
      }
      for (std::size_t row = 0; row < some; ++row) {
        for (std::size_t column = 0; column < columns; ++column) {
          sum_of(column).add(from[row * step + column]);
        }
      }
    }
    from += some * step;
    rows -= some;
  }
}

}  // namespace warpfold::detail
