// held_registers: how many registers leave how many blocks. docs/beside_other_work.md says why.
#include <doctest/doctest.h>

#include <warpfold/collective/held_registers.hpp>

using namespace warpfold::collective;

namespace {

// How many blocks of `threads` threads the registers of a multiprocessor allow.
constexpr int blocks_of(int threads, int registers) { return 64 * 1024 / (threads * registers); }

}  // namespace

TEST_CASE("registers_beside_others leaves blocks for which 8 KB of shared memory are enough") {
  constexpr int of_warp = registers_beside_others<32>;
  CHECK(of_warp % 8 == 0);
  CHECK(blocks_of(32, of_warp) * 1024 <= 8192);
  CHECK(blocks_of(32, of_warp - 8) * 1024 > 8192);

  constexpr int of_256 = registers_beside_others<256>;
  CHECK(of_256 % 8 == 0);
  CHECK(blocks_of(256, of_256) * (1024 + 340) <= 8192);
  CHECK(blocks_of(256, of_256 - 8) * (1024 + 340) > 8192);
}

TEST_CASE("hold_registers does nothing on the host") {
  int x = 7;
  hold_registers<registers_beside_others<256>>(true, &x);
  CHECK(x == 7);
}
