/// @file
/// Copies a tile of contiguous elements to shared memory, in words, by all threads of a block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <warpfold/collective/async_copy.hpp>
#include <warpfold/collective/staged_loads.hpp>
#include <warpfold/view/chunk.hpp>

namespace warpfold::collective {

/// Copies `count` elements from `from` on, which is at a multiple of 16 bytes. Word `w` goes to
/// byte `place(w)`. A barrier must follow. All threads of the block call it. One thread loads the
/// rest, less than a word, in parts, so nothing beyond the elements is read.
/// @tparam Held words of a thread, at most; 0: asynchronous copies (async_copy.hpp)
template <unsigned Held = 0, class T, class Place>
WARPFOLD_DEVICE void copy_tile(const shared_bytes& to, const T* from, unsigned count, caching how,
                               const Place& place) {
  constexpr std::size_t part_bytes = warpfold::detail::gcd(alignof(T), 8);
  using part = std::conditional_t<
      part_bytes == 1, std::uint8_t,
      std::conditional_t<part_bytes == 2, std::uint16_t,
                         std::conditional_t<part_bytes == 4, std::uint32_t, std::uint64_t>>>;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(from);
  const auto whole = static_cast<unsigned>(count * sizeof(T) / word_bytes);
  const async_copies copies(to, how);
  if constexpr (Held == 0) {
    const unsigned base = copies.place(0);
    WARPFOLD_NO_UNROLL
    for (unsigned w = threadIdx.x; w < whole; w += blockDim.x) {
      copies.start(base + place(w), bytes + std::size_t{w} * word_bytes);
    }
    copies.commit();
  } else if (whole != 0) {
    const global_loads loads(how);
    word loaded[Held];
    WARPFOLD_UNROLL
    for (unsigned u = 0; u < Held; ++u) {
      const unsigned w = u * blockDim.x + threadIdx.x;
      loaded[u] = loads.load_word(bytes + std::size_t{w < whole ? w : whole - 1} * word_bytes);
    }
    WARPFOLD_UNROLL
    for (unsigned u = 0; u < Held; ++u) {
      const unsigned w = u * blockDim.x + threadIdx.x;
      if (w < whole) to.store_word(place(w), loaded[u], call_site::here());
    }
  }
  const auto left = static_cast<unsigned>(count * sizeof(T) - whole * word_bytes);
  if (left != 0 && threadIdx.x == 0) {
    word last{};
    auto* const end = reinterpret_cast<unsigned char*>(&last);
    WARPFOLD_UNROLL
    for (unsigned b = 0; b < word_bytes; b += sizeof(part)) {
      if (b >= left) break;
      const part p = global_loads(how).load(
          reinterpret_cast<const part*>(bytes + std::size_t{whole} * word_bytes + b));
      __builtin_memcpy(end + b, &p, sizeof p);
    }
    to.store_word(place(whole), last, call_site::here());
  }
  if constexpr (Held == 0) copies.template wait<0>();
}

}  // namespace warpfold::collective
