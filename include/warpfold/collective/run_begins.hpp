/// @file
/// Finds where runs of equal keys begin among the keys that a warp has loaded.
#pragma once

#include <cstdint>

#include <warpfold/collective/lane_set.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/shuffle.hpp>
#include <warpfold/collective/warp_elements.hpp>
#include <warpfold/collective/warp_sum.hpp>
#include <warpfold/view/chunk.hpp>

namespace warpfold::collective {

/// Where runs begin among the keys of a warp: a bit for each key, in the lane that has loaded it.
/// All lanes call its functions.
/// @tparam Elements a `warp_elements`
template <class Elements>
class run_begins {
  using key = typename Elements::value_type;
  static constexpr unsigned width = Elements::width, rows = Elements::rows;

 public:
  /// @param there the keys of the warp that exist
  /// @param is_first true if the warp has the first key of all: a run begins there
  /// @param before the key before those of the warp; used by lane 0
  /// @param are_equal `are_equal(a, b)`: whether two adjacent keys are of one run
  template <class Equal>
  WARPFOLD_DEVICE run_begins(const Elements& keys, unsigned there, bool is_first, const key& before,
                             const Equal& are_equal) {
    const unsigned lane = threadIdx.x % warp_size;
    const auto& own = keys.own.elements;
    chunk<key, 1> last;  // of lane 0: the key before the row
    last.set(0, before);
    WARPFOLD_UNROLL
    for (unsigned r = 0; r < rows; ++r) {
      const key of_lane_before =
          shuffle_from(own[r * width + width - 1], (lane + warp_size - 1) % warp_size);
      WARPFOLD_UNROLL
      for (unsigned k = 0; k < width; ++k) {
        const key left = k > 0       ? own[r * width + k - 1]
                         : lane == 0 ? last.elements[0]
                                     : of_lane_before;
        if (!are_equal(left, own[r * width + k])) mask_ |= 1u << (r * width + k);
      }
      last.set(0, of_lane_before);
    }
    if (is_first && lane == 0) mask_ |= 1;
    if (there != Elements::of_warp) mask_ &= mask_of(there);
    count_lanes(lane);
  }
  /// The runs that begin in the warp.
  WARPFOLD_DEVICE unsigned count() const { return count_; }
  /// 1 + the place of the last of them; 0 if there is none.
  WARPFOLD_DEVICE unsigned last() const {
    const unsigned bit = highest_lane(mask_ | 1);
    return warp_max(mask_ == 0 ? 0 : Elements::place(bit / width) + bit % width + 1);
  }
  /// A bit for the remainder of their places modulo 8: one bit if all have the same, none if there
  /// are no runs, otherwise several bits.
  WARPFOLD_DEVICE unsigned remainders() const {
    unsigned own = 0;
    WARPFOLD_UNROLL
    for (unsigned r = 0; r < rows; ++r) own |= mask_ >> (r * width) & row_mask;
    if constexpr (width > 8) own = (own | own >> 8) & 0xff;
    own <<= Elements::place(0) % 8;
    const unsigned largest = warp_max(own);
    return __all_sync(full_warp, own == 0 || own == largest) ? largest : 0xff;
  }
  /// Stores their places from element `from` on.
  /// @param first the place of the warp's first key
  WARPFOLD_DEVICE void store(shared_span<std::uint16_t> begins, unsigned from,
                             unsigned first) const {
    const auto store_at = [&](unsigned at, unsigned r, unsigned k) {
      begins.store(at, static_cast<std::uint16_t>(first + Elements::place(r) + k));
    };
    if (rows <= 4 && count_ < few_runs) {
      // Only the bits that are set. H200, runs of 10: 193 -> 100 instructions.
      WARPFOLD_NO_UNROLL
      for (unsigned left = mask_; left != 0; left &= left - 1) {
        const unsigned bit = lane_count(~left & (left - 1));
        const unsigned r = bit / width, k = bit % width;
        const unsigned in_row = mask_ >> (r * width) & ((1u << k) - 1);
        unsigned before = 0;
        WARPFOLD_UNROLL
        for (unsigned q = 0; q < rows; ++q) {
          if (q == r) before = before_[q];
        }
        store_at(from + before + lane_count(in_row), r, k);
      }
      return;
    }
    WARPFOLD_UNROLL
    for (unsigned r = 0; r < rows; ++r) {
      unsigned at = from + before_[r];
      WARPFOLD_UNROLL
      for (unsigned k = 0; k < width; ++k) {
        if ((mask_ >> (r * width + k) & 1) != 0) store_at(at++, r, k);
      }
    }
  }

 private:
  // The lane's bits of the first `there` keys.
  WARPFOLD_DEVICE static unsigned mask_of(unsigned there) {
    unsigned mask = 0;
    WARPFOLD_UNROLL
    for (unsigned r = 0; r < rows; ++r) {
      WARPFOLD_UNROLL
      for (unsigned k = 0; k < width; ++k) {
        if (Elements::place(r) + k < there) mask |= 1u << (r * width + k);
      }
    }
    return mask;
  }

  // Counts the runs that begin before each row of the lane, and in the warp.
  WARPFOLD_DEVICE void count_lanes(unsigned lane) {
    if constexpr (rows <= 4) {
      // A row has at most 32 * width keys, whose number fits its bits of the word.
      constexpr unsigned bits = 32 / rows;
      unsigned own = 0;
      WARPFOLD_UNROLL
      for (unsigned r = 0; r < rows; ++r) {
        own |= lane_count(mask_ >> (r * width) & row_mask) << (r * bits);
      }
      unsigned up_to = own;
      WARPFOLD_UNROLL
      for (unsigned apart = 1; apart < warp_size; apart *= 2) {
        const unsigned other = shuffle_from(up_to, lane < apart ? lane : lane - apart);
        if (lane >= apart) up_to += other;
      }
      const unsigned of_rows = shuffle_from(up_to, warp_size - 1);
      constexpr unsigned sum_mask = bits == 32 ? ~0u : (1u << bits) - 1;
      WARPFOLD_UNROLL
      for (unsigned r = 0; r < rows; ++r) {
        before_[r] = count_ + ((up_to - own) >> (r * bits) & sum_mask);
        count_ += of_rows >> (r * bits) & sum_mask;
      }
    } else {
      WARPFOLD_UNROLL
      for (unsigned r = 0; r < rows; ++r) {
        before_[r] = count_;
        WARPFOLD_UNROLL
        for (unsigned k = 0; k < width; ++k) {
          const unsigned lanes = __ballot_sync(full_warp, (mask_ >> (r * width + k) & 1) != 0);
          before_[r] += lane_count(lanes & lanes_below(lane));
          count_ += lane_count(lanes);
        }
      }
    }
  }

  static constexpr unsigned row_mask = (1u << width) - 1;
  // Below this number of runs a warp looks for the bits that are set, one after the other.
  static constexpr unsigned few_runs = 96;

  unsigned mask_ = 0, count_ = 0;
  unsigned before_[rows];  // of the runs of the warp, those before the lane's keys of a row
};

}  // namespace warpfold::collective
