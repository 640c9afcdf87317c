// lane_states: what ops that fold a warp's states at once ask of them.
// needs: boost_context
#include <warpfold/collective/lane_states.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <warpfold/op/extrema.hpp>
#include <warpfold/op/multiplies.hpp>
#include <warpfold/op/plus.hpp>

#include "contract/emulated_launch.hpp"

namespace wf = warpfold;

namespace {

using namespace warpfold;
using namespace warpfold::collective;

struct pair_of_ints {
  int key, value;
  bool operator==(const pair_of_ints&) const = default;
};
struct long_sum {
  template <class>
  static constexpr bool is_long = true;
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a + b;
  }
};

/// `of(states)` in every lane of a warp whose states are `states`.
template <class Result, class State, class Of>
std::vector<Result> in_each_lane(std::vector<State> states, const Of& of) {
  std::vector<Result> results(32);
  test::emulated_launch on;
  const auto* const in = on.read_only(states);
  const auto out = on.array(results);
  on.run({1, 32}, [=] { out.store(threadIdx.x, of(lane_states<State>(in[threadIdx.x]))); });
  return results;
}

template <class State>
std::vector<State> counted_from(State first) {
  std::vector<State> states(32);
  for (unsigned i = 0; i < 32; ++i) states[i] = static_cast<State>(first + static_cast<State>(i));
  return states;
}

template <class T>
void check_all(const std::vector<T>& got, const T& expected) {
  for (const T& x : got) CHECK(x == expected);
}

}  // namespace

TEST_CASE("the first lane's state, in every lane") {
  const auto first = [](const auto& states) { return states.first(); };
  check_all(in_each_lane<int>(counted_from(5), first), 5);
  check_all(in_each_lane<double>(counted_from(-3.5), first), -3.5);
}

TEST_CASE("find returns the state of the first matching lane") {
  std::vector<pair_of_ints> states(32);
  for (int i = 0; i < 32; ++i) states[static_cast<std::size_t>(i)] = {i / 4, i};
  for (const int key : {0, 3, 7}) {
    const auto got = in_each_lane<pair_of_ints>(states, [=](const auto& all) {
      return all.find([=](const pair_of_ints& p) { return p.key == key; });
    });
    check_all(got, pair_of_ints{key, 4 * key});
  }
  const auto last = in_each_lane<pair_of_ints>(states, [](const auto& all) {
    return all.find([](const pair_of_ints& p) { return p.value == 31; });
  });
  check_all(last, pair_of_ints{7, 31});
}

TEST_CASE("any is true if one lane says so") {
  for (const int lane : {0, 17, 31}) {
    const auto got = in_each_lane<int>(counted_from(0), [=](const auto& all) {
      return all.any(static_cast<int>(threadIdx.x) == lane) ? 1 : 0;
    });
    check_all(got, 1);
  }
  check_all(in_each_lane<int>(counted_from(0), [](const auto& all) { return int{all.any(false)}; }),
            0);
}

TEST_CASE("the fold of all lanes, also of what a function makes of the states") {
  const auto states = counted_from(std::int64_t{1} << 40);
  const auto sum = [](const auto& all) { return all.fold(plus{}); };
  check_all(in_each_lane<std::int64_t>(states, sum), (std::int64_t{32} << 40) + 496);
  check_all(
      in_each_lane<int>(counted_from(-7), [](const auto& all) { return all.fold(minimum{}); }), -7);
  check_all(
      in_each_lane<float>(counted_from(-7.0f), [](const auto& all) { return all.fold(maximum{}); }),
      24.0f);
  const auto doubled = [](const auto& all) {
    return all.projected([](int x) { return x * 0.5; }).fold(plus{});
  };
  CHECK(in_each_lane<double>(counted_from(0), doubled)[0] == 248);
  const auto product = in_each_lane<double>(std::vector<double>(32, 2),
                                            [](const auto& all) { return all.fold(multiplies{}); });
  CHECK(product[0] == 4294967296.0);
  CHECK(in_each_lane<double>(counted_from(1.0),
                             [](const auto& all) { return all.fold(long_sum{}); })[0] == 528);
}

TEST_CASE("lanes that differ in bit 4 are combined first, then in bit 3") {
  constexpr float large = 16777216;  // large + 1 == large
  const auto sum = [](std::vector<float> states) {
    return in_each_lane<float>(states, [](const auto& all) { return all.fold(plus{}); })[0];
  };
  std::vector<float> states(32);
  states[0] = large;
  states[1] = states[17] = 1;
  CHECK(sum(states) == large + 2);
  states[17] = 0;
  states[9] = 1;
  CHECK(sum(states) == large + 2);
  states[9] = 0;
  states[16] = 1;
  CHECK(sum(states) == large);
}
