// Compares compensated sums and dot products with exact ones: they must be as if computed in twice
// the precision and rounded once.
// needs: tbb boost_context
// flags: -O1
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>

#include <warpfold/dot.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/view/transform.hpp>

#include "contract/oracle.hpp"

namespace {

constexpr auto compensated = wf::plus{}.compensated();

// A sum that is exact: a fixed-point number of 128 bits, of numbers that are multiples of
// 2^-`scale` below 2^(126 - scale - log n).
class exact_sum {
 public:
  explicit exact_sum(int scale) : scale_(scale) {}

  template <class T>
  void add(T x) {
    const auto whole = fixed(x);
    sum_ += whole;
    size_ += whole < 0 ? -whole : whole;
    ++count_;
  }

  // Whether `got` is as near as twice the precision of T allows: `got - sum` is formed exactly.
  template <class T>
  bool allows(T got) const {
    const long double eps = std::numeric_limits<T>::epsilon();
    const long double apart = std::abs(static_cast<long double>(fixed(got) - sum_));
    const long double magnitude = std::abs(static_cast<long double>(sum_));
    const bool is_near = apart <= 0.501L * eps * magnitude + static_cast<long double>(count_) *
                                                                 eps * eps *
                                                                 static_cast<long double>(size_);
    if (!is_near) {
      MESSAGE(static_cast<double>(got), " in place of ",
              static_cast<double>(std::ldexp(static_cast<long double>(sum_), -scale_)), ", of ",
              count_, " numbers");
    }
    return is_near;
  }

 private:
  // Exactly, or, of what is finer than the scale, to 2^-scale.
  template <class T>
  __int128 fixed(T x) const {
    int exponent = 0;
    const long double fraction = std::frexp(static_cast<long double>(x), &exponent);  // 64 bits
    const auto digits = static_cast<__int128>(std::ldexp(fraction, 63));
    const int shift = exponent - 63 + scale_;
    if (shift >= 0) return digits * (static_cast<__int128>(1) << shift);
    return shift < -126 ? 0 : digits / (static_cast<__int128>(1) << -shift);
  }

  int scale_;
  __int128 sum_ = 0, size_ = 0;
  std::size_t count_ = 0;
};

template <class T, class Range>
void check_sum(const Range& v, int scale, bool emulate = true) {
  exact_sum exact(scale);
  for (const T x : v) exact.add(x);
  CHECK(exact.allows(wf::reduce(wf::seq, v, compensated)));
  CHECK(exact.allows(wf::reduce(wf::par, v, compensated)));
  if (emulate) CHECK(exact.allows(wf::reduce(wf::emulated, v, compensated)));
}

// Random numbers of both signs over 2^40, multiples of 2^-scale.
template <class T>
std::vector<T> spread(std::size_t n, std::uint64_t seed) {
  test::random_bits random(seed);
  std::vector<T> v(n);
  for (T& x : v) {
    const auto digits = static_cast<T>(static_cast<long long>(random() % 2000001) - 1000000);
    x = std::ldexp(digits, -20 + static_cast<int>(random() % 20));
  }
  return v;
}

}  // namespace

TEST_CASE("the rounding error is carried for numbers of any size") {
  for (const float x : {0.1f, 0.1f * 0x1p-80f, 0.1f * 0x1p60f}) {
    const std::vector<float> v(1'000'000, x);
    const double want = 1e6 * static_cast<double>(x);
    const double got = wf::reduce(wf::seq, v, compensated);
    CHECK(std::abs(got - want) <= 0x1.01p-24 * want);
  }
}

