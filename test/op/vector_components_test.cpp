// CUDA's small vectors and types that are declared to be like them: components in their order.
#include <warpfold/op/vector_components.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace wf = warpfold;

namespace {

/// Not CUDA's, so the test needs none of its headers.
struct pair_of {
  short x, y;
};
struct three {
  double x, y, z;
};
struct four {
  float x, y, z, w;
};

}  // namespace

template <>
inline constexpr int warpfold::vector_components_v<pair_of> = 2;
template <>
inline constexpr int warpfold::vector_components_v<three> = 3;
template <>
inline constexpr int warpfold::vector_components_v<four> = 4;

static_assert(wf::vector_element<three>);
static_assert(!wf::vector_element<float>);
static_assert(!wf::vector_element<float[4]>);
static_assert(std::is_same_v<wf::vector_component_t<pair_of>, short>);

TEST_CASE("componentwise: the function of each pair of components, operands in order") {
  const auto digits = [](auto a, auto b) { return static_cast<decltype(a)>(10 * a + b); };
  const pair_of two = wf::componentwise(pair_of{1, 2}, pair_of{3, 4}, digits);
  CHECK(two.x == 13);
  CHECK(two.y == 24);
  const three t = wf::componentwise(three{1, 2, 3}, three{4, 5, 6}, digits);
  CHECK(t.x == 14);
  CHECK(t.y == 25);
  CHECK(t.z == 36);
  const four f = wf::componentwise(four{1, 2, 3, 4}, four{5, 6, 7, 8}, digits);
  CHECK(f.x == 15);
  CHECK(f.y == 26);
  CHECK(f.z == 37);
  CHECK(f.w == 48);
}

TEST_CASE("all_components: the value in every component") {
  const pair_of two = wf::all_components<pair_of>(7);
  CHECK(two.x + two.y == 14);
  const three t = wf::all_components<three>(0.5);
  CHECK(t.x + t.y + t.z == 1.5);
  const four f = wf::all_components<four>(2);
  CHECK(f.x + f.y + f.z == 6);
  CHECK(f.w == 2);
}

#if __has_include(<vector_types.h>)
// The number of lanes is the number of components.
template <class T, class C>
constexpr bool has_lanes_of = sizeof(T) == wf::vector_components_v<T> * sizeof(C) &&
                              std::is_same_v<wf::vector_component_t<T>, C>;
static_assert(has_lanes_of<float2, float> && has_lanes_of<float3, float> &&
              has_lanes_of<float4, float>);
static_assert(has_lanes_of<double2, double> && has_lanes_of<double3, double>);
static_assert(has_lanes_of<int2, int> && has_lanes_of<int3, int> && has_lanes_of<int4, int>);
static_assert(has_lanes_of<uint2, unsigned> && has_lanes_of<uint3, unsigned> &&
              has_lanes_of<uint4, unsigned>);
#endif
