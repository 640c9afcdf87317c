// arg_by, last(), and argmin and argmax with a comparison and a key: as std::ranges::min_element
// and max_element, on host threads and in the emulation.
// needs: tbb boost_context
#include <warpfold/op/arg_by.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include <warpfold/extrema.hpp>
#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>

#include "contract/policy_contract.hpp"

namespace {

struct point {
  float x;
  int y;

  friend bool operator==(const point&, const point&) = default;
};

/// Few different keys, so that most elements have an equal one.
std::vector<point> points(std::size_t n) {
  test::random_bits random;
  std::vector<point> v(n);
  for (point& p : v) {
    p = {static_cast<float>(random() % 1000), static_cast<int>(random() % 21) - 10};
  }
  return v;
}

template <class Found>
std::size_t place(const std::vector<point>& v, const Found& found) {
  return static_cast<std::size_t>(found - v.begin());
}

struct descending {
  bool operator()(int a, int b) const { return b < a; }
};
struct magnitude_of_y {
  int operator()(const point& p) const { return p.y < 0 ? -p.y : p.y; }
};

template <class Policy>
void check_places(const Policy& policy, const std::vector<point>& v) {
  const auto at = [&](const auto& got, std::size_t want) {
    CHECK(got.index == want);
    CHECK(got.value == v[want]);
  };
  at(wf::argmin(policy, v, {}, &point::y), place(v, std::ranges::min_element(v, {}, &point::y)));
  at(wf::argmax(policy, v, {}, &point::y), place(v, std::ranges::max_element(v, {}, &point::y)));
  at(wf::argmin(policy, v, descending{}, magnitude_of_y{}),
     place(v, std::ranges::min_element(v, descending{}, magnitude_of_y{})));
  at(wf::argmax(policy, v, descending{}, magnitude_of_y{}),
     place(v, std::ranges::max_element(v, descending{}, magnitude_of_y{})));
  // The last of equals is the first from the end.
  const auto back = std::ranges::min_element(v.rbegin(), v.rend(), descending{}, magnitude_of_y{});
  at(wf::reduce(policy, v, wf::arg_by(descending{}, magnitude_of_y{}).last()),
     static_cast<std::size_t>(v.rend() - back) - 1);
}

}  // namespace

TEST_CASE("the places that the standard library finds; of equals the first, or the last") {
  for (const std::size_t n : {std::size_t{1}, std::size_t{50}, std::size_t{30001}}) {
    INFO(n, " elements");
    const auto v = points(n);
    check_places(wf::seq, v);
    check_places(wf::par, v);
    check_places(wf::emulated.with_kernel(wf::kernel::single_pass<>{}), v);
  }
}

TEST_CASE("last() of arg: numbers in the order of the extremum, with NaN and zeros of both signs") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const auto last = [](const std::vector<float>& v, auto extremum) {
    return wf::reduce(wf::par, v, wf::arg(extremum).last()).index;
  };
  const std::vector<float> v = {2, 0.0f, -0.0f, 3, -0.0f, 0.0f, 3, 1};
  CHECK(last(v, wf::minimum{}) == 4);
  CHECK(last(v, wf::maximum{}) == 6);
  CHECK(last({1, nan, 0, nan, 5}, wf::minimum{}) == 3);
  CHECK(last({1, nan, 0, nan, 5}, wf::maximum{}) == 3);
  CHECK(last({1, nan, 0, nan, 5}, wf::maximum{}.ignoring_nan()) == 4);
  // The least value there is, also at the front.
  constexpr float inf = std::numeric_limits<float>::infinity();
  CHECK(last({inf, inf, inf}, wf::minimum{}) == 2);
  CHECK(last({inf, nan}, wf::minimum{}.ignoring_nan()) == 0);
}

TEST_CASE("the default comparison is the order of the extremum: NaN is selected first") {
  const std::vector<double> v = {1, 4, std::nan(""), 9, 0};
  const auto root = [](double x) { return std::sqrt(x); };
  CHECK(wf::argmin(wf::seq, v, {}, root).index == 2);
  CHECK(wf::argmax(wf::seq, v, {}, root).index == 2);
  CHECK(wf::argmin(wf::seq, v, std::less<>{}).index == 4);
  // By this comparison NaN equals every number, so the result depends on the order.
  CHECK(wf::argmax(wf::seq, v, [](double a, double b) { return a < b; }).index != 2);
}

TEST_CASE("an empty range has no element, by any comparison") {
  const std::vector<point> none;
  test::check_throws<wf::empty_range>([&] { (void)wf::argmin(wf::seq, none, {}, &point::y); },
                                      "an empty range has no least element; test the size first");
  test::check_throws<wf::empty_range>(
      [&] { (void)wf::argmax(wf::par, none, {}, &point::y); },
      "an empty range has no greatest element; test the size first");
  CHECK_THROWS_AS((void)wf::reduce(wf::seq, none, wf::arg_by({}, &point::y)), wf::empty_range);
}

TEST_CASE("beside other ops, and where a bit is set") {
  const auto v = points(20000);
  std::vector<std::uint32_t> bits(v.size() / 32, 0);
  bits[100] = 0b1100;
  const auto least = wf::argmin(wf::par, wf::where(v, bits), {}, &point::x);
  const std::size_t want = v[3203].x < v[3202].x ? 3203 : 3202;
  CHECK(least.index == want);
  CHECK(least.value == v[want]);
  const auto both = wf::all(wf::arg_by({}, &point::y), wf::arg_by({}, &point::y).last());
  const auto got = wf::reduce(wf::par, v, both);
  CHECK(wf::get<0>(got).value.y == -10);
  CHECK(wf::get<1>(got).value.y == -10);
  CHECK(wf::get<0>(got).index < wf::get<1>(got).index);
}
