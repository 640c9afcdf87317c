/// @file
/// Makes text from files and arguments safe to print on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace warpfold::program {

/// Escapes control characters, format characters, and bytes that are not UTF-8, as Python writes
/// them: \n, \r, \t, \x1b, \u202e or \U000e0001. A second call does not change the result.
std::string printable(std::string_view text);

/// Like `printable`, but keeps newlines.
std::string printable_lines(std::string_view text);

}  // namespace warpfold::program
