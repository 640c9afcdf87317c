// The host policies with CUDA's types, compiled by nvcc: 16-bit floats, small vectors, complex
// numbers, extended lambdas.
// needs: tbb
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cuda/std/complex>
#include <cuda/std/span>

#include <warpfold/dot.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/policy/std_par.hpp>
#include <warpfold/statistics.hpp>

#include "contract/elements.hpp"
#include "contract/policy_contract.hpp"

namespace {

struct par : test::host_memory {
  static auto policy() { return wf::par; }
};
struct seq : test::host_memory {
  static auto policy() { return wf::seq; }
};

using halves = std::tuple<__half, __nv_bfloat16>;

// Any bits: zeros of either sign, infinities, NaNs.
template <class T, class Op>
void check_packed(Op op) {
  static_assert(wf::folds_packed<Op, T>);
  test::random_bits random;
  for (int i = 0; i < 1000; ++i) {
    T elements[8];
    for (T& e : elements) {
      const auto bits = static_cast<std::uint16_t>(random());
      const std::uint16_t some[] = {0, 0x8000, bits, static_cast<std::uint16_t>(bits & 0x83ff)};
      e = __builtin_bit_cast(T, some[random() % 4]);
    }
    std::uint32_t registers[4];
    std::memcpy(registers, elements, sizeof registers);
    CHECK(wf::detail::pack<T>({elements[0], elements[1]}) == registers[0]);
    const T want = wf::reduce(wf::seq, std::span<const T>(elements, 8), op);
    const T got = op.template fold_packed<T>(registers);
    CHECK((test::same_bits(got, want) ||
           (std::isnan(static_cast<float>(got)) && std::isnan(static_cast<float>(want)))));
  }
}

}  // namespace

TEST_CASE_TEMPLATE_APPLY(sums, test::subjects<seq, halves>);
TEST_CASE_TEMPLATE_APPLY(products, test::subjects<seq, halves>);
TEST_CASE_TEMPLATE_APPLY(extrema, test::subjects<seq, halves>);
TEST_CASE_TEMPLATE_APPLY(rounding, test::subjects<seq, halves>);
TEST_CASE_TEMPLATE_APPLY(signs_and_nans, test::subjects<seq, halves>);
TEST_CASE_TEMPLATE_APPLY(sums, test::subjects<par, halves>);
TEST_CASE_TEMPLATE_APPLY(rounding, test::subjects<par, halves>);
TEST_CASE_TEMPLATE_APPLY(signs_and_nans, test::subjects<par, halves>);
TEST_CASE_TEMPLATE_APPLY(
    sums,
    test::subjects<par,
                   std::tuple<float2, float3, float4, double3, int4, cuda::std::complex<float>>>);
TEST_CASE_TEMPLATE_APPLY(products,
                         test::subjects<par, std::tuple<float3, cuda::std::complex<float>>>);
TEST_CASE_TEMPLATE_APPLY(extrema, test::subjects<par, std::tuple<float3, int4>>);
TEST_CASE_TEMPLATE_INVOKE(forms, par);
TEST_CASE_TEMPLATE_INVOKE(user_ops, par);
TEST_CASE_TEMPLATE_INVOKE(views, par);

TEST_CASE_TEMPLATE("halves are folded packed as one by one", T, __half, __nv_bfloat16) {
  check_packed<T>(wf::minimum{});
  check_packed<T>(wf::maximum{});
}

TEST_CASE_TEMPLATE("exact results of 16-bit floats", T, __half, __nv_bfloat16) {
  const float most = std::is_same_v<T, __half> ? 65504.0f : 0x1.fep127f;
  const float least = std::is_same_v<T, __half> ? 0x1p-24f : 0x1p-133f;
  const std::vector<T> v = {static_cast<T>(most), static_cast<T>(least), static_cast<T>(-most)};
  const auto exact = wf::plus{}.exact();
  CHECK(wf::reduce(wf::seq, v, exact) == least);
  CHECK(wf::reduce(wf::par, v, exact) == least);
  CHECK(wf::mean(wf::par, v, wf::plus{}.exact<double>()) == static_cast<double>(least) / 3);
  static_assert(std::is_same_v<decltype(wf::mean(wf::par, v, exact)), float>);
  const std::vector<T> w = {static_cast<T>(most), static_cast<T>(1.0f), static_cast<T>(most)};
  CHECK(wf::dot(wf::seq, v, w, exact) == least);
  CHECK(wf::dot(wf::par, v, w, exact) == least);
  CHECK(wf::norm_2(wf::par, std::vector<T>(4, static_cast<T>(most)), exact) == 2.0 * most);
  CHECK(wf::stddev(wf::par, std::vector<T>{v[0], v[2]}, exact) == most);
}

