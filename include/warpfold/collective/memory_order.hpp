/// @file
/// Memory operations between blocks, and between GPU and host, for which CUDA C++ has no cheap
/// function: __threadfence is sequentially consistent (MEMBAR.SC), which takes 0.5 us longer.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/emulation/execution_model.hpp>

#if !defined(__CUDACC__)
#include <ctime>
#include <mutex>
#endif

namespace warpfold::collective {

struct alignas(16) post {
  unsigned long long low;
  unsigned long long high;
};

/// Eight bytes in a mailbox of several GPUs: four of a frame, and the number of the exchange above
/// them. Every path between GPUs, and to the host, moves eight bytes at once.
using letter = unsigned long long;

#if defined(__CUDACC__)

/// Writes a letter to memory of any GPU or of the host.
WARPFOLD_DEVICE inline void store_letter(letter* to, letter x, call_site = call_site::here()) {
  asm volatile("st.relaxed.sys.u64 [%0], %1;" : : "l"(to), "l"(x) : "memory");
}

/// Reads a letter that another GPU or the host writes, bypassing the L1 cache.
WARPFOLD_DEVICE inline letter load_letter(const letter* from, call_site = call_site::here()) {
  letter x;
  asm volatile("ld.relaxed.sys.u64 %0, [%1];" : "=l"(x) : "l"(from) : "memory");
  return x;
}

WARPFOLD_DEVICE inline unsigned long long nanoseconds() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

/// Writes 16 bytes of global memory at once.
WARPFOLD_DEVICE inline void store_post(post* to, const post& p, call_site = call_site::here()) {
  asm volatile(
      "{.reg .b128 w;\n\t"
      "mov.b128 w, {%1, %2};\n\t"
      "st.relaxed.gpu.global.b128 [%0], w;}"
      :
      : "l"(__cvta_generic_to_global(to)), "l"(p.low), "l"(p.high)
      : "memory");
}

/// Reads 16 bytes of global memory at once, as one thread wrote them, bypassing the L1 cache.
///
/// All four words must be used: ptxas 13.0 loads the words of a post one by one if some are not
/// (docs/compiler_bugs.md), and could then read a mark without its state.
WARPFOLD_DEVICE inline post load_post(const post* from, call_site = call_site::here()) {
  post p;
  asm volatile(
      "{.reg .b128 w;\n\t"
      "ld.relaxed.gpu.global.b128 w, [%2];\n\t"
      "mov.b128 {%0, %1}, w;}"
      : "=l"(p.low), "=l"(p.high)
      : "l"(__cvta_generic_to_global(from))
      : "memory");
  return p;
}

/// Reads `Count` posts after all have been written: `marks(post, i)` has bit 63 if post i was. It
/// uses all words of the post that hold no state.
template <std::size_t Count, class Marks>
WARPFOLD_DEVICE void await_posts(const post* from, post (&to)[Count], const Marks& marks,
                                 call_site = call_site::here()) {
  unsigned long long all = 0;
  while (all >> 63 == 0) {
    all = ~0ull;
    WARPFOLD_UNROLL
    for (std::size_t i = 0; i < Count; ++i) to[i] = load_post(from + i);
    WARPFOLD_UNROLL
    for (std::size_t i = 0; i < Count; ++i) all &= marks(to[i], static_cast<int>(i));
  }
}

/// Reads `Count` posts once, written or not, so that several reads are under way at a time.
template <std::size_t Count, class Marks>
WARPFOLD_DEVICE void read_posts(const post* from, post (&to)[Count], const Marks&,
                                call_site = call_site::here()) {
  WARPFOLD_UNROLL
  for (std::size_t i = 0; i < Count; ++i) to[i] = load_post(from + i);
}

/// Called between two reads of posts that are not written yet.
WARPFOLD_DEVICE inline void wait_for_posts() {}

/// Reads a word of global memory that other blocks change by `atomicAdd`, bypassing the L1 cache.
WARPFOLD_DEVICE inline unsigned long long load_word(const unsigned long long* from,
                                                    call_site = call_site::here()) {
  unsigned long long w;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
               : "=l"(w)
               : "l"(__cvta_generic_to_global(from))
               : "memory");
  return w;
}

/// Returns the counter and adds one, or wraps to zero at `last`. This thread's earlier writes are
/// visible to threads that draw later tickets, and theirs to it.
WARPFOLD_DEVICE inline unsigned draw_ticket(unsigned* counter, unsigned last,
                                            call_site = call_site::here()) {
  unsigned ticket;
  asm volatile(
      "fence.acq_rel.gpu;\n\t"
      "atom.relaxed.gpu.global.inc.u32 %0, [%1], %2;\n\t"
      "fence.acq_rel.gpu;"
      : "=r"(ticket)
      : "l"(__cvta_generic_to_global(counter)), "r"(last)
      : "memory");
  return ticket;
}

