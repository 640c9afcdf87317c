/// @file
/// Loads that read a copy in shared memory: a view passes addresses in global memory, as always,
/// and the load reads the copy.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/emulation/execution_model.hpp>
#include <warpfold/view/chunk.hpp>

namespace warpfold::collective {

/// True if the words of elements of `ElementBytes` bytes (0: unknown) are permuted in their copy.
///
/// Lanes that read elements of 32, 64, 96, ... bytes, word by word, would use only half of the
/// banks or fewer. So the words of some elements are permuted, in groups as large as the number of
/// elements that would conflict.
template <std::size_t ElementBytes>
inline constexpr bool is_exchanged = ElementBytes != 0 && ElementBytes % 32 == 0;

/// The position in the copy of byte `i` of an array with elements of `ElementBytes` bytes.
template <std::size_t ElementBytes>
WARPFOLD_HD constexpr unsigned place_in_copy(unsigned i) {
  if constexpr (is_exchanged<ElementBytes>) {
    constexpr auto group = static_cast<unsigned>(warpfold::detail::gcd(ElementBytes / 16, 8));
    const unsigned element = i / static_cast<unsigned>(ElementBytes);
    return i ^ (element / (8 / group) % group * 16);
  } else {
    return i;
  }
}

/// The launch's dynamic shared memory as bytes, from which any type is loaded.
class shared_bytes {
 public:
  WARPFOLD_HD shared_bytes(unsigned char* data, unsigned size) : data_(data), size_(size) {}

  WARPFOLD_HD unsigned char* at(unsigned i) const { return data_ + i; }

#if !defined(__CUDACC__)
  emulation::shared_place place() const { return {data_, size_, 1, 1}; }

  /// In words of 4 bytes, as the banks have, or in bytes if not aligned to words.
  void touch(unsigned i, unsigned bytes, emulation::access what, call_site where) const {
    if (i % warpfold::detail::gcd(bytes, word_bytes) != 0) {
      emulation::current_thread->misalign_shared(bytes, i, where);
    }
    const unsigned unit = i % 4 == 0 && bytes % 4 == 0 ? 4 : 1;
    emulation::current_thread->touch_shared({data_, size_ / unit, unit, unit}, i / unit,
                                            bytes / unit, what, where);
  }
#endif

  /// Loads the `T` at byte `i` of the copy at `copy`, a multiple of 16. `i` is a multiple of the
  /// greatest power of two up to 16 that divides the size of T.
  template <class T, std::size_t ElementBytes = 0>
  WARPFOLD_HD T load(unsigned copy, unsigned i, [[maybe_unused]] call_site where) const {
    chunk<T, 1> value;
    auto* const to = reinterpret_cast<unsigned char*>(&value.elements[0]);
    if constexpr (alignment_of<T> < 4) {
      load_narrow<sizeof(T), alignment_of<T>, ElementBytes>(to, copy, i, where);
    } else if constexpr (is_exchanged<ElementBytes>) {
      WARPFOLD_UNROLL
      for (unsigned at = 0; at < sizeof(T); at += alignment_of<T>) {
        load_part<alignment_of<T>>(to + at, copy + place_in_copy<ElementBytes>(i + at), where);
      }
    } else {
      load_part<sizeof(T)>(to, copy + i, where);
    }
    return value.elements[0];
  }
  /// Stores a `T` so that `load` finds it.
  template <class T, std::size_t ElementBytes = 0>
  WARPFOLD_HD void store(unsigned copy, unsigned i, const T& value,
                         [[maybe_unused]] call_site where) const {
    const auto* const from = reinterpret_cast<const unsigned char*>(&value);
    constexpr unsigned part =
        is_exchanged<ElementBytes> ? alignment_of<T> : static_cast<unsigned>(sizeof(T));
    constexpr std::size_t alignment = gcd_of(part);
    WARPFOLD_UNROLL
    for (unsigned at = 0; at < sizeof(T); at += part) {
      const unsigned place = copy + place_in_copy<ElementBytes>(i + at);
#if !defined(__CUDACC__)
      touch(place, part, emulation::access::store, where);
#endif
      __builtin_memcpy(__builtin_assume_aligned(data_ + place, alignment), from + at, part);
    }
  }

  /// Stores a word at byte `i`, a multiple of 16.
  WARPFOLD_HD void store_word(unsigned i, const word& w, [[maybe_unused]] call_site where) const {
#if !defined(__CUDACC__)
    touch(i, word_bytes, emulation::access::store, where);
#endif
    __builtin_memcpy(__builtin_assume_aligned(data_ + i, word_bytes), &w, word_bytes);
  }

 private:
  static WARPFOLD_HD constexpr unsigned gcd_of(std::size_t bytes) {
    return static_cast<unsigned>(warpfold::detail::gcd(bytes, word_bytes));
  }
  template <class T>
  static constexpr unsigned alignment_of = gcd_of(sizeof(T));

