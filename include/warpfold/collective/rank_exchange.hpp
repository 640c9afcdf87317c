/// @file
/// The exchange of small frames between the GPUs of a call, inside their kernels.
///
/// Source: the mailboxes of decoupled look-back (D. Merrill, M. Garland, "Single-pass Parallel
/// Prefix Scan with Decoupled Look-back"), between GPUs instead of blocks, with the words of NCCL's
/// LL protocol: half of each word tells that the other half has arrived.
///
/// - Idea: one thread of each GPU writes its frame into a mailbox of every other GPU, and reads its
///   own. A letter carries the number of the exchange, so letters need no fence, no flag and no
///   clearing. Each mailbox has two slots for each sender: a GPU may begin the next exchange while
///   others still read this one. Nobody is two ahead, because an exchange ends with the last frame.
/// - Cost: 8 bytes for each 4 of a frame, written once to each peer. No launch, no atomic.
/// - Faults: a GPU that waits for longer than the limit, or is told to stop, records the missing
///   rank. Later exchanges through the same mailboxes return at once.
#pragma once

#include <cstddef>

#include <warpfold/collective/memory_order.hpp>
#include <warpfold/core/config.hpp>

namespace warpfold::collective {

/// What one rank knows about an exchange of frames; all pointers are addresses on its GPU.
///
/// Aligned so that, behind a base class, it never lies in the padding of the base, where the host
/// compiler and nvcc might place it differently.
struct alignas(32) mailboxes {
  static constexpr std::size_t frame_bytes = 1040;
  static constexpr std::size_t letters_a_frame = frame_bytes / 4;

  /// The length of one rank's mailbox, in letters.
  static constexpr std::size_t letters(int ranks) {
    return 2 * static_cast<std::size_t>(ranks) * letters_a_frame;
  }

  static constexpr int most_ranks = 16;

  letter* of_rank[most_ranks];  ///< each rank's mailbox, zero at first
  letter* count;                ///< exchanges of this rank so far; all bits after a failure
  letter* missing;              ///< in memory of the host: 1 + a rank whose frame did not come
  const letter* cancelled;      ///< not 0 if the ranks shall stop waiting
  std::size_t cancel_at;        ///< in each rank's mailbox, its `cancelled`; 0 if it is not there
  unsigned long long limit_ns;
  int rank;
  int ranks;

  /// The letters from rank `from` in the mailbox of rank `to`.
  WARPFOLD_DEVICE letter* at(int to, int from, letter number) const {
    const auto slot = static_cast<std::size_t>(number % 2) * static_cast<std::size_t>(ranks) +
                      static_cast<std::size_t>(from);
    return of_rank[to] + slot * letters_a_frame;
  }
};

namespace detail {

inline constexpr letter broken = ~letter{0};

// Waits for one frame and writes it to `frame`, a copy of `mine`. Returns false after the time
// limit, or if cancelled. Stops after the first words if they are those of another call.
template <class Frame>
WARPFOLD_DEVICE bool await_frame(const mailboxes& m, const letter* from, unsigned number,
                                 const Frame& mine, Frame& frame) {
  constexpr std::size_t words = (sizeof(Frame) + 3) / 4;
  constexpr std::size_t at_once = words < 8 ? words : 8;
  constexpr int looks = 256;
  unsigned long long begin = 0;
  for (std::size_t first = 0; first < words; first += at_once) {
    letter read[at_once];
    for (int i = 1;; ++i) {
      bool all = true;
      WARPFOLD_UNROLL
      for (std::size_t k = 0; k < at_once; ++k) {
        read[k] = load_letter(from + (first + k < words ? first + k : words - 1));
      }
      WARPFOLD_UNROLL
      for (std::size_t k = 0; k < at_once; ++k) {
        all = all && static_cast<unsigned>(read[k] >> 32) == number;
      }
      if (all) break;
      if (i % looks != 0) continue;
      const unsigned long long now = nanoseconds();
      if (begin == 0) begin = now;
      if (now - begin > m.limit_ns || load_letter(m.cancelled) != 0) return false;
    }
    WARPFOLD_UNROLL
    for (std::size_t k = 0; k < at_once; ++k) {
      const std::size_t at = (first + k) * 4;
      const auto word = static_cast<unsigned>(read[k]);
      if (at < sizeof(Frame)) {
        __builtin_memcpy(reinterpret_cast<unsigned char*>(&frame) + at, &word,
                         sizeof(Frame) - at < 4 ? sizeof(Frame) - at : 4);
      }
    }
    if constexpr (requires { frame.is_like(mine); }) {
      if (first == 0 && !frame.is_like(mine)) return true;
    }
  }
  return true;
}

}  // namespace detail

/// The nodes of the declared order (op/fold_order.hpp) in one exchange: 96 bytes, or one larger
/// node.
template <class A>
inline constexpr unsigned nodes_of_exchange = sizeof(A) <= 96 ? 96 / sizeof(A) : 1;

/// Sends `mine` to all other ranks and calls `use(rank, frame)` with the frame of every rank, in
/// rank order. One thread of each rank calls it, in the same order for all calls.
/// @param count the value of `*m.count`, which the thread has loaded
/// @return 0 if all frames came; 1 + a rank whose frame did not come, after calls of `use` for the
///     ranks before it; all bits set if an earlier exchange has failed
template <class Frame, class Use>
WARPFOLD_DEVICE letter exchange_frames(const mailboxes& m, letter count, const Frame& mine,
                                       const Use& use) {
  static_assert(sizeof(Frame) <= mailboxes::frame_bytes, "warpfold: the frame is too large");
  constexpr std::size_t words = (sizeof(Frame) + 3) / 4;
  if (count == detail::broken) return detail::broken;
  const letter number = (count + 1) & 0xffffffffu;
  for (int r = 0; r < m.ranks; ++r) {
    if (r == m.rank) continue;
    letter* const to = m.at(r, m.rank, number);
    const auto send = [&](std::size_t k) {
      unsigned word = 0;
      __builtin_memcpy(&word, reinterpret_cast<const unsigned char*>(&mine) + k * 4,
                       sizeof(Frame) - k * 4 < 4 ? sizeof(Frame) - k * 4 : 4);
      store_letter(to + k, number << 32 | word);
    };
    if constexpr (words <= 24) {
      WARPFOLD_UNROLL
      for (std::size_t k = 0; k < words; ++k) send(k);
    } else {
      for (std::size_t k = 0; k < words; ++k) send(k);
    }
  }
  for (int r = 0; r < m.ranks; ++r) {
    Frame frame = mine;
    if (r != m.rank && !detail::await_frame(m, m.at(m.rank, r, number),
                                            static_cast<unsigned>(number), mine, frame)) {
      store_letter(m.count, detail::broken);
      store_letter(m.missing, static_cast<letter>(r) + 1);
      for (int k = 0; m.cancel_at != 0 && k < m.ranks; ++k) {
        store_letter(m.of_rank[k] + m.cancel_at, 1);
      }
      return static_cast<letter>(r) + 1;
    }
    use(r, frame);
  }
  store_letter(m.count, number);
  return 0;
}

}  // namespace warpfold::collective
