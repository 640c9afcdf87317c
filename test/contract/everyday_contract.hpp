/// @file
/// The test suite of named reductions for every policy: extrema and their indices, counts, products
/// of two ranges, norms (also of complex numbers), statistics, and several reductions in one read.
/// The references are loops over the elements, in long double if results are rounded. The fixtures
/// are those of policy_contract.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/count.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/op/compensated.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>

#include "contract/numpy_cases.hpp"
#include "contract/policy_contract.hpp"

namespace test {

/// Sizes for one block and many; for whole tiles, one less and one more; with remaining elements.
inline constexpr std::size_t everyday_sizes[] = {1, 2, 31, 32, 33, 257, 1000, 4096, 5001, 70'001};

template <class T>
inline constexpr T nan_v = std::numeric_limits<T>::quiet_NaN();
template <class T>
inline constexpr T inf_v = std::numeric_limits<T>::infinity();

/// `n` numbers, some of which are equal.
template <class T>
std::vector<T> numbers(std::size_t n, unsigned seed = 1) {
  random_bits random(seed);
  std::vector<T> v(n);
  for (T& x : v) x = static_cast<T>(static_cast<int>(random() % 121) - 60);
  return v;
}

/// Numbers on both sides of `center`, at most `spread` away, with a fraction.
template <class T>
std::vector<T> around(T center, T spread, std::size_t n) {
  random_bits random(7);
  std::vector<T> v(n);
  for (T& x : v) {
    const auto part = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
    x = center + static_cast<T>(part) * spread;
  }
  return v;
}

/// Two vectors whose dot product is known exactly and is small compared with the sum of the
/// magnitudes of its terms. All elements are integers, and all sums of products fit 128 bits.
template <class A, class B>
struct cancelling_products {
  std::vector<A> a;
  std::vector<B> b;
  long double dot;
  long double size;  // the sum of the magnitudes of the terms
};
template <class A, class B>
cancelling_products<A, B> cancelling(std::size_t pairs, double condition) {
  __extension__ typedef __int128 whole;
  constexpr int bits_of_a = std::numeric_limits<A>::digits - 1;
  constexpr int bits_of_b = std::numeric_limits<B>::digits - 1;
  random_bits random(11);
  const auto some = [&](int bits) {
    const auto x = static_cast<std::int64_t>(random() >> (64 - bits)) | 1;
    return random() & 1 ? x : -x;
  };
  cancelling_products<A, B> made{{}, {}, 0, 0};
  whole sum = 0;
  const auto add = [&](std::int64_t x, std::int64_t y) {
    made.a.push_back(static_cast<A>(x));
    made.b.push_back(static_cast<B>(y));
    sum += static_cast<whole>(x) * y;
    made.size += std::abs(static_cast<long double>(x) * static_cast<long double>(y));
  };
  for (std::size_t i = 0; i < pairs; ++i) add(some(bits_of_a), some(bits_of_b));
  // Subtracts the excess over the wanted value, in steps of fewer and fewer bits.
  const auto want = static_cast<whole>(made.size / static_cast<long double>(condition));
  for (int bits = bits_of_a; bits > 0; bits /= 2) {
    const std::int64_t x = std::abs(some(bits));
    const whole most = whole{1} << bits_of_b;
    for (whole y = (want - sum) / x; y != 0; y = (want - sum) / x) {
      add(x, static_cast<std::int64_t>(y > most ? most : y < -most ? -most : y));
    }
  }
  for (std::size_t i = made.a.size() - 1; i > 0; --i) {
    const std::size_t k = random() % (i + 1);
    std::swap(made.a[i], made.a[k]);
    std::swap(made.b[i], made.b[k]);
  }
  made.dot = static_cast<long double>(sum);
  return made;
}

/// Calls `f` with a span of `values` in memory that the fixture's policy can read, `offset`
/// elements after a 16-byte boundary.
template <class Fixture, class T, class F>
auto with_span(const std::vector<T>& values, const F& f, std::size_t offset = 0) {
  const typename Fixture::template array<T> data(values, offset * sizeof(T));
  return f(std::span<const T>(data.data(), values.size()));
}

/// Whether `x` is the extremum of `x` and `y`, in any order.
template <class T>
bool comes_first(T x, T y, bool least) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && !std::isnan(y);
    if (x == y) return std::signbit(x) != std::signbit(y) && std::signbit(x) == least;
  }
  return least ? x < y : y < x;
}
template <class T>
std::size_t place_of_extremum(const std::vector<T>& v, bool least) {
  std::size_t at = 0;
  for (std::size_t i = 1; i < v.size(); ++i) {
    if (comes_first(v[i], v[at], least)) at = i;
  }
  return at;
}
template <class T>
bool same_number(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a)) return std::isnan(b);
    return a == b && std::signbit(a) == std::signbit(b);
  } else {
    return a == b;
  }
}

struct is_odd {
  WARPFOLD_HD bool operator()(int x) const { return x % 2 != 0; }
};
struct is_small {
  WARPFOLD_HD bool operator()(int x) const { return x <= 60; }
};
struct is_large {
  WARPFOLD_HD bool operator()(int x) const { return x > 60; }
};
struct square_of {
  template <class T>
  WARPFOLD_HD double operator()(T x) const {
    return static_cast<double>(x) * static_cast<double>(x);
  }
};
struct distance_of {
  WARPFOLD_HD int operator()(int a, int b) const { return a < b ? b - a : a - b; }
};

template <class Fixture, class T>
struct everyday {
  using fixture = Fixture;
  using type = T;
};
template <class Fixture, template <class> class Complex = std::complex>
using everyday_complex =
    std::tuple<everyday<Fixture, Complex<float>>, everyday<Fixture, Complex<double>>>;
template <class Fixture>
using everyday_numbers =
    std::tuple<everyday<Fixture, float>, everyday<Fixture, double>, everyday<Fixture, int>>;

/// Compared only by its key.
struct keyed {
  int key;
  int id;

