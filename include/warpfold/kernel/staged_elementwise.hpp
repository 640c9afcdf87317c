/// @file
/// Transformations of elements of any size: read flat, worked on in shared memory, and written flat.
///
/// Source: "Coalesced access to global memory" (in Czech): `float3 + value`, whose block loads the floats flat into
/// shared memory, works on float3 there, and stores them flat.
///
/// Idea:  as in staged, a warp copies its tiles word by word and waits for nobody else. Its lanes read elements from
///        the copy and leave the results in another, and the warp writes that as it read the first, each lane the
///        next 16 bytes.
/// Cost:  one launch. Every byte is read once and written once, in requests of whole sectors; arrays of 4, 8 and
///        16 byte elements, of which neighbouring lanes take neighbours, go straight. Three warp barriers a tile.
/// Needs: as staged. Arrays that are not aligned where the others are, are read and written directly; if no array
///        is staged, or the elements are too large for the GPU's shared memory, elementwise takes over.
#pragma once

#include <warpfold/collective/async_copy.hpp>
#include <warpfold/collective/staged_stores.hpp>
#include <warpfold/kernel/elementwise.hpp>
#include <warpfold/kernel/warp_tile.hpp>
#include <warpfold/runtime/device_info.hpp>

namespace warpfold::kernel {

/// One launch whose warps each keep a few copies going; see the file's head.
/// @tparam TileBytes  shared memory of a warp's tile on either side at most; a tile has at least 32 elements
/// @tparam Stages     tiles that a warp has on the way or works on
template <unsigned TileBytes = 2048, int Stages = 2>
struct staged_elementwise {
  static_assert(TileBytes >= 512, "warpfold: a tile has at least 512 bytes");
  static_assert(Stages >= 2 && Stages <= 8, "warpfold: a warp has 2 to 8 tiles");

  static constexpr const char* name() { return "staged_elementwise"; }

  /// Threads a block, a multiple of 32 up to 1024.
  unsigned block = 256;
  /// The most blocks; 0 is four a multiprocessor.
  unsigned grid = 0;

  /// The arrays that are staged, as they lie from the first tile on.
  template <int Count>
  struct staging {
    struct array {
      const unsigned char* data;
      unsigned tile_bytes;  ///< 0: there is none
      unsigned at;          ///< first byte in a tile's copy
    };
    array arrays[Count] = {};
    unsigned bytes = 0;  ///< of a tile's copy
  };

  /// The most bytes that an element takes on either side, in arrays or in registers.
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

  /// The code that runs on the GPU for one transformation.
  template <class Transformation>
  struct body {
    using in_view = typename Transformation::in_view;
    using out_view = typename Transformation::out_view;
    static constexpr int max_block = 1024;
    static constexpr int in_arrays = warpfold::detail::arrays_of<in_view>();
    static constexpr int out_arrays = warpfold::detail::arrays_of<out_view>();
    static constexpr int each = elements_a_lane(element_bytes<Transformation>(), TileBytes);
    static constexpr unsigned tile = 32 * each;

    Transformation transformation;
    partition parts;  ///< in tiles
    staging<in_arrays> in;
    staging<out_arrays> out;

    WARPFOLD_DEVICE void operator()() const {
      run_edges();
      run_tiles();
    }

   private:
    // The elements before the first tile and after the last.
    WARPFOLD_DEVICE void run_edges() const {
      const global_access memory;
      const unsigned threads = gridDim.x * blockDim.x;
      const auto edge = static_cast<unsigned>(parts.head + parts.tail);
      WARPFOLD_NO_UNROLL
      for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < edge; i += threads) {
        const std::size_t element = i < parts.head ? i : i + parts.chunks * tile;
        transformation.out.store_at(
            element, transformation.apply(transformation.in.at(element, memory)), memory);
      }
    }

