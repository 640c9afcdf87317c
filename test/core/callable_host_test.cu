// What nvcc adds to core/callable.hpp: lambdas that only the GPU can call, whose result types the
// host does not know.
#include <warpfold/core/callable.hpp>

#include <doctest/doctest.h>

namespace {

namespace detail = warpfold::detail;

}  // namespace

TEST_CASE("a __device__ lambda is assumed to return its first argument's type") {
  const auto device_only = [] __device__(float a, int b) { return static_cast<double>(a) + b; };
  using lambda = std::remove_const_t<decltype(device_only)>;
  static_assert(detail::is_device_lambda<lambda>());
  static_assert(std::is_same_v<detail::op_result_t<lambda, const float&, int>, float>);
}

TEST_CASE("lambdas that the host can call have their own result types") {
  const auto both = [] __host__ __device__(float a, int b) { return static_cast<double>(a) + b; };
  const auto plain = [](float a, int b) { return static_cast<double>(a) + b; };
  static_assert(!detail::is_device_lambda<std::remove_const_t<decltype(both)>>());
  static_assert(!detail::is_device_lambda<std::remove_const_t<decltype(plain)>>());
  static_assert(
      std::is_same_v<detail::op_result_t<std::remove_const_t<decltype(both)>, float, int>, double>);
  CHECK(detail::call([] __host__ __device__(int x) { return 2 * x; }, 21) == 42);
}
