/// @file
/// Folds the elements of a block in the declared order (op/fold_order.hpp) from copies in shared
/// memory: for elements of 20, 36 or 50 bytes, whose direct loads are narrow and leave gaps between
/// the lanes.
///
/// - Idea: the warps of a block take its tiles in turn. Each has a ring of copies; while it folds a
///   tile, its next ones arrive (kernel/staged.hpp). A lane takes neighbors that are whole words
///   together, and loads them from the copy as words. Such runs are an odd number of words apart,
///   so there are no bank conflicts. The values of the tiles of up to 32 rounds are in shared
///   memory. Then the block combines them, at the latest at the end of a part.
#pragma once

#include <cstdint>
#include <utility>

#include <warpfold/collective/async_copy.hpp>
#include <warpfold/collective/block_fold.hpp>
#include <warpfold/collective/held_value.hpp>
#include <warpfold/collective/staged_loads.hpp>
#include <warpfold/op/fold_tree.hpp>
#include <warpfold/view/concept.hpp>

namespace warpfold::collective {

/// A copy begins at the same place of a line of 128 bytes as what it copies. At another place an
/// H100 requests sectors twice: 3 GB of 20 bytes 1.16 -> 1.27 ms.
inline constexpr unsigned line_bytes = 128;

/// A tile of a warp: a run of neighbors for each lane.
template <std::size_t ElementBytes>
struct run_tile {
  static constexpr std::size_t element_bytes = ElementBytes;

  /// The elements of a run, a power of two. The bytes of a run are a multiple of 4. They are an odd
  /// number of words of 4, 8 or 16 bytes; otherwise a run is one element whose words are permuted
  /// (collective/staged_loads.hpp). Long runs take fewer shuffles for each element, which matters
  /// for large elements. Short runs take less time for few elements. H100, runs of at most
  /// 104 -> 208 bytes: 3 GB of 100 bytes 1.17 -> 1.08 ms, of 36 bytes 1.06 -> 1.08; 1 MB of 36
  /// bytes 7.1 -> 7.9 us.
  static constexpr int run = [] {
    constexpr std::size_t most = ElementBytes < 48 ? 104 : 208;
    int n = 1;
    const auto bytes = [&] { return static_cast<std::size_t>(n) * ElementBytes; };
    while (bytes() % 4 != 0 || (bytes() % word_bytes != 0 && 2 * bytes() <= most)) n *= 2;
    return n;
  }();
  static constexpr unsigned size = 32 * run;
  static constexpr bool is_permuted = is_exchanged<ElementBytes>;
  /// Bytes of a copy and of the line in which it starts.
  static constexpr auto copy_bytes = static_cast<unsigned>(size * ElementBytes + line_bytes);
};

/// An array whose tiles are copied as whole words, if all these words are of the array. If its
/// first element is not at a word, the first tile is read directly, and perhaps the last one.
struct staged_source {
  const unsigned char* data = nullptr;
  std::size_t size = 0;            ///< elements
  std::size_t first = 0, end = 0;  ///< the tiles that are copied

  template <class Tile>
  static staged_source of(const void* data, std::size_t n, Tile) {
    constexpr std::size_t bytes = Tile::element_bytes;
    const std::size_t in_word = reinterpret_cast<std::uintptr_t>(data) % word_bytes;
    staged_source s{static_cast<const unsigned char*>(data), n};
    if (in_word == 0) {
      s.end = n / Tile::size;
    } else if (!Tile::is_permuted && in_word % warpfold::detail::gcd(bytes, word_bytes) == 0 &&
               n > Tile::size) {
      s.first = 1;
      s.end = (n * bytes - (word_bytes - in_word)) / (Tile::size * bytes);
    }
    return s;
  }
  WARPFOLD_DEVICE bool is_copied(std::size_t tile) const { return tile >= first && tile < end; }
};

/// How a launch divides its tiles: into parts of 2^shift tiles, of which the last may be shorter. A
/// block folds parts that are `blocks` apart, and the last block has the last part.
struct tile_parts {
  std::size_t tiles = 0;
  unsigned shift = 0;
  unsigned count = 0;   ///< parts; 0 if there are no tiles
  unsigned blocks = 1;  ///< at most as many as parts

  WARPFOLD_DEVICE unsigned first_of(unsigned block) const {
    const unsigned k = block + count % blocks;
    return k < blocks ? k : k - blocks;
  }
};

namespace detail {

/// Loads for a view that loads a single element, which is there already.
template <class T>
struct loaded_element {
  const T& element;