TEST_CASE_TEMPLATE("compensated scalar products of 16-bit floats", T, __half, __nv_bfloat16) {
  // (m - 1) (m + 1) - m^2 is -1 for numbers that use all digits of T; sums of two hundred products
  // exceed the digits of a float.
  const float most = std::is_same_v<T, __half> ? 2047 : 255;
  std::vector<T> a, b;
  for (int i = 0; i < 200; ++i) {
    const float m = most - static_cast<float>(i % 7);
    a.insert(a.end(), {static_cast<T>(m - 1), static_cast<T>(-m)});
    b.insert(b.end(), {static_cast<T>(m + 1), static_cast<T>(m)});
  }
  for (std::size_t i = 1; i < 200; i += 2) {  // all positive products first
    std::swap(a[i], a[399 - i]), std::swap(b[i], b[399 - i]);
  }
  const auto compensated = wf::plus{}.compensated();
  CHECK(wf::dot(wf::seq, a, b, compensated) == -200);
  CHECK(wf::dot(wf::par, a, b, compensated) == -200);
  const std::vector<float> wide(a.size(), 1 + 0x1p-20f);
  static_assert(std::is_same_v<decltype(wf::dot(wf::par, a, wide, compensated)), float>);
  const std::vector<T> two = {static_cast<T>(most), static_cast<T>(-most)};
  const std::vector<float> near = {1 + 0x1p-23f, 1};
  CHECK(wf::dot(wf::seq, two, near, compensated) == most * 0x1p-23f);
}

TEST_CASE("host policies take lambdas of every kind but the GPU's own") {
  const std::vector<int> v = {3, 9, 4, 1, 5};
  const auto check = [&](const auto& policy) {
    CHECK(wf::reduce(policy, v, [](int a, int b) { return a > b ? a : b; }) == 9);
    CHECK(wf::reduce(policy, cuda::std::span<const int>(v.data(), v.size())) == 22);
  };
  check(wf::seq);
  check(wf::par);
  check(wf::baseline::std_par);
  const auto both_sides = [] __host__ __device__(int a, int b) { return a > b ? a : b; };
  CHECK(wf::reduce(wf::seq, v, both_sides) == 9);
  CHECK(wf::reduce(wf::par, v, both_sides) == 9);
}

TEST_CASE("halves are summed in float, and compared as halves") {
  const std::vector<__half> v(10000, __float2half(0.25f));
  CHECK(wf::reduce(wf::par, v) == 2500.0f);
  CHECK(wf::reduce(wf::par, v, 1.0f, wf::plus{}) == 2501.0f);
  const auto least = wf::reduce(wf::par, v, wf::minimum{});
  static_assert(std::is_same_v<decltype(least), const __half>);
  CHECK(__half2float(least) == 0.25f);
  const std::vector<__half> nothing;
  CHECK(std::isinf(__half2float(wf::reduce(wf::par, nothing, wf::minimum{}))));
  CHECK(__half2float(wf::reduce(wf::par, nothing, wf::maximum{})) < 0);
}

// The complex product of a program that uses cuFloatComplex, which is float2.
inline float2 operator*(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
inline float2 conj(float2 a) { return make_float2(a.x, -a.y); }

TEST_CASE("dot of CUDA's vectors calls the program's own product") {
  const std::vector<float2> v{make_float2(1, 2)}, w{make_float2(3, 4)};
  const float2 sum = wf::dot(wf::seq, v, w);
  CHECK(sum.x == 11);
  CHECK(sum.y == -2);
}