  friend WARPFOLD_HD bool operator<(const keyed& a, const keyed& b) { return a.key < b.key; }
};
struct key_of {
  WARPFOLD_HD int operator()(const keyed& x) const { return x.key; }
};
struct is_below_0 {
  WARPFOLD_HD bool operator()(int x) const { return x < 0; }
};

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("extrema and where they are", Subject, everyday_extrema) {
  using T = typename Subject::type;
  using fixture = typename Subject::fixture;
  const auto policy = fixture::policy();
  const auto check = [&](const std::vector<T>& v, std::size_t offset = 0) {
    const std::size_t least = test::place_of_extremum(v, true);
    const std::size_t greatest = test::place_of_extremum(v, false);
    test::with_span<fixture>(
        v,
        [&](auto range) {
          const auto low = wf::argmin(policy, range);
          const auto high = wf::argmax(policy, range);
          CHECK(low.index == least);
          CHECK(test::same_number(low.value, v[least]));
          CHECK(high.index == greatest);
          CHECK(test::same_number(high.value, v[greatest]));
          const auto both = wf::argminmax(policy, range);
          CHECK(both.min.index == least);
          CHECK(both.max.index == greatest);
          const auto values = wf::minmax(policy, range);
          CHECK(test::same_number(values.min, wf::min(policy, range)));
          CHECK(test::same_number(values.max, wf::max(policy, range)));
          if (v[least] == v[least]) {
            CHECK(values.min == v[least]);
            CHECK(values.max == v[greatest]);
          }
        },
        offset);
  };
  for (const std::size_t n : test::everyday_sizes) {
    INFO(n, " elements");
    check(test::numbers<T>(n), n % 2);
    check(std::vector<T>(n, T{3}));  // all are equal: the first
  }
  const std::vector<T> plain = test::numbers<T>(1500);
  for (const std::size_t at : {0u, 1u, 31u, 32u, 255u, 256u, 1023u, 1024u, 1498u, 1499u}) {
    INFO("at ", at);
    std::vector<T> v = plain;
    v[at] = std::numeric_limits<T>::max();
    check(v);
    v[at] = std::numeric_limits<T>::lowest();
    check(v);
    if constexpr (std::is_floating_point_v<T>) {
      v[at] = test::nan_v<T>;
      check(v);
      v[700] = test::nan_v<T>;  // the first of two
      check(v);
    }
  }
  if constexpr (std::is_floating_point_v<T>) {
    std::vector<T> zeros(1000, T{0});
    zeros[600] = -T{0};
    zeros[601] = -T{0};
    check(zeros);
    for (T& x : zeros) x = -x;
    check(zeros);
    check(std::vector<T>(300, -test::inf_v<T>));
    check(std::vector<T>(300, test::inf_v<T>));
    check(std::vector<T>(300, test::nan_v<T>));
    check({std::numeric_limits<T>::denorm_min(), 0, -std::numeric_limits<T>::denorm_min()});
  }
  test::with_span<fixture>(std::vector<T>{}, [&](auto empty) {
    CHECK_THROWS_AS(wf::min(policy, empty), wf::empty_range);
    CHECK_THROWS_AS(wf::max(policy, empty), wf::empty_range);
    CHECK_THROWS_AS(wf::minmax(policy, empty), wf::empty_range);
    CHECK_THROWS_AS(wf::argmin(policy, empty), wf::empty_range);
    CHECK_THROWS_AS(wf::argmax(policy, empty), wf::empty_range);
    CHECK_THROWS_AS(wf::argminmax(policy, empty), wf::empty_range);
  });
}

TEST_CASE_TEMPLATE_DEFINE("extrema of the numbers among NaN", Fixture, everyday_nan) {
  const auto policy = Fixture::policy();
  const auto check = [&](const std::vector<double>& v) {
    // The references: the extrema of all numbers that are not NaN, and their indices.
    std::vector<double> left;
    for (const double x : v) {
      if (x == x) left.push_back(x);
    }
    const auto place = [&](double x) {
      std::size_t i = 0;
      while (!test::same_number(v[i], x)) ++i;
      return i;
    };
    const double nan = test::nan_v<double>;
    const double least = left.empty() ? nan : left[test::place_of_extremum(left, true)];
    const double greatest = left.empty() ? nan : left[test::place_of_extremum(left, false)];
    test::with_span<Fixture>(v, [&](auto range) {
      const auto low = wf::reduce(policy, range, wf::arg(wf::minimum{}.ignoring_nan()));
      const auto high = wf::reduce(policy, range, wf::arg(wf::maximum{}.ignoring_nan()));
      CHECK(test::same_number(wf::reduce(policy, range, wf::minimum{}.ignoring_nan()), least));
      CHECK(test::same_number(wf::reduce(policy, range, wf::maximum{}.ignoring_nan()), greatest));
      CHECK(test::same_number(low.value, least));
      CHECK(low.index == place(least));
      CHECK(test::same_number(high.value, greatest));
      CHECK(high.index == place(greatest));
    });
  };
  for (const std::size_t n : {1u, 2u, 33u, 1000u, 5001u}) {
    INFO(n, " elements");
    std::vector<double> v = test::around<double>(0, 4, n);
    check(v);
    for (std::size_t i = 0; i < n; i += 3) v[i] = test::nan_v<double>;
    check(v);
    v[n - 1] = test::nan_v<double>;
    check(v);
    std::vector<double> none(n, test::nan_v<double>);
    check(none);
    none[n / 2] = test::inf_v<double>;
    check(none);
    none[n / 2] = -0.0;
    check(none);
    none[n - 1] = 0.0;
    check(none);
  }
  test::with_span<Fixture>(std::vector<double>{}, [&](auto empty) {
    CHECK(std::isnan(wf::reduce(policy, empty, wf::minimum{}.ignoring_nan())));
  });
  test::with_span<Fixture>(std::vector<int>{3, -4}, [&](auto range) {
    CHECK(wf::reduce(policy, range, wf::minimum{}.ignoring_nan()) == -4);
    CHECK(wf::reduce(policy, range.first(0), wf::maximum{}.ignoring_nan()) ==
          std::numeric_limits<int>::lowest());
  });
}

