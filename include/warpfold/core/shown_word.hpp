/// @file
/// A word of a text that a reader refuses, for its error message.
#pragma once

#include <string>
#include <string_view>

#include <warpfold/core/config.hpp>

namespace warpfold::detail {

/// At most 40 characters of a word, with `?` for those that cannot be printed.
inline std::string shown_word(std::string_view word) {
  std::string text(word.substr(0, 40));
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return word.size() > 40 ? text + "..." : text;
}

}  // namespace warpfold::detail
