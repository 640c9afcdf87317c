// Exact norms on the policies of the host and in the emulation.
// needs: boost tbb boost_context
// slow: runs for seconds
#include <warpfold/op/exact_squares.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include <warpfold/norm.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/policy/seq.hpp>

#include "contract/exact_numbers.hpp"
#include "contract/exact_oracle.hpp"

namespace wf = warpfold;

namespace {

using test::exact_integer;
using test::numbers;
using test::shape;

constexpr auto exact = wf::plus{}.exact();

template <class Range, class Op>
auto norm_everywhere(const Range& v, Op op) {
  const auto norm = wf::norm_2(wf::par, v, op);
  CHECK(wf::norm_2(wf::seq, v, op) == norm);
  CHECK(wf::norm_2(wf::emulated, v, op) == norm);
  std::remove_const_t<decltype(norm)> out = -1;
  wf::norm_2_async(wf::par, v, op, &out);
  CHECK(out == norm);
  return norm;
}

}  // namespace

TEST_CASE_TEMPLATE("norms are the nearest numbers", T, float, double) {
  for (const std::size_t n : {1u, 2u, 33u, 1'500u}) {
    for (const shape s : test::shapes) {
      CAPTURE(n);
      CAPTURE(static_cast<int>(s));
      const auto v = numbers<T>(s, n), w = numbers<T>(shape::lognormal, n, 1);
      const exact_integer sum = test::exactly_dot(v, v);
      CHECK(test::is_nearest_root(norm_everywhere(v, exact), sum));
      CHECK(test::is_nearest_root(norm_everywhere(v, wf::plus{}.exact<float>()), sum));
      std::vector<std::complex<T>> z(n);
      for (std::size_t i = 0; i < n; ++i) z[i] = {v[i], w[i]};
      const exact_integer both = sum + test::exactly_dot(w, w);
      CHECK(test::is_nearest_root(norm_everywhere(z, exact), both));
    }
  }
}

TEST_CASE_TEMPLATE("the edges of the range, and special values", T, float, double) {
  using limits = std::numeric_limits<T>;
  CHECK(norm_everywhere(std::vector<T>{limits::max()}, exact) ==
        static_cast<double>(limits::max()));
  CHECK(norm_everywhere(std::vector<T>{limits::denorm_min(), 0}, exact) ==
        static_cast<double>(limits::denorm_min()));
  CHECK(norm_everywhere(std::vector<T>{3 * limits::denorm_min(), 4 * limits::denorm_min()},
                        exact) == static_cast<double>(5 * limits::denorm_min()));
  CHECK(norm_everywhere(std::vector<T>(4, limits::max()), wf::plus{}.exact<float>()) ==
        std::numeric_limits<float>::infinity());
  CHECK(norm_everywhere(std::vector<T>{}, exact) == 0);
  CHECK_FALSE(std::signbit(norm_everywhere(std::vector<T>{T(-0.0)}, exact)));
  CHECK(norm_everywhere(std::vector<T>{1, -limits::infinity()}, exact) ==
        std::numeric_limits<double>::infinity());
  CHECK(std::isnan(
      wf::norm_2(wf::par, std::vector<T>{limits::infinity(), limits::quiet_NaN()}, exact)));
}
