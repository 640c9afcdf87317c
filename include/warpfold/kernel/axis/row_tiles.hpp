/// @file
/// Folds short contiguous rows through shared memory, in any order, above all rows that are not
/// whole words (3, 7, 17 floats).
///
/// - Idea: a block copies rows of 16 KB in total, which start and end at words, with four 16-byte
///   loads in flight per thread. Then one lane, or a group of up to 32, folds a row from the copy.
///   Rows of floats that are not whole words are an odd number of 32-bit words apart, or twice an
///   odd number, so at most two lanes with one row each use the same bank.
/// - Cost: one launch; every byte is read once and passes through shared memory once.
/// - Needs: an input aligned to 16 bytes, and rows without gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <warpfold/collective/axis_loads.hpp>
#include <warpfold/collective/staged_loads.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/axis/rows.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/work/axis_reduction.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct axis_row_tiles {
  static constexpr const char* name() { return "axis_row_tiles"; }

  static constexpr unsigned block = 256;
  static constexpr unsigned unroll = 4;
  static constexpr unsigned tile_bytes = block * unroll * word_bytes;

  template <class AxisReduction>
  struct body {
    using value_type = typename AxisReduction::value_type;
    using state = typename AxisReduction::state;

    static constexpr int max_block = block;

    AxisReduction axis;
    unsigned rows;        ///< per tile
    unsigned lanes_log2;  ///< log2 of the lanes per row
    caching cache;

    WARPFOLD_HD const AxisReduction& work() const { return axis; }
    WARPFOLD_DEVICE void operator()() const {
      const std::size_t first = std::size_t{blockIdx.x} * rows;
      const auto& results = results_of(axis);
      if (sized_in_memory<AxisReduction> && first >= results) return;
      const std::size_t left = results - first;
      const auto length = static_cast<unsigned>(axis.layout.length);
      const unsigned here = left < rows ? static_cast<unsigned>(left) : rows;
      const collective::shared_bytes copy = collective::dynamic_shared_bytes(tile_bytes);
      copy_tile(copy, axis.in + first * length, here * length);
      __syncthreads();

      const unsigned lanes = 1u << lanes_log2;
      const unsigned lane = threadIdx.x & (lanes - 1);
      const unsigned groups = blockDim.x >> lanes_log2;
      const auto fold = axis.fold();
      const global_access stores;
      // The same number of iterations for all lanes of a warp, which shuffle in each.
      WARPFOLD_NO_UNROLL
      for (unsigned round = 0; round < here; round += groups) {
        const unsigned r = round + (threadIdx.x >> lanes_log2);
        state seen = fold.start();
        if (r < here) seen = fold_row(copy, r * length, length, lane, lanes);
        seen = collective::reduce_lanes(fold, seen, lanes);
        if (lane == 0 && r < here) {
          const std::size_t apart = axis.layout.kept.dims[0].stride[axis_layout::out];
          const std::size_t at[] = {(first + r) * length, (first + r) * apart};
          axis.write(at, fold.value(seen), stores);
        }
      }
    }

   private:
    static constexpr unsigned bytes = sizeof(value_type);
    static constexpr std::size_t part_bytes = warpfold::detail::gcd(alignof(value_type), 8);
    using part = std::conditional_t<
        part_bytes == 1, std::uint8_t,
        std::conditional_t<part_bytes == 2, std::uint16_t,
                           std::conditional_t<part_bytes == 4, std::uint32_t, std::uint64_t>>>;

    /// Copies `elements` elements; only the last tile may end within a word.
    WARPFOLD_DEVICE void copy_tile(const collective::shared_bytes& copy, const value_type* from,
                                   unsigned elements) const {
      const global_loads loads(cache);
      const auto* const words = reinterpret_cast<const unsigned char*>(from);
      const auto whole = static_cast<unsigned>(elements * bytes / word_bytes);
      if (whole != 0) {
        word loaded[unroll];
        WARPFOLD_UNROLL
        for (unsigned u = 0; u < unroll; ++u) {
          const unsigned w = u * block + threadIdx.x;
          loaded[u] = loads.load_word(words + (w < whole ? w : whole - 1) * word_bytes);
        }
        WARPFOLD_UNROLL
        for (unsigned u = 0; u < unroll; ++u) {
          const unsigned w = u * block + threadIdx.x;
          if (w < whole) copy.store_word(w * word_bytes, loaded[u], call_site::here());
        }
      }
      // Less than a word is left: only in the last tile, and one thread copies it.
      const unsigned left = static_cast<unsigned>(elements * bytes - whole * word_bytes);
      if (left != 0 && threadIdx.x == 0) {
        word last{};
        auto* const to = reinterpret_cast<unsigned char*>(&last);
        WARPFOLD_UNROLL
        for (unsigned b = 0; b < word_bytes; b += sizeof(part)) {
          if (b >= left) break;
          const part p = loads.load(reinterpret_cast<const part*>(words + whole * word_bytes + b));
          __builtin_memcpy(to + b, &p, sizeof p);
        }
        copy.store_word(whole * word_bytes, last, call_site::here());
      }
    }

    WARPFOLD_DEVICE state fold_row(const collective::shared_bytes& copy, unsigned row,
                                   unsigned length, unsigned lane, unsigned lanes) const {
      const auto fold = axis.fold();
      constexpr unsigned some = collective::prefers_batches<AxisReduction> ? 8 : 4;
      state seen = fold.start();
      unsigned i = lane;
      const auto element = [&](int k) {
        return copy.template load<value_type>(
            0, (row + i + static_cast<unsigned>(k) * lanes) * bytes, call_site::here());
      };
      [[maybe_unused]] const auto index = [&](int k) {
        return std::size_t{i + static_cast<unsigned>(k) * lanes};
      };
      if constexpr (collective::prefers_batches<AxisReduction>) {
        WARPFOLD_NO_UNROLL
        for (; i < length; i += some * lanes) {
          seen = collective::fold_batches<256, some, 1>(
              axis.op, seen, [&](int u, int) { return element(u); },
              collective::chunk_positions{0, length, i, lanes}, axis.keep);
        }
      } else {
        WARPFOLD_NO_UNROLL
        for (; i + (some - 1) * lanes < length; i += some * lanes) {
          seen =
              fold.combine(seen, fold.state_of(collective::fold_few<some>(axis, element, index)));
        }
        WARPFOLD_NO_UNROLL
        for (; i < length; i += lanes) {
          seen = fold.combine(seen, fold.state_of(axis.lift(element(0), i)));
        }
      }
      return seen;
    }
  };

  /// Rows per tile: as many as fit and fill whole words; 0 if there is no such number.
  template <class AxisReduction>
  static std::size_t tile_rows(const AxisReduction& axis) {
    constexpr std::size_t bytes = sizeof(typename AxisReduction::value_type);
    const std::size_t length = axis.layout.length;
    if (length == 0) return 0;
    const std::size_t least = word_bytes / warpfold::detail::gcd(length * bytes, word_bytes);
    return tile_bytes / (length * bytes) / least * least;
  }

  template <class AxisReduction, class Launcher>
  void enqueue(const AxisReduction& axis, Launcher& launcher) const {
    const std::size_t rows = tile_rows(axis);
    unsigned lanes_log2 = 0;
    while (lanes_log2 < 5 && (rows << (lanes_log2 + 1)) <= block) ++lanes_log2;
    const caching cache = tuning::row_for(axis.bytes(), launcher.gpu()).cache;
    launcher.launch(name(),
                    body<AxisReduction>{axis, static_cast<unsigned>(rows), lanes_log2, cache},
                    {grid_of((axis.layout.outputs + rows - 1) / rows), block, tile_bytes});
  }
};

}  // namespace warpfold::kernel
