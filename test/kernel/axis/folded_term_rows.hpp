/// @file
/// Folds of rows of numbers that terms admit or refuse (kernel/axis/term_rows.hpp): reduce_axis of
/// another policy has the bits of wf::seq.
#pragma once

#include <cstring>
#include <vector>

#include <cuda/std/mdspan>

#include <doctest/doctest.h>

#include <warpfold/op/exponential_sum.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce_axis.hpp>

#include "kernel/axis/term_rows.hpp"

namespace test {

inline bool are_same_state(const wf::exponential_sum& a, const wf::exponential_sum& b) {
  return a == b || (std::isnan(a.sum) && std::isnan(b.sum));
}
inline bool are_same_state(const wf::moments& a, const wf::moments& b) {
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return a.count == b.count && same(a.mean, b.mean) && same(a.m2, b.m2);
}

/// `run(v, rows, columns, op)` returns the states of the rows.
template <class State, class T, class Op>
void check_folded_rows(std::size_t rows, std::size_t columns, const Op& op, const auto& run) {
  const std::vector<T> v = term_rows<T>(rows, columns, 0);
  using matrix = cuda::std::mdspan<const T, cuda::std::dextents<std::size_t, 2>>;
  std::vector<State> expected(rows);
  wf::reduce_axis<1>(wf::seq, matrix(v.data(), rows, columns), op, expected);
  const std::vector<State> found = run(v, rows, columns, op);
  for (std::size_t r = 0; r < rows; ++r) {
    CAPTURE(columns);
    CAPTURE(r % 15);
    CHECK(are_same_state(found[r], expected[r]));
  }
}

}  // namespace test
