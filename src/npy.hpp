/// @file
/// NumPy's .npy files, mapped into memory.
///
/// The format: "\x93NUMPY", a version, the length of the header, the header (a Python dict literal
/// with the dtype, the order and the shape), the elements. Versions 1, 2 and 3 differ in the width
/// of the length and the encoding of the header.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "element.hpp"

namespace warpfold::program {

/// The file is not an array that the program can reduce in the requested way. The message names the
/// file and the remedy.
class npy_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One field of a structured dtype. A nested field is named `outer.inner`.
struct npy_field {
  std::string name;             ///< always in UTF-8
  std::string dtype;            ///< as NumPy writes it; a subarray includes its shape: "<f4 (3,)"
  std::optional<element> type;  ///< empty if it cannot be reduced
  std::size_t offset = 0;       ///< in bytes, from the start of an item
};

/// The content of the header.
struct npy_header {
  int version = 0;
  std::string dtype;            ///< as NumPy writes it; "structured" if it has fields
  std::optional<element> type;  ///< of the items; empty if they are structured
  std::vector<npy_field> fields;
  std::vector<std::size_t> shape;
  std::size_t count = 1;  ///< the number of items: the product of the shape
  std::size_t item_bytes = 0;
  std::size_t data_offset = 0;  ///< of the first item in the file
};

/// Reads the header at the start of `file`'s bytes, and checks that the bytes can hold the array.
/// @param name        the name of the file in errors
/// @param file_bytes  the size of the file; `head` may be only its beginning
/// @throws npy_error
npy_header parse_npy_header(std::string_view head, std::uint64_t file_bytes,
                            const std::string& name);

/// The part of the array to reduce.
struct npy_selection {
  std::string field;       ///< the name of a field, as it is or as messages print it; or empty
  bool as_float3 = false;  ///< treat every three floats as one element; the last dimension is 3
};

/// Selects elements of an array whose items begin at `items`.
/// @param name  the name of the file in errors
/// @throws npy_error  if the field does not exist or does not have that type
array select_elements(const npy_header& header, const std::byte* items, const npy_selection& what,
                      const std::string& name);

/// An open file, mapped into memory. The system loads pages when they are read, so the file may be
/// larger than memory.
class npy_file {
 public:
  /// @param path  - for standard input, which is read to its end
  /// @throws file_error  if the file does not exist or cannot be read
  /// @throws npy_error   if it is not an array that the program can reduce
  explicit npy_file(const std::string& path);
  ~npy_file();
  npy_file(const npy_file&) = delete;             // it unmaps once
  npy_file& operator=(const npy_file&) = delete;  // likewise

  const std::string& path() const { return path_; }
  const npy_header& header() const { return header_; }

  /// The number of bytes after the array. The program ignores these bytes.
  std::uint64_t trailing_bytes() const;

  /// Calls `select_elements`. The result is valid while the file is open.
  array select(const npy_selection& what = {}) const;

  /// Asks the system to prefetch this part of the file.
  void will_need(const std::byte* from, std::size_t bytes) const;

 private:
  std::string path_;
  npy_header header_;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace warpfold::program
