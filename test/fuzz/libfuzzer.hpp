/// @file
/// What the files that libFuzzer runs (*_fuzz.cpp) share: a check that ends the run.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "printable.hpp"

namespace fuzz {

/// libFuzzer keeps the input of a run that aborts.
inline void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

/// A message has lines, and nothing else that a terminal obeys.
inline void expect_printable(std::string_view message) {
  expect(!message.empty(), "an error says what is wrong");
  expect(warpfold::program::printable_lines(message) == message, "a message is printable");
}

}  // namespace fuzz