TEST_CASE_TEMPLATE_DEFINE("compensated sums keep what rounding drops", Fixture,
                          everyday_compensated) {
  const auto policy = Fixture::policy();
  const auto sum_of = [&](const auto& v) {
    return test::with_span<Fixture>(
        v, [&](auto range) { return wf::reduce(policy, range, wf::plus{}.compensated()); });
  };
  // Terms that cancel and one that does not: the sum and the condition number are known.
  for (const std::size_t pairs : {1u, 20u, 500u, 10'000u}) {
    for (const double condition : {1e4, 1e8, 1e12, 1e16}) {
      INFO(pairs, " pairs, condition number ", condition);
      std::vector<double> v = test::around<double>(0, 1, pairs);
      double size = 0;
      for (std::size_t i = 0; i < pairs; ++i) {
        v[i] *= std::ldexp(1.0, static_cast<int>(i % 40));
        size += 2 * std::abs(v[i]);
        v.push_back(-v[i]);
      }
      const double want = size / condition * 1.0625;
      v.push_back(want);
      test::random_bits random(3);
      for (std::size_t i = v.size() - 1; i > 0; --i) std::swap(v[i], v[random() % (i + 1)]);
      const auto n = static_cast<double>(v.size());
      const double u = 0x1p-53;
      const double got = sum_of(v);
      static_assert(std::is_same_v<decltype(sum_of(v)), double>);
      CHECK(std::abs(got - want) <= u * want + n * u * n * u * size);
      // A plain sum does not meet this bound if the condition number is large.
      if (condition >= 1e12 && pairs >= 20) {
        const double plain =
            test::with_span<Fixture>(v, [&](auto range) { return wf::sum(policy, range); });
        CHECK(std::abs(plain - want) > std::abs(got - want));
      }
    }
  }
  CHECK(sum_of(std::vector<double>{1e16, 1, -1e16}) == 1);
  CHECK(sum_of(std::vector<float>{1e8f, 1, -1e8f}) == 1);
  CHECK(sum_of(std::vector<float>(1 << 16, 0.1f)) == doctest::Approx(6553.6).epsilon(1e-6));
  CHECK(sum_of(std::vector<float>(300'001, 0.1f)) == static_cast<float>(300'001 * double{0.1f}));
  CHECK(sum_of(std::vector<float>{1, test::inf_v<float>, 2}) == test::inf_v<float>);
  CHECK(std::isnan(sum_of(std::vector<float>{test::inf_v<float>, -test::inf_v<float>})));
  CHECK(sum_of(std::vector<float>{}) == 0);
}

TEST_CASE_TEMPLATE_DEFINE("compensated scalar products keep what rounding drops", Fixture,
                          everyday_compensated_products) {
  const auto policy = Fixture::policy();
  const auto dot_of = [&](const auto& a, const auto& b, auto op) {
    return test::with_span<Fixture>(a, [&](auto x) {
      return test::with_span<Fixture>(b, [&](auto y) { return wf::dot(policy, x, y, op); });
    });
  };
  const auto compensated = wf::plus{}.compensated();
  const auto check = [&](const auto& v, auto narrow, double most_of_plain) {
    using R = decltype(narrow);
    const auto n = static_cast<long double>(v.a.size());
    const long double u = std::numeric_limits<R>::epsilon() / 2;
    const auto got = dot_of(v.a, v.b, compensated);
    static_assert(std::is_same_v<decltype(dot_of(v.a, v.b, compensated)), R>);
    CHECK(std::abs(got - v.dot) <= u * std::abs(v.dot) + n * u * n * u * v.size);
    if (v.size > most_of_plain * std::abs(v.dot) && n > 20) {
      CHECK(std::abs(dot_of(v.a, v.b, wf::plus{}) - v.dot) > std::abs(got - v.dot));
    }
  };
  for (const std::size_t pairs : {1u, 20u, 1000u, 10'000u}) {
    for (const double condition : {1e2, 1e8, 1e12, 1e16}) {
      INFO(pairs, " pairs, condition number ", condition);
      const auto doubles = test::cancelling<double, double>(pairs, condition);
      // The generated vectors have the requested condition number.
      CHECK(doubles.size <= 4 * condition * std::abs(doubles.dot));
      CHECK(doubles.size >= condition / 4 * std::abs(doubles.dot));
      check(doubles, double{}, 1e11);
      check(test::cancelling<float, double>(pairs, condition), double{}, 1e11);
      if (condition <= 1e8) check(test::cancelling<float, float>(pairs, condition), float{}, 1e6);
    }
  }
  const double third = 1.0 / 3;
  // A single product has only its own rounding error.
  CHECK(dot_of(std::vector<double>{third}, std::vector<double>{third}, compensated) ==
        third * third);
  CHECK(dot_of(std::vector<double>{1e8 + 1, -1e8}, std::vector<double>{1e8 + 1, 1e8 + 2},
               compensated) == 1);
  CHECK(dot_of(std::vector<double>{}, std::vector<double>{}, compensated) == 0);
  const double inf = test::inf_v<double>;
  CHECK(dot_of(std::vector<double>{1, inf}, std::vector<double>{1, 2}, compensated) == inf);
  CHECK(dot_of(std::vector<double>{1e200, 1}, std::vector<double>{-1e200, 1}, compensated) == -inf);
  CHECK(std::isnan(dot_of(std::vector<double>{1, inf}, std::vector<double>{1, 0}, compensated)));
  test::with_span<Fixture>(std::vector<float>(40, 1), [&](auto range) {
    CHECK_THROWS_AS(wf::dot(policy, range, range.first(39), compensated), wf::invalid_range);
  });
}

TEST_CASE_TEMPLATE_DEFINE("sums, products and counts", Fixture, everyday_counts) {
  const auto policy = Fixture::policy();
  for (const std::size_t n : test::everyday_sizes) {
    INFO(n, " elements");
    const std::vector<int> v = test::numbers<int>(n);
    test::with_span<Fixture>(
        v,
        [&](auto range) {
          CHECK(wf::sum(policy, range) == std::accumulate(v.begin(), v.end(), 0ll));
          CHECK(wf::count(policy, range, 7) ==
                static_cast<std::size_t>(std::count(v.begin(), v.end(), 7)));
          CHECK(wf::count_if(policy, range, test::is_odd{}) ==
                static_cast<std::size_t>(std::count_if(v.begin(), v.end(), test::is_odd{})));
          CHECK(wf::all_of(policy, range, test::is_small{}));
          CHECK(wf::all_of(policy, range, test::is_odd{}) ==
                std::all_of(v.begin(), v.end(), test::is_odd{}));
          CHECK(wf::any_of(policy, range, test::is_odd{}) ==
                std::any_of(v.begin(), v.end(), test::is_odd{}));
          CHECK_FALSE(wf::any_of(policy, range, test::is_large{}));
          CHECK(wf::none_of(policy, range, test::is_large{}));
          CHECK(wf::none_of(policy, range, test::is_odd{}) ==
                std::none_of(v.begin(), v.end(), test::is_odd{}));
        },
        n % 3);
    std::vector<int> but_one(n, 60);
    but_one[n / 2] = 61;
    test::with_span<Fixture>(but_one, [&](auto range) {
      CHECK_FALSE(wf::all_of(policy, range, test::is_small{}));
      CHECK(wf::any_of(policy, range, test::is_large{}));
      CHECK_FALSE(wf::none_of(policy, range, test::is_large{}));
      CHECK(wf::count(policy, range, 61) == 1);
    });
  }
  test::with_span<Fixture>(std::vector<int>(62, 2),
                           [&](auto range) { CHECK(wf::product(policy, range) == (1ll << 62)); });
  test::with_span<Fixture>(std::vector<int>{}, [&](auto empty) {
    CHECK(wf::sum(policy, empty) == 0);
    CHECK(wf::product(policy, empty) == 1);
    CHECK(wf::count(policy, empty, 0) == 0);
    CHECK(wf::all_of(policy, empty, test::is_large{}));
    CHECK_FALSE(wf::any_of(policy, empty, test::is_small{}));
    CHECK(wf::none_of(policy, empty, test::is_small{}));
  });
}

TEST_CASE_TEMPLATE_DEFINE("products of two ranges", Fixture, everyday_products) {
  const auto policy = Fixture::policy();
  for (const std::size_t n : test::everyday_sizes) {
    INFO(n, " elements");
    const std::vector<int> a = test::numbers<int>(n, 1), b = test::numbers<int>(n, 2);
    const typename Fixture::template array<int> da(a, 0), db(b, n % 4 * sizeof(int));
    const std::span<const int> ra(da.data(), n), rb(db.data(), n);
    long long products = 0;
    int farthest = -1;
    for (std::size_t i = 0; i < n; ++i) {
      products += static_cast<long long>(a[i]) * b[i];
      farthest = std::max(farthest, std::abs(a[i] - b[i]));
    }
    CHECK(wf::dot(policy, ra, rb) == products);
    CHECK(wf::inner_product(policy, ra, rb, 5ll) == products + 5);
    CHECK(wf::inner_product(policy, ra, rb, -1, wf::maximum{}, test::distance_of{}) == farthest);
  }
  // In 64 bits, because a product exceeds 32 bits.
  const std::vector<int> large(1000, 1 << 20);
  test::with_span<Fixture>(
      large, [&](auto range) { CHECK(wf::dot(policy, range, range) == (1000ll << 40)); });
  const std::vector<double> x = test::around<double>(0, 1, 5001),
                            y = test::around<double>(2, 1, 5001);
  const typename Fixture::template array<double> dx(x, 0), dy(y, sizeof(double));
  long double want = 0, size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    want += static_cast<long double>(x[i]) * y[i];
    size += std::abs(static_cast<long double>(x[i]) * y[i]);
  }
  CHECK(std::abs(static_cast<long double>(wf::dot(policy, std::span<const double>(dx.data(), 5001),
                                                  std::span<const double>(dy.data(), 5001))) -
                 want) <= 5001 * 0x1p-53L * size);

  test::with_span<Fixture>(std::vector<int>(40, 1), [&](auto range) {
    CHECK(wf::dot(policy, range.first(0), range.first(0)) == 0);
    CHECK(wf::inner_product(policy, range.first(0), range.first(0), 9) == 9);
    CHECK_THROWS_WITH_AS(wf::dot(policy, range, range.first(39)),
                         doctest::Contains("40 and 39 elements"), wf::invalid_range);
    CHECK_THROWS_AS(wf::inner_product(policy, range.first(1), range, 0), wf::invalid_range);
  });
}

TEST_CASE_TEMPLATE_DEFINE("norms", Fixture, everyday_norms) {
  const auto policy = Fixture::policy();
  const auto norm_2 = [&](const auto& v) {
    return test::with_span<Fixture>(v, [&](auto range) { return wf::norm_2(policy, range); });
  };
  for (const std::size_t n : test::everyday_sizes) {
    INFO(n, " elements");
    const std::vector<float> v = test::around<float>(0, 100, n);
    long double one = 0, two = 0, three = 0;
    float greatest = 0;
    for (const float x : v) {
      const long double a = std::abs(static_cast<long double>(x));
      one += a, two += a * a, three += a * a * a;
      greatest = std::max(greatest, std::abs(x));
    }
    const auto near = [&](double got, long double want, double roundoff) {
      return std::abs(static_cast<long double>(got) - want) <=
             static_cast<long double>(n + 10) * roundoff * want + 0x1p-1074L;
    };
    test::with_span<Fixture>(v, [&](auto range) {
      CHECK(near(wf::norm_1(policy, range), one, 0x1p-24));
      CHECK(near(wf::norm_2(policy, range), std::sqrt(two), 0x1p-53));
      CHECK(near(wf::norm_p(policy, range, 3), std::cbrt(three), 0x1p-50));
      CHECK(wf::norm_infinity(policy, range) == greatest);
    });
    const std::vector<double> wide(v.begin(), v.end());
    CHECK(near(norm_2(wide), std::sqrt(two), 0x1p-53));
    // The squares are computed unscaled, scaled down or scaled up, with the same result.
    for (const double scale : {0x1p1000, 0x1p-1000, 0x1p480, 0x1p-515, 0x1p-1040}) {
      std::vector<double> scaled(wide);
      long double sum = 0;
      for (double& x : scaled) x *= scale;
      for (const double x : scaled) sum += static_cast<long double>(x) * x;
      CHECK(near(norm_2(scaled), std::sqrt(sum), 0x1p-53));
    }
  }
  CHECK(norm_2(std::vector<float>(4, 3e38f)) == doctest::Approx(6e38));
  CHECK(norm_2(std::vector<double>{3e-300, 4e-300}) == doctest::Approx(5e-300).epsilon(1e-15));
  CHECK(norm_2(std::vector<double>{1e300, 1, 1e-300}) == doctest::Approx(1e300).epsilon(1e-15));
  CHECK(norm_2(std::vector<double>{1, 1e-300}) == 1);
  const double inf = test::inf_v<double>, nan = test::nan_v<double>;
  CHECK(norm_2(std::vector<double>{1e-300, inf, 1}) == inf);
  CHECK(norm_2(std::vector<double>{-inf}) == inf);
  CHECK(std::isnan(norm_2(std::vector<double>{1e-300, nan})));
  CHECK(std::isnan(norm_2(std::vector<double>{inf, nan})));
  CHECK(std::isnan(norm_2(std::vector<double>{1e300, nan, 1e-300})));
  test::with_span<Fixture>(std::vector<int>{std::numeric_limits<int>::lowest(), 3}, [&](auto v) {
    CHECK(wf::norm_1(policy, v) == (1ull << 31) + 3);
    CHECK(wf::norm_infinity(policy, v) == 1ull << 31);
    CHECK(wf::norm_2(policy, v) == std::sqrt(0x1p62 + 9));
  });
  test::with_span<Fixture>(std::vector<float>{1, test::nan_v<float>}, [&](auto v) {
    CHECK(std::isnan(wf::norm_1(policy, v)));
    CHECK(std::isnan(wf::norm_infinity(policy, v)));
  });
  test::with_span<Fixture>(std::vector<float>{-0.0f}, [&](auto v) {
    CHECK_FALSE(std::signbit(wf::norm_1(policy, v)));
    CHECK_FALSE(std::signbit(wf::norm_infinity(policy, v)));
    CHECK(wf::norm_1(policy, v.first(0)) == 0);
    CHECK(wf::norm_2(policy, v.first(0)) == 0);
    CHECK(wf::norm_infinity(policy, v.first(0)) == 0);
    CHECK(wf::norm_p(policy, v.first(0), 0.5) == 0);
    for (const double p : {0.0, -1.0, inf, nan}) {
      CHECK_THROWS_AS(wf::norm_p(policy, v, p), wf::invalid_argument);
    }
  });
}

TEST_CASE_TEMPLATE_DEFINE("norms of complex numbers", Subject, everyday_complex_norms) {
  using Z = typename Subject::type;
  using R = typename test::parts<Z>::number;
  using fixture = typename Subject::fixture;
  static_assert(wf::complex_number<Z>);
  const auto policy = fixture::policy();
  const long double u = std::numeric_limits<R>::epsilon() / 2;
  struct norms {
    R one;
    double two, three;
    R infinity;
  };
  const auto norms_of = [&](const std::vector<Z>& v) {
    return test::with_span<fixture>(v, [&](auto range) {
      static_assert(std::is_same_v<decltype(wf::norm_1(policy, range)), R>);
      static_assert(std::is_same_v<decltype(wf::norm_infinity(policy, range)), R>);
      return norms{wf::norm_1(policy, range), wf::norm_2(policy, range),
                   wf::norm_p(policy, range, 3), wf::norm_infinity(policy, range)};
    });
  };
  const auto near = [](long double got, long double want, long double error) {
    return std::abs(got - want) <= error * want;
  };
  for (const std::size_t n : test::everyday_sizes) {
    INFO(n, " elements");
    const std::vector<R> parts = test::around<R>(0, 100, 2 * n);
    std::vector<Z> v;
    for (std::size_t i = 0; i < n; ++i) v.push_back(Z(parts[2 * i], parts[2 * i + 1]));
    const auto reference = [](const std::vector<Z>& of) {
      long double sums[4] = {};
      for (const Z& z : of) {
        const auto magnitude = std::hypot(test::exactly(z.real()), test::exactly(z.imag()));
        sums[0] += magnitude, sums[1] += magnitude * magnitude;
        sums[2] += magnitude * magnitude * magnitude, sums[3] = std::max(sums[3], magnitude);
      }
      sums[1] = std::sqrt(sums[1]), sums[2] = std::cbrt(sums[2]);
      return std::vector<long double>(sums, sums + 4);
    };
    const auto k = static_cast<long double>(n + 10);
    const auto want = reference(v);
    const norms got = norms_of(v);
    CHECK(near(got.one, want[0], k * u));
    CHECK(near(got.two, want[1], k * 0x1p-53L));
    CHECK(near(got.three, want[2], 4 * u + k * 0x1p-50L));
    CHECK(near(got.infinity, want[3], 4 * u));
    if constexpr (std::is_same_v<R, double>) {
      // Squares of these would not be numbers, or zeros; those at 2^480 and 2^-515 are on both
      // sides of what is scaled.
      for (const double scale : {0x1p1000, 0x1p-1000, 0x1p480, 0x1p-515, 0x1p-1040}) {
        INFO("times ", scale);
        std::vector<Z> scaled;
        for (const Z& z : v) scaled.push_back(Z(z.real() * scale, z.imag() * scale));
        const auto of_scaled = reference(scaled);
        const auto least = static_cast<long double>(n) * 0x1p-1074L;
        test::with_span<fixture>(scaled, [&](auto range) {
          CHECK(std::abs(wf::norm_1(policy, range) - of_scaled[0]) <= k * u * of_scaled[0] + least);
          CHECK(std::abs(wf::norm_2(policy, range) - of_scaled[1]) <=
                k * u * of_scaled[1] + 0x1p-1074L);
          CHECK(std::abs(wf::norm_infinity(policy, range) - of_scaled[3]) <=
                4 * u * of_scaled[3] + least);
        });
      }
    }
  }

  // Infinity if a part is infinite, NaN if a part is NaN (also beside infinity), at any index.
  const R inf = test::inf_v<R>, nan = test::nan_v<R>;
  for (const std::size_t n : {1u, 2u, 33u, 1000u, 5001u}) {
    for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
      INFO(n, " elements, at ", at);
      std::vector<Z> v(n, Z(R{1}, R{-1}));
      const auto check = [&](Z z, bool is_nan) {
        v[at] = z;
        const norms got = norms_of(v);
        for (const double x : {static_cast<double>(got.one), got.two, got.three,
                               static_cast<double>(got.infinity)}) {
          CHECK((is_nan ? std::isnan(x) : x == inf));
        }
      };
      check(Z(-inf, R{1}), false);
      check(Z(R{0}, inf), false);
      check(Z(inf, -inf), false);
      check(Z(nan, R{1}), true);
      check(Z(R{1}, nan), true);
      check(Z(inf, nan), true);
      check(Z(nan, -inf), true);
    }
  }

  const R large = std::is_same_v<R, float> ? R(1e38f) : R(1e300);
  const norms of_large = norms_of({Z(3 * large / 4, large), Z(R{1}, R{0})});
  CHECK(of_large.one == doctest::Approx(1.25 * large));
  CHECK(of_large.two == doctest::Approx(1.25 * large));
  CHECK(of_large.infinity == doctest::Approx(1.25 * large));
  const R small = std::is_same_v<R, float> ? R(1e-36f) : R(1e-300);
  const norms of_small = norms_of({Z(3 * small, -4 * small)});
  CHECK(static_cast<double>(of_small.one / small) == doctest::Approx(5));
  CHECK(of_small.two / static_cast<double>(small) == doctest::Approx(5));
  CHECK(static_cast<double>(of_small.infinity / small) == doctest::Approx(5));
  const norms of_none = norms_of({});
  CHECK(of_none.one == 0);
  CHECK(of_none.two == 0);
  CHECK(of_none.three == 0);
  CHECK(of_none.infinity == 0);
  const norms of_zeros = norms_of(std::vector<Z>(300, Z(-R{0}, -R{0})));
  CHECK(of_zeros.two == 0);
  CHECK_FALSE(std::signbit(of_zeros.one));
  CHECK_FALSE(std::signbit(of_zeros.infinity));
}

TEST_CASE_TEMPLATE_DEFINE("mean and variance", Fixture, everyday_statistics) {
  const auto policy = Fixture::policy();
  const auto check = [&](const auto& v, long double condition) {
    using T = typename std::remove_cvref_t<decltype(v)>::value_type;
    using R = std::conditional_t<std::is_same_v<T, float>, float, double>;
    const auto n = static_cast<long double>(v.size());
    long double sum = 0, size = 0, squares = 0;
    for (const T x : v) sum += x, size += std::abs(static_cast<long double>(x));
    const long double mean = sum / n;
    for (const T x : v) squares += (x - mean) * (x - mean);
    const long double roundoff = std::numeric_limits<R>::epsilon() / 2;
    test::with_span<Fixture>(v, [&](auto range) {
      static_assert(std::is_same_v<decltype(wf::mean(policy, range)), R>);
      // wf::seq folds one after the other: n roundings; trees log2(n). Few of them round the same
      // way.
      CHECK(std::abs(wf::mean(policy, range) - mean) <= (n + 4) * roundoff * size / n);
      CHECK(std::abs(wf::variance(policy, range) - squares / n) <=
            (n + 4) * roundoff * condition * squares / n);
      if (v.size() > 1) {
        const R sample = wf::variance(policy, range, wf::variance_of::sample);
        CHECK(std::abs(sample - squares / (n - 1)) <=
              (n + 4) * roundoff * condition * squares / (n - 1));
        CHECK(wf::stddev(policy, range, wf::variance_of::sample) ==
              doctest::Approx(std::sqrt(sample)));
      }
      CHECK(wf::stddev(policy, range) == doctest::Approx(std::sqrt(wf::variance(policy, range))));
    });
  };
  for (const std::size_t n : test::everyday_sizes) {
    INFO(n, " elements");
    check(test::numbers<int>(n), 4);
    check(test::around<float>(0, 5, n), 4);
    check(test::around<double>(-3, 5, n), 4);
    // The mean is a million times the deviations: the difference of two sums would have no correct
    // digit.
    check(test::around<double>(1e9, 1000, n), 2e6);
    check(test::around<float>(1000, 1, n), 2e3);
    test::with_span<Fixture>(std::vector<float>(n, 0.1f), [&](auto equal) {
      CHECK(wf::mean(policy, equal) == 0.1f);
      CHECK(wf::variance(policy, equal) == 0);
    });
  }
  // A translation changes no deviation; the mean is rounded to 2^-23 then, 1e-9 of the standard
  // deviation.
  std::vector<double> near_zero = test::numbers<double>(5001), far(near_zero);
  for (double& x : far) x += 0x1p30;
  const auto variance = [&](const auto& v) {
    return test::with_span<Fixture>(v, [&](auto r) { return wf::variance(policy, r); });
  };
  CHECK(variance(far) == doctest::Approx(variance(near_zero)).epsilon(1e-8));
  const auto mean = [&](const auto& v) {
    return test::with_span<Fixture>(v, [&](auto r) { return wf::mean(policy, r); });
  };
  // With a value that is not finite, the mean is that of the sum, and the variance is NaN.
  for (const std::size_t n : {1u, 2u, 33u, 1000u, 5001u}) {
    for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
      INFO(n, " elements, at ", at);
      const float inf = test::inf_v<float>;
      std::vector<float> v = test::around<float>(1, 1, n);
      v[at] = -inf;
      CHECK(mean(v) == -inf);
      CHECK(std::isnan(variance(v)));
      v[n - 1 - at] = inf;
      CHECK((n == 1 || 2 * at == n - 1 ? mean(v) == inf : std::isnan(mean(v))));
      CHECK(std::isnan(variance(v)));
      v[at] = test::nan_v<float>;
      CHECK(std::isnan(mean(v)));
      CHECK(std::isnan(variance(v)));
    }
  }
  CHECK(mean(std::vector<double>{-1.7e308, 1.7e308}) == 0);  // nothing overflows
  CHECK(mean(std::vector<double>(1000, 1.7e308)) == 1.7e308);

  test::with_span<Fixture>(std::vector<float>{3}, [&](auto one) {
    CHECK(wf::variance(policy, one) == 0);
    CHECK_THROWS_WITH_AS(wf::variance(policy, one, wf::variance_of::sample),
                         doctest::Contains("needs at least 2 elements, but the range has 1"),
                         wf::empty_range);
    CHECK_THROWS_AS(wf::mean(policy, one.first(0)), wf::empty_range);
    CHECK_THROWS_AS(wf::variance(policy, one.first(0)), wf::empty_range);
    CHECK_THROWS_AS(wf::stddev(policy, one.first(0)), wf::empty_range);
  });
}

