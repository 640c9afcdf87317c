#include "npy.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "printable.hpp"
#include "regular_file.hpp"

namespace warpfold::program {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the program uses the file's little-endian elements in place");

// --- the header's Python literal -----------------------------------------------------------------

/// A Python literal: a string, an integer, True, False or None, or a tuple, list or dict of
/// literals.
struct literal {
  enum class kind { string, number, boolean, none, sequence, dict };
  kind type = kind::none;
  std::string text;            // the string, or the digits of the number
  bool truth = false;          // the boolean
  std::vector<literal> items;  // of a sequence; for a dict, keys and values alternate

  bool is(kind k) const { return type == k; }
  const literal* find(std::string_view key) const {
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
      if (items[i].text == key) return &items[i + 1];
    }
    return nullptr;
  }
};

struct bad_literal {};

/// Appends this code point in UTF-8.
void append_utf8(std::string& text, char32_t c) {
  const auto add = [&](char32_t byte) { text += static_cast<char>(byte); };
  if (c < 0x80) {
    add(c);
    return;
  }
  if (c < 0x800) {
    add(0xc0 | c >> 6);
  } else {
    if (c < 0x10000) {
      add(0xe0 | c >> 12);
    } else {
      add(0xf0 | c >> 18);
      add(0x80 | (c >> 12 & 0x3f));
    }
    add(0x80 | (c >> 6 & 0x3f));
  }
  add(0x80 | (c & 0x3f));
}

std::string utf8_of_latin1(std::string_view text) {
  std::string all;
  for (const char c : text) append_utf8(all, static_cast<unsigned char>(c));
  return all;
}

class literal_parser {
 public:
  explicit literal_parser(std::string_view text) : rest_(text) {}

  literal parse() {
    literal all = value();
    skip_blanks();
    if (!rest_.empty()) throw bad_literal{};
    return all;
  }

 private:
  static constexpr int most_depth = 64;

