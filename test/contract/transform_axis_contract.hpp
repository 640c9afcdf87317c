/// @file
/// The test suite for policies that write a function of each element and of the fold of its row.
/// The fixtures are those of transform_contract.hpp. Every result is compared with a loop.
#pragma once

#include <cmath>

#include <warpfold/op/arg.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/transform_axis.hpp>

#include "contract/expression_contract.hpp"

namespace test {

/// A function of an element and a number, exact for small integers.
struct twice_and_fold {
  template <class X, class Fold>
  WARPFOLD_HD auto operator()(const X& x, const Fold& fold) const {
    return static_cast<Fold>(x) * 2 - fold;
  }
};
struct place_and_value {
  WARPFOLD_HD float operator()(float x, const wf::indexed<float>& most) const {
    return x - most.value + 1000 * static_cast<float>(most.index);
  }
};
/// A state of two members, and an op whose result is neither an element nor the state.
struct total_and_count {
  float total, count;
};
struct rounded_mean {
  WARPFOLD_HD static total_and_count identity() { return {0, 0}; }
  WARPFOLD_HD static total_and_count lift(float x) { return {x, 1}; }
  WARPFOLD_HD total_and_count operator()(const total_and_count& a, const total_and_count& b) const {
    return {a.total + b.total, a.count + b.count};
  }
  WARPFOLD_HD static int finish(const total_and_count& a) {
    return static_cast<int>(a.total / a.count);
  }
};
/// The result is larger than the state.
struct wide_sum {
  WARPFOLD_HD static float identity() { return 0; }
  WARPFOLD_HD static float lift(float x) { return x; }
  WARPFOLD_HD float operator()(float a, float b) const { return a + b; }
  WARPFOLD_HD static double finish(float a) { return a; }
};
/// The result has the type of the state: it is finished in memory too.
struct negative_sum {
  WARPFOLD_HD static float identity() { return 0; }
  WARPFOLD_HD static float lift(float x) { return x; }
  WARPFOLD_HD float operator()(float a, float b) const { return a + b; }
  WARPFOLD_HD static float finish(float a) { return -a; }
};
struct sum_of_both {
  template <class Folds>
  WARPFOLD_HD float operator()(float x, const Folds& folds) const {
    return x + wf::get<0>(folds) + 100 * wf::get<1>(folds);
  }
};
/// Keeps the larger of two; without an identity.
struct larger {
  template <class T>
  WARPFOLD_HD T operator()(T a, T b) const {
    return b > a ? b : a;
  }
};

/// Writes `f(x, fold)` for each element of an array of shape `in` to one of shape `out`, and checks
/// that no other memory changes.
template <class Fixture, class T, class Out, int Axis, int Rank, class Op, class F>
void check_transformed(const box<Rank>& in, box<Rank> out, const Op& op, const F& f,
                       std::size_t offset = 0, std::size_t out_offset = 0) {
  const auto& extent = in.extent;
  INFO("axis ", Axis, " of extent ", extent[Axis], ", offsets ", offset, " and ", out_offset);
  const placed_array<Fixture, T, Rank> x(in, offset);
  out.first += axis_guards;
  const std::vector<Out> before = before_writing<Out>(out.span() + axis_guards);
  typename Fixture::template target<Out> target(before, out_offset * sizeof(Out));
  wf::transform_axis<Axis>(Fixture::policy(), x.span(), op, span_of<Out>(target.data(), out), f);

  std::vector<Out> expected = before;
  using A = typename wf::axis_reduction<T, Op, int>::accumulator;
  for_each_index<Rank>(extent, [&](indices<Rank> index) {
    if (index[Axis] != 0) return;
    const auto lifted = [&](std::size_t i) -> A {
      index[Axis] = i;
      if constexpr (wf::lifts_indexed<Op, T>) {
        return op.lift(x(index), i);
      } else if constexpr (wf::lifts_element<Op, T>) {
        return op.lift(x(index));
      } else {
        return static_cast<A>(x(index));
      }
    };
    A fold = lifted(0);
    for (std::size_t i = 1; i < extent[Axis]; ++i) fold = static_cast<A>(op(fold, lifted(i)));
    for (std::size_t i = 0; i < extent[Axis]; ++i) {
      index[Axis] = i;
      expected[place_of(out, index)] = static_cast<Out>(f(x(index), wf::finished(op, fold)));
    }
  });
  const auto got = target.values();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    wrong += std::memcmp(&got[i], &expected[i], sizeof(Out)) != 0;
  }
  CHECK(wrong == 0);
}