    WARPFOLD_DEVICE void run_tiles() const {
      const unsigned lane = threadIdx.x % 32;
      const unsigned in_block = blockDim.x / 32;
      const unsigned warps = gridDim.x * in_block;
      const unsigned own = threadIdx.x / 32;
      const unsigned warp_bytes = Stages * in.bytes + out.bytes;
      const auto memory = collective::dynamic_shared_bytes(in_block * warp_bytes);
      const unsigned ring = own * warp_bytes;
      const unsigned results = ring + Stages * in.bytes;
      const collective::async_copies copies(memory, caching::keep);
      const global_access direct;  // not a cache_hint: what is loaded may be written, in place

      std::size_t next = blockIdx.x * in_block + own;  // to be copied
      unsigned fill = 0;                               // into which place of the ring
      const auto start_next = [&] {
        if (next < parts.chunks) start(copies, ring + fill * in.bytes, next, lane);
        copies.commit();  // an empty one too: they are counted
        next += warps;
        fill = fill + 1 == Stages ? 0 : fill + 1;
      };
      WARPFOLD_UNROLL
      for (int s = 0; s < Stages - 1; ++s) start_next();

      unsigned place = 0;
      for (std::size_t t = blockIdx.x * in_block + own; t < parts.chunks; t += warps) {
        start_next();
        copies.template wait<Stages - 1>();
        __syncwarp();  // the tile is there, and the results of the one before are written
        collective::staged_loads<in_arrays, false, global_access> loads(memory, direct);
        collective::staged_stores<out_arrays> stores(memory, direct);
        WARPFOLD_UNROLL
        for (int a = 0; a < in_arrays; ++a) {
          const auto& array = in.arrays[a];
          loads.pieces[a] = {array.data + t * array.tile_bytes, array.tile_bytes,
                             ring + place * in.bytes + array.at};
        }
        WARPFOLD_UNROLL
        for (int a = 0; a < out_arrays; ++a) {
          const auto& array = out.arrays[a];
          stores.pieces[a] = {const_cast<unsigned char*>(array.data) + t * array.tile_bytes,
                              array.tile_bytes, results + array.at};
        }
        work(parts.head + t * tile + lane, loads, stores);
        __syncwarp();  // all results of the tile are there
        write(memory, results, t, lane);
        place = place + 1 == Stages ? 0 : place + 1;
      }
    }

    // Every 32nd element from `first` on. All are loaded before the first is stored, which the compiler could not
    // know to be elsewhere.
    template <class Loads, class Stores>
    WARPFOLD_DEVICE void work(std::size_t first, const Loads& loads, const Stores& stores) const {
      chunk<typename Transformation::in_type, each> elements;
      WARPFOLD_UNROLL
      for (int k = 0; k < each; ++k) {
        ::new (static_cast<void*>(&elements.elements[k])) typename Transformation::in_type(
            transformation.in.at(first + static_cast<unsigned>(k) * 32, loads));
      }
      WARPFOLD_UNROLL
      for (int k = 0; k < each; ++k) {
        transformation.out.store_at(first + static_cast<unsigned>(k) * 32,
                                    transformation.apply(elements.elements[k]), stores);
      }
    }

    // Copies this lane's words of tile `t`.
    WARPFOLD_DEVICE void start(const collective::async_copies& copies, unsigned to, std::size_t t,
                               unsigned lane) const {
      WARPFOLD_UNROLL
      for (int a = 0; a < in_arrays; ++a) {
        const auto& array = in.arrays[a];
        const unsigned char* const from = array.data + t * array.tile_bytes;
        const unsigned place = copies.place(to + array.at);
        for (unsigned at = lane * word_bytes; at < array.tile_bytes; at += 32 * word_bytes) {
          copies.start(place + at, from + at);
        }
      }
    }

