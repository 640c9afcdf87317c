/// @file
/// Vectors of doubles in the registers of one host thread: loads that convert, and parts of the
/// digits. With other compilers than GCC and Clang this header is empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <warpfold/core/config.hpp>
#include <warpfold/op/instruction_sets.hpp>

#if defined(__GNUC__)

namespace warpfold::detail {

// Vectors of `Bytes` bytes. All functions of vectors are inlined into code for one instruction set.
template <int Bytes>
struct double_vectors {
  using numbers = typename vector_register<double, Bytes>::type;
  using bits = typename vector_register<long long, Bytes>::type;
  static constexpr std::size_t count = Bytes / sizeof(double);

  template <class T>
  __attribute__((always_inline)) static void load(numbers& to, const T* from) {
    if constexpr (sizeof(T) == sizeof(double)) {
      __builtin_memcpy(&to, from, sizeof to);
    } else {
      load(to, from, std::make_index_sequence<count>{});
    }
  }
  // The numbers without their last `Left` digits.
  template <int Left>
  __attribute__((always_inline)) static void take_upper(numbers& to, const numbers& x) {
    to = (numbers)((bits)x & ~((1LL << Left) - 1));
  }

 private:
#if !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // with -Og GCC 12 sets lane by lane
#endif
  // Element by element, which gives one vcvtps2pd: for __builtin_convertvector GCC 12 makes four
  // instructions.
  template <class T, std::size_t... l>
  __attribute__((always_inline)) static void load(numbers& to, const T* from,
                                                  std::index_sequence<l...>) {
    to = numbers{static_cast<double>(from[l])...};
  }
#if !defined(__clang__)
#pragma GCC diagnostic pop
#endif
};

// The same of one number.
template <int Left>
double upper_digits(double x) {
  return __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, x) >> Left << Left);
}

}  // namespace warpfold::detail

#endif
