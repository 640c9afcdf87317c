// fold: the states that kernels start from and combine, with an identity and without one.
#include <warpfold/op/fold.hpp>

#include <doctest/doctest.h>

#include <cstring>

#include "contract/oracle.hpp"

namespace {

struct sum_of_two {
  int operator()(int a, int b) const { return a + b; }
};
struct concatenation {
  template <class T>
  T identity() const {
    return 0;
  }
  long operator()(long a, long b) const { return a * 10 + b; }
};
struct slow {
  template <class A>
  static constexpr bool is_long = sizeof(A) > 4;
  int operator()(int a, int b) const { return a + b; }
};

/// Nine bytes of value and seven of padding.
struct padded {
  double value;
  char flag;
};
struct first {
  padded operator()(const padded& a, const padded&) const { return a; }
};
struct alignas(16) aligned_to_16 {
  float x;
};

}  // namespace

static_assert(!wf::has_marks<wf::fold<wf::plus, int>>);
static_assert(wf::has_marks<wf::fold<sum_of_two, int>>);
static_assert(std::is_same_v<wf::fold<wf::plus, int>::state, int>);

static_assert(wf::is_long_op<slow, double> && !wf::is_long_op<slow, int>);
static_assert(!wf::is_long_op<sum_of_two, double>);
static_assert(wf::fold<slow, double>::is_long && !wf::fold<slow, float>::is_long);

// The mark is as large as the alignment, so a state has no padding of its own.
template <class T>
constexpr bool is_filled =
    sizeof(wf::detail::maybe<T>) == sizeof(T) + sizeof(wf::detail::maybe<T>::mark);
static_assert(is_filled<char> && is_filled<short> && is_filled<float> && is_filled<double>);
static_assert(is_filled<padded> && is_filled<aligned_to_16>);
static_assert(std::is_trivially_copyable_v<wf::detail::maybe<padded>>);

TEST_CASE("a fold without identity: nothing combines to the other state") {
  const auto multiply = [](int a, int b) { return a * b; };
  const wf::fold<decltype(multiply), int> fold{multiply};
  const auto nothing = fold.start();
  CHECK_FALSE(nothing.engaged());
  CHECK_FALSE(fold.combine(nothing, nothing).engaged());
  CHECK(fold.value(fold.combine(nothing, fold.state_of(4))) == 4);
  CHECK(fold.value(fold.combine(fold.state_of(4), nothing)) == 4);
  CHECK(fold.value(fold.combine(fold.state_of(4), fold.state_of(5))) == 20);
}

TEST_CASE("with an identity the state is the value") {
  const wf::fold<concatenation, long> fold{};
  CHECK(fold.start() == 0);
  CHECK(fold.value(fold.combine(fold.state_of(4), fold.state_of(5))) == 45);
  CHECK(fold.combine(fold.start(), fold.state_of(7)) == 7);
}

TEST_CASE("operands keep their order") {
  const auto left = [](int a, int) { return a; };
  const auto with = wf::with_identity(left, 0);
  CHECK(wf::fold<decltype(with), int>{with}.combine(2, 3) == 2);
  const wf::fold<decltype(left), int> without{left};
  CHECK(without.value(without.combine(without.state_of(2), without.state_of(3))) == 2);
  CHECK(without.of_values().combine(2, 3) == 2);
}

TEST_CASE("the op's result becomes the accumulator's type before it is combined again") {
  // The op returns 300 as an unsigned char: 44.
  const auto narrow = [](int a, int b) { return static_cast<unsigned char>(a + b); };
  CHECK(wf::fold<decltype(narrow), int>{narrow}.apply(200, 100) == 44);
  const auto wide = [](auto a, auto b) { return a + b; };
  static_assert(std::is_same_v<decltype(wf::fold<decltype(wide), short>{wide}.apply(1, 2)), short>);
  CHECK(wf::fold<decltype(wide), short>{wide}.apply(32767, 1) == -32768);
}

TEST_CASE("every byte of an empty state is written") {
  using state = wf::detail::maybe<padded>;
  alignas(state) unsigned char bytes[sizeof(state)];
  std::memset(bytes, 0xa5, sizeof bytes);
  ::new (static_cast<void*>(bytes)) state();
  for (const unsigned char b : bytes) CHECK(b == 0);
  CHECK(state(padded{1, 'x'}).engaged());
  CHECK_FALSE(wf::fold<first, padded>{}.start().engaged());
}
