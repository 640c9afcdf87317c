/// @file
/// Every way a call can fail. Each message says what happened, where, and what to do about it.
///
/// The text lives in the exception itself, so that copying one cannot fail, and this header needs neither `<string>` nor `<stdexcept>`: half a second of every translation unit.
#pragma once

#include <cstddef>
#include <exception>
#include <new>
#include <type_traits>

#include <warpfold/core/config.hpp>

namespace warpfold {

/// A text of up to 1023 characters, put together piece by piece; what does not fit is cut off.
class message {
 public:
  message() = default;

  /// The pieces, one after the other: texts, integers in decimal, pointers in hexadecimal.
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
  /// @param what  the whole message, or its pieces
  template <class... Pieces>
  explicit error(const char* what, const Pieces&... pieces) : what_(what, pieces...) {}
  explicit error(const message& what) : what_(what) {}

  const char* what() const noexcept override { return what_.c_str(); }

 private:
  message what_;
};

/// There is no GPU to run on, its driver is too old, or the program holds no code for it.
class no_device : public error {
 public:
  using error::error;
};

/// The range cannot be read from where the policy runs: host memory given to a GPU, device memory to
/// host threads, a null or misaligned pointer, iterators the wrong way round; or it does not fit what it goes with, as a
/// second range of another size.
class invalid_range : public error {
 public:
  using error::error;
};

/// There are too few elements for a result: none for an op that has no identity, without an init; none for the least, the
/// greatest or the mean; fewer than two for the variance of a sample.
class empty_range : public error {
 public:
  using error::error;
};

/// A number that was asked with makes no sense: the p of `norm_p`. Nothing was started.
class invalid_argument : public error {
 public:
  using error::error;
};

/// The kernel asked for cannot do this: not on this GPU, with these parameters, on a range so long, or with
/// states so large. Nothing was launched.
class unsupported_kernel : public error {
 public:
  using error::error;
};

/// A table of launches (`tuning`) is for another GPU, or has a row that no kernel could be launched with. Nothing was
/// launched.
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

/// Device or pinned host memory ran out. Nothing was enqueued; the device is usable as before.
class out_of_memory : public std::bad_alloc {
 public:
  template <class... Pieces>
  explicit out_of_memory(const char* what, const Pieces&... pieces) : what_(what, pieces...) {}
  explicit out_of_memory(const message& what) : what_(what) {}

  const char* what() const noexcept override { return what_.c_str(); }

 private:
  message what_;
};

}  // namespace warpfold
