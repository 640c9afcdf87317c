// The program's reader of .npy files, against files that this test writes byte by byte.
#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "npy.hpp"
#include "printable.hpp"
#include "regular_file.hpp"

using namespace warpfold::program;

namespace {

/// A temporary folder, removed with its files.
class scratch_folder {
 public:
  scratch_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "npy_test.XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_folder(const scratch_folder&) = delete;             // it removes its files once
  scratch_folder& operator=(const scratch_folder&) = delete;  // likewise

  std::string file(const std::string& bytes) const {
    const auto path = path_ / "a.npy";
    std::ofstream(path, std::ios::binary) << bytes;
    return path.string();
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The file's bytes: preamble, header and elements.
std::string npy(const std::string& dict, const std::string& data, int version = 1) {
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  std::string header = dict;
  while ((8 + length_bytes + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string bytes("\x93NUMPY", 6);
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (std::size_t i = 0; i < length_bytes; ++i) {
    bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
  }
  return bytes + header + data;
}

std::string dict(const std::string& descr, const std::string& shape,
                 const char* fortran = "False") {
  return "{'descr': " + descr + ", 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

template <class T>
std::string bytes_of_values(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// The error of the reader for these bytes; empty if it accepts them.
std::string complaint(const std::string& bytes, const npy_selection& how = {}) {
  const scratch_folder folder;
  try {
    npy_file(folder.file(bytes)).select(how);
  } catch (const npy_error& e) {
    const std::string what = e.what();
    CHECK(what.find("a.npy") != std::string::npos);  // each message names the file
    return what;
  }
  return {};
}

template <class T>
T at(const array& a, std::size_t i) {
  T x;
  std::memcpy(&x, a.data + i * a.stride, sizeof(T));
  return x;
}

void check_says(const std::string& what, const std::string& part) {
  CAPTURE(what);
  CAPTURE(part);
  CHECK(what.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("npy: every element type, in every version") {
  struct named {
    const char* descr;
    element type;
  };
  using enum element;
  const named all[] = {{"|b1", boolean},   {"|i1", int8},       {"<i2", int16},   {"<i4", int32},
                       {"<i8", int64},     {"|u1", uint8},      {"<u2", uint16},  {"<u4", uint32},
                       {"<u8", uint64},    {"<f2", float16},    {"<f4", float32}, {"<f8", float64},
                       {"<c8", complex64}, {"<c16", complex128}};
  for (const named& n : all) {
    for (int version = 1; version <= 3; ++version) {
      CAPTURE(n.descr);
      CAPTURE(version);
      const scratch_folder folder;
      std::string data;
      for (std::size_t i = 0; i < 6 * bytes_of(n.type); ++i) data += static_cast<char>(i);
      const npy_file file(
          folder.file(npy(dict("'" + std::string(n.descr) + "'", "(2, 3)"), data, version)));
      const npy_header& h = file.header();
      CHECK(h.version == version);
      CHECK(h.dtype == n.descr);
      CHECK(h.shape == std::vector<std::size_t>{2, 3});
      CHECK(h.count == 6);
      CHECK(file.trailing_bytes() == 0);
      const array a = file.select();
      CHECK(a.type == n.type);
      CHECK(a.count == 6);
      CHECK(a.stride == bytes_of(n.type));
      CHECK(a.is_contiguous());
      CHECK(std::memcmp(a.data, data.data(), data.size()) == 0);
    }
  }
}

TEST_CASE("npy: shapes") {
  const auto count_of = [](const std::string& shape, std::size_t bytes) {
    const scratch_folder folder;
    return npy_file(folder.file(npy(dict("'|u1'", shape), std::string(bytes, 'x')))).select().count;
  };
  CHECK(count_of("()", 1) == 1);
  CHECK(count_of("(5,)", 5) == 5);
  CHECK(count_of("(2, 3, 4)", 24) == 24);
  CHECK(count_of("(0,)", 0) == 0);
  CHECK(count_of("(7, 0, 3)", 0) == 0);
  CHECK(count_of("(0, 99999999999999, 99999999999999)", 0) == 0);
  CHECK(count_of("(5L,)", 5) == 5);  // as written by Python 2
}

TEST_CASE("npy: odd but legal headers") {
  CHECK(complaint(npy(dict("\"<f4\"", "(1,)"), std::string(4, 'x'))).empty());
  CHECK(complaint(npy("{'shape':(1,),'fortran_order':False,'descr':'=f4'}", "xxxx")).empty());
  CHECK(complaint(npy(dict("'>u1'", "(4,)"), "xxxx")).empty());  // one byte has no order
  CHECK(complaint(npy(dict("'?'", "(4,)"), "xxxx")).empty());
  // Shapes for which both orders are the same.
  CHECK(complaint(npy(dict("'|u1'", "(4,)", "True"), "xxxx")).empty());
  CHECK(complaint(npy(dict("'|u1'", "(1, 4)", "True"), "xxxx")).empty());
}

TEST_CASE("npy: bytes after the array are counted") {
  const scratch_folder folder;
  CHECK(npy_file(folder.file(npy(dict("'|u1'", "(4,)"), "xxxxyy"))).trailing_bytes() == 2);
}

TEST_CASE("npy: an unaligned array is not taken for contiguous") {
  // A header that numpy.save would not write: no padding.
  const std::string text = dict("'<f8'", "(2,)") + (dict("", "").size() % 2 == 0 ? "" : " ");
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(text.size());
  bytes += '\0';
  bytes += text;
  if (bytes.size() % 8 == 0) {
    bytes[8] = static_cast<char>(text.size() + 1);
    bytes += ' ';
  }
  const scratch_folder folder;
  const npy_file file(folder.file(bytes + bytes_of_values<double>({1.5, 2.5})));
  const array a = file.select();
  CHECK_FALSE(a.is_contiguous());
  CHECK(at<double>(a, 1) == 2.5);
}

TEST_CASE("npy: fields of structs") {
  // A packed item of 1 + 8 + 12 + 2 + 3 + 4 + 16 bytes.
  const std::string descr =
      "[('id', '|u1'), ('mass', '<f8'), ('at', '<f4', (3,)), ('inner', [('a', '<i2'), ('', '|V3'), "
      "('b', '<f4')]), ('name', '<U4'), ]";
  struct __attribute__((packed)) item {
    std::uint8_t id;
    double mass;
    float at[3];
    std::int16_t a;
    char padding[3];
    float b;
    char name[16];
  };
  static_assert(sizeof(item) == 46);
  const std::vector<item> items{{1, 2.5, {1, 2, 3}, -4, {}, 5.5f, {}},
                                {2, 3.5, {4, 5, 6}, -7, {}, 8.5f, {}}};
  const scratch_folder folder;
  const npy_file file(folder.file(npy(dict(descr, "(2,)"), bytes_of_values(items))));
  CHECK(file.header().item_bytes == sizeof(item));
  CHECK(file.header().dtype == "structured");
  CHECK(file.trailing_bytes() == 0);

  const array id = file.select({"id", false});
  CHECK(id.type == element::uint8);
  CHECK(id.stride == sizeof(item));
  CHECK(id.count == 2);
  CHECK(at<std::uint8_t>(id, 1) == 2);
  CHECK_FALSE(id.is_contiguous());

  CHECK(at<double>(file.select({"mass", false}), 0) == 2.5);
  CHECK(at<double>(file.select({"mass", false}), 1) == 3.5);
  const array points = file.select({"at", false});
  CHECK(points.type == element::float3);
  CHECK(at<float>(points, 1) == 4);
  CHECK(file.select({"at", true}).type == element::float3);
  CHECK(at<std::int16_t>(file.select({"inner.a", false}), 1) == -7);
  CHECK(at<float>(file.select({"inner.b", false}), 1) == 8.5f);

  const auto says = [&](const npy_selection& how) -> std::string {
    try {
      file.select(how);
    } catch (const npy_error& e) {
      return e.what();
    }
    return {};
  };
  const std::string list = says({});
  check_says(list, "choose a field");
  for (const char* part : {"--field id", "--field mass    <f8  (float64)", "--field at    <f4 (3,)",
                           "--field inner.a", "--field name    <U4  (cannot be reduced)"}) {
    check_says(list, part);
  }
  CHECK(list.find("V3") == std::string::npos);  // padding is not a field
  check_says(says({"weight", false}), "there is no field 'weight'; choose one of");
  check_says(says({"name", false}), "cannot be reduced");
  check_says(says({"mass", true}), "--as float3 needs a subarray");
}

TEST_CASE("npy: field names are UTF-8 in every version") {
  const auto name_in = [](const std::string& quoted, int version) {
    const scratch_folder folder;
    const npy_file file(folder.file(npy(dict("[(" + quoted + ", '|u1')]", "(1,)"), "x", version)));
    REQUIRE(file.header().fields.size() == 1);
    const std::string name = file.header().fields[0].name;
    CHECK(file.select({name, false}).count == 1);
    CHECK(file.select({printable(name), false}).count == 1);
    return name;
  };
  for (const int version : {1, 2}) {  // latin-1
    CHECK(name_in("'\xe9'", version) == "\xc3\xa9");
    CHECK(name_in("'a\xff'", version) == "a\xc3\xbf");
    CHECK(name_in("'\xc3\xa9'", version) == "\xc3\x83\xc2\xa9");
  }
  CHECK(name_in("'\xc3\xa9'", 3) == "\xc3\xa9");
  CHECK(name_in("'\xff'", 3) == "\xff");  // not UTF-8; printed and selected as \xff
  for (const int version : {1, 2, 3}) {   // escapes that Python's repr() writes
    CHECK(name_in(R"('\x1b\xe9')", version) == "\x1b\xc3\xa9");
    CHECK(name_in(R"('\u20ac\U0001f600')", version) == "\xe2\x82\xac\xf0\x9f\x98\x80");
    CHECK(name_in(R"('\n\r\t')", version) == "\n\r\t");
    CHECK(name_in(R"('\\\'"')", version) == "\\'\"");
  }
  for (const char* const broken : {R"('\x1')", R"('\xg0')", R"('\U00110000')", R"('\u12')"}) {
    CAPTURE(broken);
    check_says(complaint(npy(dict("[(" + std::string(broken) + ", '|u1')]", "(1,)"), "x")),
               "damaged");
  }
}

TEST_CASE("npy: messages contain no control characters") {
  const auto says = [](const std::string& what, const std::string& part) {
    check_says(what, part);
    for (const char c : what) CHECK((c == '\n' || (c >= ' ' && c != '\x7f')));
  };
  says(complaint(npy(dict("'\x1b[2J'", "(1,)"), "x")), "'\\x1b[2J'");
  says(complaint(npy(dict("'<f4\x1b'", "(1,)"), "x")), "'<f4\\x1b'");
  says(complaint(npy(dict("[('\x1b', '|O')]", "(1,)"), "x")), "the field '\\x1b' holds");
  says(complaint(npy(dict("[('\x1b', '|V1\x1b')]", "(1,)"), "x")), "the field '\\x1b' has");
  const std::string fields = npy(dict("[('\x1b', '|V1[\x1b]'), ('\n', '|u1')]", "(1,)"), "xy");
  says(complaint(fields), "--field \\x1b    |V1[\\x1b]");
  says(complaint(fields, {"\x1b", false}), "'\\x1b' has the type '|V1[\\x1b]'");
  says(complaint(fields, {"\x7f", false}), "no field '\\x7f'");
}

TEST_CASE("printable") {
  const auto stays = [](const std::string& text) { CHECK(printable(text) == text); };
  stays("");
  stays("plain, with a \\ and a \"quote\"");
  stays("\xc2\xa0\xc3\xa9 \xe2\x82\xac \xed\x9f\xbf \xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf");
  CHECK(printable(std::string("\0\x1f\x7f", 3)) == "\\x00\\x1f\\x7f");
  CHECK(printable("\n\r\t") == "\\n\\r\\t");
  CHECK(printable("\xc2\x80\xc2\x9b\xc2\x9f") == "\\x80\\x9b\\x9f");
  // A lone continuation byte, a missing one, an overlong form, a surrogate, a number above
  // U+10FFFF.
  for (const char* const bytes :
       {"\x80", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xc0\xaf", "\xc1\xbf", "\xe0\x9f\xbf",
        "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
    std::string escaped;
    for (const char* c = bytes; *c != '\0'; ++c) {
      char digits[8];
      std::snprintf(digits, sizeof digits, "\\x%02x", static_cast<unsigned char>(*c));
      escaped += digits;
    }
    CHECK(printable(bytes) == escaped);
    CHECK(printable(bytes + std::string("a")) == escaped + "a");
  }
  CHECK(printable_lines("a\x1b\nb\r\n") == "a\\x1b\nb\\r\n");
}

TEST_CASE("npy: a field behind a subarray, a title and a big-endian field") {
  const std::string descr =
      "[('grid', '<i2', (2, 3)), (('the title', 'x'), '>f4'), ('one', '<i4', 1), ('y', '<u4')]";
  std::string data(12 + 4 + 4, '\0');
  data += bytes_of_values<std::uint32_t>({77});
  const scratch_folder folder;
  const npy_file file(folder.file(npy(dict(descr, "(1,)"), data)));
  CHECK(at<std::uint32_t>(file.select({"y", false}), 0) == 77);
  CHECK_THROWS_AS(file.select({"x", false}), npy_error);
  CHECK_THROWS_AS(file.select({"grid", false}), npy_error);
}

TEST_CASE("npy: three floats as a point") {
  const std::string data = bytes_of_values<float>({1, 2, 3, 4, 5, 6});
  const scratch_folder folder;
  const npy_file file(folder.file(npy(dict("'<f4'", "(2, 3)"), data)));
  const array points = file.select({"", true});
  CHECK(points.type == element::float3);
  CHECK(points.count == 2);
  CHECK(points.is_contiguous());
  CHECK(file.select().count == 6);
  check_says(complaint(npy(dict("'<f4'", "(3, 2)"), data), {"", true}), "last dimension of 3");
  check_says(complaint(npy(dict("'<f8'", "(1, 3)"), data), {"", true}), "float64 of shape (1, 3)");
}

TEST_CASE("npy: errors name the cause and the remedy") {
  const std::string good = npy(dict("'<f4'", "(4,)"), std::string(16, 'x'));
  REQUIRE(complaint(good).empty());

  SUBCASE("no .npy at all") {
    check_says(complaint(""), "the file is empty");
    check_says(complaint("hello, world, this is text"), "not an .npy file");
    check_says(complaint("h"), "not an .npy file");
    check_says(complaint(std::string("PK\x03\x04", 4) + "more"), "npz");
  }
  SUBCASE("truncated anywhere") {
    for (std::size_t n = 1; n < good.size(); ++n) {
      CAPTURE(n);
      check_says(complaint(good.substr(0, n)), "truncated");
    }
    check_says(complaint(good.substr(0, good.size() - 1)), "has only 15 bytes");
  }
  SUBCASE("version") {
    std::string future = good;
    future[6] = 4;
    check_says(complaint(future), "version 4");
    future[6] = 0;
    check_says(complaint(future), "version 0");
  }
  SUBCASE("Fortran order") {
    check_says(complaint(npy(dict("'<f4'", "(2, 2)", "True"), std::string(16, 'x'))),
               "ascontiguousarray");
  }
  SUBCASE("types") {
    check_says(complaint(npy(dict("'>f4'", "(4,)"), std::string(16, 'x'))), "big-endian");
    check_says(complaint(npy(dict("'|O'", "(4,)"), std::string(16, 'x'))), "Python objects");
    check_says(complaint(npy(dict("[('a', '|O'), ('b', '<f4')]", "(1,)"), std::string(16, 'x'))),
               "Python objects");
    for (const char* descr : {"<M8[ns]", "<U4", "|S4", "<f16", "<c32", "|V4", "<i3", "<f1"}) {
      CAPTURE(descr);
      const std::string what =
          complaint(npy(dict("'" + std::string(descr) + "'", "(1,)"), std::string(64, 'x')));
      check_says(what, "cannot be reduced");
      check_says(what, descr);
    }
    check_says(complaint(npy(dict("''", "(1,)"), "xxxx")), "damaged");
    check_says(complaint(npy(dict("'<f99999999999999999999'", "(1,)"), "xxxx")), "damaged");
    check_says(complaint(npy(dict("17", "(1,)"), "xxxx")), "damaged");
    check_says(complaint(npy(dict("[]", "(1,)"), "xxxx")), "no bytes");
    check_says(complaint(npy(dict("[('a',)]", "(1,)"), "xxxx")), "damaged");
    check_says(complaint(npy(dict("[('a', 5)]", "(1,)"), "xxxx")), "damaged");
  }
  SUBCASE("the header lies about the shape") {
    check_says(complaint(npy(dict("'<f4'", "(5,)"), std::string(16, 'x'))), "20 bytes of elements");
    for (const char* shape :
         {"(4294967296, 4294967296)", "(4611686018427387904,)", "(9223372036854775807, 3)",
          "(18446744073709551615,)", "(18446744073709551616,)", "(99999999999999999999999,)",
          "(-1,)", "('a',)", "5", "(2.5,)"}) {
      CAPTURE(shape);
      check_says(complaint(npy(dict("'<f4'", shape), std::string(16, 'x'))), "damaged");
    }
    check_says(complaint(npy(dict("[('a', '<f4', (4294967296, 4294967296, 4))]", "(1,)"), "xxxx")),
               "damaged");
  }
  SUBCASE("no Python dict") {
    for (const char* text :
         {"", "{", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': 0, 'shape': (4,)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (4,)} trailing", "[1, 2]", "{1: 2",
          "{'descr: '<f4'}", "import os"}) {
      CAPTURE(text);
      check_says(complaint(npy(text, std::string(16, 'x'))), "damaged");
    }
    // Deep nesting does not overflow the stack.
    check_says(complaint(npy(std::string(60000, '['), "")), "damaged");
  }
  SUBCASE("a field where there are none") {
    check_says(complaint(good, {"mass", false}), "omit --field");
  }
}

TEST_CASE("npy: pipes, folders and devices") {
  const auto says = [](const std::string& path) -> std::string {
    try {
      npy_file file(path);
    } catch (const file_error& e) {
      return e.what();
    }
    return {};
  };
  const scratch_folder folder;
  const std::string missing = (folder.path() / "missing.npy").string();
  check_says(says(missing), "cannot open the file: No such file");
  check_says(says(folder.path().string()), "this is a directory");
  const std::string pipe = (folder.path() / "pipe").string();
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  check_says(says(pipe), "not a regular file");
  if (geteuid() != 0) {  // root can read every file
    const std::string closed = folder.file("x");
    REQUIRE(chmod(closed.c_str(), 0) == 0);
    check_says(says(closed), "Permission denied");
  }
}
