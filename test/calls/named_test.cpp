// Access to the results of several reductions by name.
// alone: Boost.Hana adapts structures in the global namespace only
// needs: boost
#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <vector>

#include <warpfold/named.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/moments.hpp>

#include "contract/oracle.hpp"

namespace {

struct summary {
  BOOST_HANA_DEFINE_STRUCT(summary, (double, sum), (int, least), (wf::indexed<int>, greatest));
};

// Hana lists the members in another order than declared, and not all. One member owns memory.
struct from_elsewhere {
  std::string title = "untold";
  wf::moments deviations{};
  long long total = 0;
};

// Constructed from a part of the result.
struct spread {
  double variance = -1;
  spread() = default;
  spread(const wf::moments& m) : variance(m.variance()) {}
};
struct with_spread {
  BOOST_HANA_DEFINE_STRUCT(with_spread, (spread, of));
};

const std::vector<int> v = {3, -4, 12, 12, 0};

}  // namespace

BOOST_HANA_ADAPT_STRUCT(from_elsewhere, total, deviations);

TEST_CASE("results are the members of a struct, in their order") {
  const auto s = wf::named<summary>(
      wf::reduce(wf::seq, v, wf::all(wf::plus{}, wf::minimum{}, wf::arg(wf::maximum{}))));
  static_assert(std::is_same_v<decltype(s), const summary>);
  CHECK(s.sum == 23.0);
  CHECK(s.least == -4);
  CHECK(s.greatest == wf::indexed<int>{12, 2});

  const auto e =
      wf::named<from_elsewhere>(wf::reduce(wf::seq, v, wf::all(wf::plus{}, wf::moments_op{})));
  CHECK(e.title == "untold");
  CHECK(e.total == 23);
  CHECK(e.deviations.mean == doctest::Approx(4.6));

  CHECK(wf::named<with_spread>(wf::reduce(wf::seq, v, wf::all(wf::moments_op{}))).of.variance ==
        doctest::Approx(41.44));
}

TEST_CASE("results are found by strings, in their own types") {
  using namespace wf::literals;
  const auto result =
      wf::reduce(wf::seq, v, wf::all(wf::plus{}, wf::minimum{}, wf::arg(wf::maximum{})));
  auto r = wf::named(result, "sum"_s, "least"_s, "the greatest"_s);
  CHECK(r["sum"_s] == 23);
  CHECK(r["least"_s] == -4);
  CHECK(r["the greatest"_s].index == 2);
  static_assert(std::is_same_v<decltype(r["sum"_s]), long long&>);
  static_assert(std::is_same_v<decltype(r["least"_s]), int&>);
  r["least"_s] = 7;
  CHECK(r["least"_s] == 7);

  // Hana's own strings work, too.
  CHECK(r[BOOST_HANA_STRING("sum")] == 23);
  const auto one = wf::named(wf::reduce(wf::seq, v, wf::all(wf::plus{})), BOOST_HANA_STRING("n"));
  CHECK(one["n"_s] == 23);
}