TEST_CASE("ten million times 0.1") {
  const std::vector<float> floats(10'000'000, 0.1f);
  check_sum<float>(floats, 60, false);
  CHECK(wf::reduce(wf::seq, floats, compensated) == 1000000.0f);
  CHECK(wf::reduce(wf::par, floats, compensated) == 1000000.0f);
  const std::vector<double> doubles(2'000'000, 0.1);
  check_sum<double>(doubles, 80, false);
  const std::span<const float> some(floats.data(), 300'001);
  check_sum<float>(some, 60);

  const std::vector<float> root(10'000'000, 0.3f);
  exact_sum exact(90);
  for (const float x : root) exact.add(static_cast<double>(x) * x);
  CHECK(exact.allows(wf::dot(wf::seq, root, root, compensated)));
  CHECK(exact.allows(wf::dot(wf::par, root, root, compensated)));
}

TEST_CASE_TEMPLATE("numbers of many magnitudes, in orders that are hard", T, float, double) {
  for (const std::size_t n : {1u, 2u, 3u, 10u, 1000u, 4097u, 70'000u, 300'000u}) {
    CAPTURE(n);
    const bool emulate = n <= 70'000;
    std::vector<T> v = spread<T>(n, n);
    check_sum<T>(v, 60, emulate);
    std::sort(v.begin(), v.end());  // the negative ones first: the sum is large, and then cancels
    check_sum<T>(v, 60, emulate);
    std::sort(v.begin(), v.end(), [](T a, T b) { return std::abs(a) > std::abs(b); });
    check_sum<T>(v, 60, emulate);
    std::reverse(v.begin(), v.end());
    check_sum<T>(v, 60, emulate);
    // All that was added is taken away again, and one number stays.
    std::vector<T> cancels = v;
    for (auto i = v.rbegin(); i != v.rend(); ++i) cancels.push_back(-*i);
    cancels.push_back(T(0.75));
    check_sum<T>(cancels, 60, emulate);
    // A large number, many that are each less than its rounding, and its opposite.
    const T large = std::ldexp(T(1), std::numeric_limits<T>::digits);
    std::vector<T> dropped(n + 2, T(0.3));
    dropped.front() = large, dropped.back() = -large;
    check_sum<T>(dropped, 60, emulate);
    // Roundings that all go one way, in a sum that grows.
    std::vector<T> one_way(n, std::nextafter(T(1), T(2)));
    one_way.front() = large;
    check_sum<T>(one_way, 60, emulate);
  }
}

TEST_CASE_TEMPLATE("sums of sums, for two to the fortieth elements", T, float, double) {
  using sum_type = wf::compensated_sum<T>;
  const auto u = std::numeric_limits<T>::epsilon() / 2;
  const T x = T(0.1);
  // Twice a sum, 40 times: each is exact, as is their total.
  sum_type twice = compensated.lift(x);
  for (int k = 0; k < 40; ++k) twice = compensated(twice, twice);
  CHECK(static_cast<T>(twice) == std::ldexp(x, 40));

  // One after the other, from 2^k elements on: each addition drops nearly all of what it adds, and
  // the pair keeps it to a rounding of the pair.
  for (const int k : {20, 24, 30, 40}) {
    CAPTURE(k);
    sum_type sum{std::ldexp(x, k), 0};
    constexpr int more = 1'000'000;
    for (int i = 0; i < more; ++i) sum = compensated(sum, compensated.lift(x));
    const long double want = static_cast<long double>(x) * more;
    const long double got = static_cast<long double>(sum.sum - std::ldexp(x, k)) +
                            static_cast<long double>(sum.dropped);
    const long double bound = 4.0L * u * u * more * std::ldexp(static_cast<long double>(x), k);
    CHECK(std::abs(got - want) <= bound + 2 * u * u * std::ldexp(static_cast<long double>(x), k));
  }

  // Lengths as those of parts of 2^40 elements, unequal ones.
  test::random_bits random(40);
  sum_type all{0, 0};
  exact_sum exact(60);
  for (int part = 0; part < 1000; ++part) {
    sum_type own = compensated.lift(x);
    const int doublings = 20 + static_cast<int>(random() % 11);
    for (int k = 0; k < doublings; ++k) own = compensated(own, own);
    all = part % 2 == 0 ? compensated(all, own) : compensated(own, all);
    exact.add(std::ldexp(x, doublings));
  }
  CHECK(exact.allows(static_cast<T>(all)));
}

TEST_CASE_TEMPLATE("what was dropped is a few roundings of the sum", T, float, double) {
  wf::compensated_sum<T> sum{0, 0};
  for (const T x : spread<T>(100'000, 9)) {
    sum = compensated(sum, compensated.lift(x));
    const T most = 16 * std::numeric_limits<T>::epsilon() * std::abs(sum.sum);
    if (!(std::abs(sum.dropped) <= most)) FAIL_CHECK(sum.sum, " and ", sum.dropped);
  }
}

TEST_CASE_TEMPLATE("sums that are not finite stay so", T, float, double) {
  const T inf = std::numeric_limits<T>::infinity(), most = std::numeric_limits<T>::max();
  const auto sum_of = [](auto policy, const std::vector<T>& v) {
    return wf::reduce(policy, v, compensated);
  };
  const auto check = [&](auto policy) {
    for (const std::size_t n : {3u, 40u, 5000u}) {
      for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
        std::vector<T> v(n, T(0.1));
        v[at] = inf;
        CHECK(sum_of(policy, v) == inf);
        v[at] = -inf;
        CHECK(sum_of(policy, v) == -inf);
        v[(at + 1) % n] = inf;
        CHECK(std::isnan(sum_of(policy, v)));
        v[at] = most, v[(at + 1) % n] = most;
        CHECK(sum_of(policy, v) == inf);
        v[at] = std::numeric_limits<T>::quiet_NaN();
        CHECK(std::isnan(sum_of(policy, v)));
      }
    }
    CHECK(sum_of(policy, {most}) == most);
    CHECK(sum_of(policy, {-most, T(1)}) == -most);
  };
  check(wf::seq);
  check(wf::par);
  check(wf::emulated);
}
