// Exact sums of neighboring columns: as number by number.
#include <warpfold/op/exact_columns.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <cuda/std/mdspan>

#include <warpfold/op/exact.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/statistics.hpp>

#include "op/exact_kinds.hpp"

namespace wf = warpfold;
namespace detail = warpfold::detail;

using test::exact_kind;
using test::number_of_kind;

TEST_CASE_TEMPLATE("columns of all numbers", T, float, double) {
  std::mt19937_64 random(1);
  std::size_t wrong = 0;
  for (int round = 0; round < 400; ++round) {
    const exact_kind kinds[] = {exact_kind::similar, exact_kind::wide, exact_kind::by_turns,
                                exact_kind::special, exact_kind::negative_zeros};
    const exact_kind kind = kinds[round % 5];
    const std::size_t columns = 1 + random() % 64, step = columns + random() % 3;
    const std::size_t rows = round % 4 == 0 ? random() % 2'000 : random() % 20;
    std::vector<T> numbers(rows * step + 1);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = number_of_kind<T>(kind, i / step, random);
    }
    std::vector<wf::exact_sum<T>> sums(columns), expected(columns);
    for (std::size_t c = 0; c < columns; ++c) {
      if (round % 2 == 0) sums[c].add(1);  // sums that have numbers
      expected[c] = sums[c];
      for (std::size_t row = 0; row < rows; ++row) expected[c].add(numbers[row * step + c]);
    }
    detail::add_exact_rows([&](std::size_t c) -> auto& { return sums[c]; }, columns, numbers.data(),
                           step, rows);
    for (std::size_t c = 0; c < columns; ++c) {
      wrong += !test::is_same_sum(sums[c].rounded(), expected[c].rounded());
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("the function alone: similar exponents are exact, wide ones are not", T, float,
                   double) {
  std::mt19937_64 random(3);
  constexpr std::size_t columns = 11, rows = 100;
  std::vector<T> numbers(columns * rows);
  for (T& x : numbers) x = number_of_kind<T>(exact_kind::similar, 0, random);
  detail::column_sums sums;
  const auto are_exact = [&] {
    return detail::sum_columns(sums, columns, numbers.data(), columns, rows);
  };
#if WARPFOLD_HAS_INEXACT_FLAG
  if (detail::default_fp_environment::has_inexact_flag()) {
    CHECK(are_exact());
    const detail::column_sums widest = sums;
    volatile std::size_t unknown = columns;  // to GCC, which warns of overflows otherwise
    std::size_t step = unknown, count = unknown, n = numbers.size() / step;
    const T* from = numbers.data();
    for (auto& part : sums.parts) {
      for (double& x : part) x = -0.0;
    }
    detail::sum_rows_in_vectors<T>::template run<16>(sums, count, from, step, n);
    for (std::size_t c = 0; c < columns; ++c) CHECK(sums.parts[0][c] == widest.parts[0][c]);
  }
#endif
  numbers[500] = std::ldexp(T(1), std::numeric_limits<T>::max_exponent - 5);
  CHECK_FALSE(are_exact());
  numbers[500] = std::numeric_limits<T>::infinity();
  CHECK_FALSE(are_exact());
}

TEST_CASE_TEMPLATE("sums, means and variances of columns", T, float, double) {
  std::mt19937_64 random(2);
  using matrix = cuda::std::mdspan<const T, cuda::std::dextents<std::size_t, 2>>;
  for (const std::size_t columns : {2u, 5u, 64u, 65u, 200u}) {
    for (const std::size_t rows : {2u, 7u, 600u}) {
      for (const exact_kind kind : {exact_kind::similar, exact_kind::wide, exact_kind::by_turns}) {
        std::vector<T> numbers(rows * columns);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
          numbers[i] = number_of_kind<T>(kind, i / columns, random);
        }
        const matrix m(numbers.data(), rows, columns);
        std::vector<T> sums(columns);
        std::vector<wf::exact_mean<T>> means(columns);
        std::vector<wf::exact_moments<T>> moments(columns);
        wf::reduce_axis<0>(wf::seq, m, wf::plus{}.exact(), sums);
        wf::reduce_axis<0>(wf::seq, m, wf::exact_moments_op<wf::exact_mean>{}, means);
        wf::reduce_axis<0>(wf::seq, m, wf::exact_moments_op<wf::exact_moments>{}, moments);
        std::size_t wrong = 0;
        for (std::size_t c = 0; c < columns; ++c) {
          std::vector<T> column(rows);
          for (std::size_t row = 0; row < rows; ++row) column[row] = numbers[row * columns + c];
          wf::exact_sum<T> sum;
          for (const T x : column) sum.add(x);
          wrong += sums[c] != sum.rounded();
          wrong += means[c].mean() != sum.template quotient<T>(rows);
          wrong += moments[c].mean() != sum.template quotient<T>(rows);
          wrong += moments[c].variance() != wf::variance(wf::seq, column, wf::plus{}.exact<T>());
        }
        CHECK(wrong == 0);
      }
    }
  }
}

#if defined(__SSE2__)
TEST_CASE("columns below the normal numbers where the processor takes them for zero") {
  const std::vector<double> numbers(64, 0x1p-1070);
  using matrix = cuda::std::mdspan<const double, cuda::std::dextents<std::size_t, 2>>;
  std::vector<double> sums(4);
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x40);
  wf::reduce_axis<0>(wf::seq, matrix(numbers.data(), 16, 4), wf::plus{}.exact(), sums);
  _mm_setcsr(before);
  CHECK(sums == std::vector<double>(4, 0x1p-1066));
}
#endif
