/// @file
/// All exceptions of the library. Each message says what is wrong, where, and what to do.
///
/// The text is stored in the exception itself, so copying an exception cannot fail. This header
/// needs neither `<string>` nor `<stdexcept>`, which add 0.5 s to the compile time of a translation
/// unit.
///
/// Compiled with `-fno-exceptions`, the library writes the message to the standard error output and
/// calls `std::abort`. Under NVRTC a check that fails stops the kernel.
#pragma once

#include <cstddef>
#include <exception>
#include <new>
#include <type_traits>

#include <warpfold/core/config.hpp>

#if !defined(__cpp_exceptions) && !defined(__CUDACC_RTC__)
#include <cstdio>
#include <cstdlib>
#endif

namespace warpfold {

/// A text of up to 1023 characters, assembled from pieces; longer text is truncated.
class message {
 public:
  message() = default;

  /// Concatenates the pieces: texts, integers in decimal, pointers in hexadecimal.
  template <class... Pieces>
  explicit message(const Pieces&... pieces) {
    (void)(*this << ... << pieces);
  }

  message& operator<<(const char* text) {
    while (*text != '\0') put(*text++);
    return *this;
  }
  message& operator<<(const message& other) { return *this << other.c_str(); }
  message& operator<<(const void* address) {
    *this << "0x";
    return put_number(reinterpret_cast<std::size_t>(address), 16);
  }
  template <class T>
    requires std::is_integral_v<T>
  message& operator<<(T value) {
    if constexpr (std::is_signed_v<T>) {
      if (value < 0) {
        put('-');
        return put_number(~static_cast<std::size_t>(value) + 1, 10);
      }
    }
    return put_number(static_cast<std::size_t>(value), 10);
  }

  const char* c_str() const noexcept { return text_; }

 private:
  void put(char c) {
    if (size_ + 1 < sizeof text_) text_[size_++] = c;
  }
  message& put_number(std::size_t value, unsigned base) {
    char digits[24];
    int n = 0;
    do {
      digits[n++] = "0123456789abcdef"[value % base];
      value /= base;
    } while (value != 0);
    while (n > 0) put(digits[--n]);
    return *this;
  }

  char text_[1024] = {};
  std::size_t size_ = 0;
};

/// The base of all errors of this library except `out_of_memory`, which is a `std::bad_alloc`.
class error : public std::exception {
 public:
  /// @param what the whole message, or its first piece
  /// @param pieces the other pieces
  template <class... Pieces>
  explicit error(const char* what, const Pieces&... pieces) : what_(what, pieces...) {}
  explicit error(const message& what) : what_(what) {}

  const char* what() const noexcept override { return what_.c_str(); }

 private:
  message what_;
};

/// No GPU is usable: there is none, its driver is too old, or the program contains no code for it.
class no_device : public error {
 public:
  using error::error;
};

/// The policy cannot access the range, or the range does not fit the call. Examples: host memory
/// for a GPU, device memory for host threads, a null or misaligned pointer, swapped iterators,
/// ranges of different sizes.
class invalid_range : public error {
 public:
  using error::error;
};

/// There are too few elements for a result. Examples: an empty range for an op without identity and
/// without an init, or for an extremum or a mean; fewer than two elements for the variance of a
/// sample.
class empty_range : public error {
 public:
  using error::error;
};

/// An argument is out of its domain: the p of `norm_p`, or the number of threads in C. Nothing was
/// started.
class invalid_argument : public error {
 public:
  using error::error;
};

/// The chosen kernel cannot run this reduction: on this GPU, with these parameters, for so long a
/// range, or with such large states. Nothing was launched.
class unsupported_kernel : public error {
 public:
  using error::error;
};

/// A table of launches (`tuning`) is for another GPU, or has a row that no kernel can be launched
/// with. Nothing was launched.
class invalid_tuning : public error {
 public:
  using error::error;
};

/// A CUDA call or an earlier asynchronous operation failed.
class cuda_error : public error {
 public:
  cuda_error(int code, const message& what) : error(what), code_(code) {}

  /// The `cudaError_t`.
  int code() const noexcept { return code_; }

 private:
  int code_;
};

/// The ranks of a call cannot exchange their states: a rank did not call within the time limit, or
/// the engine failed. Do not use the communicator again.
class communication_error : public error {
 public:
  using error::error;
};

/// Another rank of a call threw, or made another call. The communicator stays usable.
class rank_error : public error {
 public:
  rank_error(int rank, const message& what) : error(what), rank_(rank) {}

  /// The rank that threw or made another call.
  int rank() const noexcept { return rank_; }

 private:
  int rank_;
};

/// Device or pinned host memory is exhausted. Nothing was enqueued; the device stays usable.
class out_of_memory : public std::bad_alloc {
 public:
  template <class... Pieces>
  explicit out_of_memory(const char* what, const Pieces&... pieces) : what_(what, pieces...) {}
  explicit out_of_memory(const message& what) : what_(what) {}

  const char* what() const noexcept override { return what_.c_str(); }

 private:
  message what_;
};

/// Throws `Error(arguments...)`. All headers but those of the emulation throw by this function.
/// @tparam Error one of the errors above, or a class with `what()`
template <class Error, class... Arguments>
[[noreturn]] __attribute__((cold, noinline)) void throw_error(Arguments... arguments) {
#if defined(__CUDACC_RTC__)
  __trap();
  __builtin_unreachable();
#elif defined(__cpp_exceptions)
  throw Error(arguments...);
#else
  std::fputs(Error(arguments...).what(), stderr);
  std::fputc('\n', stderr);
  std::abort();
#endif
}

}  // namespace warpfold
