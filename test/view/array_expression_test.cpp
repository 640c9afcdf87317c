// Which types have axes, the types of their elements, and expressions as ranges.
// needs: cccl
#include <warpfold/view/array_expression.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <cuda/std/mdspan>

#include <warpfold/op/extrema.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/reduce.hpp>

namespace wf = warpfold;

namespace {

using matrix = cuda::std::mdspan<const float, cuda::std::dextents<int, 2>>;
using cube = cuda::std::mdspan<double, cuda::std::dextents<int, 3>>;

static_assert(wf::detail::has_axes<matrix> && !wf::detail::has_axes<std::vector<float>>);
static_assert(!wf::detail::array_expression<matrix>);
static_assert(std::is_same_v<wf::detail::array_element_t<matrix>, float>);
using pair_of_arrays = decltype(wf::zip(std::declval<matrix>(), std::declval<matrix>()));
static_assert(wf::detail::array_expression<pair_of_arrays>);
static_assert(std::is_same_v<wf::detail::array_element_t<pair_of_arrays>, wf::tuple<float, float>>);
static_assert(wf::detail::converts_to_view<pair_of_arrays>);
using pair_of_cubes = decltype(wf::zip(std::declval<cube>(), std::declval<cube>()));
static_assert(
    std::is_same_v<wf::detail::array_element_t<pair_of_cubes>, wf::tuple<double, double>>);
// An mdspan beside another range is a view of the elements.
static_assert(!wf::detail::has_axes<decltype(wf::zip(std::declval<matrix>(),
                                                     std::declval<const std::vector<int>&>()))>);

}  // namespace

TEST_CASE("an expression of matrices is a range of their elements in memory order") {
  const std::vector<float> v{1, 2, 3, 4, 5, 6};
  const matrix m(v.data(), 2, 3);
  CHECK(wf::reduce(wf::seq, wf::project(m, [](float x) { return x * x; }), wf::plus{}) == 91);
  const auto sums = wf::project(wf::zip(m, wf::project(m, [](float x) { return -2 * x; })),
                                [](float x, float y) { return x + y; });
  CHECK(wf::reduce(wf::seq, sums, wf::plus{}) == -21);
  CHECK(sums.view()[4] == -5);
}
