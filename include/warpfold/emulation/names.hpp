/// @file
/// The names of CUDA C++'s execution model for a host compiler, as far as kernels and collectives
/// use them: threadIdx, barriers, shuffles, votes, fences and atomics. Their meaning is that of the
/// CUDA C++ Programming Guide; what it leaves undefined throws `emulation_error`.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <warpfold/emulation/thread.hpp>

namespace warpfold {

/// A position in, or the extent of, a block or a grid.
struct index3 {
  unsigned x = 0;
  unsigned y = 0;
  unsigned z = 0;
};

// Set whenever another thread of the block runs.
inline constinit thread_local index3 threadIdx;
inline constinit thread_local index3 blockIdx;
inline constinit thread_local index3 blockDim;
inline constinit thread_local index3 gridDim;

// A block runs on one host thread, and blocks communicate only through atomics and posts, which
// lock.
inline void __threadfence() { std::atomic_thread_fence(std::memory_order_seq_cst); }

inline void __syncthreads(site at = site::here()) { emulation::current_thread->sync_block(at); }
inline int __syncthreads_and(int predicate, site at = site::here()) {
  return emulation::current_thread->sync_block_and(predicate != 0, at);
}
inline void __syncwarp(unsigned mask = 0xffffffffu, site at = site::here()) {
  emulation::current_thread->sync_warp(mask, at);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, site at = site::here()) {
  return emulation::current_thread->vote(mask, predicate != 0, at);
}
inline int __any_sync(unsigned mask, int predicate, site at = site::here()) {
  return emulation::current_thread->vote(mask, predicate != 0, at) != 0;
}
inline int __all_sync(unsigned mask, int predicate, site at = site::here()) {
  return emulation::current_thread->vote(mask, predicate != 0, at) == mask;
}
inline unsigned __reduce_add_sync(unsigned mask, unsigned value, site at = site::here()) {
  return emulation::current_thread->reduce(mask, value, '+', at);
}
inline unsigned __reduce_min_sync(unsigned mask, unsigned value, site at = site::here()) {
  return emulation::current_thread->reduce(mask, value, '<', at);
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned value, site at = site::here()) {
  return emulation::current_thread->reduce(mask, value, '>', at);
}
// Inverting the sign bit maps signed numbers to unsigned ones in the same order.
inline int __reduce_min_sync(unsigned mask, int value, site at = site::here()) {
  constexpr unsigned sign = 1u << 31;
  return static_cast<int>(__reduce_min_sync(mask, static_cast<unsigned>(value) ^ sign, at) ^ sign);
}
inline int __reduce_max_sync(unsigned mask, int value, site at = site::here()) {
  constexpr unsigned sign = 1u << 31;
  return static_cast<int>(__reduce_max_sync(mask, static_cast<unsigned>(value) ^ sign, at) ^ sign);
}

namespace emulation {

inline unsigned current_lane() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}

template <class T>
T shuffle(unsigned mask, T value, unsigned source, char form, site at) {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8,
                "a shuffle moves a number of up to 8 bytes");
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = current_thread->shuffle(mask, bits, source,
                                 static_cast<unsigned>(form) * 16u + unsigned{sizeof(T)}, at);
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

}  // namespace emulation

// Lanes in groups of `width`; beyond its group's end a lane receives its own value.
template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, site at = site::here()) {
  const unsigned lane = emulation::current_lane(), w = static_cast<unsigned>(width);
  return emulation::shuffle(mask, value, lane / w * w + static_cast<unsigned>(source) % w, 'i', at);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, site at = site::here()) {
  const unsigned lane = emulation::current_lane(), w = static_cast<unsigned>(width);
  return emulation::shuffle(mask, value, lane % w + delta < w ? lane + delta : lane, 'd', at);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, site at = site::here()) {
  const unsigned lane = emulation::current_lane(), w = static_cast<unsigned>(width);
  return emulation::shuffle(mask, value, lane % w >= delta ? lane - delta : lane, 'u', at);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, site at = site::here()) {
  const unsigned lane = emulation::current_lane(), w = static_cast<unsigned>(width);
  const unsigned other = lane ^ static_cast<unsigned>(bits);
  return emulation::shuffle(mask, value, other / w <= lane / w ? other : lane, 'x', at);
}

namespace emulation {

// Replaces `*p` by `f(*p)` atomically; returns the old value.
template <class T, class F>
T atomically(T* p, const F& f, site at) {
  current_thread->touch_global(p, sizeof(T), access::atomic, alignof(T), at);
  std::atomic_ref<T> target(*p);
  T before = target.load();
  while (!target.compare_exchange_weak(before, f(before))) {
  }
  return before;
}

}  // namespace emulation

/// For global memory only; the library uses no atomics on shared memory.
template <class T>
T atomicAdd(T* p, std::type_identity_t<T> x, site at = site::here()) {
  return emulation::atomically(p, [x](T old) { return static_cast<T>(old + x); }, at);
}
template <class T>
T atomicExch(T* p, std::type_identity_t<T> x, site at = site::here()) {
  return emulation::atomically(p, [x](T) { return x; }, at);
}
template <class T>
T atomicMax(T* p, std::type_identity_t<T> x, site at = site::here()) {
  return emulation::atomically(p, [x](T old) { return old < x ? x : old; }, at);
}
template <class T>
T atomicCAS(T* p, std::type_identity_t<T> expected, std::type_identity_t<T> x,
            site at = site::here()) {
  return emulation::atomically(p, [=](T old) { return old == expected ? x : old; }, at);
}

}  // namespace warpfold
