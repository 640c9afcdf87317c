/// @file
/// kernel/in_order.hpp for two kinds of elements: those that a thread cannot load as whole words of
/// its own, such as those of 20, 36 or 50 bytes, and those of more than 80 bytes. The warps copy
/// their tiles to shared memory; see collective/staged_fold.hpp.
///
/// - Idea: a part is a power of two of neighboring tiles. A block folds one part or several. Its
///   warps take the tiles of a part in turn, so a block reads one part at a time. Large elements
///   have many short parts, which give the multiprocessors equal shares. Small ones have enough
///   blocks, and one part each, because each part costs the combination of the warps' values.
/// - Cost: every byte is read once, in requests of whole sectors. A range that does not start at a
///   multiple of 16 bytes takes narrower loads from shared memory; its first and last tile are read
///   directly, and so are all tiles if the elements' alignment allows no copies.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/collective/final_result.hpp>
#include <warpfold/collective/grid_finish.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/node_finish.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/collective/staged_fold.hpp>
#include <warpfold/core/device_info.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/view/concept.hpp>

namespace warpfold::kernel {

namespace detail {

// True if a lane's run of elements fits its registers, and a warp's copies any GPU's shared memory.
template <std::size_t Bytes>
inline constexpr bool has_short_runs = collective::run_tile<Bytes>::run * Bytes <= 256;

// True if direct loads would leave gaps between the lanes of a warp. H100, 3 GB, direct -> copied:
// 50 bytes 24.7 -> 1.07 ms, 128 bytes 3.07 -> 1.37; 80 bytes equal.
template <class View, class Chunk = warpfold::detail::array_chunk_of_t<View>>
inline constexpr bool has_gaps_between_lanes =
    (!Chunk::fills_words || sizeof(typename Chunk::element) > 80) &&
    has_short_runs<sizeof(typename Chunk::element)> &&
    std::is_same_v<typename View::chunk_type, Chunk>;
template <class View>
inline constexpr bool has_gaps_between_lanes<View, void> = false;

// True if in_order folds copies of the elements.
template <class Reduction>
inline constexpr bool folds_copies = has_gaps_between_lanes<typename Reduction::view_type> &&
                                     sizeof(typename Reduction::accumulator) <= 256;

}  // namespace detail

/// One launch of as many blocks as are useful. Used by in_order, whose name it has.
struct in_order_copies {
  /// Copies of a warp: one arrives while the other is folded.
  static constexpr int stages = 2;
  /// Elements of at least 48 bytes take blocks of 256 threads, others of 128.
  template <class View>
  static constexpr bool is_large = warpfold::detail::array_bytes_of<View>() >= 48;
  template <class View>
  static constexpr unsigned max_threads = is_large<View> ? 256 : 128;

  template <class Reduction, class Out>
  struct body {
    static constexpr int max_block = max_threads<typename Reduction::view_type>;
    static constexpr unsigned max_warps = max_block / collective::warp_size;
    // Five small blocks reach the bandwidth. Without the bound, the end of the launch takes so many
    // registers that only four are resident: H200, 28 bytes, 2 GB, 706 -> 501 us.
    static constexpr int min_blocks_per_multiprocessor = max_block == 128 ? 5 : 1;
    static constexpr bool waits_for_launch_before = true;
    using tile =
        collective::run_tile<warpfold::detail::array_bytes_of<typename Reduction::view_type>()>;
    using folding = collective::staged_fold<stages, tile, Reduction>;
    using value = typename folding::value;
    using storage_type = typename folding::template storage<max_warps>;

    Reduction reduction;
    collective::staged_source source;
    collective::tile_parts parts;
    caching cache;
    collective::grid_storage scratch;
    collective::result_sink<Out> sink;

    WARPFOLD_HD const Reduction& work() const { return reduction; }
    WARPFOLD_DEVICE void operator()() const {
      using nodes_type = collective::grid_nodes<value>;
      WARPFOLD_SHARED storage_type storage;
      WARPFOLD_SHARED typename nodes_type::kept_node kept;
      collective::wait_for_launch_before();
      const collective::final_result<Reduction> result(reduction,
                                                       collective::may_finish_grid<value>());
      if (parts.count == 0) [[unlikely]] {
        if (threadIdx.x == 0) sink.deliver(result(reduction.fold().start()));
        return;
      }
      folding own(reduction, source, cache);
      const nodes_type nodes(scratch, parts.count);
      own.fold(parts, storage, [&](unsigned k, const value& node) { nodes.store(k, node, kept); });
      collective::let_next_launch_start();
      nodes.finish(blockIdx.x == gridDim.x - 1, own.fold_of_values(), storage.of_warps, kept,
                   [&](const value& a) { sink.deliver(result(own.state_of(a))); });
    }
  };

