/// @file
/// Every way a call can fail. Each message says what happened, where, and what to do about it.
#pragma once

#include <new>
#include <stdexcept>
#include <string>

namespace warpfold {

/// The base of all errors of this library except `out_of_memory`, which is a `std::bad_alloc`.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// There is no GPU to run on, or its driver is too old.
class no_device : public error {
 public:
  using error::error;
};

/// The range cannot be read from where the policy runs: host memory given to a GPU, device memory to
/// host threads, a null or misaligned pointer, iterators the wrong way round.
class invalid_range : public error {
 public:
  using error::error;
};

/// An empty range was reduced with an op that has no identity, and no init was given.
class empty_range : public error {
 public:
  using error::error;
};

/// The kernel asked for cannot run on this GPU.
class unsupported_kernel : public error {
 public:
  using error::error;
};

/// A CUDA call or an earlier asynchronous operation failed.
class cuda_error : public error {
 public:
  cuda_error(int code, const std::string& what) : error(what), code_(code) {}

  /// The `cudaError_t`.
  int code() const noexcept { return code_; }

 private:
  int code_;
};

/// Device or pinned host memory ran out. Nothing was enqueued; the device is usable as before.
class out_of_memory : public std::bad_alloc {
 public:
  explicit out_of_memory(std::string what) : what_(std::move(what)) {}
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::string what_;
};

}  // namespace warpfold
