#include <doctest/doctest.h>

#include <warpfold/collective/held_registers.hpp>

using namespace warpfold::collective;

TEST_CASE(
    "registers_of_eight_warps is the least multiple of eight that leaves no room for a ninth") {
  constexpr int of_multiprocessor = 64 * 1024;
  CHECK(registers_of_eight_warps % 8 == 0);
  CHECK(9 * 32 * registers_of_eight_warps > of_multiprocessor);
  CHECK(9 * 32 * (registers_of_eight_warps - 8) <= of_multiprocessor);
}

TEST_CASE("hold_registers does nothing on the host") {
  int x = 7;
  hold_registers<registers_of_eight_warps>(true, &x);
  CHECK(x == 7);
}
