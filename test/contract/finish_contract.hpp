/// @file
/// The test suite for ops with `finish` whose accumulator is a number: every call with an output
/// writes what `reduce` returns. The fixtures are those of transform_contract.hpp.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <vector>

#include <cuda/std/mdspan>

#include <warpfold/op/all.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/reduce_by_class.hpp>
#include <warpfold/reduce_many.hpp>
#include <warpfold/reduce_segments.hpp>

#include "contract/transform_contract.hpp"

namespace test {

/// A sum whose result is its half, in another or in the same type. No rounding.
template <class Result>
struct half_of_sum {
  WARPFOLD_HD float operator()(float a, float b) const { return a + b; }
  WARPFOLD_HD float identity() const { return 0; }
  WARPFOLD_HD Result finish(float a) const { return static_cast<Result>(a / 2); }
};

/// A sum of the elements and their number, whose result is a state of another type.
struct sum_and_count {
  struct state {
    float sum, count;
    bool operator==(const state&) const = default;
  };
  WARPFOLD_HD state lift(float x) const { return {x, 1}; }
  WARPFOLD_HD state operator()(state a, state b) const {
    return {a.sum + b.sum, a.count + b.count};
  }
  WARPFOLD_HD state identity() const { return {0, 0}; }
  WARPFOLD_HD double finish(state s) const { return s.sum / s.count; }
};

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("an op with finish writes the result that reduce returns", Fixture,
                          finish_results) {
  using result = typename Fixture::result;
  const auto policy = Fixture::policy();
  using op = test::half_of_sum<result>;
  const std::size_t rows = 3, columns = 4;
  const std::vector<float> values{1, 2, 3, 5, 7, 9, 11, 2, 4, 4, 4, 8};
  const typename Fixture::template array<float> in(values, 0);
  const std::span<const float> elements(in.data(), values.size());
  const std::vector<float> expected{5.5f, 14.5f, 10};
  const std::vector<float> nothing(rows, -1);

  CHECK(wf::reduce(policy, elements, op{}) == 30);
  typename Fixture::template slot<float> one;
  wf::reduce_async(policy, elements, op{}, one.pointer());
  CHECK(one.value() == 30);

  using extents = cuda::std::dextents<std::size_t, 2>;
  const cuda::std::mdspan<const float, extents> matrix(in.data(), rows, columns);
  {
    typename Fixture::template target<float> out(nothing, 0);
    wf::reduce_axis<1>(policy, matrix, op{}, std::span(out.data(), rows));
    CHECK(out.values() == expected);
  }
  {
    typename Fixture::template target<float> out(nothing, 0);
    wf::reduce_axis<1>(policy, wf::project(matrix, test::plus_one{}), op{},
                       std::span(out.data(), rows));
    CHECK(out.values() == std::vector<float>{7.5f, 16.5f, 12});
  }
  {
    const typename Fixture::template array<int> offsets({0, 4, 8, 12}, 0);
    const std::span<const int> bounds(offsets.data(), rows + 1);
    {
      typename Fixture::template target<float> out(nothing, 0);
      wf::reduce_segments(policy, elements, bounds, op{}, out.data());
      CHECK(out.values() == expected);
    }
    {
      typename Fixture::template target<float> out(nothing, 0);
      wf::reduce_segments(policy, elements, wf::segments_of_size(columns), op{}, out.data());
      CHECK(out.values() == expected);
    }
    {
      typename Fixture::template target<float> out(nothing, 0);
      wf::reduce_segments(policy, elements, bounds, op{}, 2.0f, out.data());
      CHECK(out.values() == std::vector<float>{6.5f, 15.5f, 11});
    }
    {
      typename Fixture::template target<float> sums(nothing, 0), halves(nothing, 0);
      using row = cuda::std::mdspan<float, cuda::std::dextents<std::size_t, 1>>;
      wf::reduce_segments(policy, elements, bounds, wf::all(wf::plus{}, op{}),
                          wf::zip(row(sums.data(), rows), row(halves.data(), rows)));
      CHECK(sums.values() == std::vector<float>{11, 29, 20});
      CHECK(halves.values() == expected);
    }
    {
      // What the output holds is an accumulator, and so is what it gets.
      typename Fixture::template target<float> out({1, 2, 3}, 0);
      wf::reduce_segments(policy, elements, bounds, op{}, wf::accumulate(out.data()));
      CHECK(out.values() == std::vector<float>{12, 31, 23});
    }
  }
  {
    typename Fixture::template target<float> out(nothing, 0);
    wf::reduce_many(policy, {elements.first(4), elements.subspan(4, 4), elements.last(4)}, op{},
                    out.data());
    CHECK(out.values() == expected);
  }
  {
    const typename Fixture::template array<int> labels({0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}, 0);
    typename Fixture::template target<float> out(nothing, 0);
    wf::reduce_by_class(policy, std::span<const int>(labels.data(), values.size()), elements, rows,
                        op{}, out.data());
    CHECK(out.values() == expected);
  }
}

TEST_CASE_TEMPLATE_DEFINE("an output of the accumulator's class holds the accumulator", Fixture,
                          finish_states) {
  const auto policy = Fixture::policy();
  using state = test::sum_and_count::state;
  const std::vector<float> values{1, 2, 3, 6};
  const typename Fixture::template array<float> in(values, 0);
  const std::span<const float> elements(in.data(), values.size());
  typename Fixture::template slot<state> one;
  wf::reduce_async(policy, elements, test::sum_and_count{}, one.pointer());
  CHECK(one.value() == state{12, 4});
  typename Fixture::template slot<float> mean;
  wf::reduce_async(policy, elements, test::sum_and_count{}, mean.pointer());
  CHECK(mean.value() == 3);
  typename Fixture::template target<state> out(std::vector<state>(2), 0);
  wf::reduce_many(policy, {elements.first(1), elements.last(3)}, test::sum_and_count{}, out.data());
  CHECK(out.values() == std::vector<state>{{1, 1}, {11, 3}});
}
