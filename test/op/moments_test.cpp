// moments_op: merged parts give the count, mean and squared deviations of a plain loop, and
// neighbors the bits of merged pairs. Elements that are not finite show in the result.
#include <warpfold/op/moments.hpp>

#include <doctest/doctest.h>

#include "contract/oracle.hpp"
#include "contract/order_certificate.hpp"

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

namespace {

/// The bits of two results, of which NaN have any sign and payload.
bool same(const wf::moments& a, const wf::moments& b) {
  return a.count == b.count && test::same_bits(a.mean, b.mean) && test::same_bits(a.m2, b.m2);
}

template <int Count, class T>
wf::moments as_neighbors(const T* x) {
  const wf::moments_op op;
  return op.fold_neighbors<Count>([&](int k) { return x[k]; },
                                  [&](int k) { return op.lift(x[k]); });
}
template <class T>
wf::moments as_tree(const T* x, std::size_t n) {
  const wf::moments_op op;
  return test::recursive_fold<wf::moments>(op, [&](std::size_t i) { return op.lift(x[i]); }, 0, n);
}

template <class T>
void check_neighbors(const std::vector<T>& v) {
  for (std::size_t i = 0; i + 16 <= v.size(); ++i) {
    const T* const x = v.data() + i;
    INFO("from ", i, ": ", static_cast<double>(x[0]), " ", static_cast<double>(x[1]));
    REQUIRE(same(as_neighbors<2>(x), as_tree(x, 2)));
    REQUIRE(same(as_neighbors<4>(x), as_tree(x, 4)));
    REQUIRE(same(as_neighbors<8>(x), as_tree(x, 8)));
    REQUIRE(same(as_neighbors<16>(x), as_tree(x, 16)));
  }
}

/// `n` numbers that `make(uniform, random)` makes of one from 0 to 1 and of random bits.
template <class T, class Make>
std::vector<T> made(std::size_t n, const Make& make) {
  test::random_bits random(11);
  std::vector<T> v(n);
  for (T& x : v) {
    const double uniform = static_cast<double>(random() >> 11) * 0x1p-53;
    x = static_cast<T>(make(uniform, random()));
  }
  return v;
}

}  // namespace

TEST_CASE_TEMPLATE("neighbors have the bits of merged pairs: floating-point numbers", T, float,
                   double) {
  constexpr double most = std::numeric_limits<T>::max(),
                   least = std::numeric_limits<T>::denorm_min();
  check_neighbors(made<T>(2000, [](double u, auto) { return u - 0.5; }));
  check_neighbors(made<T>(2000, [](double u, auto) { return 1e6 + u; }));
  check_neighbors(
      made<T>(2000, [](double u, auto r) { return std::ldexp(u, static_cast<int>(r % 80)); }));
  check_neighbors(std::vector<T>(20, static_cast<T>(0.1)));
  // Close to the greatest numbers, and further apart than any.
  check_neighbors(
      made<T>(2000, [=](double u, auto r) { return (1 - u / 8) * (r % 8 == 0 ? -most : most); }));
  check_neighbors(
      made<T>(2000, [=](double, auto r) { return static_cast<double>(r % 5) * least; }));
  // The squares underflow.
  check_neighbors(made<T>(
      4000, [](double u, auto r) { return std::ldexp(u, -520 - static_cast<int>(r % 30)); }));
  check_neighbors(made<T>(4000, [](double u, auto r) {
    return r % 16 == 0 ? inf : r % 16 == 1 ? -inf : r % 16 == 2 ? std::nan("") : u;
  }));
  check_neighbors(made<T>(4000, [](double u, auto r) { return r % 64 == 0 ? inf : u; }));
}

TEST_CASE_TEMPLATE("neighbors have the bits of merged pairs: integers", T, signed char,
                   unsigned char, short, unsigned short, int, unsigned, long long,
                   unsigned long long) {
  using limits = std::numeric_limits<T>;
  check_neighbors(made<T>(2000, [](double, auto r) { return static_cast<T>(r); }));
  check_neighbors(
      made<T>(2000, [](double, auto r) { return r % 3 == 0 ? limits::min() : limits::max(); }));
}

TEST_CASE_TEMPLATE("nothing is rounded for as many small integers as may be folded at once", T,
                   signed char, unsigned char, short, unsigned short) {
  using limits = std::numeric_limits<T>;
  constexpr std::size_t n = wf::moments_op::longest_exact;
  for (const int kind : {0, 1, 2}) {
    const auto v = made<T>(n, [&](double, auto r) {
      return kind == 0    ? static_cast<T>(r)
             : kind == 1  ? limits::max()
             : r % 2 == 0 ? limits::min()
                          : limits::max();
    });
    wf::moments_op::exact_sums<T> sums{};
    for (const T x : v) sums.add(x);
    CHECK(same(sums.of(n), as_tree(v.data(), n)));
  }
}

TEST_CASE("counts of any size, halved") {
  using wf::detail::half_of;
  for (const unsigned long long n : {0ull, 1ull, 2ull, 3ull, 0xffffffffull, 0x100000001ull,
                                     (1ull << 53) + 1, (1ull << 53) + 3, ~0ull}) {
    CHECK(half_of(n) == static_cast<double>(n) / 2);
  }
}
