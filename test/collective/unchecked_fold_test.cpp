// Folds of products of complex numbers that test their result: infinities and NaN anywhere give
// what a test of each product gives.
// needs: boost_context
#include <warpfold/collective/unchecked_fold.hpp>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/kernel/in_order.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce.hpp>

namespace wf = warpfold;

namespace {

using number = std::complex<float>;
using products = wf::reduction<wf::contiguous_view<const number>, wf::multiplies>;
using sums = wf::reduction<wf::contiguous_view<const number>, wf::plus>;

/// A user's op.
struct turns : wf::multiplies {
  number operator()(const number& a, const number& b) const {
    const number z = a * b;
    return z / std::abs(z);
  }
};

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float no_number = std::numeric_limits<float>::quiet_NaN();

bool same(const number& a, const number& b) {
  const auto same_part = [](float x, float y) {
    return x == y || (std::isnan(x) && std::isnan(y));
  };
  return same_part(a.real(), b.real()) && same_part(a.imag(), b.imag());
}

}  // namespace

static_assert(wf::collective::has_unchecked_op<products>);
static_assert(!wf::collective::has_unchecked_op<sums>);

TEST_CASE("an op of a user, and an init that makes the accumulator complex") {
  const auto policy = wf::emulated.with_kernel(wf::kernel::in_order<>{});
  const std::vector<number> v(1000, number(3, 4));
  CHECK(wf::reduce(policy, v, turns{}) == wf::reduce(wf::seq, v, turns{}));
  const std::vector<float> reals(100, 1.01f);
  const number init(1, 1);
  CHECK(wf::reduce(policy, reals, init, wf::multiplies{}) ==
        wf::reduce(wf::seq, reals, init, wf::multiplies{}));
}

TEST_CASE("infinities and NaN, in one block and in several") {
  for (const std::size_t n : {1u, 2u, 33u, 500u, 3000u, 40'000u}) {
    for (const number special :
         {number(1, 0), number(infinity, no_number), number(no_number, no_number),
          number(infinity, infinity), number(0, infinity)}) {
      for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
        INFO(n, " numbers, one of them ", special.real(), " + ", special.imag(), "i");
        std::vector<number> v(n);
        for (std::size_t i = 0; i < n; ++i) v[i] = i % 2 == 0 ? number(0.6f, 0.8f) : number(0, -1);
        v[at] = special;
        const number expected = wf::reduce(wf::seq, v, wf::multiplies{});
        const auto policy = wf::emulated.with_kernel(wf::kernel::in_order<>{});
        CHECK(same(wf::reduce(policy, v, wf::multiplies{}), expected));
      }
    }
  }
}
