/// @file
/// The elements that a warp loads at once, in rows: in each, a lane has neighbors that are a whole
/// load, so that the loads of a warp are coalesced.
#pragma once

#include <cstddef>

#include <warpfold/collective/shuffle.hpp>
#include <warpfold/view/chunk.hpp>
#include <warpfold/view/concept.hpp>

namespace warpfold::collective {

/// The elements that a lane of a warp loads, `PerLane` of them, a power of two up to 32.
template <class View, unsigned PerLane>
struct warp_elements {
  using value_type = typename View::value_type;
  static constexpr unsigned of_warp = PerLane * warp_size;
  static constexpr auto chunk_size = static_cast<unsigned>(View::chunk_size);
  /// Neighbors of a lane in a row, and rows.
  static constexpr unsigned width = PerLane % chunk_size == 0 ? chunk_size : 1;
  static constexpr unsigned rows = PerLane / width;

  /// Element `r * width + k` is that at `place(r) + k`.
  chunk<value_type, int{PerLane}> own;

  /// The place in the warp of the lane's first element of row `r`.
  WARPFOLD_DEVICE static unsigned place(unsigned r) {
    return (r * warp_size + threadIdx.x % warp_size) * width;
  }
  /// Loads the elements from index `first` on, of which `there` exist. The others are copies of the
  /// view's last one.
  /// @param are_aligned true if `view.load` may load them; otherwise they are loaded one by one.
  ///     Not a choice for each row: the compiler would execute both kinds of loads
  WARPFOLD_DEVICE warp_elements(const View& view, std::size_t first, unsigned there,
                                bool are_aligned, const global_loads& loads) {
    if constexpr (width > 1) {
      if (are_aligned && there == of_warp) [[likely]] {
        typename View::chunk_type loaded[rows];
        WARPFOLD_UNROLL
        for (unsigned r = 0; r < rows; ++r) view.load(loaded[r], first + place(r), loads);
        WARPFOLD_UNROLL
        for (unsigned r = 0; r < rows; ++r) {
          WARPFOLD_UNROLL
          for (unsigned k = 0; k < width; ++k) {
            own.set(r * width + k, view.get(loaded[r], static_cast<int>(k)));
          }
        }
        return;
      }
    }
    WARPFOLD_UNROLL
    for (unsigned r = 0; r < rows; ++r) {
      WARPFOLD_UNROLL
      for (unsigned k = 0; k < width; ++k) {
        // No branch: a load would wait for the one before.
        const std::size_t i = first + place(r) + k, all = view.size();
        own.set(r * width + k, view.at(i < all ? i : all - 1, loads));
      }
    }
  }
};

}  // namespace warpfold::collective
