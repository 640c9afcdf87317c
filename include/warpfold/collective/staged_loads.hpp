/// @file
/// Loads that find in shared memory what was copied there: a view reads its elements from the copy as it would
/// from where they are, and does not know.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/execution_model.hpp>
#include <warpfold/runtime/error.hpp>
#include <warpfold/view/chunk.hpp>

namespace warpfold::collective {

/// The launch's dynamic shared memory as bytes, from which any type is read.
class shared_bytes {
 public:
  WARPFOLD_HD shared_bytes(unsigned char* data, unsigned size) : data_(data), size_(size) {}

  WARPFOLD_HD unsigned char* at(unsigned i) const { return data_ + i; }

#if !defined(__CUDACC__)
  emulation::shared_place place() const { return {data_, size_, 1, 1}; }

  /// Reports an access to `bytes` from number `i` on: in the banks' words of 4, or in bytes if it is not of those.
  void touch(unsigned i, unsigned bytes, emulation::access what, call_site where) const {
    if (i % warpfold::detail::gcd(bytes, word_bytes) != 0) {
      throw error("warpfold: ", bytes, " bytes of shared memory from number ", i, " on (",
                  where.file, ":", where.line, "), which is not aligned to them");
    }
    const unsigned unit = i % 4 == 0 && bytes % 4 == 0 ? 4 : 1;
    emulation::current_thread->touch_shared({data_, size_ / unit, unit, unit}, i / unit,
                                            bytes / unit, what, where);
  }
#endif

  /// The `T` whose first byte is number `i`: one of a run of them that begins at a multiple of 16.
  template <class T>
  WARPFOLD_HD T load(unsigned i, [[maybe_unused]] call_site where) const {
#if !defined(__CUDACC__)
    touch(i, sizeof(T), emulation::access::load, where);
#endif
    constexpr std::size_t alignment = warpfold::detail::gcd(sizeof(T), word_bytes);
    chunk<T, 1> copy;
    __builtin_memcpy(static_cast<void*>(&copy.elements[0]),
                     __builtin_assume_aligned(data_ + i, alignment), sizeof(T));
    return copy.elements[0];
  }
  /// Writes a `T` from byte `i` on, which is in a run of them as for `load`.
  template <class T>
  WARPFOLD_HD void store(unsigned i, const T& value, [[maybe_unused]] call_site where) const {
#if !defined(__CUDACC__)
    touch(i, sizeof(T), emulation::access::store, where);
#endif
    constexpr std::size_t alignment = warpfold::detail::gcd(sizeof(T), word_bytes);
    __builtin_memcpy(__builtin_assume_aligned(data_ + i, alignment),
                     static_cast<const void*>(&value), sizeof(T));
  }

  /// Writes a word from byte `i`, a multiple of 16, on.
  WARPFOLD_HD void store_word(unsigned i, const word& w, [[maybe_unused]] call_site where) const {
#if !defined(__CUDACC__)
    touch(i, word_bytes, emulation::access::store, where);
#endif
    __builtin_memcpy(__builtin_assume_aligned(data_ + i, word_bytes), &w, word_bytes);
  }

 private:
  unsigned char* data_;
  unsigned size_;
};

/// All of the dynamic shared memory that the launch asked for: `size` bytes.
WARPFOLD_DEVICE inline shared_bytes dynamic_shared_bytes(
    unsigned size, [[maybe_unused]] call_site at = call_site::here()) {
#if defined(__CUDACC__)
  extern __shared__ __align__(128) unsigned char warpfold_dynamic_bytes[];
  return {warpfold_dynamic_bytes, size};
#else
  return {static_cast<unsigned char*>(emulation::current_thread->dynamic_shared(size, at)), size};
#endif
}

/// A piece of an array, and where its copy is.
struct staged_piece {
  const unsigned char* from;  ///< in global memory
  unsigned bytes;             ///< 0: there is none
  unsigned copy;              ///< its first byte in the dynamic shared memory
};

/// Loads for views (see view/concept.hpp) that take from a copy what lies in one of `Pieces` pieces, and what
/// does not from global memory.
/// @tparam AllInFirst  every load is known to lie in the first piece: an address becomes that of the copy by
///                     one subtraction, and nothing is compared
/// @tparam Direct      what loads from global memory
template <int Pieces, bool AllInFirst, class Direct = cache_hint>
class staged_loads {
 public:
  WARPFOLD_DEVICE staged_loads(const shared_bytes& copies, const Direct& direct,
                               call_site at = call_site::here())
      : copies_(copies), direct_(direct), at_(at) {}

  staged_piece pieces[Pieces] = {};

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
      return copies_.load<T>(pieces[0].copy + static_cast<unsigned>(offset_in(pieces[0])), at_);
    } else {
      WARPFOLD_UNROLL
      for (int i = 0; i < Pieces; ++i) {
        const std::uintptr_t offset = offset_in(pieces[i]);
        // An element of another array, one that overlaps this, may lie between this one's.
        constexpr std::size_t alignment = warpfold::detail::gcd(sizeof(T), word_bytes);
        if (offset < pieces[i].bytes && pieces[i].bytes - offset >= sizeof(T) &&
            offset % alignment == 0) {
          return copies_.load<T>(pieces[i].copy + static_cast<unsigned>(offset), at_);
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
