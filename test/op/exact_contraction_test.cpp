// plus{}.exact() where the compiler may fuse products with sums: the nearest numbers, and products
// of a projection are rounded before they are added.
// flags: -O2 -march=native -ffp-contract=fast
// needs: boost boost_context tbb
#include <warpfold/op/exact.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include <warpfold/dot.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/view/transform.hpp>

#include "contract/exact_numbers.hpp"
#include "contract/exact_oracle.hpp"

namespace wf = warpfold;

namespace {

constexpr auto exact = wf::plus{}.exact();

template <class T>
struct square {
  T operator()(T x) const { return x * x; }
};

template <class T>
void check(const auto& policy, const std::vector<T>& v) {
  const std::vector<T> w(v.rbegin(), v.rend());
  CHECK(test::is_nearest(wf::reduce(policy, v, exact), test::exactly_sum(v)));
  CHECK(
      test::is_nearest(wf::dot(policy, v, w, exact), test::exactly_dot(v, w), test::of_products()));
  CHECK(
      test::is_nearest_root(wf::norm_2(policy, v, wf::plus{}.exact<T>()), test::exactly_dot(v, v)));

  std::vector<T> squares;
  for (const T x : v) {
    const volatile T rounded = x * x;
    squares.push_back(T{rounded});
  }
  const auto projected = wf::project(v, square<T>{});
  CHECK(test::is_nearest(wf::reduce(policy, projected, exact), test::exactly_sum(squares)));
  const std::vector<std::size_t> offsets{0, 3, 40, v.size()};
  std::vector<T> got(3), want(3);
  wf::reduce_segments(policy, projected, offsets, exact, got);
  wf::reduce_segments(policy, squares, offsets, exact, want);
  CHECK(got == want);
  CHECK(test::is_nearest(
      want[1], test::exactly_sum(std::vector<T>(squares.begin() + 3, squares.begin() + 40))));
}

}  // namespace

TEST_CASE_TEMPLATE("the nearest numbers, with any contraction", T, float, double) {
  for (const test::shape s : {test::shape::any_exponent, test::shape::cancelling}) {
    std::vector<T> v = test::numbers<T>(s, 3'000);
    for (T& x : v) {
      while (x > T(1e15) || x < T(-1e15)) x /= T(1e15);  // finite squares
    }
    check(wf::seq, v);
    check(wf::par, v);
    check(wf::emulated, v);
  }
  std::vector<T> similar;
  for (std::size_t i = 0; i < 20'000; ++i) similar.push_back(T(1) + T(i % 977) / T(1'000));
  check(wf::seq, similar);
  check(wf::par, similar);
}
