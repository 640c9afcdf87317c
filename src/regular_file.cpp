#include "regular_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

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
