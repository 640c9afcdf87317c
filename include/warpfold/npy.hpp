/// @file
/// `wf::npy_array<T>`: the elements of one of NumPy's `.npy` files, mapped into memory.
///
/// Source: the format that the documentation of `numpy.lib.format` defines: "\x93NUMPY", a version,
/// the length of the header, the header (a Python dict with the type, the order and the shape), and
/// the elements.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <warpfold/core/error.hpp>
#include <warpfold/core/number.hpp>
#include <warpfold/op/complex.hpp>

namespace warpfold {

namespace detail {

// NumPy's letter for the kind of an element, or 0 if a file cannot have it.
template <class T>
constexpr char npy_kind() {
  if constexpr (std::same_as<T, bool>) {
    return 'b';
  } else if constexpr (std::is_integral_v<T>) {
    return std::is_signed_v<T> ? 'i' : 'u';
  } else if constexpr (std::same_as<T, float> || std::same_as<T, double> ||
                       std::same_as<T, __half>) {
    return 'f';
  } else if constexpr (complex_number<T>) {
    return 'c';
  } else {
    return 0;
  }
}

// Bytes of a file in memory, unmapped at the end.
class mapped_file {
 public:
  explicit mapped_file(const char* path) {
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) fail(path, "cannot be opened: ");
    struct ::stat info {};
    const bool known = ::fstat(file, &info) == 0;
    bytes_ = known ? static_cast<std::size_t>(info.st_size) : 0;
    void* const p = bytes_ != 0 ? ::mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, file, 0) : nullptr;
    const int error = errno;
    (void)::close(file);
    errno = error;
    if (!known || p == MAP_FAILED) fail(path, "cannot be mapped into memory: ");
    data_ = static_cast<const char*>(p);
  }
  mapped_file(mapped_file&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  mapped_file& operator=(mapped_file&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~mapped_file() {
    if (data_ != nullptr) (void)::munmap(const_cast<char*>(data_), bytes_);
  }

  std::string_view bytes() const { return {data_, bytes_}; }

 private:
  [[noreturn]] static void fail(const char* path, const char* what) {
    throw_error<invalid_range>("warpfold: the file ", path, " ", what, std::strerror(errno),
                               "; pass the path of a readable .npy file");
  }

  const char* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace detail

/// The elements of an `.npy` file in row-major order: a contiguous range of `const T` in host
/// memory. The system loads pages when they are read, so the file may be larger than memory.
/// Movable, not copyable.
///
/// - Calls: every call that takes a container on the host. `wf::sharded<T>(gpus, array)` copies a
///   part to each GPU; each rank of `across` can pass a part of its own.
/// - Cost: the constructor maps the file and reads the header. No element is copied.
/// - The file must not become shorter while the array exists.
///
/// ```cpp
/// #include <cstdio>
/// #include <warpfold/npy.hpp>
/// #include <warpfold/policy/emulated_devices.hpp>
/// #include <warpfold/sharded.hpp>
///
/// const char header[] =
///     "\x93NUMPY\1\0\x3e\0{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}      \n";
/// std::FILE* file = std::fopen("three.npy", "wb");
/// std::fwrite(header, 1, sizeof header - 1, file);
/// const float three[] = {1, 2, 3};
/// std::fwrite(three, 4, 3, file);
/// std::fclose(file);
///
/// const wf::npy_array<float> array("three.npy");
/// const wf::emulated_devices gpus(2);  // with nvcc: wf::devices gpus{0, 1};
/// float sum = wf::reduce(wf::across(gpus), wf::sharded<float>(gpus, array));  // 6
/// ```
///
/// @tparam T `bool`, an integer, `float`, `double`, `__half`, or a complex number of these; the
///     type of the file's elements
template <class T>
class npy_array {
  static_assert(detail::npy_kind<T>() != 0,
                "warpfold: .npy files hold bool, integers, float, double, __half and complex "
                "numbers; use one of these types");
  static_assert(std::endian::native == std::endian::little);

 public:
  using value_type = T;

  /// Maps the file and reads its header.
  /// @throws invalid_range if the file cannot be read, is damaged, or is no `.npy` file. Also if it
  ///     holds elements of another type, or has several dimensions in Fortran order
  explicit npy_array(const char* path) : file_(path) { read_header(path); }
  explicit npy_array(const std::string& path) : npy_array(path.c_str()) {}
  npy_array(npy_array&& other) noexcept
      : file_(std::move(other.file_)),
        shape_(std::move(other.shape_)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  npy_array& operator=(npy_array&& other) noexcept {
    file_ = std::move(other.file_);
    shape_ = std::move(other.shape_);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  ~npy_array() = default;

  const T* data() const noexcept { return data_; }
  /// The number of elements.
  std::size_t size() const noexcept { return size_; }
  const T* begin() const noexcept { return data_; }
  const T* end() const noexcept { return data_ + size_; }
  /// The extents; empty for an array without dimensions, which has one element.
  const std::vector<std::size_t>& shape() const noexcept { return shape_; }

 private:
  void read_header(const char* path) {
    const auto fail = [&](const auto&... what) {
      throw_error<invalid_range>("warpfold: the file ", path, " ", what...);
    };
    const std::string_view bytes = file_.bytes();
    const auto byte = [&](std::size_t i) {
      return std::size_t{static_cast<unsigned char>(bytes[i])};
    };
    if (bytes.size() < 12 || !bytes.starts_with("\x93NUMPY") || byte(6) < 1 || byte(6) > 3) {
      fail("is not an .npy file; write one with numpy.save");
    }
    const std::size_t text = byte(6) == 1 ? 10 : 12;
    std::size_t length = byte(8) | byte(9) << 8;
    if (text == 12) length |= byte(10) << 16 | byte(11) << 24;
    if (length > bytes.size() - text) fail("ends inside its header; copy or save it again");
    const std::string_view header = bytes.substr(text, length);

    // The text of a key's value, without leading blanks.
    const auto value_of = [&](std::string_view key) {
      std::size_t at = header.find(key);
      if (at != header.npos) at = header.find_first_not_of(": ", at + key.size());
      if (at == header.npos) fail("has a damaged header; save it again with numpy.save");
      return header.substr(at);
    };
    const std::string_view type = value_of("'descr'");
    if (type.front() != '\'') fail("holds structs; save one field with numpy.save");
    const std::string_view code = type.substr(1, type.substr(1).find('\''));
    char own[] = {sizeof(T) == 1 ? '|' : '<', detail::npy_kind<T>(), '\0', '\0', '\0'};
    own[2] = static_cast<char>(sizeof(T) < 10 ? '0' + sizeof(T) : '1');
    if (sizeof(T) >= 10) own[3] = static_cast<char>('0' + sizeof(T) % 10);
    if (code != own) {
      fail("holds elements of type '", std::string(code.substr(0, 40)).c_str(), "', not '", own,
           "'; pass the element type of the file, or convert it with numpy.ndarray.astype");
    }

    std::string_view extents = value_of("'shape'");
    const std::size_t close = extents.find(')');
    if (extents.front() != '(' || close == extents.npos ||
        extents.substr(1, close - 1).find_first_not_of("0123456789L, ") != extents.npos) {
      fail("has a damaged header; save it again with numpy.save");
    }
    extents = extents.substr(0, close);
    std::size_t elements = 1, longer = 0;
    for (std::size_t i = 1; i < extents.size();) {
      if (extents[i] < '0' || extents[i] > '9') {
        ++i;
        continue;
      }
      std::size_t n = 0;
      for (; i < extents.size() && extents[i] >= '0' && extents[i] <= '9'; ++i) {
        if (__builtin_mul_overflow(n, std::size_t{10}, &n) ||
            __builtin_add_overflow(n, static_cast<std::size_t>(extents[i] - '0'), &n)) {
          fail("has a shape that exceeds the address space; save it again with numpy.save");
        }
      }
      shape_.push_back(n);
      longer += n > 1 ? 1 : 0;
    }
    for (const std::size_t n : shape_) elements = n == 0 ? 0 : elements;
    for (const std::size_t n : shape_) {
      if (__builtin_mul_overflow(elements, n, &elements)) {
        fail("has a shape that exceeds the address space; save it again with numpy.save");
      }
    }
    if (longer > 1 && value_of("'fortran_order'").starts_with("True")) {
      fail("is in Fortran order; save numpy.ascontiguousarray(array)");
    }
    const std::size_t begin = text + length;
    if (elements > (bytes.size() - begin) / sizeof(T)) {
      fail("has ", elements, " elements by its header, but room for ",
           (bytes.size() - begin) / sizeof(T), "; copy or save it again");
    }
    if (begin % alignof(T) != 0) {
      fail("has elements at byte ", begin, ", which is not aligned; save it again with numpy.save");
    }
    data_ = reinterpret_cast<const T*>(bytes.data() + begin);
    size_ = elements;
  }

  detail::mapped_file file_;
  std::vector<std::size_t> shape_;
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace warpfold
