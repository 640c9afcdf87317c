// Text from files and arguments is printed without characters that a terminal executes.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "printable.hpp"

using warpfold::program::printable;
using warpfold::program::printable_lines;

namespace {

std::string utf8(unsigned code) {
  std::string s;
  const auto byte = [&](unsigned b) { s += static_cast<char>(b); };
  const auto more = [&](int shift) { byte(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | code >> 6), more(0);
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12), more(6), more(0);
  } else {
    byte(0xf0 | code >> 18), more(12), more(6), more(0);
  }
  return s;
}

}  // namespace

TEST_CASE("text stays as it is") {
  for (const std::string_view text :
       {"", "a b", "'\\x1b'", "\xc3\xa9", "\xe8\xb3\xaa\xe9\x87\x8f", "\xf0\x9f\x98\x80"}) {
    CHECK(printable(text) == text);
  }
  // The neighbors of escaped characters, and letters of right-to-left scripts.
  for (const unsigned code :
       {0x20u,    0x7eu,    0xa0u,    0xacu,    0xaeu,     0x5ffu,   0x606u,   0x61bu,
        0x61du,   0x6dcu,   0x6deu,   0x70eu,   0x710u,    0x88fu,   0x892u,   0x8e1u,
        0x8e3u,   0x180du,  0x180fu,  0x200au,  0x2010u,   0x2027u,  0x202fu,  0x205fu,
        0x2065u,  0x2070u,  0xfefeu,  0xff00u,  0xfff8u,   0xfffcu,  0x110bcu, 0x110beu,
        0x110ccu, 0x110ceu, 0x1342fu, 0x13440u, 0x1bc9fu,  0x1bca4u, 0x1d172u, 0x1d17bu,
        0xe0000u, 0xe0002u, 0xe001fu, 0xe0080u, 0x10ffffu, 0x5d0u,   0x627u}) {
    CAPTURE(code);
    CHECK(printable(utf8(code)) == utf8(code));
  }
}

TEST_CASE("control characters are escaped") {
  CHECK(printable("a\nb\r\t") == "a\\nb\\r\\t");
  CHECK(printable(std::string_view("\0\x1b\x7f", 3)) == "\\x00\\x1b\\x7f");
  CHECK(printable("\xc2\x80\xc2\x9b\xc2\x9f") == "\\x80\\x9b\\x9f");
  CHECK(printable_lines("a\nb\x1b\n") == "a\nb\\x1b\n");
}

TEST_CASE("format characters are escaped") {
  CHECK(printable("a\xe2\x80\xae"
                  "b") ==
        "a\\u202eb");  // without the escape, the rest would be shown from right to left
  CHECK(printable("\xc2\xad") == "\\xad");
  CHECK(printable("\xf3\xa0\x80\x81") == "\\U000e0001");
  struct span {
    unsigned first, last;
  };
  for (const span s :
       {span{0xad, 0xad},   {0x600, 0x605},     {0x61c, 0x61c},     {0x6dd, 0x6dd},
        {0x70f, 0x70f},     {0x890, 0x891},     {0x8e2, 0x8e2},     {0x180e, 0x180e},
        {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x2064},   {0x2066, 0x206f},
        {0xfeff, 0xfeff},   {0xfff9, 0xfffb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd},
        {0x13430, 0x1343f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0001, 0xe0001},
        {0xe0020, 0xe007f}}) {
    for (unsigned code = s.first; code <= s.last; ++code) {
      CAPTURE(code);
      const std::string shown = printable(utf8(code));
      CHECK(shown[0] == '\\');
      CHECK(shown.size() == (code < 0x100 ? 4 : code < 0x10000 ? 6 : 10));
      CHECK(std::stoul(shown.substr(2), nullptr, 16) == code);
      CHECK(printable(shown) == shown);
    }
  }
}

TEST_CASE("bytes that are not UTF-8 are escaped") {
  CHECK(printable("\xff") == "\\xff");
  CHECK(printable("\xe2\x80") == "\\xe2\\x80");
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // a surrogate
  CHECK(printable("\xe0\x80\xae") == "\\xe0\\x80\\xae");  // an overlong form
}