TEST_CASE_TEMPLATE_DEFINE("as NumPy has it", Fixture, everyday_numpy) {
  const auto policy = Fixture::policy();
  for (const test::numpy_case& c : test::numpy_cases()) {
    INFO(c.name);
    const auto n = static_cast<double>(c.values.size());
    // Both may have n rounding errors of numbers up to `size`.
    const auto same = [&](double got, double want, double size) {
      if (!std::isfinite(want)) return test::same_number(got, want);
      return std::abs(got - want) <= 2 * n * 0x1p-53 * size;
    };
    test::with_span<Fixture>(c.values, [&](auto range) {
      CHECK(same(wf::sum(policy, range), c.sum, c.norm_1));
      CHECK(same(wf::mean(policy, range), c.mean, c.norm_1 / n));
      const double spread = std::sqrt(c.var), off = 2 * n * 0x1p-53 * c.norm_infinity;
      CHECK(same(wf::variance(policy, range), c.var, c.var + c.norm_infinity * (spread + off)));
      if (n > 1) {
        CHECK(same(wf::variance(policy, range, wf::variance_of::sample), c.var_of_sample,
                   2 * (c.var + c.norm_infinity * (spread + off))));
      }
      CHECK(same(wf::norm_1(policy, range), c.norm_1, c.norm_1));
      CHECK(same(wf::norm_2(policy, range), c.norm_2, c.norm_2));
      CHECK(test::same_number<double>(wf::norm_infinity(policy, range), c.norm_infinity));
      CHECK(same(wf::norm_p(policy, range, 3), c.norm_3, 8 * c.norm_3));
      CHECK(same(wf::dot(policy, range, range), c.dot, c.dot));
      CHECK(wf::argmin(policy, range).index == c.argmin);
      CHECK(wf::argmax(policy, range).index == c.argmax);
    });
  }
}

