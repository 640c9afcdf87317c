// moments_op: merged pairs, short and long runs, and a warp's states give the count, mean and
// squared deviations of a plain loop. Elements that are not finite show in the result.
#include <warpfold/op/moments.hpp>

#include <doctest/doctest.h>

#include "contract/oracle.hpp"
#include "op/listed_batch.hpp"

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

template <class T>
wf::moments expected(const std::vector<T>& v) {
  long double sum = 0, squares = 0;
  for (const T& x : v) sum += x;
  const long double n = static_cast<long double>(v.size()), mean = sum / n;
  for (const T& x : v) squares += (x - mean) * (x - mean);
  return {v.size(), static_cast<double>(mean), static_cast<double>(squares)};
}

bool near(double a, double b, double tolerance) {
  return a == b || std::fabs(a - b) <= tolerance * std::fabs(b);
}
void check_near(const wf::moments& got, const wf::moments& want, double tolerance = 1e-14) {
  INFO("got ", got.count, " ", got.mean, " ", got.m2, ", want ", want.mean, " ", want.m2);
  CHECK(got.count == want.count);
  CHECK(near(got.mean, want.mean, tolerance));
  CHECK(near(got.m2, want.m2, tolerance));
}

std::vector<double> join(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> both = a;
  both.insert(both.end(), b.begin(), b.end());
  return both;
}

/// `n` numbers of no great range around `center`.
std::vector<double> some(std::size_t n, double center, unsigned seed = 3) {
  test::random_bits random(seed);
  std::vector<double> v(n);
  for (double& x : v) x = center + static_cast<double>(random() >> 11) * 0x1p-53;
  return v;
}

wf::moments one_by_one(const std::vector<double>& v) {
  const wf::moments_op op;
  wf::moments total = op.identity<wf::moments>();
  for (const double x : v) total = op(total, op.lift(x));
  return total;
}

}  // namespace

TEST_CASE("moments: variances, of all and of a sample") {
  const wf::moments m{4, 10, 12};
  CHECK(m.variance() == 3);
  CHECK(m.sample_variance() == 4);
  CHECK(wf::moments{2, 1, 3}.sample_variance() == 3);
  CHECK(std::isnan(wf::moments{1, 1, 0}.sample_variance()));
  CHECK(std::isnan(wf::moments{0, 0, 0}.variance()));
  CHECK(m == wf::moments{4, 10, 12});
  CHECK_FALSE(m == wf::moments{5, 10, 12});
  CHECK_FALSE(m == wf::moments{4, 11, 12});
  CHECK_FALSE(m == wf::moments{4, 10, 13});
}

TEST_CASE("moments: parts merged in twos") {
  const wf::moments_op op;
  const wf::moments none = op.identity<wf::moments>();
  CHECK(none == wf::moments{0, 0, 0});
  const wf::moments one = op.lift(3.5f);
  CHECK(one == wf::moments{1, 3.5, 0});
  CHECK(op(none, one) == one);
  CHECK(op(one, none) == one);
  for (const std::size_t m : {1, 2, 5, 8}) {
    for (const std::size_t n : {1, 2, 5, 8}) {
      const auto a = some(m, 100), b = some(n, -3, 4);
      check_near(op(one_by_one(a), one_by_one(b)), expected(join(a, b)));
    }
  }
}

TEST_CASE("moments: equal elements have their own value as mean, and no variance") {
  const wf::moments_op op;
  for (const double x : {0.1, -1e300, 1e-300, 3.0}) {
    wf::moments total = op.lift(x);
    for (int i = 0; i < 9; ++i) total = op(total, op.lift(x));
    CHECK(total == wf::moments{10, x, 0});
  }
}

TEST_CASE("moments: infinities and NaN appear in mean or squares") {
  const wf::moments_op op;
  CHECK(std::isnan(op.lift(inf).m2));
  const auto with_inf = op(op.lift(1.0), op.lift(inf));
  CHECK(with_inf.mean == inf);
  CHECK_FALSE(std::isfinite(with_inf.m2));
  CHECK(std::isnan(op(op.lift(-inf), op.lift(inf)).mean));
  CHECK(std::isnan(op(op.lift(1.0), op.lift(std::nan(""))).mean));
  // Further apart than any double.
  const double most = std::numeric_limits<double>::max();
  const auto apart = op(op.lift(-most), op.lift(most));
  CHECK(apart.mean == 0);
  CHECK(apart.m2 == inf);
  const auto three = op(op(op.lift(most), op.lift(most)), op.lift(-most));
  CHECK(near(three.mean, most / 3, 1e-14));
}

