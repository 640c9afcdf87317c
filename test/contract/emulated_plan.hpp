/// @file
/// Checks of the plans of emulated launches.
#pragma once

#include <doctest/doctest.h>

#include <warpfold/explain.hpp>

namespace test {

struct expected_launch {
  const char* kernel;
  unsigned grid, block;
  int launches, chunk, load_bytes;
};

inline void check_plan(const warpfold::plan& p, const expected_launch& expected) {
  INFO(expected.kernel, ", ", p.elements, " elements");
  CHECK(p.policy == "emulated");
  CHECK(p.kernel == expected.kernel);
  CHECK(p.grid == expected.grid);
  CHECK(p.block == expected.block);
  CHECK(p.launches == expected.launches);
  CHECK(p.chunk == expected.chunk);
  CHECK(p.load_bytes == expected.load_bytes);
}

}  // namespace test
