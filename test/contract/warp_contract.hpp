/// @file
/// The test suite for `warp_reduce`, which uses one instruction, shuffles, or the op's
/// `fold_states`.
///
/// A fixture runs a launch: `template <class Fold> static std::vector<typename Fold::state>
/// run(fold, states)` launches a `warp_body` with a thread for each state, in blocks of 1024
/// threads or one smaller block.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/warp_reduce.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/moments.hpp>

#include "contract/oracle.hpp"

namespace test {

/// Each warp folds the states of its lanes.
template <class Fold>
struct warp_body {
  using state = typename Fold::state;
  static constexpr int max_block = 1024;
  static constexpr bool calls_user_functions = false;

  Fold fold;
  wf::collective::global_array<state> states, results;

  WARPFOLD_DEVICE void operator()() const {
    using namespace warpfold;  // the emulation's threadIdx
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const state own = wf::collective::warp_reduce(fold, states.load(thread));
    if (thread % 32 == 0) results.store(thread / 32, own);
  }
};

/// The launch shape of a `warp_body` for this number of states.
inline wf::launch_shape warps_shape(std::size_t states) {
  const std::size_t block = states < 1024 ? states : 1024;
  return {static_cast<unsigned>(states / block), static_cast<unsigned>(block)};
}

/// The result of each warp of 32 values.
template <class Fixture, class Op, class T>
std::vector<T> fold_warps(const Op& op, const std::vector<T>& values) {
  using fold = wf::fold<Op, T>;
  return Fixture::template run<fold>(fold{op}, values);
}

/// One of 32 lanes has `odd` and the others have `rest`, for each lane.
template <class T>
std::vector<T> one_of_each_lane(const T& odd, const T& rest) {
  std::vector<T> values(1024, rest);
  for (std::size_t lane = 0; lane < 32; ++lane) values[lane * 32 + lane] = odd;
  return values;
}

template <class T>
bool same_value(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a || b != b) return a != a && b != b;
    return a == b && std::signbit(a) == std::signbit(b);
  } else {
    return a == b;
  }
}

/// Values that differ in the high bits, in the low bits, and in the sign.
template <class T>
std::vector<T> telling_values() {
  using limits = std::numeric_limits<T>;
  std::vector<T> some{T(0),  T(1), static_cast<T>(-1), limits::lowest(), limits::max(),
                      T(77), T(78)};
  if constexpr (std::is_floating_point_v<T>) {
    some.insert(some.end(), {static_cast<T>(-0.0), limits::infinity(), -limits::infinity(),
                             limits::denorm_min(), -limits::denorm_min(), static_cast<T>(-77)});
  } else if constexpr (sizeof(T) == 8) {
    const auto high = static_cast<T>(std::uint64_t{5} << 32);
    some.insert(some.end(), {high, static_cast<T>(high + 1), static_cast<T>(high + 0xffffffffu),
                             static_cast<T>(T(0) - high)});
  }
  return some;
}

template <class Fixture, class T, class Op>
void check_extremum_of_warps(const Op& op) {
  const std::vector<T> some = telling_values<T>();
  const auto check = [&](const std::vector<T>& values) {
    const std::vector<T> got = fold_warps<Fixture>(op, values);
    for (std::size_t w = 0; w < got.size(); ++w) {
      T want = values[w * 32];
      for (std::size_t k = 1; k < 32; ++k) want = op(want, values[w * 32 + k]);
      INFO("warp ", w);
      CHECK(same_value(got[w], want));
    }
  };
  std::vector<T> values;
  const auto add = [&](const T& odd, const T& rest) {
    const std::vector<T> more = one_of_each_lane(odd, rest);
    values.insert(values.end(), more.begin(), more.end());
  };
  for (const T odd : some) {
    for (const T rest : some) add(odd, rest);
  }
  if constexpr (std::is_floating_point_v<T>) {
    const T nan = std::numeric_limits<T>::quiet_NaN();
    for (const T rest : some) {
      add(nan, rest);
      add(static_cast<T>(-nan), rest);
    }
  }
  check(values);
  random_bits random;
  values.resize(1024);
  for (T& x : values) {
    if constexpr (std::is_floating_point_v<T>) {
      x = static_cast<T>(static_cast<std::int64_t>(random())) / 1024;
    } else {
      x = static_cast<T>(random());
    }
  }
  check(values);
}

