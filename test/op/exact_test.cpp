// plus{}.exact() on the policies of the host and in the emulation: the nearest number to the exact
// sum, so the same bits in any order, by any policy and kernel.
// needs: cccl boost tbb boost_context
#include <warpfold/op/exact.hpp>

#include <doctest/doctest.h>

#include <cuda/std/mdspan>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/reduce_axis.hpp>

#include "contract/exact_oracle.hpp"

namespace wf = warpfold;

namespace {

constexpr auto exact = wf::plus{}.exact();

enum class shape { normal, uniform, lognormal, any_exponent, cancelling, below_normal };

template <class T>
std::vector<T> numbers(shape s, std::size_t n) {
  std::mt19937_64 random(n);
  std::normal_distribution<double> normal;
  std::vector<T> v(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double x = normal(random);
    constexpr int exponents = std::numeric_limits<T>::max_exponent - 2;
    switch (s) {
      case shape::normal:
        v[i] = static_cast<T>(x);
        break;
      case shape::uniform:
        v[i] = static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-53);
        break;
      case shape::lognormal:
        v[i] = static_cast<T>(std::exp(10 * x));
        break;
      case shape::any_exponent:
        v[i] = static_cast<T>(
            std::ldexp(x / 8, static_cast<int>(random() % (2 * exponents)) - exponents));
        break;
      case shape::cancelling:
        v[i] = i % 2 == 0 ? static_cast<T>(1e6 * x) : static_cast<T>(-v[i - 1]);
        if (i % 97 == 1) v[i] = std::numeric_limits<T>::epsilon();
        break;
      case shape::below_normal:
        v[i] = static_cast<T>(x) * (16 * std::numeric_limits<T>::min());
        break;
    }
  }
  return v;
}

constexpr shape shapes[] = {shape::normal,       shape::uniform,    shape::lognormal,
                            shape::any_exponent, shape::cancelling, shape::below_normal};

}  // namespace

TEST_CASE_TEMPLATE("the nearest number to the sum, on every policy and in every order", T, float,
                   double) {
  for (const std::size_t n : {1u, 2u, 31u, 1'000u, 20'011u}) {
    for (const shape s : shapes) {
      CAPTURE(n);
      CAPTURE(static_cast<int>(s));
      std::vector<T> v = numbers<T>(s, n);
      const T sum = wf::reduce(wf::par, v, exact);
      CHECK(test::is_nearest(sum, test::exactly_sum(v)));
      CHECK(wf::reduce(wf::emulated, v, exact) == sum);
      std::sort(v.begin(), v.end());
      CHECK(wf::reduce(wf::par, v, exact) == sum);
      if (n <= 1'000) CHECK(wf::reduce(wf::seq, v, exact) == sum);
    }
  }
}

TEST_CASE_TEMPLATE("special values within a large batch", T, float, double) {
  using limits = std::numeric_limits<T>;
  std::vector<T> v(5'000, T(-0.0));
  CHECK(std::signbit(wf::reduce(wf::par, v, exact)));
  CHECK(std::signbit(wf::reduce(wf::emulated, v, exact)));
  v[3'000] = 0;
  CHECK_FALSE(std::signbit(wf::reduce(wf::par, v, exact)));
  CHECK_FALSE(std::signbit(wf::reduce(wf::emulated, v, exact)));
  v.assign(5'000, 1);
  v[4'000] = limits::infinity();
  CHECK(wf::reduce(wf::par, v, exact) == limits::infinity());
  v[10] = -limits::infinity();
  CHECK(std::isnan(wf::reduce(wf::par, v, exact)));
  CHECK(std::isnan(wf::reduce(wf::emulated, v, exact)));
  v.assign(5'000, limits::max());
  for (std::size_t i = 1; i < v.size(); i += 2) v[i] = -v[i];
  v[77] = 1;
  CHECK(wf::reduce(wf::par, v, exact) == limits::max());  // 1 is far below its last digit
  v[78] = -limits::max();
  CHECK(wf::reduce(wf::par, v, exact) == -limits::max());
}

TEST_CASE_TEMPLATE("the longest sums of a batch: a number far below many large ones, which cancel",
                   T, float, double) {
  using limits = std::numeric_limits<T>;
  for (int distance = 1; distance < 60; ++distance) {
    CAPTURE(distance);
    const T small = std::ldexp(1 + limits::epsilon(), -distance);
    std::vector<T> v(4'097, 2 - limits::epsilon());
    for (std::size_t i = 2'049; i < v.size(); ++i) v[i] = -v[i];
    v[0] = small;
    v[1] = small;
    v[4'096] = small;
    v[4'095] = 0;
    v[2'048] = 0;  // leaves as many large numbers up as down
    CHECK(wf::reduce(wf::par, v, exact) == 3 * small);
  }
}

#if defined(__SSE2__)
TEST_CASE("a processor that flushes results to zero") {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8000);
  const std::vector<double> v{0, 0x1p-959, 0x1.0000000000001p-972, -0x1p-959};
  const double sum = wf::reduce(wf::par, v, exact);
  _mm_setcsr(before);
  CHECK(sum == 0x1.0000000000001p-972);
}
#endif

TEST_CASE("the state itself: parts of a range, combined by their words") {
  const std::vector<double> v = numbers<double>(shape::lognormal, 9'000);
  wf::exact_sum<double> parts[2];
  wf::reduce_async(wf::par, v.data(), v.data() + 4'000, exact, &parts[0]);
  wf::reduce_async(wf::emulated, v.data() + 4'000, v.data() + 9'000, exact, &parts[1]);
  for (auto& part : parts) part.normalize();
  for (int i = 0; i < parts[0].word_count; ++i) parts[0].words()[i] += parts[1].words()[i];
  CHECK(parts[0].rounded() == wf::reduce(wf::par, v, exact));
}

TEST_CASE("an empty range, an init, and the sums of columns") {
  const std::vector<float> none;
  CHECK(wf::reduce(wf::par, none, exact) == 0);
  CHECK_FALSE(std::signbit(wf::reduce(wf::par, none, exact)));
  const std::vector<float> v = numbers<float>(shape::lognormal, 6'000);
  std::vector<float> with_init = v;
  with_init.push_back(-3e20f);
  CHECK(wf::reduce(wf::par, v, -3e20f, exact) == wf::reduce(wf::seq, with_init, exact));

  const cuda::std::mdspan<const float, cuda::std::dextents<int, 2>> matrix(v.data(), 60, 100);
  std::vector<float> columns(100), rows(60), column(60);
  wf::reduce_axis<0>(wf::par, matrix, exact, columns);
  wf::reduce_axis<1>(wf::emulated, matrix, exact, rows);
  for (std::size_t i = 0; i < 60; ++i) column[i] = v[100 * i + 17];
  CHECK(columns[17] == wf::reduce(wf::seq, column, exact));
  CHECK(rows[3] ==
        wf::reduce(wf::seq, std::vector<float>(v.begin() + 300, v.begin() + 400), exact));
}
