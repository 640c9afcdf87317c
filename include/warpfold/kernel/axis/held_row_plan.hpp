/// @file
/// How threads load the rows of a `transform_axis` that they hold in registers, and how they store
/// the results.
#pragma once

#include <cstddef>

#include <warpfold/core/device_info.hpp>
#include <warpfold/kernel/axis/loads.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/view/chunk.hpp>

namespace warpfold::kernel {

/// Rows are loaded in chunks of whole words if each has whole words and starts at one; otherwise in
/// single elements.
template <class AxisTransformation>
struct held_row_plan {
  using rows_type = typename AxisTransformation::rows_type;
  using out_type = typename rows_type::out_type;

  /// Elements of a chunk: a word of the smallest elements that are read or written.
  static constexpr int size = [] {
    constexpr int in = rows_type::source_type::chunk_size;
    constexpr int out = warpfold::detail::elements_per_chunk(sizeof(out_type));
    return in > out ? in : out;
  }();

  array_loads<rows_type::arrays> how;
  bool words;
  bool stores_words;
  std::size_t chunks;  ///< of a row
  caching cache;

  held_row_plan(const AxisTransformation& t, const device_info& gpu)
      : cache(tuning::row_for(t.reduction.bytes(), gpu).cache) {
    constexpr auto elements = std::size_t{size};
    const auto& rows = t.rows;
    const auto& line = rows.layout.folded.dims[0];
    how = loads_of(rows, chunks_along::folded);
    words = elements > 1 && how.any_words() && line.extent % elements == 0;
    stores_words = words && elements * sizeof(out_type) % word_bytes == 0 && rows.out_step == 1 &&
                   warpfold::detail::at_word(rows.out);
    for (int d = 0; d < rows.layout.kept.count; ++d) {
      const auto& dim = rows.layout.kept.dims[d];
      const std::size_t bytes = dim.stride[std::size_t{rows_type::arrays}] * sizeof(out_type);
      stores_words = stores_words && (dim.extent == 1 || bytes % word_bytes == 0);
    }
    chunks = words ? line.extent / elements : line.extent;
  }
};

/// Stores the results of a chunk of a row, as words if the plan says so.
template <int Size, class Rows>
WARPFOLD_DEVICE void store_chunk_of_row(const Rows& rows,
                                        const chunk<typename Rows::out_type, Size>& c,
                                        typename Rows::out_type* to, bool as_words) {
  const global_access stores;
  if constexpr (chunk<typename Rows::out_type, Size>::fills_words && Size > 1) {
    if (as_words) {
      warpfold::detail::store_words(to, c, stores);
      return;
    }
  }
  WARPFOLD_UNROLL
  for (int k = 0; k < Size; ++k) {
    stores.store(to + static_cast<unsigned>(k) * rows.out_step, c.elements[k]);
  }
}

}  // namespace warpfold::kernel
