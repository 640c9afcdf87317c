/// @file
/// A source line, for the emulation's reports.
#pragma once

namespace warpfold {

/// A line of a file. As the default of a last parameter, `site at = site::here()`, it is the
/// caller's line.
struct site {
  const char* file = "";
  int line = 0;

  static constexpr site here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
  friend constexpr bool operator==(const site& a, const site& b) {
    return a.line == b.line && (a.file == b.file || __builtin_strcmp(a.file, b.file) == 0);
  }
};

}  // namespace warpfold
