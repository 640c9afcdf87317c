/// @file
/// Copies from global to shared memory that run by themselves (cp.async.bulk, compute capability 9.0), and
/// loads that find in the copy what was copied. In the emulation a copy is done at once by the thread that
/// starts it, and to wait for it is a barrier of the block.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/execution_model.hpp>
#include <warpfold/view/chunk.hpp>

namespace warpfold::collective {

/// What the addresses and the size of a bulk copy are multiples of.
inline constexpr std::size_t bulk_copy_bytes = 16;

/// The launch's dynamic shared memory as bytes, from which any type is read.
class shared_bytes {
 public:
  WARPFOLD_HD shared_bytes(unsigned char* data, unsigned size) : data_(data), size_(size) {}

  WARPFOLD_HD unsigned char* at(unsigned i) const { return data_ + i; }

#if !defined(__CUDACC__)
  emulation::shared_place place() const { return {data_, size_, 1, 1}; }

  /// Reports an access to `bytes` from number `i` on, in the banks' words of 4.
  void touch(unsigned i, unsigned bytes, emulation::access what, call_site where) const {
    emulation::current_thread->touch_shared({data_, size_ / 4, 4, 4}, i / 4,
                                            (i + bytes + 3) / 4 - i / 4, what, where);
  }
#endif

  /// The `T` whose first byte is number `i`. As far as 16 bytes go, it must be aligned.
  template <class T>
  WARPFOLD_HD T load(unsigned i, [[maybe_unused]] call_site where) const {
#if !defined(__CUDACC__)
    touch(i, sizeof(T), emulation::access::load, where);
#endif
    constexpr std::size_t alignment = alignof(T) < bulk_copy_bytes ? alignof(T) : bulk_copy_bytes;
    chunk<T, 1> copy;
    __builtin_memcpy(static_cast<void*>(&copy.elements[0]),
                     __builtin_assume_aligned(data_ + i, alignment), sizeof(T));
    return copy.elements[0];
  }

 private:
  unsigned char* data_;
  unsigned size_;
};

#if !defined(__CUDACC__)

inline shared_bytes dynamic_shared_bytes(unsigned size, call_site at = call_site::here()) {
  return {static_cast<unsigned char*>(emulation::current_thread->dynamic_shared(size, at)), size};
}

class bulk_copies {
 public:
  static void make_ready(bulk_copies*, unsigned) {}
  void expect(unsigned) {}
  void start(const shared_bytes& to, unsigned i, const void* from, unsigned bytes, caching,
             call_site at = call_site::here()) {
    emulation::current_thread->touch_copy(from, bytes, to.place(), i, at);
    __builtin_memcpy(to.at(i), from, bytes);
  }
  void wait(unsigned, call_site at = call_site::here()) { __syncthreads(at); }
};

#else

/// All of the dynamic shared memory that the launch asked for: `size` bytes.
WARPFOLD_DEVICE inline shared_bytes dynamic_shared_bytes(unsigned size) {
  extern __shared__ __align__(128) unsigned char warpfold_dynamic_bytes[];
  return {warpfold_dynamic_bytes, size};
}

/// Copies that end together: an mbarrier in shared memory, used in phases. In each, one thread says how many
/// bytes are to come and starts the copies; every thread of the block waits, and then reads them.
///
/// Before the next phase the block meets at a barrier, so that nobody still reads what is overwritten. No
/// fence between the proxies is needed for that: the block only reads what is copied.
class bulk_copies {
 public:
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

  /// Makes `count` of them ready. The thread that starts the copies calls it; the others wait behind a barrier
  /// of the block.
  static WARPFOLD_DEVICE void make_ready(bulk_copies* first, unsigned count) {
    WARPFOLD_NO_UNROLL
    for (unsigned i = 0; i < count; ++i) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(first[i].address()) : "memory");
    }
    // The copies, which count down, are another proxy.
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
  }

  /// Begins a phase, in which `bytes` are to come: what `start` is then given, in all; less than 1 MB.
  WARPFOLD_DEVICE void expect(unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(address()), "r"(bytes)
                 : "memory");
  }

  /// Starts to copy `bytes` to byte `i` on.
  WARPFOLD_DEVICE void start(const shared_bytes& to, unsigned i, const void* from, unsigned bytes,
                             caching how) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
        "[%0], [%1], %2, [%3], %4;"
        :
        : "r"(static_cast<unsigned>(__cvta_generic_to_shared(to.at(i)))),
          "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(address()), "l"(policy(how))
        : "memory");
  }

  /// Waits until the bytes of phase number `phase` are there. All threads of the block call it, together.
  WARPFOLD_DEVICE void wait(unsigned phase) {
    unsigned done = 0;
    while (done == 0) {
      asm volatile(
          "{.reg .pred p;\n\t"
          "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
          "selp.u32 %0, 1, 0, p;}"
          : "=r"(done)
          : "r"(address()), "r"(phase & 1)
          : "memory");
    }
  }

 private:
  // As those of cache_hint. One thread makes one for each copy: a fraction in a register is good enough.
  static WARPFOLD_DEVICE unsigned long long policy(caching how) {
    unsigned long long p;
    if (how == caching::keep) {
      asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(p));
    } else {
      asm("createpolicy.fractional.L2::evict_first.b64 %0, %1;"
          : "=l"(p)
          : "f"(0.25f * static_cast<float>(how)));
    }
    return p;
  }

  WARPFOLD_DEVICE unsigned address() const {
    return static_cast<unsigned>(__cvta_generic_to_shared(&state_));
  }

  unsigned long long state_;

#else

  // Compiled for GPUs without such copies. Never run: the kernel refuses such GPUs, and the launch such code
  // (min_architecture).
  static WARPFOLD_DEVICE void make_ready(bulk_copies*, unsigned) {}
  WARPFOLD_DEVICE void expect(unsigned) {}
  WARPFOLD_DEVICE void start(const shared_bytes&, unsigned, const void*, unsigned, caching) {}
  WARPFOLD_DEVICE void wait(unsigned) {}

 private:
  unsigned long long state_;

#endif
};

#endif

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
template <int Pieces, bool AllInFirst>
class staged_loads {
 public:
  WARPFOLD_DEVICE staged_loads(const shared_bytes& copies, const cache_hint& direct,
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
  template <class T, class Direct>
  WARPFOLD_HD T find(const void* from, const Direct& load_directly) const {
    const auto offset_in = [&](const staged_piece& p) {
      return reinterpret_cast<std::uintptr_t>(from) - reinterpret_cast<std::uintptr_t>(p.from);
    };
    if constexpr (AllInFirst) {
      return copies_.load<T>(pieces[0].copy + static_cast<unsigned>(offset_in(pieces[0])), at_);
    } else {
      WARPFOLD_UNROLL
      for (int i = 0; i < Pieces; ++i) {
        const std::uintptr_t offset = offset_in(pieces[i]);
        if (offset < pieces[i].bytes && pieces[i].bytes - offset >= sizeof(T)) {
          return copies_.load<T>(pieces[i].copy + static_cast<unsigned>(offset), at_);
        }
      }
      return load_directly();
    }
  }

  shared_bytes copies_;
  cache_hint direct_;
  call_site at_;
};

}  // namespace warpfold::collective
