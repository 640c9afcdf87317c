// ordered_fold: the declared order of every way to fold elements on one host thread.
#include <warpfold/host/ordered_fold.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <warpfold/op/all.hpp>
#include <warpfold/op/compensated.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/op/moments.hpp>

#include "contract/order_certificate.hpp"
#include "contract/policy_contract.hpp"

namespace {

template <class View, class Op>
auto tree(const View& view, const Op& op, std::size_t first, std::size_t last) {
  return wf::host::ordered_fold(wf::reduction<View, Op>{view, op, {}}, first, last);
}
template <class T>
wf::contiguous_view<const T> view_of(const std::vector<T>& v) {
  return {v.data(), v.size()};
}

}  // namespace

TEST_CASE("any op, from every place") {
  const auto v = test::ordered_elements((1u << 19) + 10);
  const test::ordered_hash op;
  for (const std::size_t n : test::ordered_sizes()) {
    INFO(n, " elements");
    for (const std::size_t first : {0u, 3u}) {
      const auto element = [&](std::size_t i) { return v[i]; };
      REQUIRE(tree(view_of(v), op, first, first + n) ==
              test::recursive_fold<std::uint64_t>(op, element, first, first + n));
    }
  }
}

namespace {

/// Sums elements, and batches in another order than the declared one.
struct hash_of_batches {
  std::uint64_t lift(std::uint64_t x) const { return x; }
  std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    return test::ordered_hash{}(a, b);
  }
  template <class Batch>
  std::uint64_t fold_batch(std::uint64_t, const Batch&) const {
    return 0;
  }
};

}  // namespace

TEST_CASE("an op that folds batches has single elements as leaves, too") {
  const auto v = test::ordered_elements(5000);
  const hash_of_batches op;
  CHECK(tree(wf::lifted(view_of(v), op), op, 0, v.size()) == test::ordered_fold(v));
}

TEST_CASE_TEMPLATE("moments are those of merged single elements", T, float, double, signed char,
                   unsigned short, int) {
  const wf::moments_op op;
  std::vector<T> v(70'000);
  for (std::size_t i = 0; i < v.size(); ++i) {
    const std::uint64_t bits = test::ordered_element{}(i + 1);
    v[i] = std::is_integral_v<T> ? static_cast<T>(bits >> 30)
                                 : static_cast<T>(static_cast<double>(bits >> 11) * 0x1p-53);
  }
  for (const bool is_finite : {true, false}) {
    if (!is_finite && std::is_integral_v<T>) break;
    if (!is_finite) v[600] = std::numeric_limits<T>::infinity();
    for (const std::size_t n :
         {1u, 15u, 16u, 63u, 64u, 65u, 100u, 1000u, 2049u, 4097u, 40'000u, 65'536u, 70'000u}) {
      INFO(n, " elements");
      const auto got = tree(wf::lifted(view_of(v), op), op, 0, n);
      const auto expected =
          test::recursive_fold<wf::moments>(op, [&](std::size_t i) { return op.lift(v[i]); }, 0, n);
      CHECK(got.count == expected.count);
      CHECK(test::same_bits(got.mean, expected.mean));
      CHECK((test::same_bits(got.m2, expected.m2) ||
             (std::isnan(got.m2) && std::isnan(expected.m2))));
    }
  }
}

TEST_CASE("parts of all keep the sides of their operands") {
  // Its order is that of leaves, but the first and the last element stay where they are.
  const auto ends = [](std::pair<int, int> a, std::pair<int, int> b) {
    return std::pair{a.first, b.second};
  };
  for (const std::size_t n : {2u, 70u, 4097u, 70001u}) {
    std::vector<int> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<int>(i);
    const auto both = [](int x) { return std::pair{x, x}; };
    const auto op = wf::all(wf::projected(ends, both), wf::plus{});
    const auto found = tree(wf::lifted(view_of(v), op), op, 0, n);
    CHECK(wf::get<0>(found) == std::pair{0, static_cast<int>(n) - 1});
    CHECK(wf::get<1>(found) == static_cast<long long>(n * (n - 1) / 2));
  }
}

TEST_CASE("where the order does not matter, it is another") {
  // The sum of the integers of a batch in 32 bits, extrema in vector registers.
  const auto v = test::whole_data<wf::plus, short>(100000);
  CHECK(tree(view_of(v), wf::plus{}, 0, v.size()) ==
        test::recursive_fold<long long>(
            std::plus<long long>{}, [&](std::size_t i) { return v[i]; }, 0, v.size()));
  CHECK(tree(view_of(v), wf::minimum{}, 7, v.size()) == *std::min_element(v.begin() + 7, v.end()));
}
