// written_result: what an output holds for a fold, and which outputs can hold it.
#include <warpfold/work/written_result.hpp>

#include <doctest/doctest.h>

#include <warpfold/core/tuple.hpp>
#include <warpfold/op/arg.hpp>

namespace wf = warpfold;
using namespace wf::detail;

TEST_CASE("an output of integers holds the index of a value with an index") {
  const wf::indexed<float> best{2.5f, 7};
  CHECK(held_result<int>(best) == 7);
  CHECK(held_result<wf::indexed<float>>(best).value == 2.5f);
  static_assert(holds_result<long, wf::indexed<float>>());
  static_assert(!holds_result<float, wf::indexed<float>>());
  static_assert(holds_result<double, float>());
  static_assert(!holds_result<int*, float>());
}

// A mean without weights, whose fold and result have different types.
struct sum_to_average {
  double operator()(double a, double b) const { return a + b; }
  float finish(double a) const { return static_cast<float>(a / 4); }
};

// The same with a class as the fold.
struct state {
  double sum, count;
};
struct sums_to_average {
  state operator()(const state& a, const state& b) const {
    return {a.sum + b.sum, a.count + b.count};
  }
  double finish(const state& s) const { return s.sum / s.count; }
};

TEST_CASE(
    "an output holds the finished result, unless it has the type of a class that was folded") {
  CHECK(result_as<double>(sum_to_average{}, 10.0) == 2.5);
  CHECK(result_as<float>(sum_to_average{}, 10.0) == 2.5f);
  CHECK(result_as<int>(sum_to_average{}, 10.0) == 2);
  CHECK(result_as<double, true>(sum_to_average{}, 10.0) == 10.0);
  CHECK(result_as<state>(sums_to_average{}, state{10, 4}).sum == 10);
  CHECK(result_as<double>(sums_to_average{}, state{10, 4}) == 2.5);
  CHECK(part_of_result_as<double>(2.5f, 10.0) == 2.5);
  CHECK(part_of_result_as<double, true>(2.5f, 10.0) == 10.0);
  CHECK(part_of_result_as<state>(2.5, state{10, 4}).count == 4);
}

TEST_CASE("outputs whose elements can hold the results") {
  CHECK(check_result<double, double, float>());
  CHECK(check_result<int, double, float>());
  using results = wf::tuple<float, wf::indexed<float>>;
  CHECK(check_results<results, results, float, int>());
}
