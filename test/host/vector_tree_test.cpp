// Sums in vector registers: the declared order of numbers and of products, with vectors of any
// width.
#include <warpfold/host/vector_tree.hpp>

#include <doctest/doctest.h>

#include <algorithm>

#include <warpfold/host/ordered_fold.hpp>
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
  static_assert(wf::host::sums_in_vector_tree<wf::plus, wf::contiguous_view<const T>, T>);
  static_assert(
      wf::host::sums_in_vector_tree<wf::plus, std::remove_const_t<decltype(products)>, T>);
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
#endif
    }
  }
}
