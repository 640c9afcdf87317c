/// @file
/// Whether two pieces of memory overlap, and the errors if an output overlaps other memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/core/error.hpp>

namespace warpfold::detail {

/// True if `a_bytes` bytes from `a` on and `b_bytes` bytes from `b` on have a byte in common.
inline bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  const auto x = reinterpret_cast<std::uintptr_t>(a), y = reinterpret_cast<std::uintptr_t>(b);
  if (a_bytes == 0 || b_bytes == 0) return false;
  return x < y ? y - x < a_bytes : x - y < b_bytes;
}

/// @throws invalid_range if the output at `to` overlaps the input at `from`
inline void require_outside_input(const void* to, std::size_t written, const void* from,
                                  std::size_t read) {
  if (!overlap(to, written, from, read)) return;
  throw invalid_range("warpfold: the output at ", to, " (", written,
                      " bytes) overlaps the input at ", from, " (", read,
                      " bytes): elements would be overwritten before they are read. Pass an output "
                      "outside the input");
}
/// The same for all the memory that `work` writes and reads.
template <class Work>
void require_outside_input(const Work& work) {
  work.visit_written([&](const void* to, std::size_t written, std::size_t) {
    work.visit_read([&](const void* from, std::size_t read, std::size_t) {
      require_outside_input(to, written, from, read);
    });
  });
}

/// @throws invalid_range if the outputs at `a` and `b` overlap
inline void require_own_memory(const void* a, std::size_t a_bytes, const void* b,
                               std::size_t b_bytes) {
  if (!overlap(a, a_bytes, b, b_bytes)) return;
  throw invalid_range("warpfold: the outputs at ", a, " and ", b,
                      " overlap; pass outputs with memory of their own");
}

}  // namespace warpfold::detail
