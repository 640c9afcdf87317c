/// @file
/// Transformations of elements of any size: coalesced reads and writes, work in shared memory.
///
/// Source: "Coalesced access to global memory" (in Czech): `float3 + value`, whose block loads the
/// floats into shared memory, works on float3 there, and stores them as floats.
///
/// - Idea: as in staged, a warp copies its tile word by word. Its lanes store the results in
///   another copy, which the warp writes in 16 contiguous bytes per lane. A warp has one tile: new
///   blocks, in the order of their numbers, access memory more in order than persistent warps that
///   take every thousandth tile. float3, 2 GB, H100, persistent warps with copies in flight ->
///   this: 762 -> 710 us (device-to-device copy: 714).
/// - Cost: one launch. Every byte is read once and written once, in requests of whole sectors.
///   Arrays of 4-, 8- and 16-byte elements are accessed directly. Two warp barriers per tile.
/// - Needs: as staged. Arrays with another alignment than the others are accessed directly. If no
///   array is staged, the elements are too large for staged, or the number of elements lies in
///   memory, elementwise is used.
#pragma once

#include <warpfold/collective/staged_copies.hpp>
#include <warpfold/collective/staged_stores.hpp>
#include <warpfold/collective/warp_tile.hpp>
#include <warpfold/core/device_info.hpp>
#include <warpfold/kernel/elementwise/elementwise.hpp>

namespace warpfold::kernel {

/// One launch with one warp per tile; see the top of this file.
/// @tparam TileBytes maximum shared memory of a tile on either side; it has at least 32 elements
template <unsigned TileBytes = 2048>
struct staged_elementwise {
  static_assert(TileBytes >= 512, "warpfold: a tile has at least 512 bytes; use TileBytes >= 512");

  static constexpr const char* name() { return "staged_elementwise"; }

  /// Threads per block, a multiple of 32 up to 1024.
  unsigned block = 256;

  /// The maximum size of an element on either side, in arrays or in registers.
  template <class Transformation>
  static constexpr std::size_t element_bytes() {
    const std::size_t sizes[] = {
        sizeof(typename Transformation::in_type), sizeof(typename Transformation::out_type),
        warpfold::detail::array_bytes_of<typename Transformation::in_view>(),
        warpfold::detail::array_bytes_of<typename Transformation::out_view>()};
    std::size_t most = 0;
    for (const std::size_t size : sizes) most = size > most ? size : most;
    return most;
  }

  template <class Transformation>
  struct body {
    using in_view = typename Transformation::in_view;
    using out_view = typename Transformation::out_view;
    static constexpr int max_block = 1024;
    static constexpr int in_arrays = warpfold::detail::arrays_of<in_view>();
    static constexpr int out_arrays = warpfold::detail::arrays_of<out_view>();
    static constexpr std::size_t in_bytes =
        in_arrays == 1 ? warpfold::detail::array_bytes_of<in_view>() : 0;
    static constexpr std::size_t out_bytes =
        out_arrays == 1 ? warpfold::detail::array_bytes_of<out_view>() : 0;
    // Groups of neighbors would leave gaps between lanes on a side that is staged differently.
    using tile = std::conditional_t<
        in_bytes == out_bytes && in_bytes != 0,
        collective::warp_tile<element_bytes<Transformation>(), TileBytes>,
        collective::warp_tile<(element_bytes<Transformation>() + 3) / 4 * 4, TileBytes>>;

    Transformation transformation;
    partition parts;  ///< in tiles
    collective::staged_arrays<in_arrays> in;
    collective::staged_arrays<out_arrays> out;

    WARPFOLD_HD const Transformation& work() const { return transformation; }
    WARPFOLD_DEVICE void operator()() const {
      run_edges();
      run_tile();
    }

   private:
    // Processes the elements before the first tile and after the last, in the last block.
    WARPFOLD_DEVICE void run_edges() const {
      const global_access memory;
      const auto edge = static_cast<unsigned>(parts.head + parts.tail);
      if (blockIdx.x != gridDim.x - 1) return;
      WARPFOLD_NO_UNROLL
      for (unsigned i = threadIdx.x; i < edge; i += blockDim.x) {
        const std::size_t element = i < parts.head ? i : i + parts.chunks * tile::size;
        transformation.out.store_at(
            element, transformation.apply(transformation.in.at(element, memory)), memory);
      }
    }

    WARPFOLD_DEVICE void run_tile() const {
      const unsigned lane = threadIdx.x % 32;
      const unsigned in_block = blockDim.x / 32;
      const unsigned own = threadIdx.x / 32;
      const std::size_t t = std::size_t{blockIdx.x} * in_block + own;
      if (t >= parts.chunks) return;

      const unsigned warp_bytes = in.bytes + out.bytes;
      const auto memory = collective::dynamic_shared_bytes(in_block * warp_bytes);
      const unsigned copy = own * warp_bytes;
      const unsigned results = copy + in.bytes;
      const collective::async_copies copies(memory, caching::keep);
      collective::start_copies<in_bytes, tile::size>(copies, in, copy, t, lane);
      copies.commit();

      // not a global_loads: the memory that is loaded may be written, in place
      const global_access direct;
      collective::staged_loads<in_arrays, false, global_access, in_bytes> loads(memory, direct);
      collective::staged_stores<out_arrays, out_bytes> stores(memory, direct);
      WARPFOLD_UNROLL
      for (int a = 0; a < in_arrays; ++a) loads.pieces[a] = in.piece(a, t, copy);
      WARPFOLD_UNROLL
      for (int a = 0; a < out_arrays; ++a) stores.pieces[a] = out.piece(a, t, results);
      copies.template wait<0>();
      __syncwarp();  // the tile has arrived
      work(parts.head + t * tile::size, lane, loads, stores);
      __syncwarp();  // the results are complete
      write(memory, results, t, lane);
    }

