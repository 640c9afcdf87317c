// Words in error messages.
#include <warpfold/core/shown_word.hpp>

#include <doctest/doctest.h>

#include <string>

using warpfold::detail::shown_word;

TEST_CASE("a word is shown, cut after 40 characters, with ? for what cannot be printed") {
  CHECK(shown_word("").empty());
  CHECK(shown_word("keep it~") == "keep it~");
  CHECK(shown_word(std::string("a\x01\x7f\xff\0z", 6)) == "a????z");
  CHECK(shown_word(std::string(40, 'x')) == std::string(40, 'x'));
  CHECK(shown_word(std::string(41, 'x')) == std::string(40, 'x') + "...");
}
