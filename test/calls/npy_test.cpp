// wf::npy_array: files as NumPy writes them, of all element types and versions; damaged files and
// files of another type are refused by name; an array in a file is a range like any other.
// needs: boost_context
#include <warpfold/npy.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <warpfold/policy/emulated_devices.hpp>
#include <warpfold/sharded.hpp>
#include <warpfold/sum.hpp>

namespace wf = warpfold;

namespace {

// A file with this content, removed at the end.
class temporary_file {
 public:
  explicit temporary_file(const std::string& content) {
    static int number = 0;
    path = std::filesystem::temp_directory_path() /
           ("warpfold_npy_" + std::to_string(::getpid()) + "_" + std::to_string(number++));
    std::ofstream(path, std::ios::binary) << content;
  }
  ~temporary_file() { std::filesystem::remove(path); }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;

  std::string name() const { return path.string(); }

  std::filesystem::path path;
};

std::string with_length(int version, const std::string& dict) {
  std::string text = "\x93NUMPY";
  text += static_cast<char>(version);
  text += '\0';
  const std::size_t size = dict.size();
  text += static_cast<char>(size % 256);
  text += static_cast<char>(size / 256);
  if (version > 1) text += std::string(2, '\0');
  return text + dict;
}
// As numpy.save writes it: padded so that the elements begin at a multiple of 64 bytes.
std::string header(const std::string& type, const std::string& shape, int version = 1,
                   const std::string& fortran = "False") {
  std::string dict =
      "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
  const std::size_t before = version == 1 ? 10 : 12;
  while ((before + dict.size() + 1) % 64 != 0) dict += ' ';
  return with_length(version, dict + '\n');
}
template <class T>
std::string bytes_of(const std::vector<T>& v) {
  return {reinterpret_cast<const char*>(v.data()), v.size() * sizeof(T)};
}

template <class T>
void check(const std::string& type, int version = 1) {
  CAPTURE(type);
  const std::vector<T> v{T(1), T(0), T(1), T(1), T(0), T(1)};
  const temporary_file file(header(type, "(2, 3)", version) + bytes_of(v));
  const wf::npy_array<T> array(file.name());
  CHECK(array.size() == 6);
  CHECK(array.shape() == std::vector<std::size_t>{2, 3});
  CHECK(std::vector<T>(array.begin(), array.end()) == v);
}

template <class T = float>
std::string refusal(const std::string& content) {
  const temporary_file file(content);
  try {
    const wf::npy_array<T> array(file.name());
  } catch (const wf::invalid_range& e) {
    CHECK(std::strstr(e.what(), file.name().c_str()) != nullptr);
    return e.what();
  }
  return "nothing was thrown";
}
bool has(const std::string& text, const char* part) { return text.find(part) != text.npos; }

}  // namespace

static_assert(!std::is_copy_constructible_v<wf::npy_array<int>>);
static_assert(std::is_nothrow_move_constructible_v<wf::npy_array<int>>);
static_assert(wf::reducible_range<wf::npy_array<float>>);

TEST_CASE("all element types and versions") {
  check<std::int8_t>("|i1");
  check<std::uint8_t>("|u1");
  check<std::int16_t>("<i2");
  check<std::uint16_t>("<u2", 2);
  check<std::int32_t>("<i4", 3);
  check<std::uint64_t>("<u8");
  check<float>("<f4", 2);
  check<double>("<f8");
  check<std::complex<float>>("<c8");
  check<std::complex<double>>("<c16");
  const temporary_file file(header("|b1", "(2,)") + std::string("\1\0", 2));
  const wf::npy_array<bool> flags(file.name());
  CHECK(flags.data()[0]);
  CHECK(!flags.data()[1]);
}

TEST_CASE("shapes: none, empty, one long dimension in Fortran order") {
  const temporary_file scalar(header("<f4", "()") + bytes_of(std::vector<float>{7}));
  CHECK(wf::npy_array<float>(scalar.name()).size() == 1);
  CHECK(wf::npy_array<float>(scalar.name()).shape().empty());
  const temporary_file empty(header("<f4", "(3, 0, 9999999999999999999)"));
  CHECK(wf::npy_array<float>(empty.name()).size() == 0);
  const temporary_file column(header("<f4", "(2, 1)", 1, "True") +
                              bytes_of(std::vector<float>{1, 2}));
  CHECK(wf::npy_array<float>(column.name()).size() == 2);
}

TEST_CASE("an array of a file is a range; each GPU gets a part") {
  std::vector<std::int32_t> v(10000);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<int>(i % 97) - 40;
  const temporary_file file(header("<i4", "(10000,)") + bytes_of(v));
  wf::npy_array<std::int32_t> array(file.name());
  const auto sum = wf::sum(wf::seq, v);
  CHECK(wf::sum(wf::seq, array) == sum);
  const wf::emulated_devices gpus(3);
  CHECK(wf::sum(wf::across(gpus), wf::sharded<std::int32_t>(gpus, array)) == sum);
  wf::npy_array<std::int32_t> moved(std::move(array));
  CHECK(array.size() == 0);
  CHECK(wf::sum(wf::seq, moved) == sum);
  array = std::move(moved);
  CHECK(wf::sum(wf::seq, array) == sum);
}

TEST_CASE("what is wrong with a file is named") {
  const std::string four = bytes_of(std::vector<float>(4));
  CHECK(has(refusal(""), "is not an .npy file"));
  CHECK(has(refusal("PK\3\4 something else"), "is not an .npy file"));
  CHECK(has(refusal(with_length(9, "{}")), "is not an .npy file"));
  CHECK(has(refusal(header("<f4", "(4,)").substr(0, 40)), "ends inside its header"));
  CHECK(has(refusal(header("<f4", "(4,)") + four.substr(1)), "4 elements by its header, but room"));
  CHECK(has(refusal(header("<f8", "(2,)") + four), "holds elements of type '<f8', not '<f4'"));
  CHECK(has(refusal(header(">f4", "(4,)") + four), "'>f4'"));
  CHECK(has(refusal(header("<f4", "(2, 2)", 1, "True") + four), "Fortran order"));
  CHECK(has(refusal(header("<f4", "(9999999999999999999, 9)") + four), "exceeds the address"));
  CHECK(has(refusal(header("<f4", "(99999999999999999999,)") + four), "exceeds the address"));
  for (const char* shape : {"(-4,)", "4", "(4", "(4.5,)", "[4]", "('4',)"}) {
    CHECK(has(refusal(header("<f4", shape) + four), "damaged header"));
  }
  CHECK(has(refusal(with_length(1, "{'descr': [('x', '<f4')], 'fortran_order': False, }")),
            "holds structs"));
  CHECK(
      has(refusal(with_length(1, "{'descr': '<f4', 'fortran_order': False, }")), "damaged header"));
  CHECK(has(refusal(with_length(1, "{'descr': '<f4', 'shape': (4,), }") + four), "not aligned"));
  CHECK_THROWS_WITH_AS(wf::npy_array<float>("/no such file"),
                       "warpfold: the file /no such file cannot be opened: No such file or "
                       "directory; pass the path of a readable .npy file",
                       wf::invalid_range);
  CHECK_THROWS_AS(wf::npy_array<float>("/"), wf::invalid_range);
}
