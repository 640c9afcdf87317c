// Arrays that repeat along other dimensions.
// needs: cccl
#include <warpfold/view/broadcast.hpp>

#include <doctest/doctest.h>

#include <span>
#include <vector>

#include <cuda/std/mdspan>

#include <warpfold/view/expression.hpp>

namespace wf = warpfold;

namespace {

using vector = cuda::std::mdspan<const int, cuda::std::dextents<int, 1>>;
using matrix = cuda::std::mdspan<const int, cuda::std::dextents<int, 2>, cuda::std::layout_left>;

static_assert(wf::detail::has_axes<decltype(wf::broadcast<1>(std::declval<vector>()))>);
static_assert(!wf::reducible_range<decltype(wf::broadcast<1>(std::declval<vector>()))>);
static_assert(!wf::detail::distinct_dimensions<1, 1>());
static_assert(!wf::detail::distinct_dimensions<8>());
static_assert(!wf::detail::distinct_dimensions<-1>());
static_assert(wf::detail::distinct_dimensions<7, 0>());

}  // namespace

TEST_CASE("a vector has one dimension; its strides along the others are 0") {
  const std::vector<int> v{1, 2, 3};
  const auto e = wf::detail::flat(
      wf::zip(wf::broadcast<1>(v), wf::broadcast<0>(std::span<const int>(v.data(), 2))));
  CHECK(e.whole().rank == 2);
  CHECK(e.whole().extent[0] == 2);
  CHECK(e.whole().extent[1] == 3);
  CHECK(e.shapes[0].stride[0] == 0);
  CHECK(e.shapes[0].stride[1] == 1);
  CHECK(e.shapes[1].stride[0] == 1);
  CHECK(e.shapes[1].stride[1] == 0);
  CHECK(e.shapes[0].span() == 3);
}

TEST_CASE("dimensions of an mdspan may be in any order") {
  const std::vector<int> v(12);
  const auto e = wf::detail::flat(
      wf::zip(wf::broadcast<2, 0>(matrix(v.data(), 3, 4)), wf::broadcast<1>(vector(v.data(), 5))));
  CHECK(e.whole().rank == 3);
  CHECK(e.whole().extent[2] == 3);
  CHECK(e.whole().extent[0] == 4);
  CHECK(e.whole().extent[1] == 5);
  CHECK(e.shapes[0].stride[2] == 1);
  CHECK(e.shapes[0].stride[0] == 3);
}
