/// @file
/// Shuffles of any trivially copyable type: one shuffle instruction for each 4 bytes. All lanes of
/// the warp take part.
#pragma once

#include <cstdint>

#include <warpfold/emulation/execution_model.hpp>

namespace warpfold::collective {

inline constexpr unsigned full_warp = 0xffffffffu;
inline constexpr unsigned warp_size = 32;

namespace detail {

template <class T, class Shuffle>
WARPFOLD_DEVICE T shuffled(const T& value, const Shuffle& shuffle) {
  constexpr int words = (sizeof(T) + 3) / 4;
  std::uint32_t bits[std::size_t{words}] = {};
  __builtin_memcpy(bits, &value, sizeof(T));
  WARPFOLD_UNROLL
  for (int i = 0; i < words; ++i) bits[i] = shuffle(bits[i]);
  T other = value;
  __builtin_memcpy(&other, bits, sizeof(T));
  return other;
}

}  // namespace detail

/// Returns the value of the lane that is `delta` lanes higher.
template <class T>
WARPFOLD_DEVICE T shuffle_down(const T& value, unsigned delta) {
  return detail::shuffled(
      value, [&](std::uint32_t bits) { return __shfl_down_sync(full_warp, bits, delta); });
}

/// Returns the value of the lane whose number differs in the bits `apart`.
template <class T>
WARPFOLD_DEVICE T shuffle_xor(const T& value, unsigned apart) {
  return detail::shuffled(value, [&](std::uint32_t bits) {
    return __shfl_xor_sync(full_warp, bits, static_cast<int>(apart));
  });
}

template <class T>
WARPFOLD_DEVICE T shuffle_from(const T& value, unsigned lane) {
  return detail::shuffled(value, [&](std::uint32_t bits) {
    return __shfl_sync(full_warp, bits, static_cast<int>(lane));
  });
}

}  // namespace warpfold::collective
