/// @file
/// Whether two pieces of memory overlap.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpfold::detail {

/// True if `a_bytes` bytes from `a` on and `b_bytes` bytes from `b` on have a byte in common.
inline bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  const auto x = reinterpret_cast<std::uintptr_t>(a), y = reinterpret_cast<std::uintptr_t>(b);
  if (a_bytes == 0 || b_bytes == 0) return false;
  return x < y ? y - x < a_bytes : x - y < b_bytes;
}

}  // namespace warpfold::detail
