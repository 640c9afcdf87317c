/// @file
/// A regular file, open for reading. Rejects pipes, terminals and devices, so that the program
/// never waits for them; only `standard_input` waits.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace warpfold::program {

/// The file cannot be read. The message names the file and the remedy.
class file_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class regular_file {
 public:
  /// @param not_a_folder  the remedy in the message if `path` is a folder
  /// @throws file_error
  explicit regular_file(const std::string& path, const std::string& not_a_folder = "name a file");
  /// Reads standard input to its end, into memory that is a file too.
  /// @throws file_error  if it is a terminal, or cannot be read
  struct standard_input {};
  explicit regular_file(standard_input);
  ~regular_file();
  regular_file(const regular_file&) = delete;             // it closes the file once
  regular_file& operator=(const regular_file&) = delete;  // likewise

  int descriptor() const { return descriptor_; }
  /// The size of the file when it was opened.
  std::size_t bytes() const { return bytes_; }

  /// Reads the first `most` bytes, or the whole file if it is shorter.
  /// @throws file_error
  std::string read(std::size_t most) const;

 private:
  struct in_memory {};
  explicit regular_file(in_memory);  // an empty file

  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail_system(const char* doing) const;

  std::string path_;
  int descriptor_ = -1;
  std::size_t bytes_ = 0;
};

}  // namespace warpfold::program