  void skip_blanks() {
    const auto first = rest_.find_first_not_of(std::string_view(" \t\r\n\0", 5));
    rest_.remove_prefix(std::min(first, rest_.size()));
  }
  bool accept(char c) {
    skip_blanks();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool accept_word(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  char next() {
    if (rest_.empty()) throw bad_literal{};
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  literal value() {
    if (++depth_ > most_depth) throw bad_literal{};
    skip_blanks();
    literal v;
    if (accept('{')) {
      v.type = literal::kind::dict;
      while (!accept('}')) {
        v.items.push_back(value());
        if (!accept(':')) throw bad_literal{};
        v.items.push_back(value());
        if (!accept(',')) {
          if (!accept('}')) throw bad_literal{};
          break;
        }
      }
    } else if (accept('(')) {
      sequence(v, ')');
    } else if (accept('[')) {
      sequence(v, ']');
    } else if (accept_word("True")) {
      v.type = literal::kind::boolean;
      v.truth = true;
    } else if (accept_word("False")) {
      v.type = literal::kind::boolean;
    } else if (!accept_word("None")) {
      if (!string(v)) number(v);
    }
    --depth_;
    return v;
  }

  void sequence(literal& v, char close) {
    v.type = literal::kind::sequence;
    while (!accept(close)) {
      v.items.push_back(value());
      if (accept(',')) continue;
      if (!accept(close)) throw bad_literal{};
      break;
    }
  }

  bool string(literal& v) {
    std::string_view at = rest_;
    if (at.starts_with('u') || at.starts_with('b')) at.remove_prefix(1);
    if (!at.starts_with('\'') && !at.starts_with('"')) return false;
    rest_ = at;
    v.type = literal::kind::string;
    const char quote = next();
    for (char c = next(); c != quote; c = next()) {
      if (c == '\\') {
        escape(v.text);
      } else {
        v.text += c;
      }
    }
    return true;
  }

  // Reads an escape sequence that Python's repr() writes. Keeps other characters unchanged.
  void escape(std::string& text) {
    const char c = next();
    switch (c) {
      case 'n':
        text += '\n';
        return;
      case 'r':
        text += '\r';
        return;
      case 't':
        text += '\t';
        return;
      case 'x':
        append_utf8(text, hexadecimal(2));
        return;
      case 'u':
        append_utf8(text, hexadecimal(4));
        return;
      case 'U':
        append_utf8(text, hexadecimal(8));
        return;
      default:
        text += c;
    }
  }

  char32_t hexadecimal(int digits) {
    char32_t number = 0;
    for (int i = 0; i < digits; ++i) {
      const std::size_t digit = std::string_view("0123456789abcdef0123456789ABCDEF").find(next());
      if (digit == std::string_view::npos) throw bad_literal{};
      number = number * 16 + static_cast<char32_t>(digit % 16);
    }
    if (number > 0x10ffff) throw bad_literal{};
    return number;
  }

  void number(literal& v) {
    v.type = literal::kind::number;
    if (rest_.starts_with('-') || rest_.starts_with('+')) v.text += next();
    const std::size_t sign = v.text.size();
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') v.text += next();
    if (v.text.size() == sign) throw bad_literal{};
    if (rest_.starts_with('L')) next();  // the suffix of long integers in Python 2
  }

  std::string_view rest_;
  int depth_ = 0;
};

// --- converting the literal to a header
// ----------------------------------------------------------------

constexpr std::string_view supported_types =
    "bool, int8 to int64, uint8 to uint64, float16, float32, float64, complex64, complex128";

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

class header_reader {
 public:
  explicit header_reader(const std::string& name) : name_(name) {}

  [[noreturn]] void fail(const std::string& what) const { throw npy_error(name_ + ": " + what); }

  [[noreturn]] void fail_damaged(const std::string& what) const {
    fail(what + ": the header is damaged; save the array again with numpy.save");
  }

  void read(npy_header& h, const literal& dict) const {
    const literal* const descr = dict.find("descr");
    const literal* const order = dict.find("fortran_order");
    const literal* const shape = dict.find("shape");
    if (!dict.is(literal::kind::dict) || descr == nullptr || order == nullptr || shape == nullptr) {
      fail_damaged("the header lacks 'descr', 'fortran_order' or 'shape'");
    }
    if (!order->is(literal::kind::boolean)) fail_damaged("'fortran_order' is not True or False");

    h.shape = read_shape(*shape);
    h.count = product(h.shape, 1);
    if (descr->is(literal::kind::sequence)) {
      h.dtype = "structured";
      h.item_bytes = read_fields(h.fields, *descr, "", 0);
      if (h.item_bytes == 0)
        fail("the dtype has no bytes; save an array whose elements are not empty");
    } else if (descr->is(literal::kind::string)) {
      h.dtype = descr->text;
      h.type = read_type(descr->text, "the array");
      h.item_bytes = bytes_of(*h.type);
    } else {
      fail_damaged("'descr' is not a type or a list of fields");
    }
    // If at most one dimension has more than one item, both orders are the same.
    const auto longer = std::count_if(h.shape.begin(), h.shape.end(), [](auto n) { return n > 1; });
    if (order->truth && longer > 1) {
      fail(
          "the array is in Fortran order (column-major); the program reads only C order. Save it "
          "with "
          "numpy.save(name, numpy.ascontiguousarray(a))");
    }
  }

  // The product of `a` and the numbers of `shape`. Fails above 2^63 - 1 bytes: no memory is larger.
  std::size_t product(const std::vector<std::size_t>& shape, std::size_t a) const {
    if (std::find(shape.begin(), shape.end(), 0u) != shape.end()) return 0;
    for (const std::size_t n : shape) {
      if (__builtin_mul_overflow(a, n, &a) || a > PTRDIFF_MAX) {
        fail_damaged("the shape " + shape_text(shape) + " has more elements than a file can hold");
      }
    }
    return a;
  }

 private:
  std::vector<std::size_t> read_shape(const literal& l) const {
    if (!l.is(literal::kind::sequence)) fail_damaged("the shape is not a tuple");
    std::vector<std::size_t> shape;
    for (const literal& n : l.items) {
      if (!n.is(literal::kind::number)) fail_damaged("the shape has an item that is not a number");
      if (n.text.starts_with('-')) fail_damaged("the shape has a negative number, " + n.text);
      std::size_t value = 0;
      for (const char c : n.text) {
        if (c == '+') continue;
        if (__builtin_mul_overflow(value, std::size_t{10}, &value) ||
            __builtin_add_overflow(value, static_cast<std::size_t>(c - '0'), &value)) {
          fail_damaged("the shape has a number too large for a file, " + n.text);
        }
      }
      shape.push_back(value);
    }
    return shape;
  }

  // The parts of a simple type. The size is known also for types that cannot be reduced, so that
  // fields of them can be skipped. Empty if NumPy does not write the type.
  struct simple {
    char order = '|';
    char kind = 0;
    std::size_t bytes = 0;
    std::optional<element> type;
  };
  static std::optional<simple> split(std::string_view descr) {
    simple s;
    if (descr.find_first_of("<>|=") == 0) {
      s.order = descr[0];
      descr.remove_prefix(1);
    }
    if (descr.empty()) return {};
    s.kind = descr[0];
    for (const char c : descr.substr(1)) {
      if (c == '[') break;  // the unit of a time, as in M8[ns]
      if (c < '0' || c > '9' || s.bytes > 100'000'000) return {};
      s.bytes = s.bytes * 10 + static_cast<std::size_t>(c - '0');
    }
    if (s.kind == 'U') s.bytes *= 4;
    if (s.kind == '?') s = {s.order, 'b', 1, {}};

    struct known {
      char kind;
      element type;
    };
    using enum element;
    static constexpr known all[] = {
        {'b', boolean}, {'i', int8},    {'i', int16},     {'i', int32},     {'i', int64},
        {'u', uint8},   {'u', uint16},  {'u', uint32},    {'u', uint64},    {'f', float16},
        {'f', float32}, {'f', float64}, {'c', complex64}, {'c', complex128}};
    for (const known& k : all) {
      if (k.kind == s.kind && bytes_of(k.type) == s.bytes) s.type = k.type;
    }
    return s;
  }

  // The element type of an array to reduce.
  element read_type(const std::string& descr, const std::string& what) const {
    const std::optional<simple> s = split(descr);
    if (!s) fail_damaged(what + " has the type '" + printable(descr) + "'");
    if (s->kind == 'O') {
      fail(what + " holds Python objects, not numbers. Convert it with a.astype(float)");
    }
    if (!s->type) {
      fail(what + " has the type '" + printable(descr) +
           "', which cannot be reduced. Convert it with a.astype() "
           "to one of " +
           std::string(supported_types));
    }
    if (s->order == '>' && s->bytes > 1) {
      fail(what + " is big-endian ('" + printable(descr) +
           "'). Save it with "
           "a.astype(a.dtype.newbyteorder('<'))");
    }
    return *s->type;
  }

  // Appends the fields of a structured dtype; returns its size in bytes.
  std::size_t read_fields(std::vector<npy_field>& fields, const literal& list,
                          const std::string& prefix, std::size_t base) const {
    std::size_t offset = 0;
    for (const literal& l : list.items) {
      if (!l.is(literal::kind::sequence) || l.items.size() < 2 || l.items.size() > 3) {
        fail_damaged("a field is not (name, type) or (name, type, shape)");
      }
      // ('name', ...) or (('title', 'name'), ...)
      const literal& given = l.items[0];
      const bool titled = given.is(literal::kind::sequence) && given.items.size() == 2;
      const std::string name = prefix + (titled ? given.items[1].text : given.text);
      std::vector<std::size_t> shape;
      if (l.items.size() == 3) {
        if (l.items[2].is(literal::kind::number)) {
          literal one;
          one.type = literal::kind::sequence;
          one.items.push_back(l.items[2]);
          shape = read_shape(one);
        } else {
          shape = read_shape(l.items[2]);
        }
      }

      std::size_t bytes = 0;
      const std::size_t at = base + offset;
      if (l.items[1].is(literal::kind::sequence)) {
        std::vector<npy_field> inner;
        bytes = read_fields(inner, l.items[1], name + ".", at);
        // The fields of a nested array of structs are not plain arrays.
        if (shape.empty()) fields.insert(fields.end(), inner.begin(), inner.end());
      } else {
        const std::string& descr = l.items[1].text;
        const std::optional<simple> s = split(descr);
        if (!l.items[1].is(literal::kind::string) || !s) {
          fail_damaged("the field '" + printable(name) + "' has no readable type");
        }
        bytes = s->bytes;
        if (s->kind == 'O') {
          fail("the field '" + printable(name) +
               "' holds Python objects, so the file holds a pickle instead of "
               "an array. Save the array again without that field");
        }
        const bool padding = s->kind == 'V' && name == prefix;
        if (!padding) {
          npy_field f{name, shape.empty() ? descr : descr + " " + shape_text(shape), {}, at};
          const bool swapped = s->order == '>' && s->bytes > 1;
          if (shape.empty() && !swapped) f.type = s->type;
          if (shape == std::vector<std::size_t>{3} && s->type == element::float32 && !swapped) {
            f.type = element::float3;
          }
          fields.push_back(std::move(f));
        }
      }
      bytes = product(shape, bytes);
      if (__builtin_add_overflow(offset, bytes, &offset)) fail_damaged("the items are too large");
    }
    return offset;
  }

  const std::string& name_;
};

std::string bytes_text(std::uint64_t n) {
  return std::to_string(n) + (n == 1 ? " byte" : " bytes");
}

}  // namespace

npy_header parse_npy_header(std::string_view head, std::uint64_t file_bytes,
                            const std::string& name) {
  const header_reader reader(name);
  constexpr std::string_view magic("\x93NUMPY", 6);
  if (file_bytes == 0) reader.fail("the file is empty; save the array again with numpy.save");
  if (!head.starts_with(magic.substr(0, std::min(magic.size(), head.size())))) {
    if (head.starts_with("PK")) {
      reader.fail(
          "this is a zip archive, perhaps an .npz; unzip it and name one of its .npy files");
    }
    reader.fail("not an .npy file (it does not begin with \\x93NUMPY); write one with numpy.save");
  }
  const auto fail_short = [&] {
    reader.fail("the file ends inside its header, after " + bytes_text(file_bytes) +
                ": it is truncated. Copy or save it again");
  };
  if (head.size() < magic.size() + 4) fail_short();
  const auto byte_at = [&](std::size_t i) { return static_cast<unsigned char>(head[i]); };

  npy_header h;
  h.version = byte_at(6);
  if (h.version < 1 || h.version > 3) {
    reader.fail("the file has version " + std::to_string(h.version) +
                " of the .npy format; the program reads versions 1, 2 and 3");
  }
  const std::size_t length_bytes = h.version == 1 ? 2 : 4;
  const std::size_t text_offset = magic.size() + 2 + length_bytes;
  if (head.size() < text_offset) fail_short();
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length |= std::size_t{byte_at(8 + i)} << (8 * i);
  if (head.size() < text_offset + length) fail_short();

  std::string text(head.substr(text_offset, length));
  if (h.version < 3) text = utf8_of_latin1(text);
  literal dict;
  try {
    dict = literal_parser(text).parse();
  } catch (const bad_literal&) {
    reader.fail_damaged("the header is not a Python dict");
  }
  reader.read(h, dict);
  h.data_offset = text_offset + length;
  std::uint64_t needed = reader.product({h.count}, h.item_bytes);
  if (needed > file_bytes - h.data_offset) {
    reader.fail("the header says " + bytes_text(needed) + " of elements (" + shape_text(h.shape) +
                " of " + bytes_text(h.item_bytes) + "), but the file has only " +
                bytes_text(file_bytes - h.data_offset) +
                ": it is truncated, or the header is damaged. Copy or save it again");
  }
  return h;
}

array select_elements(const npy_header& h, const std::byte* items, const npy_selection& what,
                      const std::string& name) {
  const auto fail = [&](const std::string& text) { throw npy_error(name + ": " + text); };

  if (!h.fields.empty() || !h.type) {
    std::string list;
    for (const npy_field& f : h.fields) {
      list += "\n  --field " + printable(f.name) + "    " + printable(f.dtype);
      if (!f.type) {
        list += "  (cannot be reduced)";
      } else if (f.type != element::float3) {
        list += "  (" + std::string(name_of(*f.type)) + ")";
      } else {
        list += "  (float3)";
      }
    }
    if (what.field.empty()) {
      fail("the items are structured; choose a field, one of" + list);
    }
    const auto find = [&](auto matches) {
      return std::find_if(h.fields.begin(), h.fields.end(), matches);
    };
    auto f = find([&](const npy_field& one) { return one.name == what.field; });
    if (f == h.fields.end()) {
      f = find([&](const npy_field& one) { return printable(one.name) == what.field; });
    }
    if (f == h.fields.end())
      fail("there is no field '" + printable(what.field) + "'; choose one of" + list);
    if (!f->type) {
      fail("the field '" + printable(f->name) + "' has the type '" + printable(f->dtype) +
           "', which cannot be reduced. Choose a little-endian field of one of these types: " +
           std::string(supported_types) + ", or three float32 as a float3");
    }
    if (what.as_float3 && f->type != element::float3) {
      fail("the field '" + printable(f->name) + "' has the type '" + printable(f->dtype) +
           "'; --as float3 needs a subarray of three float32, '<f4 (3,)'");
    }
    // The items of an empty array may be larger than the address space.
    return {*f->type, h.count == 0 ? items : items + f->offset, h.count, h.item_bytes};
  }

  if (!what.field.empty()) {
    fail("the items are " + std::string(name_of(*h.type)) + " and have no fields; omit --field");
  }
  if (what.as_float3) {
    if (h.type != element::float32 || h.shape.empty() || h.shape.back() != 3) {
      fail("--as float3 needs float32 with a last dimension of 3; the array is " +
           std::string(name_of(*h.type)) + " of shape " + shape_text(h.shape));
    }
    return {element::float3, items, h.count / 3, 12};
  }
  return {*h.type, items, h.count, h.item_bytes};
}

npy_file::npy_file(const std::string& path) : path_(path == "-" ? "standard input" : path) {
  const std::string name = printable(path_);
  const regular_file file =
      path == "-" ? regular_file(regular_file::standard_input{})
                  : regular_file(path, "name one .npy file, or use: warpfold demo " + name);
  const std::size_t bytes = file.bytes();
  if (bytes == 0) parse_npy_header({}, 0, name);  // throws

  void* const p = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.descriptor(), 0);
  if (p == MAP_FAILED) {
    throw file_error(name + ": cannot map the file into memory: " + std::strerror(errno));
  }
  data_ = static_cast<std::byte*>(p);
  bytes_ = bytes;
  (void)madvise(p, bytes, MADV_SEQUENTIAL);  // only a hint, so errors are ignored
  try {
    header_ = parse_npy_header({reinterpret_cast<const char*>(data_), bytes_}, bytes_, name);
  } catch (...) {
    munmap(p, bytes);  // the destructor does not run if the constructor throws
    throw;
  }
}

array npy_file::select(const npy_selection& what) const {
  return select_elements(header_, data_ + header_.data_offset, what, printable(path_));
}

npy_file::~npy_file() { munmap(data_, bytes_); }

std::uint64_t npy_file::trailing_bytes() const {
  return bytes_ - header_.data_offset - header_.count * header_.item_bytes;
}

void npy_file::will_need(const std::byte* from, std::size_t bytes) const {
  const std::byte* const end = data_ + bytes_;
  if (from >= end) return;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t into_page = reinterpret_cast<std::uintptr_t>(from) % page;
  const std::size_t length = std::min(bytes, static_cast<std::size_t>(end - from)) + into_page;
  (void)madvise(const_cast<std::byte*>(from - into_page), length, MADV_WILLNEED);
}

}  // namespace warpfold::program
