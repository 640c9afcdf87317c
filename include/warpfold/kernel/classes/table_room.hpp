/// @file
/// The room that a block's shared memory has for a table of classes. More classes are divided into
/// ranges, each with a row of the grid (`blockIdx.y`).
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/collective/last_block.hpp>
#include <warpfold/core/config.hpp>
#include <warpfold/core/device_info.hpp>
#include <warpfold/core/error.hpp>

namespace warpfold::kernel::detail {

/// The shared memory before the tables: that of `is_last_block`, and the gap behind it. The dynamic
/// shared memory begins at a multiple of 128 bytes if any kernel of the program asks for it
/// (collective/staged_loads.hpp).
inline constexpr std::size_t bytes_before_tables = 128;
static_assert(collective::last_block_bytes <= bytes_before_tables);

/// The dynamic shared memory that a block can have.
inline std::size_t room_for_classes(const device_info& gpu) {
  const std::size_t all = gpu.shared_bytes_per_block;
  return all < bytes_before_tables ? 0 : all - bytes_before_tables;
}

/// The number of ranges of `in_range` classes each.
/// @param bytes of the entries of one class
/// @throws unsupported_kernel if a block's shared memory has no room for one class. Also if there
///     are more than 65535 ranges
template <class Work>
std::size_t ranges_of_classes(const Work& work, std::size_t in_range, std::size_t bytes,
                              std::size_t shared) {
  const std::size_t ranges = in_range == 0 ? 0 : (work.classes + in_range - 1) / in_range;
  if (ranges == 0 || ranges > 65535) {
    throw_error<unsupported_kernel>(
        "warpfold: ", work.classes, " classes of ", bytes, " bytes do not fit ", shared,
        " bytes of shared memory in 65535 ranges of classes; use wf::par, or "
        "sort the values by class and use reduce_segments");
  }
  return ranges;
}

/// The row of a label in the table of the `here` classes from `first` on; `here` for other labels.
/// @tparam IsOnlyRange true if `first` is 0 and `here` is less than 2^31
template <bool IsOnlyRange, class Label>
WARPFOLD_HD unsigned row_of_label(const Label& label, std::size_t first, unsigned here) {
  // 32 bits are enough if the number of a negative label is above that of every class. For one and
  // two bytes it is: there are at most 65535 ranges of less than 60000 classes.
  using number =
      std::conditional_t<(sizeof(Label) <= (IsOnlyRange ? 4 : 2)), unsigned, std::size_t>;
  const number c = static_cast<number>(label) - static_cast<number>(IsOnlyRange ? 0 : first);
  return c < here ? static_cast<unsigned>(c) : here;
}

}  // namespace warpfold::kernel::detail