struct sum_of_pair_and_fold {
  template <class Pair>
  WARPFOLD_HD float operator()(const Pair& p, float fold) const {
    return wf::get<0>(p) * 3 + wf::get<1>(p) - fold;
  }
};

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("rows of all lengths with their folds", Fixture, transforms_axis_rows) {
  using wf::plus;
  // A chunk is four floats: one lane to a warp, with one to eight chunks each, and blocks.
  for (const std::size_t n : {1u, 3u, 4u, 8u, 60u, 128u, 132u, 256u, 300u, 512u, 516u, 1024u, 1028u,
                              1500u, 4096u, 4100u}) {
    const std::size_t rows = n > 1000 ? 3 : 37;
    const auto plain = test::right<2>({rows, n});
    test::check_transformed<Fixture, float, float, 1>(plain, plain, plus{}, test::twice_and_fold{});
    test::check_transformed<Fixture, float, float, 1>(plain, plain, wf::arg(wf::maximum{}),
                                                      test::place_and_value{}, 1);
    test::check_transformed<Fixture, float, float, 1>(plain, plain, test::negative_sum{},
                                                      test::twice_and_fold{});
    test::check_transformed<Fixture, float, float, 1>(plain, plain, test::rounded_mean{},
                                                      test::twice_and_fold{}, 0, 1);
  }
  for (const std::size_t n : {5u, 33u, 64u, 65u, 129u, 257u, 2000u}) {
    const auto plain = test::right<2>({9, n});
    test::check_transformed<Fixture, float, float, 1>(plain, test::part<2>({9, n}, 3), plus{},
                                                      test::twice_and_fold{});
    test::check_transformed<Fixture, unsigned char, float, 1>(plain, plain, plus{},
                                                              test::twice_and_fold{});
    test::check_transformed<Fixture, int, short, 1>(plain, plain, wf::minimum{},
                                                    test::twice_and_fold{});
    test::check_transformed<Fixture, double, double, 1>(plain, plain, test::larger{},
                                                        test::twice_and_fold{});
  }
}

TEST_CASE_TEMPLATE_DEFINE("axes of any array with their folds", Fixture, transforms_axis) {
  using wf::plus;
  for (const auto& extent : {test::indices<2>{1, 1}, {7, 3}, {64, 5}, {40, 129}, {0, 4}, {4, 0}}) {
    const auto plain = test::right<2>(extent);
    test::check_transformed<Fixture, float, float, 0>(plain, plain, plus{}, test::twice_and_fold{});
    test::check_transformed<Fixture, float, float, 0>(plain, plain, test::negative_sum{},
                                                      test::twice_and_fold{});
    test::check_transformed<Fixture, float, float, 0>(
        plain, plain, wf::all(test::negative_sum{}, wf::maximum{}), test::sum_of_both{});
    test::check_transformed<Fixture, float, float, 1>(
        plain, plain, wf::all(test::negative_sum{}, wf::maximum{}), test::sum_of_both{});
    test::check_transformed<Fixture, float, float, 0>(plain, test::left<2>(extent), test::larger{},
                                                      test::twice_and_fold{});
    test::check_transformed<Fixture, float, float, 1>(plain, test::left<2>(extent), plus{},
                                                      test::twice_and_fold{});
    test::check_transformed<Fixture, float, float, 1>(test::left<2>(extent), plain, plus{},
                                                      test::twice_and_fold{});
    test::check_transformed<Fixture, short, float, 0>(
        test::part<2>(extent, 4), test::spread<2>(extent), wf::maximum{}, test::twice_and_fold{});
  }
  const auto cube = test::right<3>({6, 11, 20});
  test::check_transformed<Fixture, float, float, 0>(cube, cube, plus{}, test::twice_and_fold{});
  test::check_transformed<Fixture, float, float, 1>(cube, cube, plus{}, test::twice_and_fold{});
  test::check_transformed<Fixture, float, float, 2>(cube, cube, wf::arg(wf::maximum{}),
                                                    test::place_and_value{});
  const auto line = test::right<1>({777});
  test::check_transformed<Fixture, float, float, 0>(line, line, plus{}, test::twice_and_fold{});
  // Folds and the states of their pieces are in scratch memory at once.
  const auto odd = test::right<2>({64, 45});
  test::check_transformed<Fixture, float, float, 0>(odd, odd, test::wide_sum{},
                                                    test::twice_and_fold{});
  // Rows of whole words, written with gaps.
  for (const std::size_t rows : {1u, 2u, 5u}) {
    const auto plain = test::right<2>({rows, 64});
    test::check_transformed<Fixture, float, float, 1>(plain, test::spread<2>({rows, 64}), plus{},
                                                      test::twice_and_fold{});
    test::check_transformed<Fixture, float, float, 1>(plain, test::part<2>({rows, 64}, 1), plus{},
                                                      test::twice_and_fold{});
  }
  // Above what one launch holds.
  for (const std::size_t offset : {0u, 1u}) {
    const auto longer = test::right<2>({2, offset == 0 ? 32772u : 8196u});
    test::check_transformed<Fixture, float, float, 1>(longer, longer, test::larger{},
                                                      test::twice_and_fold{}, offset);
  }
  const auto narrow = test::right<2>({1, 32776});
  test::check_transformed<Fixture, int, short, 1>(narrow, narrow, wf::minimum{},
                                                  test::twice_and_fold{});
}

