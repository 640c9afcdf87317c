/// @file
/// A chunk: the elements that a thread loads at once, in registers. Also the loads themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include <warpfold/core/call_site.hpp>
#include <warpfold/core/config.hpp>

#if !defined(__CUDACC__)
#include <warpfold/emulation/thread.hpp>
#endif

namespace warpfold {

/// The width of the widest load in bytes, which is also its alignment.
inline constexpr std::size_t word_bytes = 16;

/// Sixteen bytes that are loaded at once.
struct alignas(word_bytes) word {
  std::uint32_t part[4];
};

namespace detail {

WARPFOLD_HD constexpr std::size_t gcd(std::size_t a, std::size_t b) {
  return b == 0 ? a : gcd(b, a % b);
}

// The smallest number of elements that fill whole words: 4 floats, 16 chars, 4 float3 (48 bytes).
// If that exceeds 64 bytes (a 20-byte struct: 80), a thread could keep too few chunks in flight.
// Then a chunk is one element, loaded in parts that its own alignment allows.
constexpr int elements_per_chunk(std::size_t element_bytes) {
  const std::size_t elements = word_bytes / gcd(element_bytes, word_bytes);
  return elements * element_bytes <= 64 ? static_cast<int>(elements) : 1;
}

// False for a struct of 16 bytes that is 4-byte aligned, for example: perhaps none of its elements
// starts at a word. For every other type one within a chunk does.
template <class T>
inline constexpr bool has_aligned_element = alignof(T) % gcd(sizeof(T), word_bytes) == 0;

}  // namespace detail

/// `Count` elements in registers, loaded as words or singly. `T` needs no default constructor.
template <class T, int Count>
union chunk {
  using element = T;
  static constexpr int words = static_cast<int>(sizeof(T) * Count / word_bytes);
  static constexpr bool fills_words = sizeof(T) * Count % word_bytes == 0;

  word as_words[std::size_t{fills_words ? words : 1}];
  T elements[std::size_t{Count}];

  WARPFOLD_HD chunk() {}

  /// Sets element `k`, which need not exist before.
  inline WARPFOLD_HD void set(auto k, const T& x) {
    ::new (static_cast<void*>(&elements[static_cast<int>(k)])) T(x);
  }
};

namespace detail {

WARPFOLD_HD inline bool at_word(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p) % word_bytes == 0;
}

/// Loads a chunk of whole words; `from` must be at a multiple of 16 bytes.
template <class T, int Count, class Loads>
WARPFOLD_HD void load_words(chunk<T, Count>& c, const void* from, const Loads& loads) {
  const auto* const bytes = static_cast<const unsigned char*>(from);
  WARPFOLD_UNROLL
  for (int w = 0; w < chunk<T, Count>::words; ++w) {
    c.as_words[w] = loads.load_word(bytes + static_cast<std::size_t>(w) * word_bytes);
  }
}

/// Stores a chunk of whole words; `to` must be at a multiple of 16 bytes.
template <class T, int Count, class Stores>
WARPFOLD_HD void store_words(void* to, const chunk<T, Count>& c, const Stores& stores) {
  auto* const bytes = static_cast<unsigned char*>(to);
  WARPFOLD_UNROLL
  for (int w = 0; w < chunk<T, Count>::words; ++w) {
    stores.store_word(bytes + static_cast<std::size_t>(w) * word_bytes, c.as_words[w]);
  }
}

}  // namespace detail

/// How a launch uses the L2 cache.
///
/// - `keep`: as other data; the next call may find it there.
/// - `stream`: evict first. Data larger than the cache then does not evict other data, and loads do
///   not wait for modified lines to be written back.
/// - the others: the stated fraction streams, spread evenly. If data slightly exceeds the cache,
///   the rest stays for the next call.
enum class caching {
  keep,
  stream_quarter,
  stream_half,
  stream_three_quarters,
  stream_seven_eighths,
  stream
};

