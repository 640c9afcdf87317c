// The program's reader of .npy files. An input that begins with \x93 is a file; any other is the
// text of a header, in a file of version 1, 2 or 3.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libfuzzer.hpp"
#include "npy.hpp"

namespace {

using namespace warpfold::program;
using fuzz::expect;

std::string file_of(std::string_view header, int version) {
  std::string file("\x93NUMPY", 6);
  file += static_cast<char>(version);
  file += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
    file += static_cast<char>(header.size() >> (8 * i) & 0xff);
  }
  file += header;
  file.append(48, '\x01');  // three elements of the widest type
  return file;
}

/// Reads the first, middle and last element of the array, so that the sanitizer checks their
/// addresses.
void touch(const array& a) {
  if (a.count == 0) return;
  for (const std::size_t i : {std::size_t{0}, a.count / 2, a.count - 1}) {
    const volatile std::byte* const element = a.data + i * a.stride;
    for (std::size_t k = 0; k < bytes_of(a.type); ++k) (void)element[k];
  }
}

void select(const npy_header& h, const std::byte* items, const npy_selection& how) {
  try {
    touch(select_elements(h, items, how, "a.npy"));
  } catch (const npy_error& e) {
    fuzz::expect_printable(e.what());
  }
}

/// @param file  allocated as long as it is, so that the sanitizer knows its end
void read(const std::vector<char>& file) {
  npy_header h;
  try {
    h = parse_npy_header({file.data(), file.size()}, file.size(), "a.npy");
  } catch (const npy_error& e) {
    fuzz::expect_printable(e.what());
    return;
  }
  expect(h.data_offset <= file.size(), "the header is in the file");
  expect(h.count == 0 || h.item_bytes <= (file.size() - h.data_offset) / h.count,
         "the items are in the file");
  expect(h.type.has_value() == h.fields.empty() || h.dtype == "structured",
         "items have a type or fields");

  const auto* const items = reinterpret_cast<const std::byte*>(file.data()) + h.data_offset;
  select(h, items, {});
  select(h, items, {"", true});
  select(h, items, {"\x1b", false});
  for (const npy_field& f : h.fields) {
    if (f.type) expect(f.offset + bytes_of(*f.type) <= h.item_bytes, "the field is in the item");
    select(h, items, {f.name, false});
    select(h, items, {f.name, true});
    const std::string shown = printable(f.name);
    expect(printable(shown) == shown, "what is printable stays as it is");
    select(h, items, {shown, false});
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.starts_with('\x93')) {
    read({input.begin(), input.end()});
    return 0;
  }
  for (int version = 1; version <= 3; ++version) {
    if (version == 1 && size > 0xffff) continue;
    const std::string file = file_of(input, version);
    read({file.begin(), file.end()});
  }
  return 0;
}
