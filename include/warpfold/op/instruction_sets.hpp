/// @file
/// Code for the widest vectors of the host's processor. A kernel is compiled for several
/// instruction sets, and a call chooses one when it runs. With other compilers than GCC and Clang
/// this header is empty.
///
/// Vectors have 16 bytes on every processor, 32 with AVX2, and 64 with AVX-512. Kernels contain
/// assembly for AVX-512, which Clang rejects in inlined functions. So only GCC has vectors of 64
/// bytes.
#pragma once

#if defined(__GNUC__)

#if defined(__x86_64__) && !defined(__clang__)
#define WARPFOLD_HAS_AVX512 1
#else
#define WARPFOLD_HAS_AVX512 0
#endif

namespace warpfold::detail {

// Only as a template's own type does nvcc take it for a vector.
template <class T, int Bytes>
struct vector_register {
  typedef T type __attribute__((vector_size(Bytes)));
};

// True if the processor has vectors of `Bytes` bytes.
template <int Bytes>
bool has_vectors_of() {
#if defined(__x86_64__)
  if constexpr (Bytes == 32) {
#if !defined(__AVX2__)
    return __builtin_cpu_supports("avx2") != 0;
#endif
  } else if constexpr (Bytes == 64) {
#if !WARPFOLD_HAS_AVX512
    return false;
#elif !defined(__AVX512VL__) || !defined(__AVX512BW__) || !defined(__AVX512DQ__)
    return __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq");
#endif
  }
  return true;
#else
  return Bytes == 16;
#endif
}

#if defined(__x86_64__)
#if defined(__AVX2__)
#define WARPFOLD_WITH_AVX2
#else
#define WARPFOLD_WITH_AVX2 __attribute__((target("avx2")))
#endif
template <class Kernel, class... Args>
WARPFOLD_WITH_AVX2 void run_with_avx2(Args&... args) {
  Kernel::template run<32>(args...);
}
#undef WARPFOLD_WITH_AVX2
#endif
#if WARPFOLD_HAS_AVX512
template <class Kernel, class... Args>
__attribute__((target("avx512f,avx512vl,avx512bw,avx512dq"))) void run_with_avx512(Args&... args) {
  Kernel::template run<64>(args...);
}
#endif

// Runs a kernel, `run<Bytes>(args...)`, with vectors of `Bytes` bytes, which the processor has.
template <class Kernel, int Bytes, class... Args>
void run_in_vectors_of(Args&... args) {
#if WARPFOLD_HAS_AVX512
  if constexpr (Bytes == 64) return run_with_avx512<Kernel>(args...);
#endif
#if defined(__x86_64__)
  if constexpr (Bytes == 32) return run_with_avx2<Kernel>(args...);
#endif
  if constexpr (Bytes == 16) Kernel::template run<16>(args...);
}

// Runs a kernel with the widest vectors that the processor has, of at most `Widest` bytes.
template <class Kernel, int Widest = 32, class... Args>
void run_in_vectors(Args&... args) {
  if constexpr (Widest >= 64) {
    if (has_vectors_of<64>()) return run_in_vectors_of<Kernel, 64>(args...);
  }
  if (has_vectors_of<32>()) return run_in_vectors_of<Kernel, 32>(args...);
  run_in_vectors_of<Kernel, 16>(args...);
}

}  // namespace warpfold::detail

#undef WARPFOLD_HAS_AVX512

#endif