TEST_CASE_TEMPLATE_DEFINE("with a projection: as of the projected range", Fixture,
                          everyday_projected) {
  const auto policy = Fixture::policy();
  constexpr auto of_sample = wf::variance_of::sample;
  const test::key_of number{};
  for (const std::size_t n : {std::size_t{4}, std::size_t{257}, std::size_t{5001}}) {
    INFO(n, " elements");
    std::vector<test::keyed> values(n);
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = {static_cast<int>(i * 7 % 11) - 5, static_cast<int>(i)};
    }
    test::with_span<Fixture>(values, [&](auto range) {
      const auto numbers = wf::project(range, number);
      CHECK(wf::sum(policy, range, number) == wf::sum(policy, numbers));
      CHECK(wf::product(policy, range, &test::keyed::id) == 0);
      CHECK(wf::min(policy, range, number) == wf::min(policy, numbers));
      CHECK(wf::max(policy, range, &test::keyed::id) == static_cast<int>(n) - 1);
      CHECK(wf::minmax(policy, range, number).max == wf::max(policy, numbers));
      CHECK(wf::count(policy, range, -5, number) == wf::count(policy, numbers, -5));
      CHECK(wf::count_if(policy, range, test::is_below_0{}, number) ==
            wf::count_if(policy, numbers, test::is_below_0{}));
      CHECK(wf::any_of(policy, range, test::is_below_0{}, number));
      CHECK_FALSE(wf::all_of(policy, range, test::is_below_0{}, number));
      CHECK_FALSE(wf::none_of(policy, range, test::is_below_0{}, number));
      CHECK(wf::mean(policy, range, number) == wf::mean(policy, numbers));
      CHECK(wf::variance(policy, range, number) == wf::variance(policy, numbers));
      CHECK(wf::stddev(policy, range, of_sample, number) == wf::stddev(policy, numbers, of_sample));
      CHECK(wf::skewness(policy, range, number) == wf::skewness(policy, numbers));
      CHECK(wf::kurtosis(policy, range, of_sample, number) ==
            wf::kurtosis(policy, numbers, of_sample));
      CHECK(wf::norm_1(policy, range, number) == wf::norm_1(policy, numbers));
      CHECK(wf::norm_2(policy, range, number) == wf::norm_2(policy, numbers));
      CHECK(wf::norm_infinity(policy, range, number) == wf::norm_infinity(policy, numbers));
      CHECK(wf::norm_p(policy, range, 3, number) == wf::norm_p(policy, numbers, 3));
      const auto both = wf::argminmax(policy, range, {}, number);
      CHECK(both.min.index == wf::argmin(policy, range, {}, number).index);
      CHECK(both.max.index == wf::argmax(policy, range, {}, number).index);

      // The elements through a pointer and a count, and results that nobody waits for.
      CHECK(wf::sum(policy, range.data(), n, number) == wf::sum(policy, numbers));
      typename Fixture::template slot<double> slot;
      wf::max_async(policy, range, &test::keyed::id, slot.pointer());
      CHECK(slot.value() == static_cast<double>(n - 1));
      wf::variance_async(policy, range, of_sample, number, slot.pointer());
      CHECK(slot.value() == wf::variance(policy, numbers, of_sample));
      wf::count_async(policy, range, -5, number, slot.pointer());
      CHECK(slot.value() == static_cast<double>(wf::count(policy, numbers, -5)));
      typename Fixture::template slot<wf::least_and_greatest<wf::indexed<test::keyed>>> places;
      wf::argminmax_async(policy, range, {}, number, places.pointer());
      CHECK(places.value().max.index == both.max.index);
    });
  }
}

