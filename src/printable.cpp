#include "printable.hpp"

#include <algorithm>

namespace warpfold::program {
namespace {

/// The bytes of the UTF-8 character that `text` begins with; 0 if it begins with none.
std::size_t character_bytes(std::string_view text) {
  const auto byte_at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte_at(0);
  if (first < 0x80) return 1;
  const std::size_t n = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < n) return 0;
  for (std::size_t i = 1; i < n; ++i) {
    if (byte_at(i) < 0x80 || byte_at(i) > 0xbf) return 0;
  }
  // Longer than it need be, a surrogate, or beyond U+10FFFF.
  const unsigned char second = byte_at(1);
  if (first == 0xe0 && second < 0xa0) return 0;
  if (first == 0xed && second > 0x9f) return 0;
  if (first == 0xf0 && second < 0x90) return 0;
  if (first == 0xf4 && second > 0x8f) return 0;
  return n;
}

void append_escaped(std::string& out, unsigned char c) {
  switch (c) {
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\x";
      out += "0123456789abcdef"[c / 16];
      out += "0123456789abcdef"[c % 16];
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text[0]);
    const std::size_t n = character_bytes(text);
    if (n == 0 || first < ' ' || first == 0x7f) {
      append_escaped(out, first);
    } else if (first == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0) {
      append_escaped(out, static_cast<unsigned char>(text[1]));  // U+0080 to U+009F
    } else {
      out += text.substr(0, n);
    }
    text.remove_prefix(std::max<std::size_t>(n, 1));
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
