// The op and the types of CUB's reductions: which op replaces a function object of CCCL, and in
// which type values are reduced. The types are those that CUB defines.
// needs: cccl
#include <warpfold/drop_in/cub_op.hpp>

#include <vector>

#include <doctest/doctest.h>

#include <cuda/std/complex>

#include <warpfold/reduce.hpp>

namespace wf = warpfold;

namespace {

using namespace wf::detail::cub_calls;

template <class Op, class A>
using op_of = typename cub_op<Op, A>::type;
template <class Op, class A, class Ours>
inline constexpr bool becomes = std::is_same_v<op_of<Op, A>, Ours>;
template <class Op, class A>
inline constexpr bool stays = becomes<Op, A, op_on<Op, A>>;

// As CUB's own __accumulator_t.
template <class Op, class T, class Init>
inline constexpr bool as_in_cub =
    std::is_same_v<cub_accumulator_t<Op, T, Init>, cuda::std::__accumulator_t<Op, T, Init>>;
static_assert(as_in_cub<cuda::std::plus<>, signed char, signed char>);
static_assert(as_in_cub<cuda::std::plus<>, int, float>);
static_assert(as_in_cub<cuda::std::plus<>, double, float>);
static_assert(as_in_cub<cuda::std::plus<>, unsigned, long long>);
static_assert(as_in_cub<cuda::std::plus<short>, int, long long>);
static_assert(as_in_cub<cuda::minimum<>, signed char, signed char>);
static_assert(as_in_cub<cuda::minimum<>, float, double>);

static_assert(becomes<cuda::std::plus<>, int, wf::plus>);
static_assert(becomes<cuda::std::plus<float>, float, wf::plus>);
static_assert(becomes<cuda::std::multiplies<>, unsigned, wf::multiplies>);
static_assert(becomes<cuda::minimum<>, short, wf::minimum>);
static_assert(becomes<cuda::minimum<>, float, float_extremum<wf::minimum>>);
static_assert(wf::op_traits<op_of<cuda::minimum<>, float>, float>::has_identity);
static_assert(becomes<cuda::maximum<double>, double, wf::ignoring_nan_op<wf::maximum>>);
static_assert(becomes<cuda::std::bit_xor<>, unsigned, wf::bit_xor>);

// A sum of chars that is a char wraps after every addition; wf::plus would not.
static_assert(stays<cuda::std::plus<signed char>, signed char>);
// The function object converts its operands.
static_assert(stays<cuda::std::plus<int>, float>);
// A class has no known zero, and no known order.
static_assert(stays<cuda::std::plus<>, cuda::std::complex<float>>);

/// An op of a program for CUB whose members mean something else than those of this library's ops.
struct with_members {
  template <class T>
  using accumulator = std::vector<T>;
  int identity() const { return 1000; }
  int lift(int x) const { return -x; }
  int finish(int x) const { return x + 1; }
  int operator()(int a, int b) const { return a + b; }
};
static_assert(!wf::op_traits<op_of<with_members, int>, int>::has_identity);
static_assert(std::is_same_v<wf::op_traits<op_of<with_members, int>, int>::accumulator, int>);

template <class Op, class A, class T>
A reduced(const std::vector<T>& values, A init, const Op& op) {
  return wf::reduce(wf::seq, values, init, cub_op<Op, A>::make(op));
}

}  // namespace

TEST_CASE("only the call of an op counts") {
  CHECK(reduced(std::vector<int>{1, 2, 3}, 10, with_members{}) == 16);
  CHECK(reduced(std::vector<int>{}, 10, with_members{}) == 10);
}

TEST_CASE("values are converted to the type before each call, and the result after each") {
  const auto larger = [](auto a, auto b) { return a > b ? a : b; };
  CHECK(reduced(std::vector<float>{1.75f, 1.25f}, 0, larger) == 1);
  const cuda::std::plus<signed char> wraps{};
  const std::vector<signed char> many(300, 1);
  CHECK(reduced(many, static_cast<signed char>(0), wraps) == 300 - 256);
}

TEST_CASE("minima and maxima of floating-point numbers ignore NaN") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> values{2, nan, 1, nan, 3};
  CHECK(reduced(values, 100.0f, cuda::minimum<>{}) == 1);
  CHECK(reduced(values, -100.0f, cuda::maximum<>{}) == 3);
  CHECK(reduced(std::vector<float>{nan}, 100.0f, cuda::minimum<>{}) == 100);
}