template <class Fixture, class T>
void check_extrema_of_warps() {
  check_extremum_of_warps<Fixture, T>(wf::minimum{});
  check_extremum_of_warps<Fixture, T>(wf::maximum{});
}

template <class Fixture, class T, class Extremum>
void check_arg_of_warps(const Extremum& extremum) {
  using indexed = wf::indexed<T>;
  const auto op = wf::arg(extremum);
  const auto check = [&](const std::vector<indexed>& values) {
    const auto got = fold_warps<Fixture>(op, values);
    for (std::size_t w = 0; w < got.size(); ++w) {
      indexed want = values[w * 32];
      for (std::size_t k = 1; k < 32; ++k) want = op(want, values[w * 32 + k]);
      INFO("warp ", w);
      CHECK(same_value(got[w].value, want.value));
      CHECK(got[w].index == want.index);
    }
  };
  std::vector<indexed> values;
  std::vector<T> some = telling_values<T>();
  if constexpr (std::is_floating_point_v<T>) some.push_back(std::numeric_limits<T>::quiet_NaN());
  for (const T odd : some) {
    for (const T rest : some) {
      // Indices that rise and fall with the lane, and that differ only in the high half.
      for (const std::size_t step : {std::size_t{1}, ~std::size_t{0}, std::size_t{1} << 33}) {
        std::size_t at = std::size_t{1} << 40;
        for (const T x : one_of_each_lane(odd, rest)) values.push_back({x, at += step});
      }
    }
  }
  check(values);
  check(std::vector<indexed>(64, op.template identity<indexed>()));
  check(one_of_each_lane(indexed{T(3), 7}, op.template identity<indexed>()));
}

/// Compares the moments of 32 lanes with moments in long double.
inline void check_moments(const wf::moments& got, const wf::moments* lanes, double epsilon) {
  long double count = 0, sum = 0;
  double largest = 0;
  for (int k = 0; k < 32; ++k) {
    count += lanes[k].count;
    sum += static_cast<long double>(lanes[k].mean) * lanes[k].count;
    largest = std::max(largest, std::fabs(lanes[k].mean));
  }
  const long double mean = count != 0 ? sum / count : 0;
  long double m2 = 0;
  for (int k = 0; k < 32; ++k) {
    const long double apart = lanes[k].mean - mean;
    m2 += lanes[k].m2 + lanes[k].count * apart * apart;
  }
  CHECK(got.count == static_cast<unsigned long long>(count));
  CHECK(std::fabs(static_cast<double>(got.mean - mean)) <= 1e-15 * largest);
  CHECK(std::fabs(static_cast<double>(got.m2 - m2)) <= epsilon * static_cast<double>(m2));
}