  template <unsigned Bytes>
  WARPFOLD_HD void load_part(unsigned char* to, unsigned i,
                             [[maybe_unused]] call_site where) const {
#if !defined(__CUDACC__)
    touch(i, Bytes, emulation::access::load, where);
#endif
    // A constant of its own: Clang 14 crashes on the call as an argument.
    constexpr std::size_t alignment = gcd_of(Bytes);
    __builtin_memcpy(to, __builtin_assume_aligned(data_ + i, alignment), Bytes);
  }

  // Loads the 4-byte words that contain the bytes, and shifts: 13 loads for 50 bytes, instead of 25
  // of two bytes. Words without any of the bytes are not read.
  template <unsigned Bytes, unsigned Alignment, std::size_t ElementBytes>
  WARPFOLD_HD void load_narrow(unsigned char* to, unsigned copy, unsigned i,
                               call_site where) const {
    constexpr unsigned words = (4 - Alignment + Bytes + 3) / 4;  // maximum
    constexpr unsigned results = (Bytes + 3) / 4;
    const unsigned shift = i % 4 * 8;
    std::uint32_t all[words + 1];
    WARPFOLD_UNROLL
    for (unsigned w = 0; w < words; ++w) {
      const unsigned last = (i + Bytes - 1) / 4 * 4;
      load_part<4>(reinterpret_cast<unsigned char*>(&all[w]),
                   copy + place_in_copy<ElementBytes>(w + 1 < words ? i / 4 * 4 + 4 * w : last),
                   where);
    }
    all[words] = 0;
    std::uint32_t shifted[results];
    WARPFOLD_UNROLL
    for (unsigned w = 0; w < results; ++w) {
      const std::uint64_t both = static_cast<std::uint64_t>(all[w + 1]) << 32 | all[w];
      shifted[w] = static_cast<std::uint32_t>(both >> shift);
    }
    __builtin_memcpy(to, shifted, Bytes);
  }

  unsigned char* data_;
  [[maybe_unused]] unsigned size_;  // in the emulation
};

/// All dynamic shared memory of the launch: `size` bytes.
WARPFOLD_DEVICE inline shared_bytes dynamic_shared_bytes(
    unsigned size, [[maybe_unused]] call_site at = call_site::here()) {
#if defined(__CUDACC__)
  extern __shared__ __align__(128) unsigned char warpfold_dynamic_bytes[];
  return {warpfold_dynamic_bytes, size};
#else
  return {static_cast<unsigned char*>(emulation::current_thread->dynamic_shared(size, at)), size};
#endif
}

/// A part of an array, and the position of its copy.
struct staged_piece {
  const unsigned char* from;  ///< in global memory
  unsigned bytes;             ///< 0: no array
  unsigned copy;              ///< its first byte in the dynamic shared memory
};

/// Loads for views: from a copy if the address is in one of `Pieces` parts of arrays, otherwise
/// from global memory, by `Direct`.
/// @tparam AllInFirst true if every load is in the first part: one subtraction, no comparison
/// @tparam ElementBytes size of the elements of the only array if its copy is permuted, or 0
template <int Pieces, bool AllInFirst, class Direct = global_loads, std::size_t ElementBytes = 0>
class staged_loads {
 public:
  WARPFOLD_DEVICE staged_loads(const shared_bytes& copies, const Direct& direct,
                               call_site at = call_site::here())
      : copies_(copies), direct_(direct), at_(at) {}

  staged_piece pieces[std::size_t{Pieces}] = {};

  WARPFOLD_HD word load_word(const void* from) const {
    return find<word>(from, [&] { return direct_.load_word(from); });
  }

  template <class T>
  WARPFOLD_HD T load(const T* from) const {
    return find<T>(from, [&] { return direct_.load(from); });
  }

 private:
  template <class T, class LoadDirectly>
  WARPFOLD_HD T find(const void* from, const LoadDirectly& load_directly) const {
    const auto offset_in = [&](const staged_piece& p) {
      return reinterpret_cast<std::uintptr_t>(from) - reinterpret_cast<std::uintptr_t>(p.from);
    };
    if constexpr (AllInFirst) {
      // A part of an element may be less aligned than its size suggests.
      constexpr std::size_t alignment = warpfold::detail::gcd(sizeof(T), word_bytes);
      if constexpr (ElementBytes != 0 && sizeof(T) != ElementBytes && alignof(T) < alignment) {
        if (offset_in(pieces[0]) % alignment != 0) return load_directly();
      }
      return copies_.load<T, ElementBytes>(pieces[0].copy,
                                           static_cast<unsigned>(offset_in(pieces[0])), at_);
    } else {
      WARPFOLD_UNROLL
      for (int i = 0; i < Pieces; ++i) {
        const std::uintptr_t offset = offset_in(pieces[i]);
        // An element of another, overlapping array may be misaligned in this one.
        constexpr std::size_t alignment = warpfold::detail::gcd(sizeof(T), word_bytes);
        if (offset < pieces[i].bytes && pieces[i].bytes - offset >= sizeof(T) &&
            offset % alignment == 0) {
          return copies_.load<T, ElementBytes>(pieces[i].copy, static_cast<unsigned>(offset), at_);
        }
      }
      return load_directly();
    }
  }

  shared_bytes copies_;
  Direct direct_;
  call_site at_;
};

}  // namespace warpfold::collective
