/// @file
/// Combinations of the fuzzer as a test: always the same ones, with the same data.
/// `test/fuzz/fuzz.py --select 16 device` prints such lines. `./dev fuzz --seed 1 --only NAME`
/// gives the shortest program of a failure.
#pragma once

#include <doctest/doctest.h>

#include "fuzz/session.hpp"

namespace fuzz {

template <class T, class View, class Projection, class Op, class Call, class Policy>
void check(const char* name, const Policy& policy, std::size_t longest = ~std::size_t{0}) {
  session s;
  s.is_short = true;
  run<T, View, Projection, Op, Call>(s, name, policy, longest);
  INFO(s.last_failure);
  CHECK(s.failures == 0);
  CHECK(s.calls > 0);
}

}  // namespace fuzz
