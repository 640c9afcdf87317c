// Exact sums of short segments: as number by number.
// needs: tbb
#include <warpfold/op/exact_segments.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include <warpfold/op/exact.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/reduce_segments.hpp>

#include "op/exact_kinds.hpp"

namespace wf = warpfold;
using test::exact_kind;

namespace {

template <class T, class To, class Op>
void check_sums(const Op& op) {
  std::mt19937_64 random(1);
  for (const exact_kind kind : {exact_kind::similar, exact_kind::wide, exact_kind::by_turns,
                                exact_kind::special, exact_kind::zeros, exact_kind::tiny}) {
    for (const std::size_t mean : {1u, 3u, 20u, 130u}) {
      CAPTURE(static_cast<int>(kind));
      CAPTURE(mean);
      std::vector<std::size_t> ends{0};
      while (ends.back() < 5'000) ends.push_back(ends.back() + random() % (2 * mean + 1));
      std::vector<T> v(ends.back());
      for (std::size_t i = 0; i < v.size(); ++i) v[i] = test::number_of_kind<T>(kind, i, random);
      std::vector<To> want(ends.size() - 1), got(want.size(), 7);
      for (std::size_t s = 0; s < want.size(); ++s) {
        wf::exact_sum<T> sum;
        for (std::size_t i = ends[s]; i < ends[s + 1]; ++i) sum.add(v[i]);
        want[s] = sum.template rounded<To>();
      }
      const auto count_wrong = [&] {
        std::size_t wrong = 0;
        for (std::size_t s = 0; s < want.size(); ++s) wrong += !test::is_same_sum(got[s], want[s]);
        return wrong;
      };
      wf::reduce_segments(wf::seq, v, ends, op, got);
      CHECK(count_wrong() == 0);
      got.assign(got.size(), 7);
      wf::reduce_segments(wf::par, v, ends, op, got);
      CHECK(count_wrong() == 0);
    }
  }
}

}  // namespace

TEST_CASE("segments of all numbers, rounded to both types") {
  check_sums<float, float>(wf::plus{}.exact());
  check_sums<float, double>(wf::plus{}.exact<double>());
  check_sums<double, double>(wf::plus{}.exact());
  check_sums<double, float>(wf::plus{}.exact<float>());
}

TEST_CASE("a sum of doubles rounds once to float") {
  // As a double the sum would lie in the middle of two floats.
  const std::vector<double> v{1, 0x1p-24, 0x1p-60};
  std::vector<float> sum(1);
  wf::reduce_segments(wf::seq, v, std::vector<int>{0, 3}, wf::plus{}.exact<float>(), sum);
  CHECK(sum[0] == 1 + 0x1p-23f);
}

TEST_CASE("outputs of other types, and states") {
  const std::vector<float> v{1e20f, 1, -1e20f, 2.5f};
  const std::vector<int> ends{0, 3, 3, 4};
  std::vector<double> sums(3);
  wf::reduce_segments(wf::seq, v, ends, wf::plus{}.exact(), sums);
  CHECK(sums == std::vector<double>{1, 0, 2.5});
  std::vector<wf::exact_sum<float>> states(3);
  wf::reduce_segments(wf::seq, v, ends, wf::plus{}.exact(), states);
  CHECK(states[0].rounded() == 1);
  CHECK(states[2].rounded() == 2.5f);
  std::vector<float> with_init(3);
  wf::reduce_segments(wf::seq, v, ends, 0.5f, wf::plus{}.exact(), with_init);
  CHECK(with_init == std::vector<float>{1.5f, 0.5f, 3});
}

TEST_CASE("the function alone: what it refuses, and the rounding of the caller") {
  wf::detail::exact_segments some;
  some.count = 2;
  some.begins[0] = 0, some.lengths[0] = 2;
  some.begins[1] = 2, some.lengths[1] = 1;
  double sums[2] = {};
  std::vector<double> v{1, 0x1p-26 + 0x1p-53, -2};
  const bool are_exact = wf::detail::sum_segments(some, v.data(), sums);
#if WARPFOLD_HAS_INEXACT_FLAG
  CHECK(are_exact == wf::detail::default_fp_environment::has_inexact_flag());
#endif
  if (are_exact) {
    CHECK(sums[0] == 1 + 0x1p-26);  // ties to even
    CHECK(sums[1] == -2);
  }
  v[1] = 0x1p-800;
  CHECK_FALSE(wf::detail::sum_segments(some, v.data(), sums));
  v[1] = std::numeric_limits<double>::infinity();
  CHECK_FALSE(wf::detail::sum_segments(some, v.data(), sums));
}
