// The declared order: stacks of nodes, and folds of elements, beside the recursive definition.
#include <warpfold/op/fold_order.hpp>

#include <doctest/doctest.h>

#include <bit>

#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/bitwise.hpp>
#include <warpfold/op/compensated.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/logical.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/multiplies.hpp>
#include <warpfold/op/plus.hpp>

#include "contract/order_certificate.hpp"

namespace wf = warpfold;

TEST_CASE("a fold of elements is the recursive one, and combines each element once") {
  const auto v = test::ordered_elements(1000);
  for (std::size_t n = 1; n <= v.size(); ++n) {
    std::size_t calls = 0;
    const auto op = [&](std::uint64_t a, std::uint64_t b) {
      ++calls;
      return test::ordered_hash{}(a, b);
    };
    for (const std::size_t first : {std::size_t{0}, n / 3}) {
      const auto element = [&](std::size_t i) { return v[i]; };
      calls = 0;
      const auto found = wf::fold_in_order<std::uint64_t>(op, element, first, n);
      CHECK(calls == n - first - 1);
      REQUIRE(found == test::recursive_fold<std::uint64_t>(op, element, first, n));
    }
  }
}

TEST_CASE("any division of a range consists of nodes, few of each size") {
  for (std::size_t whole = 1; whole <= 33; ++whole) {
    const auto v = test::ordered_elements(whole);
    for (std::size_t first = 0; first <= whole; ++first) {
      for (std::size_t second = first; second <= whole; ++second) {
        wf::fold_stack<std::uint64_t> nodes;
        std::size_t next = 0;
        const auto add = [&](std::size_t begin, std::size_t end) {
          std::size_t count = 0;
          wf::detail::for_each_node(begin, end, whole, [&](std::size_t from, std::size_t to) {
            const std::size_t length = std::bit_ceil(to - from);
            CHECK(from == next);
            CHECK(from % length == 0);
            CHECK((to - from == length || to == whole));
            nodes.push(test::ordered_fold(std::vector(v.begin() + static_cast<long>(from),
                                                      v.begin() + static_cast<long>(to))),
                       length, test::ordered_hash{});
            next = to;
            ++count;
          });
          CHECK(next == end);
          CHECK(count <= 2 * static_cast<std::size_t>(std::bit_width(end - begin)));
        };
        add(0, first);
        add(first, second);
        add(second, whole);
        CHECK(nodes.folded(test::ordered_hash{}) == test::ordered_fold(v));
      }
    }
    std::size_t count = 0;
    wf::detail::for_each_node(0, whole, whole, [&](std::size_t, std::size_t) { ++count; });
    CHECK(count == 1);
  }
}

TEST_CASE("types that are combined few at a time, or one at a time") {
  struct wide {
    std::uint64_t hash;
    char more[56];
  };
  struct wider {
    std::uint64_t hash;
    char more[100];
  };
  const auto v = test::ordered_elements(150);
  const auto check = [&]<class A>(A) {
    const auto op = [](const A& a, const A& b) {
      return A{test::ordered_hash{}(a.hash, b.hash), {}};
    };
    for (std::size_t n = 1; n <= v.size(); ++n) {
      const auto element = [&](std::size_t i) { return A{v[i], {}}; };
      CHECK(wf::fold_in_order<A>(op, element, 0, n).hash ==
            test::ordered_fold(std::vector(v.begin(), v.begin() + static_cast<long>(n))));
    }
  };
  check(wide{});
  check(wider{});
}

TEST_CASE("nodes of several sizes, the last one shorter") {
  const auto v = test::ordered_elements(100);
  const test::ordered_hash op;
  const auto node = [&](std::size_t first, std::size_t last) {
    return test::recursive_fold<std::uint64_t>(
        op, [&](std::size_t i) { return v[i]; }, first, last);
  };
  for (const std::size_t large : {8u, 16u, 32u}) {
    for (std::size_t n = 1; n <= v.size(); ++n) {
      // Whole nodes of two sizes, and then fewer than four elements, as a node or as the last one.
      wf::fold_stack<std::uint64_t> nodes;
      for (std::size_t i = 0; n - i >= 4; i = nodes.size()) {
        const std::size_t size = n - i >= large ? large : 4;
        nodes.push(node(i, i + size), size, op);
      }
      const std::size_t whole = nodes.size();
      CHECK(whole == n / 4 * 4);
      if (whole == n) {
        CHECK(nodes.folded(op) == node(0, n));
      } else if (whole == 0) {
        CHECK(nodes.folded(node(0, n), op) == node(0, n));
      } else {
        CHECK(nodes.folded(node(whole, n), op) == node(0, n));
        nodes.push(node(whole, n), 4, op);
        CHECK(nodes.folded(op) == node(0, n));
      }
    }
  }
}

namespace {

struct own_plus : wf::plus {};
template <class T>
using both = wf::tuple<T, T>;

}  // namespace

static_assert(wf::same_in_any_order<wf::plus, long long> && wf::same_in_any_order<wf::plus, bool>);
static_assert(!wf::same_in_any_order<wf::plus, float>);
static_assert(!wf::same_in_any_order<own_plus, int>);
static_assert(wf::same_in_any_order<wf::multiplies, unsigned>);
static_assert(!wf::same_in_any_order<wf::multiplies, double>);
static_assert(wf::same_in_any_order<wf::minimum, float> && wf::same_in_any_order<wf::maximum, int>);
static_assert(!wf::same_in_any_order<wf::minimum, both<int>>);
static_assert(wf::same_in_any_order<wf::bit_xor, int> &&
              wf::same_in_any_order<wf::logical_or, bool>);
static_assert(wf::same_in_any_order<wf::exact_plus<void>, wf::exact_sum<float>>);
static_assert(!wf::same_in_any_order<wf::compensated_plus, wf::compensated_sum<float>>);
static_assert(!wf::same_in_any_order<wf::moments_op, wf::moments>);
static_assert(wf::same_in_any_order<wf::arg_op<wf::minimum>, wf::indexed<float>>);
static_assert(
    wf::same_in_any_order<decltype(wf::all(wf::plus{}, wf::maximum{})), wf::tuple<long long, int>>);
static_assert(
    !wf::same_in_any_order<decltype(wf::all(wf::plus{}, wf::maximum{})), wf::tuple<float, float>>);
