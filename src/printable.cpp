#include "printable.hpp"

#include <algorithm>
#include <iterator>

namespace warpfold::program {
namespace {

/// The length in bytes of the first UTF-8 character of `text`; 0 if its first bytes are not UTF-8.
std::size_t character_bytes(std::string_view text) {
  const auto byte_at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte_at(0);
  if (first < 0x80) return 1;
  const std::size_t n = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < n) return 0;
  for (std::size_t i = 1; i < n; ++i) {
    if (byte_at(i) < 0x80 || byte_at(i) > 0xbf) return 0;
  }
  // An overlong form, a surrogate, or a number above U+10FFFF.
  const unsigned char second = byte_at(1);
  if (first == 0xe0 && second < 0xa0) return 0;
  if (first == 0xed && second > 0x9f) return 0;
  if (first == 0xf0 && second < 0x90) return 0;
  if (first == 0xf4 && second > 0x8f) return 0;
  return n;
}

/// The code point of the one UTF-8 character in `bytes`.
unsigned code_point(std::string_view bytes) {
  const auto first = static_cast<unsigned char>(bytes[0]);
  if (bytes.size() == 1) return first;
  unsigned code = first & (0x7fu >> bytes.size());
  for (const char c : bytes.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3fu);
  return code;
}

/// Whether a terminal executes or hides the character: Unicode 16's categories Cc (control) and Cf
/// (format: changes of direction, invisible characters), and the line and paragraph separators.
bool must_be_escaped(unsigned code) {
  struct span {
    unsigned first, last;
  };
  static constexpr span spans[] = {
      {0x0, 0x1f},        {0x7f, 0x9f},       {0xad, 0xad},       {0x600, 0x605},
      {0x61c, 0x61c},     {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},
      {0x8e2, 0x8e2},     {0x180e, 0x180e},   {0x200b, 0x200f},   {0x2028, 0x202e},
      {0x2060, 0x2064},   {0x2066, 0x206f},   {0xfeff, 0xfeff},   {0xfff9, 0xfffb},
      {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3},
      {0x1d173, 0x1d17a}, {0xe0001, 0xe0001}, {0xe0020, 0xe007f}};
  return std::any_of(std::begin(spans), std::end(spans),
                     [&](const span& s) { return s.first <= code && code <= s.last; });
}

void append_escaped(std::string& out, unsigned code) {
  if (code == '\n') {
    out += "\\n";
  } else if (code == '\r') {
    out += "\\r";
  } else if (code == '\t') {
    out += "\\t";
  } else {
    const int digits = code < 0x100 ? 2 : code < 0x10000 ? 4 : 8;
    out += digits == 2 ? "\\x" : digits == 4 ? "\\u" : "\\U";
    for (int i = digits - 1; i >= 0; --i) out += "0123456789abcdef"[code >> (4 * i) & 0xf];
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t n = character_bytes(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(n, 1));
    if (n == 0) {
      append_escaped(out, static_cast<unsigned char>(text[0]));
    } else if (const unsigned code = code_point(character); must_be_escaped(code)) {
      append_escaped(out, code);
    } else {
      out += character;
    }
    text.remove_prefix(character.size());
  }
  return out;
}

std::string printable_lines(std::string_view text) {
  std::string out;
  for (;;) {
    const std::size_t end = text.find('\n');
    out += printable(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

}  // namespace warpfold::program
