#include "regular_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "printable.hpp"

namespace warpfold::program {

regular_file::regular_file(const std::string& path, const std::string& not_a_folder) : path_(path) {
  // O_NONBLOCK: opening a pipe that has no writer would block.
  descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor_ < 0) fail_system("cannot open the file");
  try {
    struct stat status {};
    if (fstat(descriptor_, &status) != 0) fail_system("cannot read the file's status");
    if (S_ISDIR(status.st_mode)) fail("this is a directory; " + not_a_folder);
    if (!S_ISREG(status.st_mode)) {
      fail("not a regular file (a pipe or a device); save its data to a file first");
    }
    bytes_ = static_cast<std::size_t>(status.st_size);
  } catch (...) {
    close(descriptor_);  // the destructor does not run if the constructor throws
    throw;
  }
}

regular_file::regular_file(in_memory) : path_("standard input") {
  descriptor_ = memfd_create("warpfold", MFD_CLOEXEC);
  if (descriptor_ < 0) fail_system("cannot make a file in memory");
}

// The destructor runs if this throws, because the other constructor has ended.
regular_file::regular_file(standard_input) : regular_file(in_memory{}) {
  if (isatty(STDIN_FILENO)) {
    fail("this is a terminal; pipe the bytes of an .npy file to the program");
  }
  std::vector<char> piece(std::size_t{1} << 20);
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_system("cannot read it");
    if (got == 0) return;
    for (ssize_t done = 0; done < got;) {
      const ssize_t put =
          write(descriptor_, piece.data() + done, static_cast<std::size_t>(got - done));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) fail_system("cannot keep it in memory");
      done += put;
    }
    bytes_ += static_cast<std::size_t>(got);
  }
}

regular_file::~regular_file() { close(descriptor_); }

std::string regular_file::read(std::size_t most) const {
  std::string text(most, '\0');
  std::size_t n = 0;
  while (n < most) {
    const ssize_t got = pread(descriptor_, text.data() + n, most - n, static_cast<off_t>(n));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_system("cannot read the file");
    if (got == 0) break;
    n += static_cast<std::size_t>(got);
  }
  text.resize(n);
  return text;
}

void regular_file::fail(const std::string& what) const {
  throw file_error(printable(path_) + ": " + what);
}
void regular_file::fail_system(const char* doing) const {
  fail(std::string(doing) + ": " + std::strerror(errno));
}

}  // namespace warpfold::program
