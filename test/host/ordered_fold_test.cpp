// ordered_fold: the declared order of every way to fold elements on one host thread.
#include <warpfold/host/ordered_fold.hpp>

#include <doctest/doctest.h>

#include <algorithm>
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

TEST_CASE("an op that folds batches has leaves of whole batches") {
  using reduction = wf::reduction<wf::lifted_view<wf::contiguous_view<const float>, wf::moments_op>,
                                  wf::moments_op>;
  constexpr std::size_t leaf = wf::host::leaf_length<reduction>;
  static_assert(leaf == wf::host::long_batch_length);
  static_assert(wf::host::leaf_length<wf::reduction<wf::contiguous_view<const float>, wf::plus>> ==
                1);
  const auto v = test::real_data<float>(5 * leaf);
  const auto view = wf::lifted(view_of(v), wf::moments_op{});
  const auto fold = [&](std::size_t first, std::size_t last) {
    return tree(view, wf::moments_op{}, first, last);
  };
  const auto same = [](const wf::moments& a, const wf::moments& b) {
    return a.count == b.count && test::same_bits(a.mean, b.mean) && test::same_bits(a.m2, b.m2);
  };
  const wf::moments_op op;
  CHECK(same(fold(0, 2 * leaf), op(fold(0, leaf), fold(leaf, 2 * leaf))));
  CHECK(same(fold(0, 3 * leaf), op(fold(0, 2 * leaf), fold(2 * leaf, 3 * leaf))));
  CHECK(same(fold(0, 5 * leaf - 7), op(fold(0, 4 * leaf), fold(4 * leaf, 5 * leaf - 7))));
  CHECK_FALSE(same(fold(0, leaf), op(fold(0, leaf / 2), fold(leaf / 2, leaf))));
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