/// Waits until the counter of `draw_ticket` and `atomicAdd` is `count`. The writes of threads that
/// have drawn a ticket before are then visible to this one.
WARPFOLD_DEVICE inline void await_count(const unsigned* counter, unsigned count,
                                        call_site = call_site::here()) {
  unsigned now = 0;
  for (;;) {
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
                 : "=r"(now)
                 : "l"(__cvta_generic_to_global(counter))
                 : "memory");
    if (now == count) break;
    __nanosleep(100);
  }
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

/// Writes `value` to memory that the host watches, after all earlier writes of this thread.
WARPFOLD_DEVICE inline void signal_host(unsigned* flag, unsigned value) {
  asm volatile("st.release.sys.u32 [%0], %1;" : : "l"(flag), "r"(value) : "memory");
}

#else

// The same for the emulation, whose blocks run on several host threads: one lock for all posts.

namespace detail {
inline std::mutex posts_lock;

template <class T>
void report(const T* p, emulation::access what, call_site at) {
  emulation::current_thread->touch_global(p, sizeof(T), what, alignof(T), at);
}
}  // namespace detail

inline void store_post(post* to, const post& p, call_site at = call_site::here()) {
  detail::report(to, emulation::access::store, at);
  const std::lock_guard guard(detail::posts_lock);
  *to = p;
}
template <std::size_t Count, class Marks>
void await_posts(const post* from, post (&to)[Count], const Marks& marks,
                 call_site at = call_site::here()) {
  for (std::size_t i = 0; i < Count; ++i) {
    detail::report(from + i, emulation::access::load, at);
    for (to[i] = post{0, 0}; marks(to[i], static_cast<int>(i)) >> 63 == 0;) {
      emulation::current_thread->keep_waiting();
      const std::lock_guard guard(detail::posts_lock);
      to[i] = from[i];
    }
  }
}
template <std::size_t Count, class Marks>
void read_posts(const post* from, post (&to)[Count], const Marks& marks,
                call_site at = call_site::here()) {
  bool are_there = true;
  {
    const std::lock_guard guard(detail::posts_lock);
    for (std::size_t i = 0; i < Count; ++i) {
      to[i] = from[i];
      are_there = are_there && marks(to[i], static_cast<int>(i)) >> 63 != 0;
    }
  }
  // Counted once, whatever the waiting time: here, or by `await_posts`.
  for (std::size_t i = 0; are_there && i < Count; ++i) {
    detail::report(from + i, emulation::access::load, at);
  }
}
inline void wait_for_posts() { emulation::current_thread->keep_waiting(); }
inline unsigned long long load_word(const unsigned long long* from,
                                    call_site at = call_site::here()) {
  return emulation::atomically(
      const_cast<unsigned long long*>(from), [](unsigned long long w) { return w; }, at);
}
inline unsigned draw_ticket(unsigned* counter, unsigned last, call_site at = call_site::here()) {
  return emulation::atomically(
      counter, [last](unsigned drawn) { return drawn >= last ? 0u : drawn + 1; }, at);
}
inline void await_count(const unsigned* counter, unsigned count, call_site at = call_site::here()) {
  while (emulation::atomically(
             const_cast<unsigned*>(counter), [](unsigned now) { return now; }, at) != count) {
    emulation::current_thread->keep_waiting();
  }
}
inline void store_letter(letter* to, letter x, call_site at = call_site::here()) {
  detail::report(to, emulation::access::store, at);
  std::atomic_ref<letter>(*to).store(x, std::memory_order_relaxed);
}
inline letter load_letter(const letter* from, call_site at = call_site::here()) {
  detail::report(from, emulation::access::load, at);
  emulation::current_thread->keep_waiting();
  return std::atomic_ref<letter>(*const_cast<letter*>(from)).load(std::memory_order_relaxed);
}
inline unsigned long long nanoseconds() {
  timespec now{};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<unsigned long long>(now.tv_sec) * 1000000000 +
         static_cast<unsigned long long>(now.tv_nsec);
}
inline void signal_host(unsigned* flag, unsigned value) {
  std::atomic_ref<unsigned>(*flag).store(value, std::memory_order_release);
}

#endif

}  // namespace warpfold::collective
