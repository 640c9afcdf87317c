/// @file
/// The test suite of calls that write their results, for every policy: each named function writes
/// what its waiting form returns, results start from and are combined with values in memory, and
/// one call's result is an argument of the next one. The fixtures are those of policy_contract.hpp.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/count.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>
#include <warpfold/transform.hpp>

#include "contract/add_only.hpp"
#include "contract/policy_contract.hpp"

namespace test {

/// Calls `write(out)` with memory for an `R` that the fixture's policy can write, and returns what
/// was written.
template <class Fixture, class R, class Write>
R written(const Write& write) {
  typename Fixture::template slot<R> slot;
  write(slot.pointer());
  return slot.value();
}

/// `n` whole numbers from -60 to 60, so that sums do not round.
inline std::vector<float> whole_floats(std::size_t n) {
  random_bits random(5);
  std::vector<float> v(n);
  for (float& x : v) x = static_cast<float>(static_cast<int>(random() % 121) - 60);
  return v;
}

inline constexpr std::size_t async_sizes[] = {2, 1000, 70'001};

struct is_positive {
  WARPFOLD_HD bool operator()(float x) const { return x > 0; }
};
struct is_below_61 {
  WARPFOLD_HD bool operator()(float x) const { return x < 61; }
};
struct double_of {
  WARPFOLD_HD double operator()(float x) const { return 2.0 * static_cast<double>(x); }
};
/// Divides by a number in memory, which the policy reads when it runs.
struct divided_by {
  const double* by;

  WARPFOLD_HD double operator()(double x) const { return x / *by; }
};
struct times_place {
  WARPFOLD_HD double operator()(const wf::tuple<double, int>& x) const {
    return wf::get<0>(x) * (wf::get<1>(x) + 1);
  }
};
/// An op whose result is another type than what it folds.
struct average {
  struct sum_and_count {
    double sum;
    long long count;
  };
  static WARPFOLD_HD sum_and_count lift(float x) { return {static_cast<double>(x), 1}; }
  WARPFOLD_HD sum_and_count operator()(const sum_and_count& a, const sum_and_count& b) const {
    return {a.sum + b.sum, a.count + b.count};
  }
  WARPFOLD_HD double finish(const sum_and_count& a) const {
    return a.count == 0 ? 0 : a.sum / static_cast<double>(a.count);
  }
};

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("folds that a function of the range writes", Fixture, async_folds) {
  const auto policy = Fixture::policy();
  for (const std::size_t n : test::async_sizes) {
    INFO(n, " elements");
    const auto v = test::whole_floats(n);
    const typename Fixture::template array<float> data(v, 4);
    const std::span<const float> range(data.data(), n);
    const auto check = [&](const auto& want, const auto& write) {
      using R = std::remove_cvref_t<decltype(want)>;
      CHECK(test::written<Fixture, R>(write) == want);
    };
    check(wf::sum(wf::seq, v), [&](auto* out) { wf::sum_async(policy, range, out); });
    check(wf::min(wf::seq, v), [&](auto* out) { wf::min_async(policy, range, out); });
    check(wf::max(wf::seq, v), [&](auto* out) { wf::max_async(policy, range, out); });
    check(wf::argmin(wf::seq, v), [&](auto* out) { wf::argmin_async(policy, range, out); });
    check(wf::argmax(wf::seq, v), [&](auto* out) { wf::argmax_async(policy, range, out); });
    check(wf::count(wf::seq, v, 7.0f),
          [&](auto* out) { wf::count_async(policy, range, 7.0f, out); });
    check(wf::count_if(wf::seq, v, test::is_positive{}), [&](auto* out) {
      wf::count_if_async(policy, range.data(), n, test::is_positive{}, out);
    });
    check(true, [&](auto* out) { wf::all_of_async(policy, range, test::is_below_61{}, out); });
    check(wf::any_of(wf::seq, v, test::is_positive{}),
          [&](auto* out) { wf::any_of_async(policy, range, test::is_positive{}, out); });
    check(wf::norm_1(wf::seq, v), [&](auto* out) { wf::norm_1_async(policy, range, out); });
    check(wf::norm_infinity(wf::seq, v),
          [&](auto* out) { wf::norm_infinity_async(policy, range, out); });
    // Few products, so that the sum does not round.
    const std::size_t few = std::min<std::size_t>(n, 1000);
    const auto product = wf::dot(wf::seq, v.data(), v.data(), few);
    check(product,
          [&](auto* out) { wf::dot_async(policy, range.first(few), range.first(few), out); });
    check(product, [&](auto* out) { wf::dot_async(policy, range.data(), range.data(), few, out); });
    check(wf::dot(wf::seq, v, v, wf::plus{}.compensated()),
          [&](auto* out) { wf::dot_async(policy, range, range, wf::plus{}.compensated(), out); });
    check(wf::inner_product(wf::seq, v, v, 0.5),
          [&](auto* out) { wf::inner_product_async(policy, range, range, 0.5, out); });
    check(wf::transform_reduce(wf::seq, v, 3.0, wf::plus{}, test::double_of{}), [&](auto* out) {
      wf::transform_reduce_async(policy, range, 3.0, wf::plus{}, test::double_of{}, out);
    });
    // In the type of the output.
    check(static_cast<double>(wf::sum(wf::seq, v)),
          [&](auto* out) { wf::sum_async(policy, range, std::span(out, 1)); });
  }
}

TEST_CASE_TEMPLATE_DEFINE("results that are computed from the fold where they are written", Fixture,
                          async_finished) {
  const auto policy = Fixture::policy();
  for (const std::size_t n : test::async_sizes) {
    INFO(n, " elements");
    const auto v = test::whole_floats(n);
    const std::vector<double> w(v.begin(), v.end());
    const typename Fixture::template array<float> data(v, 4);
    const typename Fixture::template array<double> doubles(w, 0);
    const std::span<const float> range(data.data(), n);
    const std::span<const double> wide(doubles.data(), n);
    const auto check = [&](const auto& want, const auto& write) {
      using R = std::remove_cvref_t<decltype(want)>;
      CHECK(test::written<Fixture, R>(write) == doctest::Approx(want).epsilon(1e-6));
    };
    check(wf::mean(wf::seq, v), [&](auto* out) { wf::mean_async(policy, range, out); });
    check(wf::variance(wf::seq, v), [&](auto* out) { wf::variance_async(policy, range, out); });
    check(wf::stddev(wf::seq, w, wf::variance_of::sample),
          [&](auto* out) { wf::stddev_async(policy, wide, wf::variance_of::sample, out); });
    check(wf::norm_2(wf::seq, v), [&](auto* out) { wf::norm_2_async(policy, range, out); });
    check(wf::norm_2(wf::seq, w), [&](auto* out) { wf::norm_2_async(policy, wide, out); });
    check(wf::norm_p(wf::seq, v, 3), [&](auto* out) { wf::norm_p_async(policy, range, 3, out); });
    CHECK(test::written<Fixture, bool>([&](bool* out) {
            wf::none_of_async(policy, range, test::is_positive{}, out);
          }) == wf::none_of(wf::seq, v, test::is_positive{}));
    const auto both = test::written<Fixture, wf::least_and_greatest<float>>(
        [&](auto* out) { wf::minmax_async(policy, range, out); });
    CHECK(both.min == wf::min(wf::seq, v));
    CHECK(both.max == wf::max(wf::seq, v));
    const auto places = test::written<Fixture, wf::least_and_greatest<wf::indexed<float>>>(
        [&](auto* out) { wf::argminmax_async(policy, range, out); });
    CHECK(places.min == wf::argmin(wf::seq, v));
    CHECK(places.max == wf::argmax(wf::seq, v));
    // Of ops: the finished result, or the accumulator if the output has its type.
    check(wf::mean(wf::seq, w),
          [&](auto* out) { wf::reduce_async(policy, range, test::average{}, out); });
    const auto sum = test::written<Fixture, test::average::sum_and_count>(
        [&](auto* out) { wf::reduce_async(policy, range, test::average{}, out); });
    CHECK(sum.count == static_cast<long long>(n));
    check(wf::sum(wf::seq, w),
          [&](auto* out) { wf::reduce_async(policy, range, wf::plus{}.compensated(), out); });
  }
}

TEST_CASE_TEMPLATE_DEFINE("what an empty range writes, and when it throws", Fixture, async_empty) {
  const auto policy = Fixture::policy();
  const std::span<const float> nothing;
  const auto written = [&](const auto& write) {
    return test::written<Fixture, double>([&](double* out) { write(out); });
  };
  CHECK(written([&](double* out) { wf::product_async(policy, nothing, out); }) == 1);
  CHECK(written([&](double* out) { wf::norm_2_async(policy, nothing, out); }) == 0);
  CHECK(written([&](double* out) {
          wf::transform_reduce_async(policy, nothing, 3.0, wf::plus{}, test::double_of{}, out);
        }) == 3);
  typename Fixture::template slot<double> slot;
  double* const out = slot.pointer();
  CHECK_THROWS_AS(wf::min_async(policy, nothing, slot.pointer()), wf::empty_range);
  CHECK_THROWS_AS(wf::mean_async(policy, nothing, out), wf::empty_range);
  const typename Fixture::template array<float> one({1.0f}, 0);
  CHECK_THROWS_WITH_AS(wf::variance_async(policy, one.data(), 1, wf::variance_of::sample, out),
                       doctest::Contains("variance of a sample needs at least 2 elements"),
                       wf::empty_range);
  CHECK_THROWS_AS(wf::norm_p_async(policy, nothing, -1, out), wf::invalid_argument);
}

TEST_CASE_TEMPLATE_DEFINE("inits and outputs in memory", Fixture, async_stored) {
  const auto policy = Fixture::policy();
  for (const std::size_t n : {std::size_t{0}, std::size_t{3}, std::size_t{70'001}}) {
    INFO(n, " elements");
    const auto v = test::whole_floats(n);
    const double sum = wf::sum(wf::seq, std::vector<double>(v.begin(), v.end()));
    const typename Fixture::template array<float> data(v, 0);
    const std::span<const float> range(data.data(), n);
    typename Fixture::template slot<double> first, second;
    typename Fixture::template slot<float> narrow;
    double* const a = first.pointer();

    wf::sum_async(policy, range, a);
    wf::reduce_async(policy, range, wf::value_at(a), wf::plus{}, second.pointer());
    CHECK(first.value() == sum);
    CHECK(second.value() == 2 * sum);  // the init is read when the call runs
    // What is written is where the init is.
    wf::reduce_async(policy, range, wf::value_at(a), wf::plus{}, a);
    CHECK(first.value() == 2 * sum);
    wf::sum_async(policy, range, wf::accumulate(a));
    wf::sum_async(policy, range, wf::accumulate(std::span(a, 1)));
    CHECK(first.value() == 4 * sum);
    // In a narrower type, without an identity, and of a function.
    wf::transform_reduce_async(policy, range, wf::plus{}, test::double_of{},
                               wf::accumulate(narrow.pointer()));
    CHECK(narrow.value() == static_cast<float>(2 * sum));
    wf::reduce_async(policy, range, test::add_only{}, wf::accumulate(narrow.pointer()));
    CHECK(narrow.value() == static_cast<float>(3 * sum));
  }
}

TEST_CASE_TEMPLATE_DEFINE("waiting calls start from a value in memory, too", Fixture,
                          waiting_stored) {
  const auto policy = Fixture::policy();
  const typename Fixture::template array<int> ten({10, 3}, 0), v({1, 2, 3}, 0);
  const std::span<const int> range(v.data(), 3);
  CHECK(wf::reduce(policy, range, wf::value_at(ten.data()), wf::plus{}) == 16);
  CHECK(wf::reduce(policy, range.first(0), wf::value_at(ten.data() + 1), wf::plus{}) == 3);
  CHECK(wf::reduce(policy, range.first(0), wf::value_at(ten.data() + 1), test::add_only{}) == 3);
  const int* const null = nullptr;
  test::check_throws<wf::invalid_range>(
      [&] { (void)wf::reduce(policy, range, wf::value_at(null), wf::plus{}); },
      "the init of value_at is a null pointer");
}

TEST_CASE_TEMPLATE_DEFINE("one call's result is an argument of the next one", Fixture,
                          async_chained) {
  // Power iteration: x = A x / |A x| for the diagonal matrix 1, 2, 3. Nothing returns to the host.
  const auto policy = Fixture::policy();
  const typename Fixture::template array<double> start({1, 1, 1}, 0);
  double* const x = const_cast<double*>(start.data());
  typename Fixture::template slot<double> norm;
  for (int i = 0; i < 60; ++i) {
    wf::transform_async(policy, wf::zip(std::span<const double>(x, 3), wf::counting(0, 3)), x,
                        test::times_place{});
    wf::norm_2_async(policy, x, 3, norm.pointer());
    wf::transform_async(policy, x, 3, x, test::divided_by{norm.pointer()});
  }
  CHECK(norm.value() == doctest::Approx(3).epsilon(1e-12));  // the largest eigenvalue
  CHECK(Fixture::values(x, 3)[2] == doctest::Approx(1).epsilon(1e-12));
}
