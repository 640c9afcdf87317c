// Expressions taken apart: arrays, functions, extents, and what does not fit together.
// needs: cccl
#include <warpfold/view/array_tree.hpp>

#include <doctest/doctest.h>

#include <span>
#include <vector>

#include <cuda/std/mdspan>

namespace wf = warpfold;

namespace {

using matrix = cuda::std::mdspan<const float, cuda::std::dextents<int, 2>>;
using cube = cuda::std::mdspan<const int, cuda::std::dextents<int, 3>>;

template <class... Arrays>
inline constexpr bool one_rank = wf::detail::array_node<wf::zipped_array<Arrays...>>::one_rank;
static_assert(one_rank<matrix, matrix> && !one_rank<matrix, cube>);
static_assert(one_rank<cube, wf::broadcast_array<matrix, 0, 2>>);
static_assert(!one_rank<matrix, wf::broadcast_array<matrix, 0, 2>>);

}  // namespace

TEST_CASE("nested expressions compute from all arrays in their order") {
  const std::vector<float> x{1, 2, 3, 4};
  const std::vector<int> y{10, 20, 30, 40};
  const cuda::std::mdspan<const int, cuda::std::dextents<int, 2>, cuda::std::layout_left> n(
      y.data(), 2, 2);
  const matrix m(x.data(), 2, 2);
  const auto twice = wf::project(m, [](float v) { return 2 * v; });
  const auto pair = wf::zip(n, twice);
  const auto all = wf::project(
      wf::zip(pair, wf::broadcast<0>(std::span(x.data(), 2))), [](const auto& p, float v) {
        return static_cast<float>(wf::get<0>(p)) + wf::get<1>(p) + 1000 * v;
      });
  const auto e = wf::detail::flat(all);
  static_assert(decltype(e.source)::arrays == 3);
  const std::size_t at[] = {2, 1, 1};
  CHECK(e.source.value(at) == 30 + 2 * 2 + 1000 * 2);
  CHECK(e.shape.stride[0][0] == 1);
  CHECK(e.shape.stride[0][1] == 2);
  CHECK(e.shape.stride[1][0] == 2);
  CHECK(e.shape.stride[2][1] == 0);
}

TEST_CASE("extents that differ, and dimensions that no array has") {
  const std::vector<float> x(64);
  CHECK_THROWS_WITH_AS(wf::detail::flat(wf::zip(matrix(x.data(), 4, 5), matrix(x.data(), 3, 5))),
                       doctest::Contains("extents of 4 and 3 in dimension 0"), wf::invalid_range);
  CHECK_THROWS_WITH_AS(wf::detail::flat(wf::broadcast<1>(x)),
                       doctest::Contains("repeats along dimension 0"), wf::invalid_range);
}
