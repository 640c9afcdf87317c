// What the library learns of a user's op: accumulator, identity, and what with_identity adds.
#include <warpfold/op/traits.hpp>

#include <doctest/doctest.h>

#include "contract/oracle.hpp"

namespace {

struct longest {
  template <class T>
  using accumulator = std::size_t;
  template <class T>
  T identity() const {
    return 0;
  }
  std::size_t operator()(std::size_t a, std::size_t b) const { return a > b ? a : b; }
};

struct product_of_ints {
  int identity() const { return 1; }
  int operator()(int a, int b) const { return a * b; }
};

/// Another library's op, which cannot be changed.
struct foreign {
  int operator()(int a, int b) const { return a * 31 + b; }
};

/// One state for all calls.
struct least_of {
  int floor;
  int operator()(int a, int b) const { return std::max(floor, std::min(a, b)); }
};

}  // namespace

template <>
struct warpfold::op_traits<foreign, short> {
  using accumulator = int;
  static constexpr bool has_identity = false;
};
template <>
struct warpfold::op_traits<foreign, int> {
  using accumulator = int;
  static constexpr bool has_identity = true;
  static constexpr int identity(const foreign&) { return 7; }
};

TEST_CASE("members of an op say its accumulator and identity") {
  const std::vector<unsigned char> lengths = {3, 200, 17};
  const auto got = wf::reduce(wf::seq, lengths, longest{});
  static_assert(std::is_same_v<decltype(got), const std::size_t>);
  CHECK(got == 200);
  CHECK(wf::reduce(wf::seq, std::vector<unsigned char>{}, longest{}) == 0);
}

TEST_CASE("a specialization of op_traits says them of an op that cannot be changed") {
  CHECK(wf::reduce(wf::seq, std::vector<int>{}, foreign{}) == 7);
  CHECK(wf::reduce(wf::seq, std::vector<short>{1, 2}, foreign{}) == 33);
}

TEST_CASE("without members, a lambda's own type is the accumulator and there is no identity") {
  const auto op = [](int a, int b) -> short { return static_cast<short>(a + b); };
  static_assert(std::is_same_v<wf::op_traits<decltype(op), int>::accumulator, short>);
  static_assert(!wf::op_traits<decltype(op), int>::has_identity);
  const auto with = wf::with_identity(op, 0);
  static_assert(wf::op_traits<decltype(with), int>::has_identity);
  CHECK(with(2, 3) == 5);
}

TEST_CASE("identity() need not be a template") {
  CHECK(wf::reduce(wf::seq, std::vector<short>{}, product_of_ints{}) == 1);
  CHECK(wf::reduce(wf::seq, std::vector<short>{2, 3}, product_of_ints{}) == 6);
}

TEST_CASE("an op with state is carried along") {
  const std::vector<int> values = {5, 2, 9};
  CHECK(wf::reduce(wf::seq, values, least_of{3}) == 3);
  CHECK(wf::reduce(wf::seq, values, least_of{1}) == 2);
}

TEST_CASE("with_identity keeps the order of the operands") {
  const auto first = wf::with_identity([](int a, int) { return a; }, 0);
  CHECK(first(2, 3) == 2);
}

namespace {

/// What an op may have, and with_identity passes on.
struct tagged {
  template <class T>
  using accumulator = long;
  long lift(int x, std::size_t i) const { return 10 * x + static_cast<long>(i); }
  long finish(long a) const { return -a; }
  long operator()(long a, long b) const { return a + b; }
};
struct times_ten {
  long lift(int x) const { return 10 * x; }
  long operator()(long a, long b) const { return a + b; }
};

}  // namespace

TEST_CASE("with_identity keeps what an op lifts and finishes") {
  const auto op = wf::with_identity(tagged{}, 0L);
  CHECK(wf::reduce(wf::seq, std::vector<int>{1, 2, 3}, op) == -63);
  CHECK(wf::reduce(wf::seq, std::vector<int>{1, 2, 3}, wf::with_identity(times_ten{}, 0L)) == 60);
  CHECK(wf::reduce(wf::seq, std::vector<int>{}, op) == 0);
}
