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

/// The file is no array that we can reduce, or not as asked. The message names the file and says
/// what to do.
class npy_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One field of a structured dtype; of a nested one, `outer.inner`.
struct npy_field {
  std::string name;             ///< in UTF-8, whatever the file has
  std::string dtype;            ///< as NumPy writes it, a subarray with its shape: "<f4 (3,)"
  std::optional<element> type;  ///< empty if it cannot be reduced
  std::size_t offset = 0;       ///< in bytes, from the start of an item
};

/// What the header says.
struct npy_header {
  int version = 0;
  std::string dtype;            ///< as NumPy writes it; "structured" if it has fields
  std::optional<element> type;  ///< of the items; empty if they are structured
  std::vector<npy_field> fields;
  std::vector<std::size_t> shape;
  std::size_t count = 1;  ///< items: the product of the shape
  std::size_t item_bytes = 0;
  std::size_t data_offset = 0;  ///< of the first item in the file
};

/// Reads the header at the start of `file`'s bytes, and checks that the bytes can hold the array.
/// @param name        what errors call the file
/// @param file_bytes  how long the file is; `head` may be less than all of it
/// @throws npy_error
npy_header parse_npy_header(std::string_view head, std::uint64_t file_bytes,
                            const std::string& name);

/// How the elements are taken.
struct npy_selection {
  std::string field;       ///< of a structured dtype: its name, or that name as messages print it
  bool as_float3 = false;  ///< the last dimension is 3: take each three floats as one element
};

/// The elements as asked, of an array whose items begin at `items`.
/// @param name  what errors call the file
/// @throws npy_error  if there is no such field, or it cannot be taken so
array select_elements(const npy_header& header, const std::byte* items, const npy_selection& what,
                      const std::string& name);

/// An open, mapped file. Nothing is copied; pages come in as they are read, so the file can be
/// larger than memory.
class npy_file {
 public:
  /// @throws file_error  if it is not there, not a file, or not readable
  /// @throws npy_error   if it is not an array we can reduce
  explicit npy_file(const std::string& path);
  ~npy_file();
  npy_file(const npy_file&) = delete;             // it unmaps once
  npy_file& operator=(const npy_file&) = delete;  // likewise

  const std::string& path() const { return path_; }
  const npy_header& header() const { return header_; }

  /// Bytes after the array, which nobody asked for.
  std::uint64_t trailing_bytes() const;

  /// `select_elements`; valid as long as the file is open.
  array select(const npy_selection& what = {}) const;

  /// Asks the system to read this part of the file soon.
  void will_need(const std::byte* from, std::size_t bytes) const;

 private:
  std::string path_;
  npy_header header_;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace warpfold::program
