// plus: result types, accumulators, identities, and integers that wrap.
#include <warpfold/op/plus.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <span>
#include <string>

#include "contract/oracle.hpp"

namespace {

template <class A, class B>
using sum_t = decltype(wf::plus{}(std::declval<A>(), std::declval<B>()));

template <class T>
using accumulator_t = typename wf::op_traits<wf::plus, T>::accumulator;

constexpr long long most = std::numeric_limits<long long>::max();
constexpr long long least = std::numeric_limits<long long>::min();

/// A user's op, which inherits nothing for speed.
struct own_plus : wf::plus {};

/// Has a sum, but no zero.
struct length {
  explicit length(double m) : meters(m) {}
  friend length operator+(length a, length b) { return length(a.meters + b.meters); }
  double meters;
};

}  // namespace

// In a constant expression, undefined behavior is an error: these wrap, and do not overflow.
static_assert(wf::plus{}(most, 1ll) == least);
static_assert(wf::plus{}(least, -1ll) == most);
static_assert(wf::plus{}(std::numeric_limits<int>::max(), 1) == std::numeric_limits<int>::min());
static_assert(wf::plus{}(-1ll, 2u) == 1);
static_assert(wf::plus{}(true, true) == 2);

// As the language has them.
static_assert(std::is_same_v<sum_t<char, char>, int>);
static_assert(std::is_same_v<sum_t<int, long long>, long long>);
static_assert(std::is_same_v<sum_t<int, unsigned>, unsigned>);
static_assert(std::is_same_v<sum_t<float, int>, float>);

static_assert(std::is_same_v<accumulator_t<signed char>, long long>);
static_assert(std::is_same_v<accumulator_t<unsigned char>, unsigned long long>);
static_assert(std::is_same_v<accumulator_t<bool>, long long>);
static_assert(std::is_same_v<accumulator_t<unsigned>, unsigned long long>);
static_assert(std::is_same_v<accumulator_t<long>, long>);
static_assert(std::is_same_v<accumulator_t<unsigned long>, unsigned long>);
static_assert(std::is_same_v<accumulator_t<float>, float>);
static_assert(std::is_same_v<accumulator_t<std::complex<float>>, std::complex<float>>);

static_assert(!wf::op_traits<wf::plus, length>::has_identity);
static_assert(!wf::op_traits<wf::plus, int*>::has_identity);

namespace {

/// `partial_batch` of the largest elements, and of the least, fit the narrow type.
template <class T>
void check_partial() {
  static_assert(wf::folds_partially<wf::plus, T, wf::wide_sum_t<T>>);
  static_assert(!wf::folds_partially<own_plus, T, wf::wide_sum_t<T>>);
  using partial = std::numeric_limits<wf::plus::partial<T>>;
  using limits = std::numeric_limits<T>;
  constexpr auto run = static_cast<long long>(wf::plus::partial_batch);
  CHECK(run * limits::max() <= static_cast<long long>(partial::max()));
  CHECK(run * limits::min() >= static_cast<long long>(partial::min()));
}

}  // namespace

TEST_CASE("runs of small integers fit the narrow type that they are summed in") {
  check_partial<bool>();
  check_partial<signed char>();
  check_partial<unsigned char>();
  check_partial<short>();
  check_partial<unsigned short>();
  static_assert(!wf::folds_partially<wf::plus, int, long long>);
  static_assert(!wf::folds_partially<wf::plus, short, double>);  // an init of double
}

TEST_CASE("sums that wrap, by reduce: the documented value modulo 2^64") {
  CHECK(wf::reduce(wf::seq, std::vector<long long>{most, most, most}) == most - 2);
}

TEST_CASE("identities") {
  CHECK(wf::op_traits<wf::plus, float>::identity({}) == 0);
  CHECK(wf::op_traits<wf::plus, std::complex<double>>::identity({}) == 0.0);
  CHECK(wf::op_traits<wf::plus, std::string>::identity({}).empty());
}

TEST_CASE("complex numbers") {
  const std::vector<std::complex<double>> values = {{1, 2}, {3, -1}, {0, 1}};
  CHECK(wf::reduce(wf::seq, values) == std::complex<double>(4, 2));
}

TEST_CASE("a class keeps the order of its operands") {
  CHECK(wf::plus{}(std::string("a"), std::string("b")) == "ab");
  CHECK(wf::plus{}(length(1), length(2)).meters == 3);
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
TEST_CASE("small vectors, by component") {
  const std::vector<float3> points = {{1, 2, 3}, {-4, 5, 0.5f}, {2, 2, 2}};
  CHECK(test::same(wf::reduce(wf::seq, points), float3{-1, 9, 5.5f}));
  CHECK(test::same(wf::reduce(wf::seq, std::span<const float3>{}), float3{0, 0, 0}));
  const std::vector<int4> fours = {{1, 2, 3, 4}, {10, 20, 30, 40}};
  CHECK(test::same(wf::reduce(wf::seq, fours), int4{11, 22, 33, 44}));
  const std::vector<uint2> twos = {{1, 2}, {10, 20}};
  CHECK(test::same(wf::reduce(wf::seq, twos), uint2{11, 22}));
}
#endif
