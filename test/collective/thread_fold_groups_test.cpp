// Ops that fold small elements in a narrower type, behind a projection from larger elements: a
// chunk may then have fewer elements than the op folds at once.
// needs: boost_context
#include <doctest/doctest.h>

#include <span>
#include <string>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/view/transform.hpp>

#include "contract/oracle.hpp"

namespace {

template <class T>
struct to {
  template <class X>
  WARPFOLD_HD T operator()(const X& x) const {
    return static_cast<T>(static_cast<double>(x));
  }
};

struct pair_of_doubles {
  double x, y;
  WARPFOLD_HD explicit operator double() const { return x; }
};

template <class From, class To, class Op>
void check(const char* name) {
  for (const std::size_t n : {1u, 2u, 3u, 7u, 100u, 1025u}) {
    CAPTURE(n);
    CAPTURE(std::string(name));
    std::vector<From> values(n + 1);
    for (std::size_t i = 0; i < n + 1; ++i) {
      // Odd, so that no product modulo 2^64 is zero; with the largest and the least among them.
      const double x = i % 5 == 0   ? static_cast<double>(std::numeric_limits<To>::max())
                       : i % 7 == 0 ? static_cast<double>(std::numeric_limits<To>::min()) + 1
                                    : static_cast<double>(2 * (i % 30) + 1);
      if constexpr (std::is_same_v<From, pair_of_doubles>) {
        values[i] = {x, -1};
      } else {
        values[i] = static_cast<From>(x);
      }
    }
    for (const std::size_t from : {0u, 1u}) {
      const auto view = wf::project(std::span<const From>(values).subspan(from, n), to<To>{});
      const auto expected = wf::reduce(wf::seq, view, Op{});
      CHECK(wf::reduce(wf::emulated, view, Op{}) == expected);
    }
  }
}

template <class To>
void check_all() {
  check<pair_of_doubles, To, wf::multiplies>("products, chunks of one");
  check<double, To, wf::multiplies>("products, chunks of two");
  check<float, To, wf::multiplies>("products, chunks of four");
  check<double, To, wf::plus>("sums, chunks of two");
  check<double, To, wf::maximum>("maxima, chunks of two");
}

}  // namespace

TEST_CASE("chars of larger elements") { check_all<signed char>(); }
TEST_CASE("unsigned chars of larger elements") { check_all<unsigned char>(); }
TEST_CASE("shorts of larger elements") { check_all<short>(); }
TEST_CASE("unsigned shorts of larger elements") { check_all<unsigned short>(); }
TEST_CASE("bools of larger elements") { check_all<bool>(); }

namespace {

// Says that it folds three elements in a narrower type, which divides no chunk.
struct sum_by_three {
  using exactly = sum_by_three;
  template <class T>
  using accumulator = long long;
  template <wf::detail::small_integer T>
  using group = int;
  template <wf::detail::small_integer T>
  static constexpr int in_group = 3;

  template <class T>
    requires std::is_integral_v<T>
  WARPFOLD_HD T identity() const {
    return 0;
  }
  template <class A, class B>
  WARPFOLD_HD auto operator()(const A& a, const B& b) const {
    return a + b;
  }
};

// Sums of two chars fit a char, and a chunk has sixteen of them.
struct sum_in_chars {
  using exactly = sum_in_chars;
  template <class T>
  using accumulator = long long;
  template <class T>
    requires(std::is_integral_v<T> && sizeof(T) == 1)
  using partial = signed char;
  static constexpr std::size_t partial_batch = 2;

  template <class T>
    requires std::is_integral_v<T>
  WARPFOLD_HD T identity() const {
    return 0;
  }
  template <class A, class B>
  WARPFOLD_HD auto operator()(const A& a, const B& b) const {
    return a + b;
  }
};

template <class Op>
void check_sum_of_chars() {
  std::vector<signed char> values(1000);
  long long expected = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<signed char>(i % 50);
    expected += values[i];
  }
  CHECK(wf::reduce(wf::seq, values, Op{}) == expected);
  CHECK(wf::reduce(wf::emulated, values, Op{}) == expected);
}

}  // namespace

TEST_CASE("groups that divide no chunk lose no element") { check_sum_of_chars<sum_by_three>(); }
TEST_CASE("partial runs shorter than a chunk do not overflow") {
  check_sum_of_chars<sum_in_chars>();
}
