// drop_in/cub.hpp: sums and extrema give CUB's results in CUB's types, at every size and offset.
#include "drop_in/cub_calls.hpp"

#include <cuda_fp16.h>

#include <cmath>
#include <initializer_list>
#include <limits>

#include "contract/policy_contract.hpp"

namespace {

constexpr std::size_t most = 1000003;

template <class Out, class T>
void compare_sums(const std::vector<T>& values) {
  test::compare_with_cub<Out>(
      values, [](auto lib, void* storage, std::size_t& bytes, const T* in, Out* out,
                 std::size_t n) { return decltype(lib)::reduce::Sum(storage, bytes, in, out, n); });
}

template <class T>
void compare_extrema(const std::vector<T>& values) {
  test::compare_with_cub<T>(
      values, [](auto lib, void* storage, std::size_t& bytes, const T* in, T* out, std::size_t n) {
        return decltype(lib)::reduce::Min(storage, bytes, in, out, n);
      });
  test::compare_with_cub<T>(
      values, [](auto lib, void* storage, std::size_t& bytes, const T* in, T* out, std::size_t n) {
        return decltype(lib)::reduce::Max(storage, bytes, in, out, n);
      });
}

}  // namespace

TEST_CASE("Sum into the type of the elements, which wraps") {
  compare_sums<signed char>(test::small_numbers<signed char>(most));
  compare_sums<unsigned char>(std::vector<unsigned char>(most, 255));
}

TEST_CASE("Sum in the type of the output, which may be narrower or wider than the sum") {
  compare_sums<unsigned>(std::vector<unsigned>(most, 4000000000u));
  // CUB adds unsigned to unsigned long long here, but unsigned to a zero of unsigned above.
  compare_sums<unsigned long long>(std::vector<unsigned>(most, 4000000000u));
  compare_sums<float>(test::small_numbers<int>(most));
}

TEST_CASE("Sum of floating-point numbers") {
  compare_sums<float>(test::small_numbers<float>(most));
  // Sums of 16-bit floats are exact up to 2048.
  compare_sums<__half>(test::small_numbers<__half>(4099, 1));
}

TEST_CASE("Min and Max, which start from the greatest and the lowest number") {
  compare_extrema(test::small_numbers<signed char>(most, 127));
  compare_extrema(test::small_numbers<float>(most, 1000));
  // An infinity is beyond the start.
  compare_extrema(std::vector<float>(33, std::numeric_limits<float>::infinity()));
}

TEST_CASE("Min and Max ignore NaN, and order -0 before +0") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto check = [](const auto& values, float least, float greatest) {
    using T = typename std::remove_cvref_t<decltype(values)>::value_type;
    test::for_each_array(values, [&](const T* data, std::size_t n) {
      if (n != values.size()) return;
      test::guarded_slot<T> min, max;
      REQUIRE(test::ours::reduce::Min(data, min.pointer(), n) == cudaSuccess);
      REQUIRE(test::ours::reduce::Max(data, max.pointer(), n) == cudaSuccess);
      CHECK(static_cast<float>(min.value()) == least);
      CHECK(static_cast<float>(max.value()) == greatest);
      CHECK(std::signbit(static_cast<float>(min.value())) == std::signbit(least));
      CHECK(std::signbit(static_cast<float>(max.value())) == std::signbit(greatest));
    });
  };
  const auto with = [&](std::size_t n, float x, std::initializer_list<std::size_t> at, float y) {
    std::vector<float> values(n, x);
    for (const std::size_t i : at) values[i] = y;
    return values;
  };
  check(with(65537, nan, {60000}, 2.0f), 2, 2);
  check(with(65537, 3.0f, {0, 1, 2, 31, 40000, 65536}, nan), 3, 3);
  check(with(1000, 0.0f, {500}, -0.0f), -0.0f, 0.0f);
  check(with(1000, -0.0f, {500}, 0.0f), -0.0f, 0.0f);
  check(std::vector<float>(33, nan), std::numeric_limits<float>::max(),
        std::numeric_limits<float>::lowest());
  const auto mixed = with(4099, nan, {4000}, -5.0f);
  check(std::vector<double>(mixed.begin(), mixed.end()), -5, -5);
}