TEST_CASE_TEMPLATE_DEFINE("expressions with the folds of their axes, in place, and misuse", Fixture,
                          transforms_axis_expressions) {
  const auto policy = Fixture::policy();
  constexpr std::size_t rows = 9, columns = 260;
  const std::vector<float> values = test::axis_values<float>(rows * columns);
  typename Fixture::template target<float> m(values, 0);
  const test::placed_array<Fixture, float, 1> y(test::right<1>({columns}), 0, 3);
  const auto plain = test::right<2>({rows, columns});
  const auto in = test::span_of<const float>(m.data(), plain);
  const auto pairs = wf::zip(in, wf::broadcast<1>(y.span()));
  std::vector<float> expected(values.size());
  for (std::size_t r = 0; r < rows; ++r) {
    float dot = 0;
    const auto pair = [&](std::size_t c) {
      return wf::tuple<float, float>{values[r * columns + c], y({c})};
    };
    for (std::size_t c = 0; c < columns; ++c) dot += test::product_of_two{}(pair(c));
    for (std::size_t c = 0; c < columns; ++c) expected[r * columns + c] = pair(c).head - dot;
  }
  // The fold of products, beside the products.
  typename Fixture::template target<float> out(std::vector<float>(values.size()), 0);
  const std::span<float> range(out.data(), values.size());
  wf::transform_axis_async<1>(policy, wf::project(pairs, test::product_of_two{}), wf::plus{}, range,
                              test::twice_and_fold{});
  const auto products = out.values();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float product = values[i] * y({i % columns});
    const float dot = values[i] - expected[i];
    wrong += products[i] != product * 2 - dot;
  }
  CHECK(wrong == 0);

  // The same number for a whole row.
  const test::placed_array<Fixture, float, 1> z(test::right<1>({rows}), 0, 5);
  const auto weighted = wf::zip(in, wf::broadcast<0>(z.span()));
  wf::transform_axis<1>(policy, wf::project(weighted, test::product_of_two{}), wf::maximum{}, range,
                        test::twice_and_fold{});
  const auto weighted_products = out.values();
  wrong = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    float most = values[r * columns] * z({r});
    for (std::size_t c = 0; c < columns; ++c) {
      most = std::fmax(most, values[r * columns + c] * z({r}));
    }
    for (std::size_t c = 0; c < columns; ++c) {
      const float product = values[r * columns + c] * z({r});
      wrong += weighted_products[r * columns + c] != product * 2 - most;
    }
  }
  CHECK(wrong == 0);

  // In place.
  const auto before = m.values();
  wf::transform_axis<1>(policy, in, wf::maximum{}, test::span_of<float>(m.data(), plain),
                        test::twice_and_fold{});
  const auto after = m.values();
  wrong = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    float most = before[r * columns];
    for (std::size_t c = 0; c < columns; ++c) most = std::fmax(most, before[r * columns + c]);
    for (std::size_t c = 0; c < columns; ++c) {
      wrong += after[r * columns + c] != before[r * columns + c] * 2 - most;
    }
  }
  CHECK(wrong == 0);

  const auto write = [&](const auto& to) {
    return [&policy, in, to] {
      wf::transform_axis<1>(policy, in, wf::plus{}, to, test::twice_and_fold{});
    };
  };
  CHECK(test::refuses(write(range.first(5)), "has 5 elements, but the expression has 2340"));
  CHECK(test::refuses(write(test::span_of<float>(out.data(), test::right<2>({columns, rows}))),
                      "extent of 260 in dimension 0, but the expression has 9"));
  CHECK(test::refuses(write(test::span_of<float>(m.data(), test::left<2>({rows, columns}))),
                      "overlaps the range"));
  CHECK(
      test::refuses(write(std::span<float>(static_cast<float*>(nullptr), values.size())), "null"));
}
