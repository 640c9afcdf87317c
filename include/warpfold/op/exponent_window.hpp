/// @file
/// The exponents for which a thread adds numbers in registers (op/exact_window.hpp), and when they
/// change: upwards if a number is larger. If many numbers are smaller, there is no window for some
/// time.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/core/config.hpp>

namespace warpfold::detail {

// Sizes are the bits of numbers without the sign, shifted left, so that their order is that of the
// numbers. Those from `first` to `first` + `width` - 1 are inside; none while `width` is 0. It is a
// power of two otherwise: distances from `first` are inside if their bits together are below it.
struct exponent_window {
  std::uint32_t first = 0;
  std::uint32_t width = 0;

  // True if a group of numbers is inside.
  // @tparam HasZeros true if some may be zeros, which may be anywhere
  template <class Format, bool HasZeros, class Number, std::size_t Size>
  WARPFOLD_HD bool holds(const Number (&group)[Size]) const {
    std::uint32_t distances = 0;
    WARPFOLD_UNROLL
    for (std::size_t k = 0; k < Size; ++k) {
      if (!HasZeros || !Format::is_zero(group[k])) distances |= Format::size_of(group[k]) - first;
    }
    return distances < width;
  }

  // The same, perhaps after a move: `leave` is called before it, and `arrive` after it.
  // @tparam Format the sizes of numbers: `size_of`, `is_zero`, and constants. With `holds_zeros`,
  //     zeros stay in the window; groups with zeros then take two tests
  // @tparam IsWhole false if zeros stand for numbers that are not there
  template <class Format, bool IsWhole, class Number, std::size_t Size>
  WARPFOLD_HD bool holds_or_moves(const Number (&group)[Size], const auto& leave,
                                  const auto& arrive) {
    if constexpr (IsWhole) {
      if (holds<Format, false>(group)) [[likely]]
        return true;
    }
    constexpr bool has_zeros = Format::holds_zeros || !IsWhole;
    if constexpr (has_zeros) {
      if (holds<Format, true>(group)) return true;
    }
    std::uint32_t largest = 0;
    WARPFOLD_UNROLL
    for (std::size_t k = 0; k < Size; ++k) {
      const std::uint32_t size = Format::size_of(group[k]);
      if (size < Format::infinity && size > largest) largest = size;
    }
    constexpr int end = Format::highest + Format::fields;
    if (!moves(largest, static_cast<std::uint32_t>(end) << Format::field_bits)) return false;
    leave();
    move(largest, Format::lowest, Format::highest, Format::fields, Format::field_bits);
    arrive();
    return holds<Format, has_zeros>(group);
  }

  // True if all numbers of a group are zeros.
  template <class Format, class Number, std::size_t Size>
  static WARPFOLD_HD bool are_zeros(const Number (&group)[Size]) {
    bool are = true;
    WARPFOLD_UNROLL
    for (std::size_t k = 0; k < Size; ++k) are = are && Format::is_zero(group[k]);
    return are;
  }

  // Called before each group: true while there is no window, and none is tried.
  WARPFOLD_HD bool rests() {
    if (left == 0) return false;
    --left;
    return true;
  }

  // Called for a group with numbers outside, of which `largest` is the largest finite one.
  // True if the window shall move there. It goes if that, or numbers below, are frequent.
  // @param end the end of the highest window
  WARPFOLD_HD bool moves(std::uint32_t largest, std::uint32_t end) {
    if (width == 0) return largest != 0;
    const bool is_above = largest >= first + width && largest < end;
    misses += is_above ? 4 : 1;
    if (misses < most_misses) return is_above;
    width = 0;
    misses = 0;
    left = pause;
    if (pause < 256) pause *= 2;
    return false;
  }
  // Called after some hundred numbers inside.
  WARPFOLD_HD void settle() {
    if (width != 0) pause = 4;
    misses = 0;
  }

  // Moves seven exponents above `largest`.
  // @param field_bits the bits of a size below its exponent field
  WARPFOLD_HD void move(std::uint32_t largest, int lowest, int highest, int fields,
                        unsigned field_bits) {
    int field = static_cast<int>(largest >> field_bits) + 8 - fields;
    if (field < lowest) field = lowest;
    if (field > highest) field = highest;
    first = static_cast<std::uint32_t>(field) << field_bits;
    width = static_cast<std::uint32_t>(fields) << field_bits;
  }

 private:
  static constexpr unsigned most_misses = 16;

  unsigned misses = 0;
  unsigned left = 0;  // groups before the window returns
  unsigned pause = 4;
};

}  // namespace warpfold::detail
