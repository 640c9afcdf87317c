#include <doctest/doctest.h>

#include <warpfold/collective/held_registers.hpp>

using namespace warpfold::collective;

TEST_CASE("blocks_in_least_share counts 1 KB more for each block") {
  CHECK(blocks_in_least_share(0) == 8);
  CHECK(blocks_in_least_share(1) == 7);
  CHECK(blocks_in_least_share(256) == 6);
  CHECK(blocks_in_least_share(7 * 1024) == 1);
  CHECK(blocks_in_least_share(100 * 1024) == 1);
}

TEST_CASE("registers_for is the least multiple of eight that leaves no room for another block") {
  for (const unsigned threads : {32u, 256u, 512u}) {
    for (unsigned blocks = 1; blocks <= 8; ++blocks) {
      CAPTURE(threads);
      CAPTURE(blocks);
      const auto fit = [&](int registers) {
        return 65536 / (threads * static_cast<unsigned>(registers));
      };
      const int registers = registers_for(blocks, threads, 10000);
      CHECK(registers % 8 == 0);
      CHECK(fit(registers) <= blocks);
      if (registers > 8) CHECK(fit(registers - 8) > blocks);
    }
  }
  CHECK(registers_for(1, 256, 64) == 64);
  CHECK(registers_for(8, 32, 255) == 232);
}

TEST_CASE("hold_registers does nothing on the host") {
  int x = 7;
  hold_registers<40>(true, &x);
  CHECK(x == 7);
}
