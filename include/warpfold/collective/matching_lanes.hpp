/// @file
/// Lanes of a warp with the same key, and the fold of their states.
#pragma once

#include <warpfold/collective/lane_set.hpp>
#include <warpfold/collective/shuffle.hpp>

namespace warpfold::collective {

/// The lanes of the warp whose key is this lane's, by a vote for each bit: up to 12, four at a
/// time. All lanes of the warp take part. Longer code than `matching_lanes`, half of the
/// instructions.
/// @param bits the number of low bits in which keys differ
WARPFOLD_DEVICE inline unsigned lanes_of_key(unsigned key, unsigned bits) {
  unsigned others = 0;
  WARPFOLD_UNROLL
  for (unsigned b = 0; b < 12; b += 4) {
    if (b >= bits) break;
    WARPFOLD_UNROLL
    for (unsigned k = b; k < b + 4; ++k) {
#if defined(__CUDA_ARCH__)
      // In assembly: nvcc 13.0 shifts each bit to the lowest first, which takes two more.
      unsigned set;
      asm volatile(
          "{.reg .pred own;\n\t"
          ".reg .b32 bit;\n\t"
          "and.b32 bit, %1, %2;\n\t"
          "setp.ne.u32 own, bit, 0;\n\t"
          "vote.sync.ballot.b32 %0, own, 0xffffffff;\n\t"
          "@own not.b32 %0, %0;}"
          : "=r"(set)
          : "r"(key), "r"(1u << k));
      others |= set;
#else
      const bool own = (key & (1u << k)) != 0;
      others |= __ballot_sync(full_warp, own) ^ (own ? full_warp : 0u);
#endif
    }
  }
  return ~others;
}

/// The lanes of the warp whose key is this lane's. All lanes of the warp take part.
///
/// One vote for each bit of the keys finds them, for up to seven bits. For more, the hardware's
/// `__match_any_sync` is faster, although it takes longer the more keys differ. Sums of 16.7 M
/// floats by class, H200, votes and match: 64 classes 124 and 136 us, 4096 classes 318 and 231 us.
class matching_lanes {
 public:
  /// @param bits the number of low bits in which keys differ
  WARPFOLD_DEVICE matching_lanes(unsigned key, unsigned bits)
      : lane_(threadIdx.x % warp_size), same_(full_warp) {
#if defined(__CUDA_ARCH__)
    if (bits > 7) {
      same_ = __match_any_sync(full_warp, key);
      return;
    }
#endif
    WARPFOLD_NO_UNROLL
    for (unsigned b = 0; b < bits; ++b) {
      const bool own = (key >> b & 1) != 0;
      const unsigned set = __ballot_sync(full_warp, own);
      same_ &= own ? set : ~set;
    }
  }

  WARPFOLD_DEVICE bool is_first() const { return (same_ & ((1u << lane_) - 1)) == 0; }

  /// Combines the states of the lanes in their order; valid in the first one. All lanes of the warp
  /// take part. Each step combines a lane's state with that of the lane it points to, and then
  /// points where that lane points (pointer jumping, J. C. Wyllie): five steps for 32 equal keys.
  template <class Fold>
  WARPFOLD_DEVICE typename Fold::state reduce(const Fold& fold, typename Fold::state state) const {
    const unsigned above = same_ & ~((2u << lane_) - 1);
    unsigned next = above != 0 ? lowest_lane(above) : warp_size;
    WARPFOLD_NO_UNROLL
    while (__any_sync(full_warp, next != warp_size)) {
      const unsigned from = next != warp_size ? next : lane_;
      const auto other = shuffle_from(state, from);
      const unsigned after = shuffle_from(next, from);
      if (next != warp_size) {
        state = fold.combine(state, other);
        next = after;
      }
    }
    return state;
  }

 private:
  unsigned lane_;
  unsigned same_;
};

}  // namespace warpfold::collective
