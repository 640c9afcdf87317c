// Sums, sums of squares and compensated sums in vector registers: the declared order, with vectors
// of any width.
// gcc: its code has assembly for AVX2 and AVX-512
#include <warpfold/host/vector_tree.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <warpfold/host/ordered_fold.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/squares.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>

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

TEST_CASE_TEMPLATE("sums of numbers and of products, in vectors of any width", T, float, double) {
  const auto a = test::real_data<T>((1u << 19) + 10);
  auto b = a;
  std::reverse(b.begin(), b.end());
  const auto product = [&](std::size_t i) {
    volatile T rounded = a[i] * b[i];
    return static_cast<T>(rounded);
  };
  const auto products = wf::transform_view(wf::zip_view(view_of(a), view_of(b)), wf::multiplies{});
  const auto add = [](T x, T y) { return x + y; };
  static_assert(wf::host::folds_in_vector_tree<wf::plus, wf::contiguous_view<const T>, T>);
  static_assert(
      wf::host::folds_in_vector_tree<wf::plus, std::remove_const_t<decltype(products)>, T>);
  for (const std::size_t n : test::ordered_sizes()) {
    INFO(n, " elements");
    for (const std::size_t first : {0u, 1u}) {
      const std::size_t last = first + n;
      const T sum = test::recursive_fold<T>(add, [&](std::size_t i) { return a[i]; }, first, last);
      REQUIRE(test::same_bits(tree(view_of(a), wf::plus{}, first, last), sum));
      REQUIRE(test::same_bits(tree(products, wf::plus{}, first, last),
                              test::recursive_fold<T>(add, product, first, last)));
#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
      using namespace wf::host::detail;
      const numbers_source<T> from{a.data() + first};
      REQUIRE(test::same_bits(add_in_order<narrow_tree>(from, n), sum));
#if defined(__x86_64__)
      if (wf::detail::has_vectors_of<32>()) {
        REQUIRE(test::same_bits(add_in_order<wide_tree>(from, n), sum));
      }
#endif
#endif
    }
  }
}

namespace {

/// Compares with the recursive definition for elements `first` to `last - 1`.
template <class Op, class View>
void check_lifted(const View& elements, const Op& op, std::size_t first, std::size_t last) {
  const auto view = wf::lifted(elements, op);
  using view_type = std::remove_const_t<decltype(view)>;
  using A = typename wf::reduction<view_type, Op>::accumulator;
  const auto apply = [&](const A& a, const A& b) { return A(op(a, b)); };
  const A expected =
      test::recursive_fold<A>(apply, [&](std::size_t i) { return A(view[i]); }, first, last);
  REQUIRE(test::same_bits(tree(view, op, first, last), expected));
}

}  // namespace

TEST_CASE_TEMPLATE("compensated sums, of memory and of projected elements", T, float, double) {
  const auto a = test::real_data<T>((1u << 19) + 10);
  const auto half = [](T x) { return x / 2; };
  for (const std::size_t n : test::ordered_sizes()) {
    INFO(n, " elements");
    check_lifted(view_of(a), wf::compensated_plus{}, 1, n + 1);
    if (n < 9000) {
      check_lifted(wf::transform_view(view_of(a), half), wf::compensated_plus{}, 0, n);
    }
  }
  using wf::host::detail::compensated_node;
  for (const T x : {T(1e30), std::numeric_limits<T>::infinity(), T(-0.0)}) {
    std::vector<T> v(200, T(1));
    v[70] = x;
    check_lifted(view_of(v), wf::compensated_plus{}, 0, 200);
  }
}

TEST_CASE_TEMPLATE("squares, of memory and of projected elements", T, float, double, int, unsigned,
                   short, signed char, unsigned long long) {
  std::vector<T> a((1u << 19) + 10);
  std::mt19937 random(4);
  for (T& x : a) x = static_cast<T>(static_cast<int>(random()) / 3);
  const auto other = [](T x) { return static_cast<double>(x) / 3; };
  for (const std::size_t n : test::ordered_sizes()) {
    INFO(n, " elements");
    check_lifted(view_of(a), wf::squares_op{}, 1, n + 1);
    if (n < 9000) check_lifted(wf::transform_view(view_of(a), other), wf::squares_op{}, 0, n);
  }
}

