// plus{}.exact() on the policies of the host and in the emulation: the nearest number to the exact
// sum, so the same bits in any order, by any policy and kernel.
// needs: cccl boost tbb boost_context
// flags: -O1
#include <warpfold/op/exact.hpp>

#include <doctest/doctest.h>

#include <cuda/std/complex>
#include <cuda/std/mdspan>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <warpfold/dot.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/reduce_by_class.hpp>
#include <warpfold/reduce_by_key.hpp>
#include <warpfold/reduce_many.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/transform_reduce.hpp>

#include "contract/exact_numbers.hpp"
#include "contract/exact_oracle.hpp"

namespace wf = warpfold;

namespace {

using test::numbers;
using test::shape;

constexpr auto exact = wf::plus{}.exact();

}  // namespace

TEST_CASE_TEMPLATE("the nearest number to the sum, on every policy and in every order", T, float,
                   double) {
  for (const std::size_t n : {1u, 2u, 31u, 1'000u, 20'011u}) {
    for (const shape s : test::shapes) {
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
  // The factors and the products are normal numbers; their parts are not.
  const double x = 0x1.0000001p-1000, y = 0x1.0000001p+500;
  const std::vector<double> a{0, x, -(x * y)}, b{0, y, 1};
  const double dot = wf::dot(wf::par, a, b, exact);
  _mm_setcsr(before);
  CHECK(sum == 0x1.0000000000001p-972);
  CHECK(dot == 0x1p-556);
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

TEST_CASE_TEMPLATE("a wider or narrower result is rounded once", T, float, double) {
  for (const shape s : test::shapes) {
    CAPTURE(static_cast<int>(s));
    const std::vector<T> v = numbers<T>(s, 1'000);
    const test::exact_integer sum = test::exactly_sum(v);
    const double wide = wf::reduce(wf::par, v, wf::plus{}.exact<double>());
    const float narrow = wf::reduce(wf::par, v, wf::plus{}.exact<float>());
    CHECK(test::is_nearest(wide, sum));
    CHECK(test::is_nearest(narrow, sum));
    CHECK(wf::reduce(wf::seq, v, wf::plus{}.exact<double>()) == wide);
    CHECK(wf::reduce(wf::emulated, v, wf::plus{}.exact<float>()) == narrow);
    CHECK(test::is_nearest(wf::reduce(wf::par, v, T(3), wf::plus{}.exact<double>()),
                           test::exact_integer(sum + test::exactly(3))));
  }
  // To double first, this would be halfway between two floats.
  const std::vector<double> v{1, 0x1p-24, 0x1p-80};
  CHECK(wf::reduce(wf::par, v, wf::plus{}.exact<float>()) == 1 + 0x1p-23f);
}

TEST_CASE_TEMPLATE("complex numbers of every library: both parts", Z, std::complex<float>,
                   std::complex<double>, cuda::std::complex<float>, cuda::std::complex<double>) {
  using T = wf::complex_part_t<Z>;
  for (const shape s : test::shapes) {
    CAPTURE(static_cast<int>(s));
    const std::vector<T> re = numbers<T>(s, 1'500), im = numbers<T>(shape::cancelling, 1'500, 1);
    std::vector<Z> z(re.size());
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = Z(re[i], im[i]);
    const Z sum = wf::reduce(wf::par, z, exact);
    CHECK(test::is_nearest(sum.real(), test::exactly_sum(re)));
    CHECK(test::is_nearest(sum.imag(), test::exactly_sum(im)));
    CHECK(wf::reduce(wf::seq, z, exact) == sum);
    CHECK(wf::reduce(wf::emulated, z, exact) == sum);
    const auto wide = wf::reduce(wf::emulated, z, wf::plus{}.exact<double>());
    static_assert(std::is_same_v<wf::complex_part_t<decltype(wide)>, double>);
    CHECK(test::is_nearest(wide.real(), test::exactly_sum(re)));
    const Z from_init = wf::reduce(wf::par, z, Z(7, -5), exact);
    CHECK(test::is_nearest(from_init.imag(),
                           test::exact_integer(test::exactly_sum(im) - test::exactly(5))));
    wf::exact_complex_sum<Z> state;
    wf::reduce_async(wf::par, z, exact, &state);
    CHECK(state.rounded() == sum);
  }
}

namespace {

template <class T>
struct squared {
  auto operator()(const T& x) const { return wf::multiplies{}.exact()(x, x); }
};
template <class T>
struct negative {
  T operator()(const T& x) const { return -x; }
};

/// The results of every call that takes the op.
template <class Policy, class T>
std::vector<T> every_call(const Policy& policy, const std::vector<T>& v) {
  const wf::plus add;
  std::vector<T> results;
  results.push_back(wf::reduce(policy, v, add.exact()));
  results.push_back(wf::transform_reduce(policy, v, add.exact(), negative<T>{}));
  results.push_back(wf::transform_reduce(policy, v, add.exact(), squared<T>{}));
  const auto some = wf::reduce(
      policy, v, wf::all(add.exact(), wf::maximum{}, wf::projected(add.exact(), squared<T>{})));
  results.push_back(wf::get<0>(some));
  results.push_back(wf::get<2>(some));
  T out[2];
  wf::reduce_async(policy, v, add.exact(), &out[0]);
  wf::transform_reduce_async(policy, v, add.exact(), squared<T>{}, &out[1]);
  results.insert(results.end(), out, out + 2);
  const std::size_t rows = 12, columns = v.size() / rows;
  const cuda::std::mdspan<const T, cuda::std::dextents<std::size_t, 2>> m(v.data(), rows, columns);
  std::vector<T> of_columns(columns), of_rows(rows), products(rows), squares(columns);
  wf::reduce_axis<0>(policy, m, add.exact(), of_columns);
  wf::reduce_axis<1>(policy, m, add.exact(), of_rows);
  wf::reduce_axis<1>(policy, wf::project(wf::zip(m, m), wf::multiplies{}.exact()), add.exact(),
                     products);
  wf::reduce_axis<0>(policy, wf::project(m, squared<T>{}), add.exact(), squares);
  for (const auto& list : {of_columns, of_rows, products, squares}) {
    results.insert(results.end(), list.begin(), list.end());
  }
  return results;
}

template <class Policy, class T>
std::vector<T> segments(const Policy& policy, const std::vector<T>& v) {
  const std::vector<std::size_t> offsets{0, 1, 1, 30, 31, 700, v.size()};
  std::vector<T> sums(6), squares(6);
  wf::reduce_segments(policy, v, offsets, exact, sums);
  wf::reduce_segments(policy, wf::project(v, squared<T>{}), offsets, exact, squares);
  sums.insert(sums.end(), squares.begin(), squares.end());
  return sums;
}

}  // namespace

TEST_CASE_TEMPLATE("every call gives the same bits on every policy", T, float, double) {
  for (const shape s : {shape::any_exponent, shape::cancelling}) {
    const std::vector<T> v = numbers<T>(s, 1'200);
    const std::vector<T> by_seq = every_call(wf::seq, v);
    CHECK(test::is_nearest(by_seq[0], test::exactly_sum(v)));
    CHECK(by_seq[1] == -by_seq[0]);
    CHECK(test::is_nearest(by_seq[2], test::exactly_dot(v, v), test::of_products()));
    CHECK(by_seq[3] == by_seq[0]);
    CHECK(by_seq[4] == by_seq[2]);
    CHECK(by_seq[5] == by_seq[0]);
    CHECK(by_seq[6] == by_seq[2]);
    CHECK(every_call(wf::par, v) == by_seq);
    CHECK(every_call(wf::emulated, v) == by_seq);

    const std::vector<T> of_segments = segments(wf::seq, v);
    const std::vector<T> part(v.begin() + 31, v.begin() + 700);
    CHECK(of_segments[0] == v[0]);
    CHECK(of_segments[1] == 0);
    CHECK(test::is_nearest(of_segments[4], test::exactly_sum(part)));
    CHECK(test::is_nearest(of_segments[10], test::exactly_dot(part, part), test::of_products()));
    CHECK(segments(wf::par, v) == of_segments);
  }
}

TEST_CASE_TEMPLATE("classes, lists and runs of keys, on one thread and on many", T, float, double) {
  for (const shape s : {shape::any_exponent, shape::cancelling}) {
    const std::vector<T> v = numbers<T>(s, 100'000);
    constexpr std::size_t groups = 30;
    std::vector<unsigned> labels, keys;
    std::vector<std::span<const T>> list;
    std::vector<std::vector<T>> of_class(groups), of_key(groups);
    for (std::size_t i = 0; i < v.size(); ++i) {
      labels.push_back(static_cast<unsigned>(i * i % 1'009 % groups));
      keys.push_back(static_cast<unsigned>(i * groups / v.size()));
      of_class[labels.back()].push_back(v[i]);
      of_key[keys.back()].push_back(v[i]);
    }
    for (std::size_t r = 0; r < groups; ++r) list.emplace_back(v.data() + r, r * r * 100);
    const auto check = [&](const auto& policy) {
      std::vector<T> classes(groups), ranges(groups), runs(groups);
      std::vector<unsigned> found(groups);
      wf::reduce_by_class(policy, labels, v, groups, exact, classes);
      wf::reduce_many(policy, list, exact, ranges);
      CHECK(wf::reduce_by_key(policy, keys, v, exact, found, runs) == groups);
      std::size_t wrong = 0;
      for (std::size_t g = 0; g < groups; ++g) {
        const std::vector<T> of_range(list[g].begin(), list[g].end());
        wrong += !test::is_nearest(classes[g], test::exactly_sum(of_class[g]));
        wrong += !test::is_nearest(ranges[g], test::exactly_sum(of_range));
        wrong += !test::is_nearest(runs[g], test::exactly_sum(of_key[g]));
      }
      CHECK(wrong == 0);
    };
    check(wf::seq);
    check(wf::par);
  }
}
