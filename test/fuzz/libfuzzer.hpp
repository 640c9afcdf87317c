/// @file
/// Shared by the libFuzzer programs (*_fuzz.cpp): checks that abort the run.
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

/// Checks that a message has no control characters except newlines.
inline void expect_printable(std::string_view message) {
  expect(!message.empty(), "an error says what is wrong");
  expect(warpfold::program::printable_lines(message) == message, "a message is printable");
}

}  // namespace fuzz
