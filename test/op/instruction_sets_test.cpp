// Kernels in vectors of 16, 32 and 64 bytes, and the choice of the widest.
// gcc: it has vectors of 64 bytes
#include <warpfold/op/instruction_sets.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace detail = warpfold::detail;

#if defined(__GNUC__)
namespace {

/// Adds numbers in a vector of each width, and stores the width.
struct add_kernel {
  template <int Bytes>
  __attribute__((always_inline)) static void run(const int* const& from, int& bytes, int& sum) {
    typename detail::vector_register<int, Bytes>::type x, all{};
    constexpr int lanes = Bytes / int{sizeof(int)};
    for (int i = 0; i < 64; i += lanes) {
      __builtin_memcpy(&x, from + i, Bytes);
      all += x;
    }
    sum = 0;
    for (int l = 0; l < lanes; ++l) sum += all[l];
    bytes = Bytes;
  }
};

/// The width of the vectors that the kernel used.
template <class Run>
int width_of(const Run& run) {
  int numbers[64], bytes = 0, sum = 0;
  for (int i = 0; i < 64; ++i) numbers[i] = i;
  const int* from = numbers;
  run(from, bytes, sum);
  CHECK(sum == 63 * 32);
  return bytes;
}

}  // namespace

TEST_CASE("a kernel runs with vectors of each width that the processor has") {
  const auto by = [](auto bytes) {
    return [=](auto&... args) {
      detail::run_in_vectors_of<add_kernel, decltype(bytes)::value>(args...);
    };
  };
  REQUIRE(detail::has_vectors_of<16>());
  CHECK(width_of(by(std::integral_constant<int, 16>{})) == 16);
  if (detail::has_vectors_of<32>()) CHECK(width_of(by(std::integral_constant<int, 32>{})) == 32);
  if (detail::has_vectors_of<64>()) CHECK(width_of(by(std::integral_constant<int, 64>{})) == 64);
}

TEST_CASE("the widest vectors, up to a limit") {
  const int most = detail::has_vectors_of<32>() ? 32 : 16;
  CHECK(width_of([](auto&... args) { detail::run_in_vectors<add_kernel>(args...); }) == most);
  CHECK(width_of([](auto&... args) { detail::run_in_vectors<add_kernel, 64>(args...); }) ==
        (detail::has_vectors_of<64>() ? 64 : most));
}
#endif
