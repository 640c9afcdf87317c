// Expressions of arrays: their types, arrays, functions and extents, the loads of chunks, and what
// does not fit together.
// needs: cccl
#include <warpfold/view/expression.hpp>

#include <doctest/doctest.h>

#include <span>
#include <vector>

#include <cuda/std/mdspan>

#include <warpfold/op/extrema.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/view/global_access.hpp>

namespace wf = warpfold;

namespace {

using matrix = cuda::std::mdspan<const float, cuda::std::dextents<int, 2>>;
using cube = cuda::std::mdspan<const int, cuda::std::dextents<int, 3>>;

template <class... Arrays>
inline constexpr bool one_rank = wf::detail::array_node<wf::zipped_array<Arrays...>>::one_rank;
static_assert(one_rank<matrix, matrix> && !one_rank<matrix, cube>);
static_assert(one_rank<cube, wf::broadcast_array<matrix, 0, 2>>);
static_assert(!one_rank<matrix, wf::broadcast_array<matrix, 0, 2>>);

static_assert(wf::detail::has_axes<matrix> && !wf::detail::has_axes<std::vector<float>>);
static_assert(!wf::detail::array_expression<matrix>);
static_assert(std::is_same_v<wf::detail::array_element_t<matrix>, float>);
using pair_of_arrays = decltype(wf::zip(std::declval<matrix>(), std::declval<matrix>()));
static_assert(wf::detail::array_expression<pair_of_arrays>);
static_assert(std::is_same_v<wf::detail::array_element_t<pair_of_arrays>, wf::tuple<float, float>>);
static_assert(wf::detail::converts_to_view<pair_of_arrays>);
using pair_of_cubes = decltype(wf::zip(std::declval<cube>(), std::declval<cube>()));
static_assert(std::is_same_v<wf::detail::array_element_t<pair_of_cubes>, wf::tuple<int, int>>);
// An mdspan beside another range is a view of the elements.
static_assert(!wf::detail::has_axes<decltype(wf::zip(std::declval<matrix>(),
                                                     std::declval<const std::vector<int>&>()))>);

struct minus {
  double operator()(float x, double y) const { return static_cast<double>(x) - y; }
};
using difference = wf::detail::projected_value<
    wf::detail::zipped_value<wf::detail::array_value, wf::detail::array_value>, minus>;
using source = wf::array_source<difference, float, double>;

static_assert(std::is_same_v<source::value_type, double>);
static_assert(source::chunk_size == 4);
static_assert(source::words<4> == 3 && source::words<1> == 2);
static_assert(difference::computes && !wf::detail::array_value::computes);
static_assert(wf::array_source<wf::detail::array_value, char>::chunk_size == 16);
struct three {
  float x, y, z;
};
static_assert(wf::array_source<wf::detail::array_value, three>::chunk_size == 1);

struct arrays {
  alignas(16) float x[16];
  alignas(16) double y[16];
  source s{{x, {y}}, {}};

  arrays() {
    for (int i = 0; i < 16; ++i) {
      x[i] = static_cast<float>(i * i);
      y[i] = 100 * i;
    }
  }
};

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
  CHECK(e.shapes[0].stride[0] == 1);
  CHECK(e.shapes[0].stride[1] == 2);
  CHECK(e.shapes[1].stride[0] == 2);
  CHECK(e.shapes[2].stride[1] == 0);
  CHECK(e.whole().count() == 4);
}

TEST_CASE("extents that differ, and dimensions that no array has") {
  const std::vector<float> x(64);
  CHECK_THROWS_WITH_AS(wf::detail::flat(wf::zip(matrix(x.data(), 4, 5), matrix(x.data(), 3, 5))),
                       doctest::Contains("extents of 4 and 3 in dimension 0"), wf::invalid_range);
  CHECK_THROWS_WITH_AS(wf::detail::flat(wf::broadcast<1>(x)),
                       doctest::Contains("repeats along dimension 0"), wf::invalid_range);
}

TEST_CASE("an expression of matrices is a range of their elements in memory order") {
  const std::vector<float> v{1, 2, 3, 4, 5, 6};
  const matrix m(v.data(), 2, 3);
  CHECK(wf::reduce(wf::seq, wf::project(m, [](float x) { return x * x; }), wf::plus{}) == 91);
  const auto sums = wf::project(wf::zip(m, wf::project(m, [](float x) { return -2 * x; })),
                                [](float x, float y) { return x + y; });
  CHECK(wf::reduce(wf::seq, sums, wf::plus{}) == -21);
  CHECK(sums.view()[4] == -5);
}

TEST_CASE("each array is loaded in its own way") {
  using how = wf::array_load;
  const arrays a;
  const wf::global_access loads;
  const wf::array_offsets<2> at[] = {{{4, 2}}, {{0, 8}}};
  source::chunk_type<4> c[2];
  const auto check = [&](std::size_t x_step, std::size_t y_step, how x_how, how y_how, int here) {
    const std::size_t step[] = {x_step, y_step};
    const how ways[] = {x_how, y_how};
    a.s.load<4>(c, at, step, ways, here, loads);
    for (int k = 0; k < 8; ++k) {
      const auto [x, y] = at[k / 4].of;
      const auto own = static_cast<std::size_t>(k % 4 < here ? k % 4 : here - 1);
      CHECK(a.s.get<4>(c[k / 4], k % 4) ==
            static_cast<double>(a.x[x + own * x_step]) - a.y[y + own * y_step]);
    }
  };
  check(1, 1, how::words, how::words, 4);
  check(1, 1, how::words, how::words, 3);
  check(1, 0, how::words, how::elements, 4);
  check(3, 2, how::elements, how::elements, 4);
  check(3, 0, how::elements, how::elements, 1);
}

TEST_CASE("one element, and values on the host") {
  const arrays a;
  const std::size_t at[] = {5, 7};
  source::chunk_type<1> c;
  a.s.load_one(c, at, wf::global_access{});
  CHECK(a.s.get<1>(c, 0) == 25 - 700);
  CHECK(a.s.value(at) == 25 - 700);
}
