/// @file
/// Makes text from files and arguments safe to print on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace warpfold::program {

/// `text` with control and format characters, and bytes that are not UTF-8, as Python writes them:
/// \n, \r, \t, \x1b, \u202e or \U000e0001. Other text stays as it is, so a second call changes
/// nothing.
std::string printable(std::string_view text);

/// The same line by line: newlines stay.
std::string printable_lines(std::string_view text);

}  // namespace warpfold::program