/// Loads from global memory with an L2 eviction policy, which the GPU holds in a register. Views
/// pass addresses to it, or to another class with the same functions, for example one that reads a
/// copy in shared memory. The emulation reports each load, with the source line where the hint was
/// made.
class global_loads {
 public:
#if defined(__CUDACC__)
  WARPFOLD_HD explicit global_loads([[maybe_unused]] caching how, call_site = call_site::here()) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    // Six constants and five selections: a fraction in a register costs a conversion. `keep` is the
    // policy of a load without a hint; evict_normal demotes lines (H200, 4 GB: 0.92 of the speed).
    unsigned long long keep, quarter, half, three_quarters, seven_eighths, stream;
    asm("createpolicy.fractional.L2::evict_unchanged.b64 %0, 1.0;" : "=l"(keep));
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 0.25;" : "=l"(quarter));
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 0.5;" : "=l"(half));
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 0.75;" : "=l"(three_quarters));
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 0.875;" : "=l"(seven_eighths));
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(stream));
    policy_ = how == caching::keep                    ? keep
              : how == caching::stream                ? stream
              : how == caching::stream_quarter        ? quarter
              : how == caching::stream_half           ? half
              : how == caching::stream_three_quarters ? three_quarters
                                                      : seven_eighths;
#endif
  }
#else
  explicit global_loads(caching, call_site at = call_site::here()) : at_(at) {}
#endif

  /// Loads one word; `from` must be 16-byte aligned. One `ld.global.v4` on the GPU. Not
  /// `ld.global.nc`: a kernel may work in place, and the launch before it may still write.
  WARPFOLD_HD word load_word(const void* from) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    word w;
    asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(w.part[0]), "=r"(w.part[1]), "=r"(w.part[2]), "=r"(w.part[3])
                 : "l"(__cvta_generic_to_global(from)), "l"(policy_));
    return w;
#elif defined(__CUDA_ARCH__)
    word w;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(w.part[0]), "=r"(w.part[1]), "=r"(w.part[2]), "=r"(w.part[3])
                 : "l"(__cvta_generic_to_global(from)));
    return w;
#else
    report(from, word_bytes, word_bytes);
    word w;
    __builtin_memcpy(&w, from, word_bytes);
    return w;
#endif
  }

#if defined(__CUDACC__)
  /// The eviction policy, for instructions that take one; needs compute capability 8.0.
  WARPFOLD_DEVICE unsigned long long policy() const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return policy_;
#else
    return 0;
#endif
  }
#endif

  /// Starts to copy the line of `from` to the L2 cache.
  WARPFOLD_HD void prefetch([[maybe_unused]] const void* from) const {
#if defined(__CUDA_ARCH__)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(from)));
#endif
  }

  /// Loads a quarter of a word; `from` must be 4-byte aligned.
  WARPFOLD_HD std::uint32_t load_part(const void* from) const {
#if defined(__CUDA_ARCH__)
    return *static_cast<const std::uint32_t*>(from);
#else
    report(from, 4, 4);
    std::uint32_t part;
    __builtin_memcpy(&part, from, 4);
    return part;
#endif
  }

  template <class T>
  WARPFOLD_HD T load(const T* from) const {
    report(from, sizeof(T), alignof(T));
    return *from;
  }

 private:
#if defined(__CUDACC__)
  WARPFOLD_HD void report(const void*, std::size_t, std::size_t) const {}
#else
  // Not inlined: otherwise GCC 12 and 13 unroll a view's loop over a chunk one iteration too far.
  // They then warn about a write beyond its end (-Wstringop-overflow, -O3).
  [[gnu::noinline]] void report(const void* from, std::size_t bytes, std::size_t alignment) const {
    if (emulation::current_thread != nullptr) [[unlikely]] {
      emulation::current_thread->touch_global(from, bytes, emulation::access::load_of_range,
                                              alignment, at_);
    }
  }

  call_site at_;
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned long long policy_;
#endif
};

}  // namespace warpfold