  /// The threads of a block, and the blocks per multiprocessor, for `bytes` of elements. Large
  /// elements have enough bytes in flight with one block of 256 threads per multiprocessor.
  template <class View>
  static constexpr void set_shape(tuning::row& row, std::size_t bytes, const device_info& gpu) {
    row.block = max_threads<View>;
    row.blocks = is_large<View> ? 1 : bytes < 4 * gpu.l2_bytes ? 4 : 5;
  }

  /// True if direct loads are faster below 4 MB: those of elements that consist of 4-byte words.
  /// H100, 20 bytes, direct -> copies: 64 KB 5.6 -> 6.4 us, 1 MB 6.7 -> 6.9, 4 MB equal.
  template <class View>
  static constexpr bool may_be_slower = warpfold::detail::array_bytes_of<View>() % 4 == 0 &&
                                        warpfold::detail::array_bytes_of<View>() < 48;
  template <class View>
  static constexpr bool is_faster(std::size_t bytes) {
    return !may_be_slower<View> || bytes >= std::size_t{4} << 20;
  }

  /// Launches once.
  /// @param threads a power of two from 32 on
  /// @param most the maximum number of blocks, at least 1
  template <class Reduction, class Out, class Launcher>
  static void enqueue(const char* name, unsigned threads, std::size_t most, caching cache,
                      const Reduction& r, const collective::result_sink<Out>& sink,
                      Launcher& launcher) {
    using body_type = body<Reduction, Out>;
    using tile = typename body_type::tile;
    using value = typename body_type::value;
    constexpr std::size_t fixed_bytes = sizeof(typename body_type::storage_type) + 1024;
    if (threads > unsigned{body_type::max_block}) threads = unsigned{body_type::max_block};
    const auto shared = [&] {
      return body_type::folding::shared_bytes_of(threads / collective::warp_size);
    };
    while (threads > collective::warp_size &&
           shared() + fixed_bytes > launcher.gpu().shared_bytes_per_block) {
      threads /= 2;
    }
    const std::size_t n = r.view.size();
    const std::size_t tiles = n / tile::size + (n % tile::size != 0 ? 1 : 0);
    const std::size_t nodes = collective::max_nodes_of_few<value>(threads);
    if (most > nodes) most = nodes;
    const collective::tile_parts parts =
        parts_of(tiles, tile::size * tile::element_bytes, threads / collective::warp_size, most,
                 is_large<typename Reduction::view_type> ? nodes : most,
                 static_cast<std::size_t>(launcher.gpu().multiprocessors));
    collective::staged_source source;
    r.view.visit_memory([&](const void* data, std::size_t, std::size_t) {
      source = collective::staged_source::of(data, n, tile{});
    });
    launcher.launch(name, body_type{r, source, parts, cache, launcher.grid(), sink},
                    launch_shape{parts.blocks, threads, shared()});
  }

 private:
  /// The division with the least modeled time: the blocks share the bandwidth, which needs 32 KB of
  /// copies on each multiprocessor, and each part costs a block as much time as 48 KB.
  ///
  /// H200, 2 GB of 52 bytes, 132 blocks: 77 parts 621 us, 154 parts 714, 308 parts 564, 616 parts
  /// 491, 1231 parts 501.
  static collective::tile_parts parts_of(std::size_t tiles, std::size_t tile_bytes, unsigned warps,
                                         std::size_t most, std::size_t max_parts,
                                         std::size_t multiprocessors) {
    const std::size_t cost_of_parts = most * 48 * 1024;  // one for each block
    const std::size_t enough = multiprocessors * 32 * 1024 / (tile_bytes * warps);
    const std::size_t at_least = enough < most ? enough : most;
    collective::tile_parts best{tiles};
    std::size_t least = 0;
    for (unsigned shift = 0; tiles != 0; ++shift) {
      const std::size_t count = ((tiles - 1) >> shift) + 1;
      if (1u << shift < warps || count > max_parts) continue;
      const std::size_t parts_each = (count - 1) / most + 1, left = count - (parts_each - 1) * most;
      const std::size_t shares = (parts_each - 1) * most + (left < at_least ? at_least : left);
      const std::size_t cost = shares * (tile_bytes << shift) + parts_each * cost_of_parts;
      if (best.count == 0 || cost < least) {
        best = {tiles, shift, static_cast<unsigned>(count),
                static_cast<unsigned>(count < most ? count : most)};
        least = cost;
      }
      if (count == 1) break;
    }
    return best;
  }
};

}  // namespace warpfold::kernel