TEST_CASE_TEMPLATE_DEFINE("what is folded is written without waiting, and goes on", Fixture,
                          everyday_forms) {
  const auto policy = Fixture::policy();
  const std::vector<double> v = test::numbers<double>(5001);
  const auto place = test::place_of_extremum(v, false);
  test::with_span<Fixture>(v, [&](auto range) {
    typename Fixture::template slot<wf::indexed<double>> greatest;
    typename Fixture::template slot<wf::moments> moments;
    typename Fixture::template slot<wf::compensated_sum<double>> sum;
    wf::reduce_async(policy, range, wf::arg(wf::maximum{}), greatest.pointer());
    wf::reduce_async(policy, range, wf::moments_op{}, moments.pointer());
    wf::reduce_async(policy, range, wf::plus{}.compensated(), sum.pointer());
    CHECK(greatest.value().index == place);
    CHECK(moments.value().mean == wf::mean(policy, range));
    CHECK(moments.value().count == 5001);
    CHECK(static_cast<double>(sum.value()) == wf::sum(policy, range));
    // With a previous result as init.
    const auto first = wf::reduce(policy, range.first(2000), wf::moments_op{});
    const auto all = wf::reduce(policy, range.subspan(2000), first, wf::moments_op{});
    CHECK(all.count == 5001);
    CHECK(all.mean == doctest::Approx(moments.value().mean).epsilon(1e-12));
    CHECK(all.variance() == doctest::Approx(moments.value().variance()).epsilon(1e-12));
    CHECK(wf::reduce(policy, range, 1e9, wf::maximum{}.ignoring_nan()) == 1e9);
  });
}

