// The reductions of every day by the policies of the host.
// needs: tbb
#include <warpfold/policy/par.hpp>
#include <warpfold/policy/std_par.hpp>

#include <complex>
#include <deque>

#include "contract/everyday_contract.hpp"

namespace {

template <class Policy>
struct fixture : test::host_memory {
  static auto policy() { return Policy{}; }
};
using seq = fixture<wf::seq_policy>;
using par = fixture<wf::par_policy>;
using std_par = fixture<wf::baseline::std_par_policy>;

}  // namespace

TEST_CASE_TEMPLATE_APPLY(everyday_extrema, test::everyday_numbers<seq>);
TEST_CASE_TEMPLATE_APPLY(everyday_extrema, test::everyday_numbers<par>);
TEST_CASE_TEMPLATE_INVOKE(everyday_extrema, test::everyday<std_par, float>);
TEST_CASE_TEMPLATE_INVOKE(everyday_nan, seq, par, std_par);
TEST_CASE_TEMPLATE_INVOKE(everyday_compensated, seq, par, std_par);
TEST_CASE_TEMPLATE_INVOKE(everyday_compensated_products, seq, par, std_par);
TEST_CASE_TEMPLATE_INVOKE(everyday_counts, seq, par, std_par);
TEST_CASE_TEMPLATE_INVOKE(everyday_products, seq, par, std_par);
TEST_CASE_TEMPLATE_INVOKE(everyday_norms, seq, par, std_par);
TEST_CASE_TEMPLATE_APPLY(everyday_complex_norms, test::everyday_complex<seq>);
TEST_CASE_TEMPLATE_APPLY(everyday_complex_norms, test::everyday_complex<par>);
TEST_CASE_TEMPLATE_INVOKE(everyday_complex_norms, test::everyday<std_par, std::complex<float>>);
TEST_CASE_TEMPLATE_INVOKE(everyday_statistics, seq, par, std_par);
TEST_CASE_TEMPLATE_INVOKE(everyday_numpy, seq, par, std_par);
TEST_CASE_TEMPLATE_INVOKE(everyday_forms, seq, par);
TEST_CASE_TEMPLATE_INVOKE(everyday_arg_of_class, seq, par, std_par);
TEST_CASE_TEMPLATE_INVOKE(everyday_fused, seq, par, std_par);

namespace {

struct particle {
  float mass;
  bool alive;
};
struct by_key {
  int key, tag;
  friend bool operator<(const by_key& a, const by_key& b) { return a.key < b.key; }
};
// Any class of both parts is a complex number, and no other class.
struct imaginary_first {
  float y, x;
  float real() const { return x; }
  float imag() const { return y; }
};
struct with_more {
  float x, y, more;
  float real() const { return x; }
  float imag() const { return y; }
};
static_assert(wf::complex_number<imaginary_first>);
static_assert(!wf::complex_number<with_more>);
static_assert(!wf::complex_number<std::complex<int>>);
static_assert(!wf::complex_number<double>);
enum color { red = 1 << 30 };

}  // namespace