template <class Fixture>
void check_moments_of_warps() {
  random_bits random;
  std::vector<wf::moments> states(1024);
  const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  for (std::size_t i = 0; i < states.size(); ++i) {
    const std::size_t warp = i / 32, lane = i % 32;
    wf::moments& m = states[i];
    m = {1 + random() % 100, unit(), 0};
    m.m2 = static_cast<double>(m.count) * unit();
    if (warp % 8 <= 2 && warp % 8 > 0) m.mean += 1e9;   // far from 0
    if (warp % 8 == 2 && lane % 3 == 0) m = {0, 0, 0};  // lane 0 has no elements
    if (warp % 8 == 3 && lane != warp) m = {0, 0, 0};   // one lane has elements
    if (warp % 8 == 4) m = {7, 0.1, 0};                 // all equal
    if (warp % 8 == 5) m.count <<= 40;                  // more than 32 bits of them
    if (warp % 8 == 6 && lane == 0) m.mean = 1e6;       // the first value is far from the others
    if (warp % 8 == 7 && lane >= warp) m = {0, 0, 0};
  }
  const auto got = fold_warps<Fixture>(wf::moments_op{}, states);
  for (std::size_t w = 0; w < got.size(); ++w) {
    INFO("warp ", w);
    // Far from 0 the means have the rounding error of 1e9.
    check_moments(got[w], &states[w * 32], w % 8 == 1 || w % 8 == 2 ? 1e-6 : 1e-12);
    if (w % 8 == 4) CHECK(got[w].m2 == 0);
  }
  CHECK(fold_warps<Fixture>(wf::moments_op{}, std::vector<wf::moments>(32))[0] ==
        wf::moments{0, 0, 0});

  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const wf::moments plain{3, 1, 2};
  for (const auto& m : fold_warps<Fixture>(
           wf::moments_op{}, one_of_each_lane(wf::moments{1, infinity, nan}, plain))) {
    CHECK(m.mean == infinity);
    CHECK(m.m2 != m.m2);
  }
  for (const auto& m :
       fold_warps<Fixture>(wf::moments_op{}, one_of_each_lane(wf::moments{1, nan, nan}, plain))) {
    CHECK(m.count == 94);
    CHECK(m.mean != m.mean);
  }
  // The squares overflow, but the mean is right.
  for (const auto& m :
       fold_warps<Fixture>(wf::moments_op{},
                           one_of_each_lane(wf::moments{3, 1e308, 0}, wf::moments{3, -1e308, 0}))) {
    CHECK(m.mean == doctest::Approx(-1e308 / 32 * 30).epsilon(1e-12));
    CHECK(m.m2 == infinity);
  }
}

template <class Fixture>
void check_all_of_warps() {
  const auto op =
      wf::all(wf::plus{}, wf::minimum{}, wf::arg(wf::maximum{}), wf::moments_op{}, wf::plus{});
  using values = wf::tuple<float, float, wf::indexed<int>, wf::moments, std::uint64_t>;
  random_bits random;
  std::vector<values> states(1024);
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto number = static_cast<int>(random() % 100);
    const auto x = static_cast<float>(number);
    states[i] = {x, {x, {{number, i}, {{1, static_cast<double>(number), 0}, {i}}}}};
  }
  const auto got = fold_warps<Fixture>(op, states);
  for (std::size_t w = 0; w < got.size(); ++w) {
    const auto part = [&]<std::size_t I>(auto part_op) {
      auto want = wf::get<I>(states[w * 32]);
      for (std::size_t k = 1; k < 32; ++k) want = part_op(want, wf::get<I>(states[w * 32 + k]));
      return want;
    };
    INFO("warp ", w);
    CHECK(wf::get<0>(got[w]) == part.template operator()<0>(wf::plus{}));
    CHECK(wf::get<1>(got[w]) == part.template operator()<1>(wf::minimum{}));
    CHECK(wf::get<2>(got[w]) == part.template operator()<2>(wf::arg(wf::maximum{})));
    CHECK(wf::get<3>(got[w]).mean ==
          doctest::Approx(part.template operator()<3>(wf::moments_op{}).mean).epsilon(1e-14));
    CHECK(wf::get<3>(got[w]).count == 32);
    CHECK(wf::get<4>(got[w]) == part.template operator()<4>(wf::plus{}));
  }
}

/// Runs the suite for a fixture.
template <class Fixture>
void check_warp_reduce() {
  check_extrema_of_warps<Fixture, signed char>();
  check_extrema_of_warps<Fixture, unsigned char>();
  check_extrema_of_warps<Fixture, short>();
  check_extrema_of_warps<Fixture, int>();
  check_extrema_of_warps<Fixture, unsigned>();
  check_extrema_of_warps<Fixture, long long>();
  check_extrema_of_warps<Fixture, unsigned long long>();
  check_extrema_of_warps<Fixture, float>();
  check_extrema_of_warps<Fixture, double>();
  check_arg_of_warps<Fixture, int>(wf::minimum{});
  check_arg_of_warps<Fixture, float>(wf::minimum{});
  check_arg_of_warps<Fixture, float>(wf::maximum{});
  check_arg_of_warps<Fixture, float>(wf::maximum{}.ignoring_nan());
  check_arg_of_warps<Fixture, double>(wf::minimum{});
  check_moments_of_warps<Fixture>();
  check_all_of_warps<Fixture>();
}

}  // namespace test