  WARPFOLD_HD const T& load(const T*) const { return element; }
};

}  // namespace detail

/// A block's fold of neighboring tiles. All threads of a block call its functions.
/// @tparam Stages copies of a warp
template <int Stages, class Tile, class Reduction>
class staged_fold {
  using accumulator = typename Reduction::accumulator;
  using element = typename Reduction::view_type::array_chunk::element;
  static constexpr unsigned ring_bytes = Stages * Tile::copy_bytes;
  // The rounds of a group: 32, or fewer if the values of their tiles take more than 16 KB.
  template <unsigned Warps>
  static constexpr unsigned rounds = [] {
    unsigned n = 32;
    while (n > 1 && n * Warps * sizeof(held<accumulator>) > 16 * 1024) n /= 2;
    return n;
  }();

 public:
  using fold_type =
      held_fold<std::remove_cvref_t<decltype(std::declval<const Reduction&>().fold())>,
                accumulator>;
  using value = held<accumulator>;

  /// Dynamic shared memory of a block.
  static constexpr std::size_t shared_bytes_of(unsigned warps) { return warps * ring_bytes; }
  /// Static shared memory: `values` has one value for each tile of a group of rounds, `nodes` one
  /// for each group that is a node, and `of_warps` one for each warp.
  template <unsigned Warps>
  struct storage {
    shared_array<value, rounds<Warps> * Warps> values;
    shared_array<value, 32> nodes;
    shared_array<value, Warps> of_warps;
  };