    // Writes this lane's words of tile `t`.
    WARPFOLD_DEVICE void write(const collective::shared_bytes& memory, unsigned results,
                               std::size_t t, unsigned lane) const {
      const global_access stores;
      const call_site here = call_site::here();
      WARPFOLD_UNROLL
      for (int a = 0; a < out_arrays; ++a) {
        const auto& array = out.arrays[a];
        auto* const to = const_cast<unsigned char*>(array.data) + t * array.tile_bytes;
        for (unsigned at = lane * word_bytes; at < array.tile_bytes; at += 32 * word_bytes) {
          stores.store_word(to + at, memory.template load<word>(results + array.at + at, here));
        }
      }
    }
  };

  /// Launches once; not at all if there is nothing to do.
  template <class Transformation, class Launcher>
  void enqueue(const Transformation& t, Launcher& on) const {
    using body_type = body<Transformation>;
    if constexpr (can_stage<Transformation>) {
      const std::size_t n = t.size();
      if (n == 0) return;
      const std::size_t head = head_of(t);
      const std::size_t tiles = (n - head) / body_type::tile;
      body_type b{t, {head, tiles, n - head - tiles * body_type::tile}, {}, {}};
      stage(b.in, t.in, head, body_type::tile);
      stage(b.out, t.out, head, body_type::tile);
      const std::size_t warp_bytes = Stages * b.in.bytes + b.out.bytes;
      if (warp_bytes != 0 && warp_bytes <= on.gpu().shared_bytes_per_block) {
        on.launch(name(), b, shape(tiles, warp_bytes, on.gpu()));
        return;
      }
    }
    elementwise<>{}.enqueue(t, on);
  }

 private:
  template <class Transformation>
  static constexpr bool can_stage =
      has_columns<typename Transformation::in_view> &&
      has_columns<typename Transformation::out_view> &&
      warpfold::detail::arrays_of<typename Transformation::in_view>() >= 1 &&
      warpfold::detail::arrays_of<typename Transformation::in_view>() <= 8 &&
      element_bytes<Transformation>() <= 256;

  // Neighbouring lanes that take neighbouring elements of 4, 8 or 16 bytes need no help.
  static bool is_odd(std::size_t element_bytes) {
    return element_bytes != 4 && element_bytes != 8 && element_bytes != 16 && element_bytes <= 256;
  }

  static bool is_aligned(const void* data, std::size_t element_bytes, std::size_t i) {
    return (reinterpret_cast<std::uintptr_t>(data) + i * element_bytes) % word_bytes == 0;
  }

  // The first element at which as many arrays as can be are aligned.
  template <class Transformation>
  static std::size_t head_of(const Transformation& t) {
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
  static void stage(staging<Count>& s, const View& view, std::size_t head, unsigned tile) {
    int i = 0;
    view.visit_columns([&](const void* data, std::size_t element_bytes) {
      if (i == Count || !is_odd(element_bytes) || !is_aligned(data, element_bytes, head)) return;
      const auto tile_bytes = static_cast<unsigned>(tile * element_bytes);
      s.arrays[i++] = {static_cast<const unsigned char*>(data) + head * element_bytes, tile_bytes,
                       s.bytes};
      s.bytes += tile_bytes;
    });
  }

  runtime::launch_shape shape(std::size_t tiles, std::size_t warp_bytes,
                              const runtime::device_info& gpu) const {
    unsigned threads = block;
    while (block <= 1024 && block % 32 == 0 && threads >= 64 &&
           threads / 32 * warp_bytes > gpu.shared_bytes_per_block) {
      threads = threads / 64 * 32;
    }
    constexpr std::size_t most = 1u << 21;  // so that the number of threads fits 32 bits
    std::size_t limit = grid != 0 ? grid : 4 * static_cast<std::size_t>(gpu.multiprocessors);
    if (limit > most) limit = most;
    const std::size_t warps = threads < 32 ? 1 : threads / 32;
    std::size_t wanted = (tiles + warps - 1) / warps;
    if (wanted == 0) wanted = 1;  // for the elements at the ends
    return {static_cast<unsigned>(wanted < limit ? wanted : limit), threads,
            threads / 32 * warp_bytes};
  }
};

}  // namespace warpfold::kernel