TEST_CASE_TEMPLATE("moments of each type of number", T, float, double, int, unsigned, long long,
                   unsigned long long) {
  std::vector<T> a(40000);
  std::mt19937 random(4);
  for (T& x : a) x = static_cast<T>(random()) / 3;
  for (const std::size_t n : {1u, 7u, 100u, 511u, 512u, 5000u, 39999u}) {
    INFO(n, " elements");
    check_lifted(view_of(a), wf::moments_op{}, 0, n);
  }
}

TEST_CASE("squares of numbers of any size have the bits of any division") {
  // What a block squares without scaling does not matter to the root.
  std::mt19937 random(4);
  for (int exponents : {10, 300, 600, 1000}) {
    for (const std::size_t n : {3u, 100u, 1024u, 5000u}) {
      std::vector<double> v(n);
      for (double& x : v) {
        x = std::ldexp(
            1 + static_cast<double>(random()) / 5e9,
            static_cast<int>(random() % static_cast<unsigned>(2 * exponents)) - exponents);
      }
      const auto view = wf::lifted(view_of(v), wf::squares_op{});
      const auto apply = wf::squares_op{};
      const auto expected = test::recursive_fold<wf::scaled_squares>(
          apply, [&](std::size_t i) { return view[i]; }, 0, n);
      CHECK(tree(view, wf::squares_op{}, 0, n).root() == expected.root());
    }
  }
}

#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
namespace {

/// Compares folds in the vectors of `Widest` with those that calls use.
template <class Widest>
void check_vectors() {
  using namespace wf::host::detail;
  const auto a = test::real_data<float>(5000);
  const auto doubles = test::real_data<double>(5000);
  const auto fold = [&]<class Node>(Node, auto source, const auto& op, const auto& element) {
    return fold_in_vectors<Node, Widest>(source, a.size(), op, element);
  };
  const numbers_source<float> plain{a.data()};
  const converted_source<float, double> wide{a.data()};
  const auto compensated =
      fold(compensated_node<float>{}, plain, wf::compensated_plus{},
           [](const auto& at) { return wf::compensated_sum<float>{at.element(), 0}; });
  const auto lifted = wf::lifted(view_of(a), wf::compensated_plus{});
  CHECK(test::same_bits(compensated, tree(lifted, wf::compensated_plus{}, 0, a.size())));
  const auto square = [](const auto& at) { return at.element() * at.element(); };
  const double squares = fold(squares_node{}, wide, wf::plus{}, square);
  CHECK(squares == tree(wf::lifted(view_of(a), wf::squares_op{}), wf::squares_op{}, 0, a.size()));
  const products_source<double> products{doubles.data(), doubles.data() + 1};
  CHECK(add_in_order<Widest>(products, 4999) == add_in_order(products, 4999));
  const auto expected =
      tree(wf::lifted(view_of(a), wf::moments_op{}), wf::moments_op{}, 0, a.size());
  using node = moments_node<std::remove_const_t<decltype(expected)>, true>;
  const auto lift = [](const auto& at) {
    return wf::moments_op{}.lift(static_cast<float>(at.element()));
  };
  const auto moments = fold(node{}, wide, wf::moments_op{}, lift);
  CHECK(test::same_bits(moments.mean, expected.mean));
  CHECK(test::same_bits(moments.m2, expected.m2));
}

}  // namespace

TEST_CASE("narrower vectors have the same bits") {
  check_vectors<wf::host::detail::narrow_tree>();
#if defined(__x86_64__)
  if (wf::detail::has_vectors_of<32>()) check_vectors<wf::host::detail::wide_tree>();
#endif
}
#endif