  WARPFOLD_DEVICE staged_fold(const Reduction& r, const staged_source& from, caching cache)
      : r_(r),
        fold_{r.fold()},
        from_(from),
        direct_(cache),
        memory_(dynamic_shared_bytes(blockDim.x / warp_size * ring_bytes)),
        copies_(memory_, cache),
        ring_(threadIdx.x / warp_size * ring_bytes),
        shift_(static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from.data) % line_bytes)) {}

  WARPFOLD_DEVICE const fold_type& fold_of_values() const { return fold_; }
  WARPFOLD_DEVICE auto state_of(const value& a) const {
    return fold_.of.state_of(value_in<accumulator>(a));
  }

  /// Folds the parts of this block, which has at least one. Thread 0 calls `use(k, value)` for each
  /// part k, in ascending order. The copies of a part start while the part before is folded.
  /// @param parts of at least as many tiles as the block has warps
  template <unsigned Warps>
  inline WARPFOLD_DEVICE void fold(const tile_parts& parts, storage<Warps>& in,
                                   const auto& use) const {
    const unsigned warps = blockDim.x / warp_size, warp = threadIdx.x / warp_size;
    const unsigned lane = threadIdx.x % warp_size;
    const std::size_t of_part = std::size_t{1} << parts.shift;
    const std::size_t skipped = std::size_t{parts.blocks - 1} << parts.shift;
    unsigned k = parts.first_of(blockIdx.x);
    std::size_t t = std::size_t{k} << parts.shift;
    std::size_t next = t + warp;
    unsigned fill = ring_, place = ring_;
    const auto start_next = [&] {
      if (next < parts.tiles && from_.is_copied(next)) start(next, fill);
      copies_.commit();  // also an empty group: groups are counted
      next += warps;
      if ((next & (of_part - 1)) < warps) next += skipped;  // to the next part
      fill = after(fill);
    };
    WARPFOLD_UNROLL
    for (int s = 0; s < Stages - 1; ++s) start_next();
    unsigned round = 0;
    std::size_t groups = 0;
    WARPFOLD_NO_UNROLL
    for (;;) {
      start_next();
      if (t + warp < parts.tiles) {
        copies_.template wait<Stages - 1>();
        __syncwarp();
        const value folded = fold_tile(t + warp, place);
        if (lane == 0) in.values.store(round * warps + warp, folded);
        __syncwarp();  // before this copy is overwritten
      }
      place = after(place);
      t += warps;
      ++round;
      const bool ends = (t & (of_part - 1)) == 0 || t >= parts.tiles;
      if (round < rounds<Warps> && !ends) continue;
      const unsigned all = round * warps;
      const unsigned there = t > parts.tiles ? all - static_cast<unsigned>(t - parts.tiles) : all;
      combine(in, there, [&](value node) {
        // The nodes of a counter's bits: node j is that of 2^j groups.
        std::size_t bits = groups;
        unsigned j = 0;
        WARPFOLD_NO_UNROLL
        for (; ends ? bits != 0 : (bits & 1) != 0; bits >>= 1, ++j) {
          if ((bits & 1) != 0) node = fold_.apply(in.nodes.load(j), node);
        }
        if (ends) {
          use(k, node);
        } else {
          in.nodes.store(j, node);
        }
      });
      round = 0;
      ++groups;
      if (!ends) continue;
      groups = 0;
      k += parts.blocks;
      t += skipped;
      if (k >= parts.count) return;
    }
  }

 private:
  WARPFOLD_DEVICE unsigned after(unsigned place) const {
    return place == ring_ + (Stages - 1) * Tile::copy_bytes ? ring_ : place + Tile::copy_bytes;
  }
  WARPFOLD_DEVICE void start(std::size_t tile, unsigned to) const {
    constexpr auto bytes = static_cast<unsigned>(Tile::size * Tile::element_bytes);
    constexpr auto word = static_cast<unsigned>(word_bytes);
    const unsigned in_word = shift_ % word;
    const unsigned own = threadIdx.x % warp_size * word;
    const unsigned char* const data = from_.data + tile * bytes - in_word + own;
    const unsigned place = copies_.place(to + shift_ - in_word);
    WARPFOLD_UNROLL
    for (unsigned at = 0; at < bytes; at += 32 * word) {
      if (at + 32 * word <= bytes || at + own < bytes) {
        copies_.start(place + place_in_copy<Tile::element_bytes>(at + own), data + at);
      }
    }
    if (in_word != 0 && own == 0) copies_.start(place + bytes, data + bytes);
  }

  // Combines the values of `there` tiles; thread 0 calls `use(value)`.
  template <unsigned Warps>
  inline WARPFOLD_DEVICE void combine(storage<Warps>& in, unsigned there, const auto& use) const {
    const unsigned first = threadIdx.x / warp_size * warp_size, lane = threadIdx.x % warp_size;
    __syncthreads();
    if (first < there) {
      const unsigned here = there - first < warp_size ? there - first : warp_size;
      const value own = in.values.load(first + (lane < here ? lane : here - 1));
      store_of_warp<value>(in.of_warps, fold_lanes(fold_, own, here));
    }
    fold_block<fold_type>(fold_, in.of_warps, (there - 1) / warp_size + 1, use);
  }

  // The value of a tile, in lane 0.
  WARPFOLD_DEVICE value fold_tile(std::size_t tile, unsigned place) const {
    const std::size_t at = tile * Tile::size;
    if (!from_.is_copied(tile)) return fold_directly(at);
    chunk<value, 1> own;
    own.set(0, fold_run(at, place));
    return fold_rows<1>(fold_, own, all_values{});
  }
  WARPFOLD_DEVICE value fold_run(std::size_t at, unsigned place) const {
    struct neighbors {
      element of[std::size_t{Tile::run}];
    };
    const unsigned first = threadIdx.x % warp_size * Tile::run;
    constexpr auto bytes = static_cast<unsigned>(Tile::element_bytes);
    chunk<neighbors, 1> all;
    if (shift_ % word_bytes == 0) {
      all.set(0, memory_.template load<neighbors, Tile::element_bytes>(
                     place + shift_, first * bytes, call_site::here()));
    } else {
      WARPFOLD_UNROLL
      for (unsigned k = 0; k < Tile::run; ++k) {
        ::new (static_cast<void*>(&all.elements[0].of[k])) element(
            memory_.template load<element>(place, shift_ + (first + k) * bytes, call_site::here()));
      }
    }
    return hold<accumulator>(fold_tree<0, Tile::run>(
        [&](const auto& a, const auto& b) { return fold_.of.apply(a, b); },
        [&](int k) {
          const detail::loaded_element<element> loaded{all.elements[0].of[k]};
          return r_.lift(r_.view.at(at + first + static_cast<unsigned>(k), loaded));
        }));
  }
  // Row by row; the tile may be cut.
  WARPFOLD_DEVICE value fold_directly(std::size_t at) const {
    const unsigned lane = threadIdx.x % warp_size;
    const std::size_t left = from_.size - at;
    const unsigned here = left < Tile::size ? static_cast<unsigned>(left) : Tile::size;
    const unsigned rows = (here - 1) / warp_size + 1;
    // Lane u keeps the value of row u.
    chunk<value, 1> own;
    __builtin_memset(static_cast<void*>(&own), 0, sizeof own);
    WARPFOLD_NO_UNROLL
    for (unsigned u = 0; u < rows; ++u) {
      const unsigned in_row = here - u * warp_size < warp_size ? here - u * warp_size : warp_size;
      const std::size_t i = at + u * warp_size + (lane < in_row ? lane : in_row - 1);
      const value x = hold<accumulator>(r_.lift(r_.view.at(i, direct_)));
      const value row = shuffle_from(fold_lanes(fold_, x, in_row), 0);
      if (u == 0 || lane == u) own.set(0, row);
    }
    return fold_lanes(fold_, own.elements[0], rows);
  }

  const Reduction& r_;
  fold_type fold_;
  const staged_source& from_;
  global_loads direct_;
  shared_bytes memory_;
  async_copies copies_;
  unsigned ring_, shift_;
};

}  // namespace warpfold::collective
