/// @file
/// Sums of numbers in double, and whether they are exact: the processor's flag says if an addition
/// rounded (op/inexact_flag.hpp).
///
/// The numbers are added as for a plain sum, in several accumulators, and then the flag is read. So
/// an exact sum costs what a plain one costs while the exponents of the numbers are similar: in an
/// array of some thousand, floats may differ by a factor of about 2^22, doubles by 2^20. A double
/// is added as two or three numbers, of some of its digits each.
///
/// Where there is no such flag, no sum is said to be exact.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <warpfold/core/config.hpp>
#include <warpfold/op/double_bits.hpp>
#include <warpfold/op/double_vectors.hpp>
#include <warpfold/op/inexact_flag.hpp>

namespace warpfold::detail {

// The sums of the upper, the middle and the lower digits of some numbers. Some have fewer parts.
struct sums_in_double {
  double parts[3] = {};
  bool are_exact = false;
};

template <class T>
struct numbers_in_memory {
  static constexpr int parts = std::is_same_v<T, float> ? 1 : 2;
  const T* data;
};
// Products of the numbers of two arrays. Those of floats are doubles, whose exponents differ more.
template <class T>
struct products_in_memory {
  static constexpr int parts = 3;
  const T* a;
  const T* b;
};
// Doubles whose exponents differ as those of products do.
struct numbers_in_three_parts : numbers_in_memory<double> {
  static constexpr int parts = 3;
};

#if WARPFOLD_HAS_INEXACT_FLAG

template <int Bytes, int Parts>
struct accumulators_in_double {
  using vectors = double_vectors<Bytes>;
  using numbers = typename vectors::numbers;
  static constexpr std::size_t count = vectors::count;
  static constexpr std::size_t rows = Parts == 1 ? 8 : 4;  // independent additions hide latency
  static constexpr std::size_t line = rows * count;

  numbers sums[rows][std::size_t{Parts}];

  template <class T>
  __attribute__((always_inline)) static void load(numbers& to, const numbers_in_memory<T>& from,
                                                  std::size_t i) {
    vectors::load(to, from.data + i);
  }
  __attribute__((always_inline)) static void load(numbers& to,
                                                  const products_in_memory<float>& from,
                                                  std::size_t i) {
    numbers b;
    vectors::load(to, from.a + i);
    vectors::load(b, from.b + i);
    to *= b;
  }

  template <class Source>
  __attribute__((always_inline)) void add_row(std::size_t row, const Source& from, std::size_t i) {
    numbers x, upper, both;
    load(x, from, i + row * count);
    if constexpr (Parts == 1) {
      sums[row][0] += x;
    } else if constexpr (Parts == 2) {
      vectors::template take_upper<27>(upper, x);
      sums[row][0] += upper;
      sums[row][1] += x - upper;
    } else {
      vectors::template take_upper<35>(upper, x);
      vectors::template take_upper<17>(both, x);
      sums[row][0] += upper;
      sums[row][1] += both - upper;
      sums[row][2] += x - both;
    }
  }
  template <class Source, std::size_t... row>
  __attribute__((always_inline)) void add_line(const Source& from, std::size_t i,
                                               std::index_sequence<row...>) {
    (add_row(row, from, i), ...);
  }

  // The last numbers, filled up with -0, which changes no sum.
  template <class T>
  __attribute__((always_inline)) void add_rest(const numbers_in_memory<T>& from, std::size_t i,
                                               std::size_t n) {
    T own[line];
    for (std::size_t k = 0; k < line; ++k) own[k] = k < n - i ? from.data[i + k] : T(-0.0);
    add_line(numbers_in_memory<T>{own}, 0, std::make_index_sequence<rows>{});
  }
  __attribute__((always_inline)) void add_rest(const products_in_memory<float>& from, std::size_t i,
                                               std::size_t n) {
    float a[line], b[line];
    for (std::size_t k = 0; k < line; ++k) {
      a[k] = k < n - i ? from.a[i + k] : -0.0f;
      b[k] = k < n - i ? from.b[i + k] : 1.0f;
    }
    add_line(products_in_memory<float>{a, b}, 0, std::make_index_sequence<rows>{});
  }

  template <std::size_t... i>
  __attribute__((always_inline)) void start(const numbers& x, std::index_sequence<i...>) {
    ((sums[i / Parts][i % Parts] = x), ...);
  }
  // The sum of a part: rows, then lanes.
  template <std::size_t... row>
  __attribute__((always_inline)) void add_upper_rows(std::size_t part,
                                                     std::index_sequence<row...>) {
    ((sums[row][part] += sums[row + sizeof...(row)][part]), ...);
    if constexpr (sizeof...(row) > 1) {
      add_upper_rows(part, std::make_index_sequence<sizeof...(row) / 2>{});
    }
  }
  __attribute__((always_inline)) double total(std::size_t part) {
    add_upper_rows(part, std::make_index_sequence<rows / 2>{});
    double sum = sums[0][part][0];
    for (std::size_t l = 1; l < count; ++l) sum += sums[0][part][l];
    keep_here(sum);
    return sum;
  }

  template <class Source>
  __attribute__((always_inline)) static void sum(const Source& from, std::size_t n,
                                                 sums_in_double& to) {
    double zero = -0.0;
    keep_here(zero);
    numbers zeros;
    for (std::size_t l = 0; l < count; ++l) zeros[l] = zero;
    accumulators_in_double all;
    all.start(zeros, std::make_index_sequence<rows * Parts>{});
    std::size_t i = 0;
    for (; n - i >= line; i += line) all.add_line(from, i, std::make_index_sequence<rows>{});
    if (i < n) all.add_rest(from, i, n);
    to.parts[0] = all.total(0);
    if constexpr (Parts > 1) to.parts[1] = all.total(1);
    if constexpr (Parts > 2) to.parts[2] = all.total(2);
  }
};

template <class Source>
struct sum_in_vectors {
  template <int Bytes>
  __attribute__((always_inline)) static void run(const Source& from, const std::size_t& n,
                                                 sums_in_double& to) {
    accumulators_in_double<Bytes, Source::parts>::sum(from, n, to);
  }
};

// The sums of `n` numbers, at least one.
template <class Source>
sums_in_double sum_in_double(const Source& from, std::size_t n) {
  sums_in_double s;
  if (!default_fp_environment::has_inexact_flag()) return s;
  const default_fp_environment own;
  run_in_vectors<sum_in_vectors<Source>>(from, n, s);
  s.are_exact = is_finite(s.parts[0]) && !own.is_inexact();
  return s;
}

#else

template <class Source>
sums_in_double sum_in_double(const Source&, std::size_t) {
  return {};
}

#endif

}  // namespace warpfold::detail
