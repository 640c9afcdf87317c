// min, max, minmax, argmin, argmax and argminmax by the policies of the host.
// needs: tbb
#include <sstream>

#include "calls/host_policies.hpp"
#include "contract/everyday_contract.hpp"

namespace {

/// Compared with < and nothing else.
struct by_key {
  int key, tag;
  friend bool operator<(const by_key& a, const by_key& b) { return a.key < b.key; }
};

}  // namespace

TEST_CASE_TEMPLATE_APPLY(everyday_extrema, test::everyday_numbers<test::seq>);
TEST_CASE_TEMPLATE_APPLY(everyday_extrema, test::everyday_numbers<test::par>);
TEST_CASE_TEMPLATE_INVOKE(everyday_extrema, test::everyday<test::std_par, float>);
TEST_CASE_TEMPLATE_INVOKE(everyday_nan, test::seq, test::par, test::std_par);
TEST_CASE_TEMPLATE_INVOKE(everyday_arg_of_class, test::seq, test::par, test::std_par);

TEST_CASE("elements with only operator<, and long doubles") {
  // The first of equals; with an identity of its own where it needs one.
  const std::vector<by_key> keys = {{3, 0}, {1, 1}, {1, 2}, {3, 3}};
  CHECK(wf::argmin(wf::par, keys).index == 1);
  CHECK(wf::argmax(wf::seq, keys).index == 0);
  const wf::indexed<by_key> none{{7, 7}, wf::indexed<by_key>::nowhere};
  CHECK(
      wf::reduce(wf::seq, std::span(keys).first(0), wf::with_identity(wf::arg(wf::minimum{}), none))
          .index == none.index);

  std::vector<long double> wide = {2, test::nan_v<long double>, 1};
  CHECK(wf::argmin(wf::seq, wide).index == 1);
  CHECK(wf::argmax(wf::par, wide).index == 1);
  CHECK(wf::reduce(wf::seq, wide, wf::arg(wf::minimum{}.ignoring_nan())).index == 2);
}

// wf::par looks at its parts one by one, and for the place in one of them.
TEST_CASE("places of extrema in long ranges, of equals the first") {
  constexpr std::size_t n = 300'000;
  const auto check = [](const std::vector<float>& v) {
    CHECK(wf::argmin(wf::par, v).index == test::place_of_extremum(v, true));
    CHECK(wf::argmax(wf::par, v).index == test::place_of_extremum(v, false));
    CHECK(test::same_number(wf::argmin(wf::par, v).value, wf::min(wf::par, v)));
  };
  const std::vector<float> plain = test::around<float>(0, 1, n);
  check(plain);
  check(std::vector<float>(n, 3));
  for (const std::size_t at : {std::size_t{0}, std::size_t{40'000}, n - 1}) {
    for (const std::size_t again : {std::size_t{40'001}, std::size_t{200'000}, n - 1}) {
      INFO("at ", at, " and ", again);
      for (const float extremum : {9.0f, -9.0f, test::inf_v<float>, test::nan_v<float>}) {
        std::vector<float> v = plain;
        v[at] = v[again] = extremum;
        check(v);
      }
      std::vector<float> zeros(n, 0.0f);
      zeros[at] = zeros[again] = -0.0f;
      check(zeros);
      for (float& x : zeros) x = -x;
      check(zeros);
      // With NaN passed over, what is left is found wherever it is; of nothing the first.
      const auto least = wf::arg(wf::minimum{}.ignoring_nan());
      std::vector<float> rest(n, test::nan_v<float>);
      CHECK(wf::reduce(wf::par, rest, least).index == 0);
      rest[at] = rest[again] = 5;
      CHECK(wf::reduce(wf::par, rest, least) == wf::indexed<float>{5, std::min(at, again)});
    }
  }
  // From an init on; of what a function makes of them; compared with <.
  const wf::indexed<float> before{-7, 1'000'000};
  CHECK(wf::reduce(wf::par, plain, before, wf::arg(wf::minimum{})) == before);
  CHECK(wf::reduce(wf::par, plain, wf::indexed<float>{7, 0}, wf::arg(wf::minimum{})) ==
        wf::argmin(wf::par, plain));
  const auto negated = wf::project(plain, [](float x) { return -x; });
  CHECK(wf::argmin(wf::par, negated).index == wf::argmax(wf::par, plain).index);
  std::vector<by_key> keys(n, by_key{2, 0});
  keys[170'000].key = keys[290'000].key = 1;
  CHECK(wf::argmin(wf::par, keys).index == 170'000);
  CHECK(wf::argmax(wf::par, keys).index == 0);
}

TEST_CASE("results are printed, and 8-bit integers as numbers") {
  const auto text = [](const auto& result) {
    std::ostringstream out;
    out << result;
    return out.str();
  };
  const std::vector<float> v = {3, 1.5f, -2, 9};
  CHECK(text(wf::argmax(wf::seq, v)) == "9 at 3");
  CHECK(text(wf::minmax(wf::seq, v)) == "-2, 9");
  CHECK(text(wf::argminmax(wf::seq, v)) == "-2 at 2, 9 at 3");
  const std::vector<signed char> bytes = {65, -66};
  CHECK(text(wf::argmin(wf::seq, bytes)) == "-66 at 1");
  CHECK(text(wf::minmax(wf::seq, std::vector<unsigned char>{66, 65})) == "65, 66");
  std::wostringstream wide;
  wide << wf::argmin(wf::seq, v);
  CHECK(wide.str() == L"-2 at 2");
}
