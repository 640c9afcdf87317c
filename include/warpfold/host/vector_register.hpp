/// @file
/// Vector registers of one host thread: vectors of numbers, which are extensions of GCC and Clang.
/// With other compilers this header is empty.
#pragma once

#include <type_traits>

#include <warpfold/op/instruction_sets.hpp>

#if defined(__GNUC__)

// Inlined without optimization too. The same code is compiled for several instruction sets, and
// functions that take or return wide vectors have another calling convention in each of them. So
// all functions of vectors are inlined, and take them by reference.
#define WARPFOLD_HOST_INLINE __attribute__((always_inline)) inline

namespace warpfold::host::detail {

template <class T, int Bytes>
using vector_t = typename warpfold::detail::vector_register<T, Bytes>::type;

// The vectors of every x86-64 processor.
inline constexpr int narrow = 16;

template <class Vector, class T>
WARPFOLD_HOST_INLINE void load(Vector& to, const T* from) {
  __builtin_memcpy(&to, from, sizeof to);
}

// One store: GCC may make two of a __builtin_memcpy, for which a wide load would wait.
template <class T, class Vector>
WARPFOLD_HOST_INLINE void store(T* to, const Vector& from) {
  typedef T unaligned __attribute__((vector_size(sizeof(Vector)), aligned(alignof(T)), may_alias));
  *reinterpret_cast<unaligned*>(to) = (unaligned)from;
}

// Several numbers as one. Its copy constructor makes it a class that functions take and return in
// memory, whatever the instruction set is, so that projections need not be inlined.
template <class T, int Bytes>
class lanes {
 public:
  vector_t<T, Bytes> of;

  lanes() = default;
  WARPFOLD_HOST_INLINE lanes(const lanes& other) : of(other.of) {}
  WARPFOLD_HOST_INLINE lanes& operator=(const lanes& other) {
    of = other.of;
    return *this;
  }

  T operator[](int l) const { return of[l]; }
  friend WARPFOLD_HOST_INLINE lanes operator+(const lanes& a, const lanes& b) {
    lanes r;
    r.of = a.of + b.of;
    return r;
  }
  friend WARPFOLD_HOST_INLINE lanes operator-(const lanes& a, T b) {
    lanes r;
    r.of = a.of - b;
    return r;
  }
  friend WARPFOLD_HOST_INLINE lanes operator*(const lanes& a, const lanes& b) {
    lanes r;
    r.of = a.of * b.of;
    return r;
  }
};

}  // namespace warpfold::host::detail

#endif
