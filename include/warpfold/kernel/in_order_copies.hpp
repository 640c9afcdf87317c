/// @file
/// kernel/in_order.hpp for two kinds of elements: those that a thread cannot load as whole words of
/// its own, such as those of 20, 36 or 50 bytes, and those of more than 80 bytes. The warps copy
/// their tiles to shared memory; see collective/staged_fold.hpp.
///
/// - Idea: block b folds the b-th part of the tiles, a power of two of them unless it is the last
///   part. Its warps take neighboring tiles in turn, so a block reads one place in memory.
/// - Cost: every byte is read once, in requests of whole sectors. A range that does not start at a
///   multiple of 16 bytes takes narrower loads from shared memory; its first and last tile are read
///   directly, and so are all tiles if the elements' alignment allows no copies.
#pragma once

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
  static constexpr unsigned max_block = 256;

  template <class Reduction, class Out>
  struct body {
    static constexpr int max_block = in_order_copies::max_block;
    static constexpr unsigned max_warps = in_order_copies::max_block / collective::warp_size;
    static constexpr bool waits_for_launch_before = true;
    using tile =
        collective::run_tile<warpfold::detail::array_bytes_of<typename Reduction::view_type>()>;
    using folding = collective::staged_fold<stages, tile, Reduction>;
    using value = typename folding::value;
    using storage_type = typename folding::template storage<max_warps>;

    Reduction reduction;
    collective::staged_source source;
    std::size_t tiles;  ///< the last one may be cut
    unsigned shift;     ///< log2 of the tiles of a part
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
      if (tiles == 0) [[unlikely]] {
        if (threadIdx.x == 0) sink.deliver(result(reduction.fold().start()));
        return;
      }
      folding own(reduction, source, cache);
      const nodes_type nodes(scratch, gridDim.x);
      const std::size_t first = std::size_t{blockIdx.x} << shift;
      const std::size_t left = tiles - first, part = std::size_t{1} << shift;
      own.fold(first, first + (left < part ? left : part), storage,
               [&](const value& node) { nodes.store(blockIdx.x, node, kept); });
      collective::let_next_launch_start();
      nodes.finish(blockIdx.x == gridDim.x - 1, own.fold_of_values(), storage.of_warps, kept,
                   [&](const value& a) { sink.deliver(result(own.state_of(a))); });
    }
  };

  /// The threads of a block, and the blocks per multiprocessor, for `bytes` of elements. H100:
  /// large elements have enough bytes in flight with one block of 256 threads per multiprocessor;
  /// of more blocks each has less to do. 64 MB of 50 bytes, one block -> two: 36.5 -> 44 us. Small
  /// ones take shorter parts beyond the L2 cache, so that multiprocessors have equal shares: 200 MB
  /// of 20 bytes, four blocks -> eight: 97.6 -> 92.8 us; 64 MB of 28 bytes 33.7 -> 39.1 us.
  template <class View>
  static constexpr void set_shape(tuning::row& row, std::size_t bytes, const device_info& gpu) {
    constexpr bool is_large = warpfold::detail::array_bytes_of<View>() >= 48;
    row.block = is_large ? 256 : 128;
    row.blocks = is_large ? 1 : bytes < 2 * gpu.l2_bytes ? 4 : 8;
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
    constexpr std::size_t fixed_bytes = sizeof(typename body_type::storage_type) + 1024;
    if (threads > max_block) threads = max_block;
    const auto shared = [&] {
      return body_type::folding::shared_bytes_of(threads / collective::warp_size);
    };
    while (threads > collective::warp_size &&
           shared() + fixed_bytes > launcher.gpu().shared_bytes_per_block) {
      threads /= 2;
    }
    const std::size_t nodes = collective::max_nodes<typename body_type::value>(threads);
    if (most > nodes) most = nodes;
    const std::size_t n = r.view.size();
    const std::size_t tiles = n / tile::size + (n % tile::size != 0 ? 1 : 0);
    const auto parts = [&](unsigned shift) { return tiles == 0 ? 1 : ((tiles - 1) >> shift) + 1; };
    unsigned shift = 0;
    while ((32u << shift) < threads || parts(shift) > most) ++shift;
    collective::staged_source source;
    r.view.visit_memory([&](const void* data, std::size_t, std::size_t) {
      source = collective::staged_source::of(data, n, tile{});
    });
    launcher.launch(name, body_type{r, source, tiles, shift, cache, launcher.grid(), sink},
                    launch_shape{static_cast<unsigned>(parts(shift)), threads, shared()});
  }
};

}  // namespace warpfold::kernel
