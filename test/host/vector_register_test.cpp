// Vector registers: loads from any address, and arithmetic lane by lane.
#include <warpfold/host/vector_register.hpp>

#include <doctest/doctest.h>

#if defined(__GNUC__)
using namespace warpfold::host::detail;

TEST_CASE_TEMPLATE("vectors are loaded from any address", T, float, double, int, unsigned char) {
  constexpr int count = 32 / sizeof(T);
  T values[count + 1];
  for (int i = 0; i <= count; ++i) values[i] = static_cast<T>(i);
  vector_t<T, 32> x;
  load(x, &values[1]);
  for (int l = 0; l < count; ++l) CHECK(T{x[l]} == static_cast<T>(l + 1));
}

TEST_CASE("lanes compute like numbers") {
  lanes<double, 32> a, b;
  a.of = vector_t<double, 32>{1, 2, 3, 4};
  b.of = vector_t<double, 32>{10, 20, 30, 40};
  const lanes<double, 32> sum = a + b, less = b - 5.0, product = a * b;
  for (int l = 0; l < 4; ++l) {
    CHECK(sum[l] == 11.0 * (l + 1));
    CHECK(less[l] == 10.0 * (l + 1) - 5);
    CHECK(product[l] == 10.0 * (l + 1) * (l + 1));
  }
}
#endif
