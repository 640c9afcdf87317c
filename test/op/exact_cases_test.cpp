// Exact results of stored cases, which Python's fractions computed.
// needs: tbb
#include "op/exact_cases.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include <warpfold/norm.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>

namespace wf = warpfold;

TEST_CASE("sums, means, variances and norms as fractions have them") {
  constexpr auto exact = wf::plus{}.exact();
  const auto number = [](std::uint64_t bits) { return __builtin_bit_cast(double, bits); };
  for (const test::exact_case& one : test::exact_cases) {
    CAPTURE(&one - test::exact_cases);
    for (const auto& result : one.results) {
      std::vector<double> v;
      for (std::uint64_t i = 0; i < result.tiles; ++i) {
        for (const std::uint64_t x : one.values) v.push_back(number(x));
      }
      const auto check = [&](const auto& policy) {
        const double sum = wf::sum(policy, v, exact);
        CHECK(sum == number(result.sum));
        CHECK(std::signbit(sum) == std::signbit(number(result.sum)));
        CHECK(wf::mean(policy, v, exact) == number(result.mean));
        CHECK(wf::variance(policy, v, exact) == number(result.variance));
        CHECK(wf::norm_2(policy, v, exact) == number(result.norm));
      };
      check(wf::seq);
      check(wf::par);
    }
  }
}
