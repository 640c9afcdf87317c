/// @file
/// The test suite for policies by which moments of ranges, views, segments and lists have the
/// declared order (op/fold_order.hpp): the bits of merged single elements. The fixtures are those
/// of policy_contract.hpp.
#pragma once

#include <cuda_fp16.h>

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/moments_to_4.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/reduce_many.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/view/strided.hpp>
#include <warpfold/view/where.hpp>

#include "contract/order_certificate.hpp"

namespace wf = warpfold;

namespace test {

/// Numbers of many sizes, so that nearly all merges round.
template <class T>
std::vector<T> statistics_elements(std::size_t n) {
  std::vector<T> v(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = (i + 1) * 0xbf58476d1ce4e5b9;
    if constexpr (std::is_integral_v<T>) {
      v[i] = static_cast<T>(bits >> 32);
    } else {
      const auto size = static_cast<int>(bits % 12) - 6;
      v[i] = static_cast<T>(
          static_cast<float>(std::ldexp(static_cast<double>(bits >> 11), size - 53)));
    }
  }
  return v;
}

/// True for the same bits, or NaN in the same places.
template <class A>
bool same_moments(const A& a, const A& b) {
  constexpr std::size_t numbers = sizeof(A) / sizeof(double);
  double x[numbers], y[numbers];
  std::memcpy(x, &a, sizeof a);
  std::memcpy(y, &b, sizeof b);
  for (std::size_t k = 0; k < numbers; ++k) {
    if (std::memcmp(&x[k], &y[k], sizeof(double)) != 0 && !(x[k] != x[k] && y[k] != y[k])) {
      return false;
    }
  }
  return true;
}

/// The moments of `n` elements by definition: pairs of single elements are merged.
template <class Op, class Element>
auto merged(const Op& op, std::size_t n, const Element& element) {
  using A = decltype(op.lift(element(0)));
  return recursive_fold<A>(op, [&](std::size_t i) { return op.lift(element(i)); }, 0, n);
}

struct third_of {
  template <class T>
  WARPFOLD_HD constexpr float operator()(T x) const {
    return static_cast<float>(x) / 3;
  }
};
struct scaled_pair {
  template <class Pair>
  WARPFOLD_HD constexpr double operator()(const Pair& p) const {
    return static_cast<double>(wf::get<0>(p)) * static_cast<float>(wf::get<1>(p));
  }
};

inline std::vector<std::size_t> statistics_sizes() {
  std::vector<std::size_t> sizes;
  for (std::size_t n = 1; n <= 300; n += n < 40 ? 1 : 7) sizes.push_back(n);
  for (const std::size_t n : {511u, 512u, 1000u, 2049u, 4095u, 4096u, 4100u, 16'385u, 66'000u}) {
    sizes.push_back(n);
  }
  return sizes;
}

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("moments of ranges of every size and alignment", F,
                          statistics_order_of_ranges) {
  const auto check = []<class T, class Op>(T, const Op& op) {
    const auto v = test::statistics_elements<T>(66'000);
    for (const std::size_t offset : {0u, 1u}) {
      const typename F::template array<T> in(v, offset * sizeof(T));
      for (const std::size_t n : test::statistics_sizes()) {
        INFO(n, " elements of ", sizeof(T), " bytes from element ", offset);
        const auto expected = test::merged(op, n, [&](std::size_t i) { return v[i]; });
        CHECK(test::same_moments(wf::reduce(F::policy(), std::span(in.data(), n), op), expected));
        if (offset != 0) continue;
        CHECK(test::same_moments(wf::reduce(wf::seq, std::span(v).first(n), op), expected));
      }
    }
  };
  check(float{}, wf::moments_op{});
  check(double{}, wf::moments_op{});
  check(static_cast<signed char>(0), wf::moments_op{});
  check(short{}, wf::moments_op{});
  check(static_cast<unsigned short>(0), wf::moments_op{});
  check(int{}, wf::moments_op{});
  check(__half{}, wf::moments_op{});
  check(float{}, wf::moments_to_4_op{});
  check(static_cast<unsigned char>(0), wf::moments_to_4_op{});
}

TEST_CASE_TEMPLATE_DEFINE("moments of views, with other parts, and of elements that are not finite",
                          F, statistics_order_of_views) {
  auto v = test::statistics_elements<float>(10'000);
  const auto w = test::statistics_elements<short>(v.size());
  std::vector<std::uint32_t> bits(v.size() / 32 + 1);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    bits[i] = static_cast<std::uint32_t>((i + 7) * 0x9e3779b97f4a7c15 >> 32) | 1;
  }
  const wf::moments_op op;
  for (const bool is_finite : {true, false}) {
    if (!is_finite) {
      v[700] = INFINITY;
      v[4000] = NAN;
    }
    const typename F::template array<float> a(v, 0);
    const typename F::template array<short> b(w, 0);
    const typename F::template array<std::uint32_t> mask(bits, 0);
    for (const std::size_t n : {1u, 2u, 5u, 31u, 33u, 100u, 701u, 1000u, 4096u, 9999u}) {
      INFO(n, " elements", is_finite ? "" : " that may not be finite");
      const std::span<const float> x(a.data(), n);
      const std::span<const short> y(b.data(), n);
      const auto check = [&](const auto& range, const auto& element, std::size_t count) {
        CHECK(test::same_moments(wf::reduce(F::policy(), range, op),
                                 test::merged(op, count, element)));
      };
      const auto third = [&](std::size_t i) { return test::third_of{}(v[i]); };
      check(x, [&](std::size_t i) { return v[i]; }, n);
      check(wf::project(x, test::third_of{}), third, n);
      check(
          wf::project(wf::zip(x, y), test::scaled_pair{}),
          [&](std::size_t i) { return test::scaled_pair{}(wf::tuple<float, short>{v[i], w[i]}); },
          n);
      check(wf::strided(x, 3), [&](std::size_t i) { return v[3 * i]; }, (n + 2) / 3);
      // Elements without a bit are the moments of no elements.
      const auto masked = [&](std::size_t i) {
        return (bits[i / 32] >> i % 32 & 1) != 0 ? op.lift(v[i]) : op.identity<wf::moments>();
      };
      CHECK(test::same_moments(
          wf::reduce(F::policy(), wf::where(x, std::span(mask.data(), n / 32 + 1)), op),
          test::recursive_fold<wf::moments>(op, masked, 0, n)));
      const auto all = wf::reduce(
          F::policy(), x,
          wf::all(op, wf::minimum{}, wf::projected(op, test::third_of{}), wf::arg(wf::maximum{})));
      CHECK(test::same_moments(wf::get<0>(all),
                               test::merged(op, n, [&](std::size_t i) { return v[i]; })));
      CHECK(test::same_moments(wf::get<2>(all), test::merged(op, n, third)));
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("moments of segments and of lists of ranges", F,
                          statistics_order_of_groups) {
  const auto v = test::statistics_elements<float>(60'000);
  const typename F::template array<float> in(v, 0);
  const wf::moments_op op;
  for (const std::size_t mean : {2u, 9u, 50u, 256u, 3000u}) {
    std::vector<int> offsets{0};
    for (std::size_t k = 1;
         offsets.size() < 200 && static_cast<std::size_t>(offsets.back()) + 2 * mean < v.size();
         ++k) {
      offsets.push_back(offsets.back() + 1 + static_cast<int>(k * 0x9e3779b97f4a7c15 % (2 * mean)));
    }
    const std::size_t n = offsets.size() - 1;
    const typename F::template array<int> bounds(offsets, 0);
    const typename F::template array<wf::moments> out(std::vector<wf::moments>(n), 0);
    const auto results = [&] { return F::template values<wf::moments>(out.data(), n); };
    const std::span to(const_cast<wf::moments*>(out.data()), n);
    wf::reduce_segments(F::policy(), std::span(in.data(), v.size()),
                        std::span(bounds.data(), n + 1), op, to);
    const auto of_segments = results();
    std::vector<std::span<const float>> list;
    for (std::size_t s = 0; s < n; ++s) {
      list.emplace_back(in.data() + offsets[s], in.data() + offsets[s + 1]);
    }
    wf::reduce_many(F::policy(), list, op, to);
    const auto of_ranges = results();
    for (std::size_t s = 0; s < n; ++s) {
      const auto first = static_cast<std::size_t>(offsets[s]);
      const auto length = static_cast<std::size_t>(offsets[s + 1]) - first;
      INFO("segment ", s, " of ", length, " elements");
      const auto expected = test::merged(op, length, [&](std::size_t i) { return v[first + i]; });
      CHECK(test::same_moments(of_segments[s], expected));
      CHECK(test::same_moments(of_ranges[s], expected));
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("means and variances of complex numbers have the bits of their parts", F,
                          statistics_of_complex_numbers) {
  const auto check = []<class R>(R) {
    const auto parts = test::statistics_elements<R>(20'000);
    std::vector<R> real, imag;
    std::vector<std::complex<R>> v;
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
      real.push_back(parts[i]);
      imag.push_back(parts[i + 1]);
      v.emplace_back(parts[i], parts[i + 1]);
    }
    const typename F::template array<std::complex<R>> in(v, 0);
    for (const std::size_t n : {1u, 2u, 33u, 1000u, 9999u}) {
      INFO(n, " complex numbers of ", sizeof(R), " bytes");
      const std::span range(in.data(), n);
      const std::span x(real.data(), n), y(imag.data(), n);
      const std::complex<R> mean = wf::mean(F::policy(), range);
      CHECK(mean == std::complex<R>(wf::mean(wf::seq, x), wf::mean(wf::seq, y)));
      const wf::moments a = wf::reduce(wf::seq, x, wf::moments_op{});
      const wf::moments b = wf::reduce(wf::seq, y, wf::moments_op{});
      CHECK(wf::variance(F::policy(), range) == static_cast<R>(a.variance() + b.variance()));
      if constexpr (sizeof(R) == 4) {  // a block's memory does not hold the states of doubles
        const auto exactly = wf::plus{}.exact();
        CHECK(wf::mean(F::policy(), range, exactly) ==
              wf::mean(wf::seq, std::span(v).first(n), exactly));
      }
    }
  };
  check(float{});
  check(double{});
}