TEST_CASE("moments of a short run, behind what was seen") {
  const wf::moments_op op;
  for (const std::size_t before : {0, 1, 7, 100}) {
    for (const std::size_t n : {1, 2, 16, 64}) {
      for (const double center : {0.0, 1000.0}) {
        const auto a = some(before, 1000), b = some(n, center, 5);
        const auto seen = before == 0 ? op.identity<wf::moments>() : expected(a);
        check_near(op.fold_batch(seen, test::run_of<64>(b)), expected(join(a, b)), 1e-10);
      }
    }
  }
  // The deviations are from the mean of what was seen: elements that equal it change nothing.
  CHECK(op.fold_batch({3, 0.1, 0}, test::run_of<64>(std::vector<double>(5, 0.1))) ==
        wf::moments{8, 0.1, 0});
  CHECK(op.fold_batch({0, 0, 0}, test::run_of<64>(std::vector<double>(5, 0.1))) ==
        wf::moments{5, 0.1, 0});
}

TEST_CASE_TEMPLATE("moments of a long run, behind what was seen", in_vectors, std::true_type,
                   std::false_type) {
  constexpr bool vectors = in_vectors::value;
  const wf::moments_op op;
  for (const std::size_t before : {0, 7, 5000}) {
    for (const std::size_t n : {1, 2, 1000, 5000}) {
      const auto a = some(before, 1000), b = some(n, 20, 5);
      const auto seen = before == 0 ? op.identity<wf::moments>() : expected(a);
      check_near(op.fold_batch(seen, test::run_of<65536, vectors>(b)), expected(join(a, b)), 1e-13);
    }
  }
  // An outlier at the front, by which nearly all squares cancel.
  auto v = some(50000, 0.3);
  v[0] = 1e8 + 0.3;
  const auto none = op.identity<wf::moments>();
  const auto cancels = op.fold_batch(none, test::run_of<65536, vectors>(v)), want = expected(v);
  CHECK(near(cancels.mean, want.mean, 1e-6));
  CHECK(near(cancels.m2, want.m2, 2e-14));
  // Sums of two numbers at once are of integers as of floats.
  const std::vector<int> whole = {5, -7, 100, 3};
  check_near(op.fold_batch(none, test::run_of<65536>(whole)), expected(whole));
  const std::vector<signed char> chars = {5, -7, 100, 3};
  check_near(op.fold_batch(none, test::run_of<65536>(chars)), expected(chars));
}

TEST_CASE_TEMPLATE("moments of runs that are not finite, or too far apart for squares", limit,
                   std::integral_constant<std::size_t, 64>,
                   std::integral_constant<std::size_t, 65536>) {
  const wf::moments_op op;
  const wf::moments none = op.identity<wf::moments>();
  const auto fold = [&](const wf::moments& seen, const std::vector<double>& v) {
    return op.fold_batch(seen, test::run_of<limit::value, true>(v));
  };
  const auto with_inf = fold(none, {1, inf, 2});
  CHECK(with_inf.count == 3);
  CHECK(with_inf.mean == inf);
  CHECK(std::isnan(with_inf.m2));
  CHECK(std::isnan(fold(none, {1, inf, -inf}).mean));
  CHECK(std::isnan(fold(none, {std::nan(""), 2, 3}).mean));
  CHECK(fold({2, 5, 1}, {1, -inf, 2}).mean == -inf);
  // Means that are finite, of what has infinite squares: the mean is a sum of shares.
  const auto apart = fold(none, {1e200, 3e200, -2e200, 2e200});
  CHECK(apart.count == 4);
  CHECK(near(apart.mean, 1e200, 1e-14));
  CHECK(apart.m2 == inf);
  const auto after = fold({4, 0, 1}, {1e200, 3e200, -2e200, 2e200});
  CHECK(after.count == 8);
  CHECK(near(after.mean, 5e199, 1e-14));
  CHECK(after.m2 == inf);
}

TEST_CASE("moments of a warp's states") {
  const wf::moments_op op;
  std::vector<wf::moments> states;
  std::vector<double> all;
  for (unsigned lane = 0; lane < 32; ++lane) {
    // Some have seen nothing, the first among them.
    const auto own = some(lane % 4 == 0 ? 0 : lane, 50.0 * lane, lane);
    states.push_back(own.empty() ? op.identity<wf::moments>() : expected(own));
    all.insert(all.end(), own.begin(), own.end());
  }
  check_near(op.fold_states(test::states_of(states)), expected(all), 1e-13);

  const wf::moments none = op.identity<wf::moments>();
  CHECK(op.fold_states(test::states_of(std::vector<wf::moments>(32, none))) == none);
  std::vector<wf::moments> some_of(32, none);
  some_of[7] = {3, 0.1, 2};
  CHECK(op.fold_states(test::states_of(some_of)) == wf::moments{3, 0.1, 2});
  some_of[9] = op.lift(inf);
  const auto with_inf = op.fold_states(test::states_of(some_of));
  CHECK(with_inf.count == 4);
  CHECK(with_inf.mean == inf);
  some_of[9] = {1, 1e200, 0};
  some_of[7] = {1, 3e200, 0};
  const auto apart = op.fold_states(test::states_of(some_of));
  CHECK(near(apart.mean, 2e200, 1e-14));
  CHECK(apart.m2 == inf);
}
