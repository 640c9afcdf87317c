/// @file
/// The test suite of `reduce_axis` into `accumulate(out)`, for every policy. The shapes are those
/// that each kernel takes. Fixtures are those of policy_contract.hpp.
#pragma once

#include <array>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <cuda/std/mdspan>

#include <warpfold/reduce_axis.hpp>

#include "contract/policy_contract.hpp"

namespace test {

struct greater_of_two {  // without an identity
  WARPFOLD_HD double operator()(double a, double b) const { return a < b ? b : a; }
};

/// An op whose accumulator is not its result.
struct mean_of {
  struct sum_and_count {
    double sum, count;
  };
  static WARPFOLD_HD sum_and_count lift(float x) { return {static_cast<double>(x), 1}; }
  WARPFOLD_HD sum_and_count operator()(const sum_and_count& a, const sum_and_count& b) const {
    return {a.sum + b.sum, a.count + b.count};
  }
  WARPFOLD_HD double finish(const sum_and_count& a) const { return a.sum / a.count; }
};

/// Folds an axis of a matrix twice into an output that holds some numbers, and compares the output
/// with a loop from these numbers on.
template <int Axis, class Fixture, class Op>
void check_accumulates(std::size_t rows, std::size_t columns, const Op& op,
                       std::size_t offset = 0) {
  INFO(rows, " x ", columns, ", axis ", Axis);
  const std::size_t results = Axis == 0 ? columns : rows;
  std::vector<float> values(rows * columns);
  random_bits random(9);
  for (float& x : values) x = static_cast<float>(random() % 7) - 3;
  std::vector<double> want(results);
  for (std::size_t i = 0; i < results; ++i) want[i] = 1000 + static_cast<double>(i % 50);
  const typename Fixture::template array<float> in(values, 0);
  const typename Fixture::template array<double> out(want, offset);
  double* const to = const_cast<double*>(out.data());
  const cuda::std::mdspan<const float, cuda::std::dextents<std::size_t, 2>> m(in.data(), rows,
                                                                              columns);
  for (int twice = 0; twice < 2; ++twice) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      double& at = want[Axis == 0 ? i % columns : i / columns];
      at = op(at, static_cast<double>(values[i]));
    }
    wf::reduce_axis<Axis>(Fixture::policy(), m, op, wf::accumulate(std::span(to, results)));
  }
  CHECK(Fixture::values(to, results) == want);
}

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("each result is combined with what the output holds", Fixture,
                          axis_accumulates) {
  // Rows of each kernel, columns in words and one by one, and axes that blocks divide.
  for (const auto& [rows, columns] :
       {std::array<std::size_t, 2>{1, 1}, std::array<std::size_t, 2>{300, 8},
        std::array<std::size_t, 2>{200, 13}, std::array<std::size_t, 2>{300, 64},
        std::array<std::size_t, 2>{5, 3000}, std::array<std::size_t, 2>{2, 60'000},
        std::array<std::size_t, 2>{8000, 16}, std::array<std::size_t, 2>{64, 67}}) {
    for (const std::size_t offset : {std::size_t{0}, sizeof(double)}) {
      test::check_accumulates<0, Fixture>(rows, columns, wf::plus{}, offset);
      test::check_accumulates<1, Fixture>(rows, columns, wf::plus{}, offset);
    }
  }
  test::check_accumulates<1, Fixture>(40, 64, test::greater_of_two{});
  test::check_accumulates<0, Fixture>(64, 40, wf::minimum{});
}

TEST_CASE_TEMPLATE_DEFINE("accumulators in the output, and axes without elements", Fixture,
                          axis_accumulates_others) {
  const auto policy = Fixture::policy();
  using sum = test::mean_of::sum_and_count;
  const typename Fixture::template array<float> in({1, 2, 3, 4, 5, 6}, 0);
  const typename Fixture::template array<sum> out({{10, 4}, {0, 0}}, 0);
  sum* const to = const_cast<sum*>(out.data());
  using matrix = cuda::std::mdspan<const float, cuda::std::dextents<std::size_t, 2>>;
  const matrix m(in.data(), 2, 3);
  wf::reduce_axis_async<1>(policy, m, test::mean_of{}, wf::accumulate(std::span(to, 2)));
  const auto got = Fixture::values(to, 2);
  CHECK(got[0].sum == 16);
  CHECK(got[0].count == 7);
  CHECK(got[1].sum == 15);
  // No identity, and nothing to fold: the output keeps its elements.
  wf::reduce_axis<1>(policy, matrix(in.data(), 2, 0), test::mean_of{},
                     wf::accumulate(std::span(to, 2)));
  CHECK(Fixture::values(to, 2)[0].sum == 16);
}
