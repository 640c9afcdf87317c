/// @file
/// A list of the groups of elements that a launch could not fold, for the next launch on the
/// stream.
#pragma once

#include <cstddef>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/collective/memory_order.hpp>

namespace warpfold::collective {

/// @tparam Place identifies a group
template <class Place>
class marked_groups {
 public:
  /// More groups are only counted: then the next launch folds all.
  static constexpr unsigned most = static_cast<unsigned>(marked_bytes / sizeof(Place));

  WARPFOLD_HD explicit marked_groups(const grid_storage& grid) : grid_(grid) {}

  /// Enters a group. One thread calls it.
  WARPFOLD_DEVICE void enter(const Place& place) const {
    // Most groups find the list full, and take no turn at the counter.
    if (size() > most) return;
    const unsigned at = atomicAdd(grid_.marked(), 1u);
    if (at < most) places().store(at, place);
  }

  /// The number of groups in the list, or a larger one than `most`.
  WARPFOLD_DEVICE unsigned size() const {
    return global_array<unsigned>{grid_.marked(), 1}.load(0);
  }
  WARPFOLD_DEVICE Place operator[](unsigned i) const { return places().load(i); }
  /// Empties the list.
  WARPFOLD_DEVICE void clear() const { (void)atomicExch(grid_.marked(), 0u); }

 private:
  WARPFOLD_DEVICE global_array<Place> places() const {
    return {static_cast<Place*>(grid_.marked_places()), most};
  }

  grid_storage grid_;
};

}  // namespace warpfold::collective