    // Processes the lane's elements of the tile at `first`. It loads as many as registers hold
    // before it stores the first: the compiler could not know that the stores do not change them.
    inline WARPFOLD_DEVICE void work(std::size_t first, unsigned lane, const auto& loads,
                                     const auto& stores) const {
      using in_type = typename Transformation::in_type;
      constexpr int fit = static_cast<int>(64 / sizeof(in_type));
      constexpr int held = fit >= tile::each ? tile::each : fit < 1 ? 1 : fit;
      WARPFOLD_UNROLL
      for (int from = 0; from < tile::each; from += held) {
        chunk<in_type, held> elements;
        WARPFOLD_UNROLL
        for (int k = 0; k < held && from + k < tile::each; ++k) {
          ::new (static_cast<void*>(&elements.elements[k]))
              in_type(transformation.in.at(first + tile::element(lane, from + k), loads));
        }
        WARPFOLD_UNROLL
        for (int k = 0; k < held && from + k < tile::each; ++k) {
          transformation.out.store_at(first + tile::element(lane, from + k),
                                      transformation.apply(elements.elements[k]), stores);
        }
      }
    }

    WARPFOLD_DEVICE void write(const collective::shared_bytes& memory, unsigned results,
                               std::size_t t, unsigned lane) const {
      const global_access stores;
      const call_site here = call_site::here();
      WARPFOLD_UNROLL
      for (int a = 0; a < out_arrays; ++a) {
        const auto& array = out.arrays[a];
        auto* const to = const_cast<unsigned char*>(array.data) + t * array.tile_bytes;
        for (unsigned at = lane * word_bytes; at < array.tile_bytes; at += 32 * word_bytes) {
          stores.store_word(to + at,
                            memory.template load<word, out_bytes>(results + array.at, at, here));
        }
      }
    }
  };

  /// Launches once; not at all if there is nothing to do.
  template <class Transformation, class Launcher>
  void enqueue(const Transformation& t, Launcher& launcher) const {
    using body_type = body<Transformation>;
    if constexpr (can_stage<Transformation>) {
      const std::size_t n = t.size();
      if (n == 0) return;
      const std::size_t head = head_of(t);
      constexpr unsigned tile = body_type::tile::size;
      const std::size_t tiles = (n - head) / tile;
      body_type b{t, {head, tiles, n - head - tiles * tile}, {}, {}};
      stage(b.in, t.in, head, tile);
      stage(b.out, t.out, head, tile);
      const std::size_t warp_bytes = b.in.bytes + b.out.bytes;
      if (warp_bytes != 0 && warp_bytes <= launcher.gpu().shared_bytes_per_block) {
        launcher.launch(name(), b, shape(tiles, warp_bytes, launcher.gpu()));
        return;
      }
    }
    elementwise<>{}.enqueue(t, launcher);
  }

 private:
  template <class Transformation>
  static constexpr bool can_stage =
      !Transformation::has_size_in_memory &&  // tiles are counted on the host
      has_columns<typename Transformation::in_view> &&
      has_columns<typename Transformation::out_view> &&
      warpfold::detail::arrays_of<typename Transformation::in_view>() >= 1 &&
      warpfold::detail::arrays_of<typename Transformation::in_view>() <= 8 &&
      element_bytes<Transformation>() <= 256;

  // Other elements are coalesced without staging.
  static bool is_odd(std::size_t element_bytes) {
    return element_bytes != 4 && element_bytes != 8 && element_bytes != 16 && element_bytes <= 256;
  }

  static bool is_aligned(const void* data, std::size_t element_bytes, std::size_t i) {
    return (reinterpret_cast<std::uintptr_t>(data) + i * element_bytes) % word_bytes == 0;
  }

  // The first element at which the most arrays are aligned.
  static std::size_t head_of(const auto& t) {
    std::size_t best = 0;
    int most = 0;
    const std::size_t limit = t.size() < word_bytes ? t.size() : word_bytes;
    for (std::size_t h = 0; h < limit; ++h) {
      int aligned = 0;
      const auto look = [&](const void* data, std::size_t element_bytes) {
        aligned += is_odd(element_bytes) && is_aligned(data, element_bytes, h) ? 1 : 0;
      };
      t.in.visit_columns(look);
      t.out.visit_columns(look);
      if (aligned > most) {
        most = aligned;
        best = h;
      }
    }
    return best;
  }

  template <int Count, class View>
  static void stage(collective::staged_arrays<Count>& s, const View& view, std::size_t head,
                    unsigned tile) {
    int i = 0;
    view.visit_columns([&](const void* data, std::size_t element_bytes) {
      if (i == Count || !is_odd(element_bytes) || !is_aligned(data, element_bytes, head)) return;
      s.add(i++, static_cast<const unsigned char*>(data) + head * element_bytes,
            tile * element_bytes);
    });
  }

  launch_shape shape(std::size_t tiles, std::size_t warp_bytes, const device_info& gpu) const {
    unsigned threads = block;
    while (block <= 1024 && block % 32 == 0 && threads >= 64 &&
           threads / 32 * warp_bytes > gpu.shared_bytes_per_block) {
      threads = threads / 64 * 32;
    }
    const std::size_t warps = threads < 32 ? 1 : threads / 32;
    // fewer than 2^31: a tile has at least a kilobyte
    std::size_t blocks = (tiles + warps - 1) / warps;
    if (blocks == 0) blocks = 1;  // for the elements at the ends
    return {static_cast<unsigned>(blocks), threads, threads / 32 * warp_bytes};
  }
};

}  // namespace warpfold::kernel
