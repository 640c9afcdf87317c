/// @file
/// Stores to a copy in shared memory, which a warp then writes to global memory with coalesced
/// stores. An output view passes addresses in global memory, as always.
#pragma once

#include <warpfold/collective/staged_loads.hpp>
#include <warpfold/view/global_access.hpp>

namespace warpfold::collective {

/// Stores for output views: to a copy if the address is in one of `Pieces` parts of arrays,
/// otherwise to global memory. `ElementBytes`: as for staged_loads.
template <int Pieces, std::size_t ElementBytes = 0>
class staged_stores {
 public:
  WARPFOLD_DEVICE staged_stores(const shared_bytes& copies, const global_access& direct,
                                call_site at = call_site::here())
      : copies_(copies), direct_(direct), at_(at) {}

  staged_piece pieces[std::size_t{Pieces}] = {};

  WARPFOLD_HD void store_word(void* to, const word& w) const {
    if (!put(to, w)) direct_.store_word(to, w);
  }

  template <class T>
  WARPFOLD_HD void store(T* to, const T& value) const {
    if (!put(to, value)) direct_.store(to, value);
  }

 private:
  template <class T>
  WARPFOLD_HD bool put(const void* to, const T& value) const {
    WARPFOLD_UNROLL
    for (int i = 0; i < Pieces; ++i) {
      const std::uintptr_t offset =
          reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(pieces[i].from);
      constexpr std::size_t alignment = warpfold::detail::gcd(sizeof(T), word_bytes);
      if (offset < pieces[i].bytes && pieces[i].bytes - offset >= sizeof(T) &&
          offset % alignment == 0) {
        copies_.store<T, ElementBytes>(pieces[i].copy, static_cast<unsigned>(offset), value, at_);
        return true;
      }
    }
    return false;
  }

  shared_bytes copies_;
  global_access direct_;
  call_site at_;
};

}  // namespace warpfold::collective