TEST_CASE("ranges and elements of other kinds") {
  const std::deque<double> d = {3, -4, 5};
  CHECK(wf::argmin(wf::par, d).index == 1);
  CHECK(wf::dot(wf::seq, d, d) == 50);
  CHECK(wf::mean(wf::seq, d) == doctest::Approx(4.0 / 3));

  const std::vector<particle> ps = {{1, true}, {2, false}, {4, true}};
  CHECK(wf::count_if(wf::seq, ps, &particle::alive) == 2);
  const auto twice = [](float x) { return 2 * x; };
  const auto all = wf::reduce(
      wf::par, ps,
      wf::all(wf::projected(wf::plus{}, &particle::mass),
              wf::projected(wf::projected(wf::arg(wf::maximum{}), twice), &particle::mass)));
  CHECK(wf::get<0>(all) == 7);
  CHECK(wf::get<1>(all) == wf::indexed<float>{8, 2});

  // Compared with < and nothing else; the first of equals; with an identity of its own where it
  // needs one.
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

TEST_CASE("norms of another's complex numbers") {
  const std::vector<imaginary_first> v = {{3, -4}, {0, 12}};
  CHECK(wf::norm_1(wf::seq, v) == 17);
  CHECK(wf::norm_2(wf::par, v) == 13);
  CHECK(wf::norm_infinity(wf::par, v) == 12);
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

TEST_CASE("products in a type that holds them") {
  const std::vector<signed char> a = {-1, -2};
  const std::vector<unsigned char> b = {3, 4};
  static_assert(std::is_same_v<decltype(wf::dot(wf::seq, a, b)),
                               long long>);  // -11 is equal to itself without a sign
  CHECK(wf::dot(wf::seq, a, b) == -11);
  CHECK(wf::dot(wf::seq, b, a) == -11);
  CHECK(wf::dot(wf::seq, std::vector<int>{-1}, std::vector<unsigned>{1}) == -1);
  CHECK(wf::dot(wf::par, std::vector<color>(4, red), std::vector<color>(4, red)) == 1ll << 62);
  using complex = std::complex<double>;
  const std::vector<complex> z = {{1, 2}, {0, -1}};
  CHECK(wf::dot(wf::seq, z, z) == complex(6, 0));
  CHECK(wf::inner_product(wf::seq, z, z, complex{}) == complex(-4, 4));
}

TEST_CASE("means of many floats do not stop moving") {
  std::vector<float> v(30'000'000, 0.0f);
  std::fill(v.begin() + 10'000'000, v.end(), 1.0f);
  CHECK(wf::mean(wf::seq, v) == doctest::Approx(2.0 / 3).epsilon(1e-6));
  CHECK(wf::variance(wf::seq, v) == doctest::Approx(2.0 / 9).epsilon(1e-6));
  CHECK(wf::stddev(wf::par, std::vector<float>{-1e30f, 1e30f}) == 1e30f);
}

TEST_CASE("variances of long runs whose first element is far from all others") {
  // Of the squares of deviations from that one, all but a n-th cancel; of equal ones all roundings
  // go one way.
  for (const double far : {9.0509465604565875, 158528.35696635535, 698641436686394.0}) {
    for (const std::size_t n : {std::size_t{5000}, std::size_t{65537}}) {
      INFO(n, " elements, the second ", far);
      std::vector<double> v(n, 0.16577472761101042);
      v[1] = far;
      const long double apart = static_cast<long double>(v[1]) - v[0];
      const auto size = static_cast<long double>(n);
      const auto variance = static_cast<double>(apart * apart * (size - 1) / (size * size));
      CHECK(wf::variance(wf::seq, v) == doctest::Approx(variance).epsilon(1e-12));
      CHECK(wf::variance(wf::par, v) == doctest::Approx(variance).epsilon(1e-12));
    }
  }
}

TEST_CASE("several in one read: those that fold in one pass stand among others") {
  const std::vector<float> v = test::around<float>(-4, 9, 100003);
  const auto all =
      wf::reduce(wf::par, v,
                 wf::all(wf::arg(wf::minimum{}), wf::maximum{}, wf::moments_op{}, wf::minimum{},
                         wf::projected(wf::maximum{}, test::square_of{}), wf::plus{}));
  CHECK(wf::get<0>(all) == wf::argmin(wf::par, v));
  CHECK(wf::get<1>(all) == wf::max(wf::par, v));
  CHECK(wf::get<2>(all).count == v.size());
  CHECK(wf::get<3>(all) == wf::min(wf::par, v));
  CHECK(wf::get<4>(all) == test::square_of{}(wf::get<3>(all)));  // the least is the farthest from 0
  CHECK(wf::get<5>(all) == doctest::Approx(wf::sum(wf::par, v)));

  std::vector<float> zeros(100003, -0.0f);
  zeros[77777] = 0.0f;
  const auto [least, greatest] = wf::minmax(wf::par, zeros);
  CHECK(std::signbit(least));
  CHECK_FALSE(std::signbit(greatest));
  zeros[5] = std::numeric_limits<float>::quiet_NaN();
  const auto none = wf::minmax(wf::par, zeros);
  CHECK(std::isnan(none.min));
  CHECK(std::isnan(none.max));
}