TEST_CASE_TEMPLATE_DEFINE("where the extrema of a class are, and which", Fixture,
                          everyday_arg_of_class) {
  const auto policy = Fixture::policy();
  for (const int n : {1, 2, 32, 300, 5001, 70001}) {
    INFO(n, " elements of a class");
    std::vector<test::keyed> values(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = {i % 7 == 3 ? 0 : 5, i};
    test::with_span<Fixture>(values, [&](auto range) {
      const auto least = wf::reduce(policy, range, wf::arg(wf::minimum{}));
      CHECK(least.index == (n > 3 ? 3u : 0u));
      CHECK(least.value.id == static_cast<int>(least.index));
      const auto both =
          wf::reduce(policy, range, wf::all(wf::arg(wf::maximum{}), wf::arg(wf::minimum{})));
      CHECK(wf::get<0>(both).index == 0);
      CHECK(wf::get<0>(both).value.id == 0);
      CHECK(wf::get<1>(both).value.id == static_cast<int>(least.index));
    });
  }
}

TEST_CASE_TEMPLATE_DEFINE("several in one read", Fixture, everyday_fused) {
  const auto policy = Fixture::policy();
  const auto ops = wf::all(wf::plus{}, wf::minimum{}, wf::maximum{}, wf::arg(wf::maximum{}),
                           wf::projected(wf::plus{}, test::square_of{}), wf::moments_op{},
                           wf::projected(wf::plus{}.compensated(), test::square_of{}));
  for (const std::size_t n : test::everyday_sizes) {
    INFO(n, " elements");
    const std::vector<int> v = test::numbers<int>(n);
    test::with_span<Fixture>(
        v,
        [&](auto range) {
          const auto all = wf::reduce(policy, range, ops);
          CHECK(wf::get<0>(all) == wf::sum(policy, range));
          CHECK(wf::get<1>(all) == wf::min(policy, range));
          CHECK(wf::get<2>(all) == wf::max(policy, range));
          CHECK(wf::get<3>(all) == wf::argmax(policy, range));
          CHECK(wf::get<4>(all) == std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
          CHECK(wf::get<5>(all).count == n);
          CHECK(wf::get<6>(all) == wf::get<4>(all));  // finished: a double
          CHECK(wf::get<5>(all).mean == doctest::Approx(wf::mean(policy, range)).epsilon(1e-12));
        },
        n % 3);
  }
  test::with_span<Fixture>(std::vector<int>{}, [&](auto empty) {
    const auto all = wf::reduce(policy, empty, ops);
    CHECK(wf::get<0>(all) == 0);
    CHECK(wf::get<3>(all).index == wf::indexed<int>::nowhere);
    CHECK(wf::get<5>(all).count == 0);
  });
}
