/// @file
/// Rows of numbers that the terms of softmax and of moments admit or refuse, in all combinations:
/// transform_axis of another policy has the bits of wf::seq.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <cuda/std/mdspan>

#include <doctest/doctest.h>

#include <warpfold/op/moments.hpp>
#include <warpfold/op/normalization.hpp>
#include <warpfold/op/softmax.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/transform_axis.hpp>

namespace wf = warpfold;

namespace test {

/// What is in a row, by its number.
inline float number_of_row(std::size_t row, std::uint32_t bits) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float share = static_cast<float>(bits >> 8) * 0x1p-24f;
  const bool is_rare = bits % 7 == 0;
  switch (row % 15) {
    case 0:
      return 10 * share - 5;
    case 1:
      return 500 * share - 250;  // terms are up to 2^-720
    case 2:
      return is_rare ? -infinity : 4 * share;  // masks
    case 3:
      return is_rare ? -1e9f : 4 * share;
    case 4:
      return is_rare ? -300 - share : -140 + share;
    case 5:
      return -infinity;
    case 6:
      return is_rare ? infinity : share;
    case 7:
      return is_rare ? std::numeric_limits<float>::quiet_NaN() : share;
    case 8:
      return 300 * share;  // some are above 256
    case 9:
      return -2000 * share;
    case 10:
      return 1e30f * (share - 0.5f);
    case 11:
      return 62 * share - 62;  // near the least kept term
    case 12:
      return 3;
    case 13:
      return 255.2f + share;  // above 256 the remainder is a double
    default:
      return is_rare ? -std::numeric_limits<float>::infinity() : -255 - 2 * share;
  }
}

template <class T>
std::vector<T> term_rows(std::size_t rows, std::size_t columns, std::size_t kind) {
  std::vector<T> v;
  std::uint32_t random = static_cast<std::uint32_t>(columns) + 1;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      random = random * 1664525 + 1013904223;
      v.push_back(static_cast<T>(number_of_row(r + kind, random ^ random >> 16)));
    }
  }
  return v;
}

template <class T>
bool are_same_number(const T& a, const T& b) {
  const auto x = static_cast<float>(a), y = static_cast<float>(b);
  return __builtin_bit_cast(std::uint32_t, x) == __builtin_bit_cast(std::uint32_t, y) ||
         (std::isnan(x) && std::isnan(y));
}

/// The function of an element and of the moments of its row.
struct deviation {
  WARPFOLD_HD float operator()(float x, const wf::moments& row) const {
    return static_cast<float>((x - row.mean) * row.m2 + static_cast<double>(row.count));
  }
};

/// Compares `run(v, rows, columns, op, f)`, which returns the results, with wf::seq.
template <class T, class Op, class F>
void check_term_rows(std::size_t rows, std::size_t columns, std::size_t kind, const Op& op,
                     const F& f, const auto& run) {
  const std::vector<T> v = term_rows<T>(rows, columns, kind);
  using matrix = cuda::std::mdspan<const T, cuda::std::dextents<std::size_t, 2>>;
  std::vector<T> expected(v.size());
  wf::transform_axis<1>(wf::seq, matrix(v.data(), rows, columns), op, expected, f);
  const std::vector<T> found = run(v, rows, columns, op, f);
  for (std::size_t r = 0; r < rows; ++r) {
    std::size_t wrong = 0;
    for (std::size_t c = r * columns; c < (r + 1) * columns; ++c) {
      wrong += are_same_number(found[c], expected[c]) ? 0 : 1;
    }
    CAPTURE(columns);
    CAPTURE((r + kind) % 15);
    CHECK(wrong == 0);
  }
}

/// All ops, of rows that lanes, warps and blocks fold.
template <class T>
void check_all_term_rows(std::size_t columns, std::size_t rows, const auto& run) {
  using own = wf::detail::call_fold;
  check_term_rows<T>(rows, columns, 0, wf::softmax_op{}, own{}, run);
  check_term_rows<T>(rows, columns, 3, wf::softmax_op{}, own{}, run);
  check_term_rows<T>(rows, columns, 0, wf::layer_norm_op{}, own{}, run);
  check_term_rows<T>(rows, columns, 0, wf::rms_norm_op{}, own{}, run);
  if constexpr (sizeof(T) == sizeof(float)) {
    check_term_rows<T>(rows, columns, 0, wf::moments_op{}, deviation{}, run);
  }
}

}  // namespace test
