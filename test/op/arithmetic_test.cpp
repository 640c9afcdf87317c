// plus and multiplies: result types, accumulators, identities, and integers that wrap.
#include <doctest/doctest.h>

#include <complex>
#include <span>

#include "contract/oracle.hpp"

namespace {

template <class Op, class A, class B>
using result_t = decltype(std::declval<const Op&>()(std::declval<A>(), std::declval<B>()));

template <class Op, class T>
using accumulator_t = typename wf::op_traits<Op, T>::accumulator;

constexpr long long most = std::numeric_limits<long long>::max();
constexpr long long least = std::numeric_limits<long long>::min();

}  // namespace

// In a constant expression, undefined behaviour is an error: these wrap, and do not overflow.
static_assert(wf::plus{}(most, 1ll) == least);
static_assert(wf::plus{}(least, -1ll) == most);
static_assert(wf::plus{}(std::numeric_limits<int>::max(), 1) == std::numeric_limits<int>::min());
static_assert(wf::multiplies{}(most, 2ll) == -2);
static_assert(wf::multiplies{}(least, -1ll) == least);
// unsigned short promotes to int, where 65535 * 65535 does not fit.
static_assert(wf::multiplies{}(static_cast<unsigned short>(65535),
                               static_cast<unsigned short>(65535)) == -131071);
static_assert(wf::plus{}(-1ll, 2u) == 1);
static_assert(wf::plus{}(true, true) == 2);

// As the language has them.
static_assert(std::is_same_v<result_t<wf::plus, char, char>, int>);
static_assert(std::is_same_v<result_t<wf::plus, int, long long>, long long>);
static_assert(std::is_same_v<result_t<wf::plus, int, unsigned>, unsigned>);
static_assert(std::is_same_v<result_t<wf::multiplies, float, double>, double>);
static_assert(std::is_same_v<result_t<wf::multiplies, bool, bool>, int>);

static_assert(std::is_same_v<accumulator_t<wf::plus, signed char>, long long>);
static_assert(std::is_same_v<accumulator_t<wf::plus, unsigned char>, unsigned long long>);
static_assert(std::is_same_v<accumulator_t<wf::plus, bool>, long long>);
static_assert(std::is_same_v<accumulator_t<wf::plus, unsigned>, unsigned long long>);
static_assert(std::is_same_v<accumulator_t<wf::plus, long>, long>);
static_assert(std::is_same_v<accumulator_t<wf::plus, unsigned long>, unsigned long>);
static_assert(std::is_same_v<accumulator_t<wf::plus, float>, float>);
static_assert(std::is_same_v<accumulator_t<wf::multiplies, short>, long long>);
static_assert(std::is_same_v<accumulator_t<wf::plus, std::complex<float>>, std::complex<float>>);

TEST_CASE("sums that wrap, by reduce: the documented value modulo 2^64") {
  const std::vector<long long> values = {most, most, most};
  CHECK(wf::reduce(wf::seq, values) == most - 2);
  CHECK(wf::reduce(wf::seq, values, wf::multiplies{}) == most);
}

TEST_CASE("products of integers") {
  CHECK(wf::reduce(wf::seq, std::vector<int>{2, -3, 7}, wf::multiplies{}) == -42);
  CHECK(wf::reduce(wf::seq, std::vector<unsigned char>{20, 30, 7}, wf::multiplies{}) == 4200);
}

TEST_CASE("identities") {
  CHECK(wf::op_traits<wf::plus, float>::identity({}) == 0);
  CHECK(wf::op_traits<wf::multiplies, short>::identity({}) == 1);
  CHECK(wf::op_traits<wf::plus, std::complex<double>>::identity({}) == 0.0);
  CHECK(wf::op_traits<wf::multiplies, std::complex<double>>::identity({}) == 1.0);
}

TEST_CASE("complex numbers") {
  const std::vector<std::complex<double>> values = {{1, 2}, {3, -1}, {0, 1}};
  CHECK(wf::reduce(wf::seq, values) == std::complex<double>(4, 2));
  CHECK(wf::reduce(wf::seq, values, wf::multiplies{}) == std::complex<double>(-5, 5));
}

TEST_CASE("the result has the type of op(init, x), accumulated wide and rounded once") {
  const std::vector<float> tenths(1000000, 0.1f);
  // From a double init, all of it is a double's sum.
  const double sum = wf::reduce(wf::seq, tenths, 0.0, wf::plus{});
  CHECK(std::fabs(sum - 1e6 * static_cast<double>(0.1f)) < 1e-6);
  const std::vector<signed char> bytes(1000, 100);
  CHECK(wf::reduce(wf::seq, bytes, static_cast<signed char>(0), wf::plus{}) == 100000);
}

#if __has_include(<vector_types.h>)
TEST_CASE("small vectors: operands keep their order in each component") {
  const auto left = [](float a, float) { return a; };
  CHECK(test::same(wf::lanewise(float2{1, 2}, float2{3, 4}, left), float2{1, 2}));
  CHECK(test::same(wf::lanewise(float3{1, 2, 3}, float3{4, 5, 6}, left), float3{1, 2, 3}));
  CHECK(test::same(wf::lanewise(float4{1, 2, 3, 4}, float4{5, 6, 7, 8}, left), float4{1, 2, 3, 4}));
}

TEST_CASE("small vectors, by component") {
  const std::vector<float3> points = {{1, 2, 3}, {-4, 5, 0.5f}, {2, 2, 2}};
  CHECK(test::same(wf::reduce(wf::seq, points), float3{-1, 9, 5.5f}));
  CHECK(test::same(wf::reduce(wf::seq, points, wf::multiplies{}), float3{-8, 20, 3}));
  CHECK(test::same(wf::reduce(wf::seq, points, wf::minimum{}), float3{-4, 2, 0.5f}));
  CHECK(test::same(wf::reduce(wf::seq, points, wf::maximum{}), float3{2, 5, 3}));
  CHECK(test::same(wf::reduce(wf::seq, std::span<const float3>{}), float3{0, 0, 0}));
  CHECK(test::same(wf::reduce(wf::seq, std::span<const float2>{}, wf::multiplies{}), float2{1, 1}));
  CHECK(test::same(wf::reduce(wf::seq, std::span<const int3>{}, wf::multiplies{}), int3{1, 1, 1}));
  CHECK(
      test::same(wf::reduce(wf::seq, std::span<const int4>{}, wf::multiplies{}), int4{1, 1, 1, 1}));
  const std::vector<int4> fours = {{1, 2, 3, 4}, {10, 20, 30, 40}};
  CHECK(test::same(wf::reduce(wf::seq, fours), int4{11, 22, 33, 44}));
  const std::vector<uint2> twos = {{1, 2}, {10, 20}};
  CHECK(test::same(wf::reduce(wf::seq, twos), uint2{11, 22}));
}
#endif
