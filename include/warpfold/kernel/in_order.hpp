/// @file
/// Folds in the declared order (op/fold_order.hpp): the bits of the result depend on the elements
/// alone. They are those of wf::seq, whatever the GPU, the launch and the alignment of the range.
/// Ops need not be commutative.
///
/// Source: pairwise summation (N. Higham, "The accuracy of floating point summation", 1993) with
/// pairs at fixed positions; the launch is that of kernel/single_pass.hpp.
///
/// - Idea: every warp folds whole nodes of the tree. It loads tiles of up to eight rows of 32
///   words and combines neighbors first: the lanes of a row, then rows (collective/row_fold.hpp),
///   then tiles, then the block's warps. The tiles of a warp are neighbors, and their number is a
///   power of two, so a block's result is a node too. The last block combines all nodes
///   (collective/node_finish.hpp). A small range takes one block.
/// - Cost: every byte is read once, as in single_pass; twelve shuffles for a tile of 4 KB. A node
/// of
///   up to 96 bytes is posted, as a block's state there. A range whose first element is not aligned
///   to 16 bytes takes narrower loads.
/// - Order: that of `reduce` on wf::seq, with the same leaves: single elements. Ops that fold
///   batches (`mean`, `norm_2`, `plus{}.compensated()`, `all`) have other leaves there.
/// - Needs: compute capability 7.0; PTX 8.3 (CUDA 12.3) for 16-byte posts.
#pragma once

#include <warpfold/collective/block_fold.hpp>
#include <warpfold/collective/final_result.hpp>
#include <warpfold/collective/held_registers.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/node_finish.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/collective/tile_fold.hpp>
#include <warpfold/core/device_info.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/concept.hpp>
#include <warpfold/kernel/tuning.hpp>

namespace warpfold::kernel {

namespace detail {

// Rows of chunks that a warp loads at once: `loads_in_flight`, rounded down to a power of two.
template <class Reduction>
constexpr int rows_in_flight(int bytes) {
  int rows = 1;
  while (2 * rows <= collective::loads_in_flight<Reduction>(bytes)) rows *= 2;
  return rows;
}

}  // namespace detail

/// One launch of one block or of as many as are useful; see the top of this file.
/// @tparam LoadBytes bytes that each thread of many blocks has in flight
template <int LoadBytes = 128>
struct in_order {
  static_assert(LoadBytes > 0, "warpfold: a thread needs at least one load; use LoadBytes > 0");

  static constexpr const char* name() { return "in_order"; }
  static constexpr bool reads_size = true;  // of a view/counted.hpp

  /// Threads per block, rounded down to a power of two from 32 to 512. 0: one block for small
  /// ranges, otherwise the value of kernel/tuning.hpp for the size.
  unsigned block = 0;
  /// The maximum number of blocks; 0 is the value of kernel/tuning.hpp for the size.
  unsigned grid = 0;

  /// Where the values that are 0 come from.
  constexpr tuning_source table_source(const device_info& gpu) const {
    return block == 0 || grid == 0 ? tuning::source_of(gpu) : tuning_source::none;
  }

  /// How the chunks of a range are divided: a tile has `step` chunks, a part `tiles` tiles for each
  /// warp of a block. All are powers of two; there are several tiles only if they are full.
  struct division {
    unsigned step;
    std::size_t tiles;
    std::size_t parts;  ///< the last one may have less

    /// The division with the smallest parts, at most `most`, whose tiles have at most `rows` rows.
    static WARPFOLD_HD division of(std::size_t chunks, unsigned warps, unsigned rows,
                                   std::size_t most) {
      division d{collective::warp_size, 1, 0};
      for (;;) {
        d.parts = parts_of(chunks, d.tiles * d.step * warps);
        if (d.parts <= most) return d;
        if (d.step < rows * collective::warp_size) {
          d.step *= 2;
        } else {
          d.tiles *= 2;
        }
      }
    }

   private:
    // Powers of two: no division on the GPU.
    static WARPFOLD_HD std::size_t parts_of(std::size_t chunks, std::size_t each) {
      for (; each > 1; each /= 2) chunks = chunks / 2 + chunks % 2;
      return chunks;
    }
  };

  /// The code that runs on the GPU for a range that one block takes: blocks of exactly `MaxBlock`
  /// threads if that is 32 or 256, otherwise of any power of two.
  template <class Reduction, class Out, int MaxBlock>
  struct one_block {
    using accumulator = typename Reduction::accumulator;
    using chunks_type = collective::counted_chunks<unsigned>;
    static constexpr int max_block = MaxBlock;
    static constexpr bool waits_for_launch_before = true;
    static constexpr bool is_one_warp = MaxBlock == collective::warp_size;
    static constexpr bool knows_threads = MaxBlock <= 256;
    static constexpr unsigned max_warps = MaxBlock / collective::warp_size;
    static constexpr int unroll = detail::rows_in_flight<Reduction>(64);

    Reduction reduction;
    chunks_type chunks;
    unsigned step;   ///< chunks of a warp: a power of two
    unsigned shift;  ///< its logarithm
    collective::result_sink<Out> sink;

    WARPFOLD_HD const Reduction& work() const { return reduction; }
    WARPFOLD_DEVICE void operator()() const {
      collective::let_next_launch_start();
      const auto out = sink.in_registers();
      const global_loads loads(caching::keep);
      collective::wait_for_launch_before();
      const collective::final_result<Reduction> result(reduction, threadIdx.x == 0);
      if constexpr (warpfold::detail::has_size_in_memory<typename Reduction::view_type>) {
        Reduction counted = reduction;
        counted.view.read_size(loads);
        fold_all(counted, collective::chunks_of<unsigned>(counted.view), loads, result, out);
      } else {
        fold_all(reduction, chunks, loads, result, out);
      }
    }

   private:
    template <class Result, class Sink>
    WARPFOLD_DEVICE void fold_all(const Reduction& r, const chunks_type& all,
                                  const global_loads& loads, const Result& result,
                                  const Sink& out) const {
      const auto fold = r.fold();
      if (all.count == 0) [[unlikely]] {
        if (threadIdx.x == 0) out.deliver(result(fold.start()));
        return;
      }
      const auto deliver = [&](const accumulator& a) { out.deliver(result(fold.state_of(a))); };
      if constexpr (is_one_warp) {
        const accumulator a = fold_own(r, all, 0, all.count, loads);
        hold<32>(all.count, out);
        if (threadIdx.x == 0) deliver(a);
      } else {
        WARPFOLD_SHARED collective::shared_array<accumulator, max_warps> storage;
        const unsigned first = (threadIdx.x / collective::warp_size) << shift;
        if (first < all.count) {
          const unsigned left = all.count - first;
          collective::store_of_warp<accumulator>(
              storage, fold_own(r, all, first, left < step ? left : step, loads));
        }
        if constexpr (knows_threads) hold<MaxBlock>(all.count, out);
        collective::fold_block<decltype(fold), accumulator>(
            fold, storage, ((all.count - 1) >> shift) + 1, deliver);
      }
    }
    WARPFOLD_DEVICE accumulator fold_own(const Reduction& r, const chunks_type& all, unsigned first,
                                         unsigned here, const global_loads& loads) const {
      return collective::fold_tile_of<unroll>(r, all, first, here, step, loads);
    }
    template <int Threads, class Sink>
    WARPFOLD_DEVICE void hold(unsigned count, const Sink& out) const {
      collective::hold_registers<collective::registers_beside_others<Threads>>(count == ~0u,
                                                                               out.memory());
    }
  };

  /// The code that runs on the GPU for other ranges. If not `HasTiles`, a warp has a single tile of
  /// at most half the rows: less code, and fewer steps at its end.
  template <class Reduction, class Out, bool HasTiles>
  struct body {
    using accumulator = typename Reduction::accumulator;
    using chunks_type = collective::counted_chunks<std::size_t>;
    static constexpr int max_block = 512;
    static constexpr int unroll =
        detail::rows_in_flight<Reduction>(HasTiles ? LoadBytes : LoadBytes / 2);
    static constexpr bool waits_for_launch_before = true;

    Reduction reduction;
    chunks_type chunks;
    division divided;
    caching cache;
    collective::grid_storage scratch;
    collective::result_sink<Out> sink;

    WARPFOLD_HD const Reduction& work() const { return reduction; }
    WARPFOLD_DEVICE void operator()() const {
      collective::wait_for_launch_before();
      const collective::final_result<Reduction> result(reduction, may_finish());
      if constexpr (reads_size) {
        Reduction counted = reduction;
        counted.view.read_size(global_loads(caching::keep));
        const auto read = collective::chunks_of<std::size_t>(counted.view);
        const division d =
            division::of(read.count, blockDim.x / collective::warp_size, unroll, gridDim.x);
        fold_parts(counted, read, d, result);
      } else {
        fold_parts(reduction, chunks, divided, result);
      }
    }

   private:
    static constexpr bool reads_size =
        warpfold::detail::has_size_in_memory<typename Reduction::view_type>;

    // The block that finishes depends on the size.
    WARPFOLD_DEVICE static bool may_finish() {
      return reads_size ? threadIdx.x == 0 : collective::may_finish_grid<accumulator>();
    }

    template <class Result>
    WARPFOLD_DEVICE void fold_parts(const Reduction& r, const chunks_type& all, const division& d,
                                    const Result& result) const {
      WARPFOLD_SHARED collective::block_storage<accumulator> storage[2];
      WARPFOLD_SHARED collective::shared_array<accumulator, 1> kept;
      if (all.count == 0) [[unlikely]] {
        if (blockIdx.x == 0 && threadIdx.x == 0) sink.deliver(result(r.fold().start()));
        return;
      }
      const auto fold = r.fold();
      const collective::grid_nodes<accumulator> nodes(scratch, static_cast<unsigned>(d.parts));
      unsigned odd = 0;
      std::size_t last = blockIdx.x;  // part
      WARPFOLD_NO_UNROLL
      for (std::size_t part = last; part < d.parts; part += gridDim.x) {
        last = part;
        fold_part(r, all, d, part, storage[odd], [&](const accumulator& node) {
          nodes.store(static_cast<unsigned>(part), node, kept);
        });
        odd ^= 1;
        if constexpr (!HasTiles) break;
      }
      nodes.finish(fold, static_cast<unsigned>(last), storage[odd], kept,
                   [&](const accumulator& a) { sink.deliver(result(fold.state_of(a))); });
    }

    // Thread 0 calls `use` with the fold of a part.
    template <class Use>
    WARPFOLD_DEVICE void fold_part(const Reduction& r, const chunks_type& all, const division& d,
                                   std::size_t part, collective::shared_span<accumulator> storage,
                                   const Use& use) const {
      const auto fold = r.fold();
      const global_loads loads(cache);
      const unsigned warps = blockDim.x / collective::warp_size;
      const std::size_t each = d.tiles * d.step;  // chunks of a warp
      const std::size_t first = part * warps * each;
      const std::size_t own = first + threadIdx.x / collective::warp_size * each;
      if (own < all.count) {
        const std::size_t left = all.count - own;
        const std::size_t here = left < each ? left : each;
        collective::store_of_warp(storage, [&] {
          if constexpr (HasTiles) {
            return collective::fold_tiles<unroll>(r, all, own, own + here, loads);
          } else {
            return collective::fold_tile_of<unroll>(r, all, own, static_cast<unsigned>(here),
                                                    d.step, loads);
          }
        }());
      }
      // After the loads: waiting blocks slow down blocks that load.
      if (part + gridDim.x >= d.parts) collective::let_next_launch_start();
      unsigned there = warps;
      if (part + 1 == d.parts) {
        there = 0;
        for (std::size_t w = first; w < all.count && there < warps; w += each) ++there;
      }
      collective::fold_block(fold, storage, there, use);
    }
  };

  /// Launches once.
  template <class Reduction, class Out, class Launcher>
  void enqueue(const Reduction& r, const collective::result_sink<Out>& sink,
               Launcher& launcher) const {
    enqueue_as(tuning::row_for(loaded_bytes(r.view), launcher.gpu()), r, sink, launcher);
  }

  /// The same; values that are 0 come from a row of a tuning.
  template <class Reduction, class Out, class Launcher>
  void enqueue_as(const tuning::row& row, const Reduction& r,
                  const collective::result_sink<Out>& sink, Launcher& launcher) const {
    if (block == 0 && grid == 0 && fits_one_block(r)) return enqueue_one_block(r, sink, launcher);
    const auto chunks = collective::chunks_of<std::size_t>(r.view);
    using accumulator = typename Reduction::accumulator;
    const unsigned asked = block != 0 ? block : row.block;
    unsigned threads = collective::warp_size;
    while (2 * threads <= asked && threads < 512) threads *= 2;
    const std::size_t most =
        grid != 0
            ? grid
            : std::size_t{row.blocks} * static_cast<std::size_t>(launcher.gpu().multiprocessors);
    const std::size_t nodes = collective::max_nodes<accumulator>(threads);
    using tiles = body<Reduction, Out, true>;
    using one_tile = body<Reduction, Out, false>;
    const division d =
        division::of(chunks.count, threads / collective::warp_size,
                     static_cast<unsigned>(tiles::unroll), most < nodes ? most : nodes);
    const std::size_t blocks = d.parts == 0 ? 1 : d.parts < most ? d.parts : most;
    const launch_shape shape{static_cast<unsigned>(blocks), threads};
    constexpr unsigned few = collective::warp_size * unsigned{one_tile::unroll};
    if (d.step <= few && tiles::unroll != one_tile::unroll && d.parts == blocks) {
      launcher.launch(name(), one_tile{r, chunks, d, row.cache, launcher.grid(), sink}, shape);
    } else {
      launcher.launch(name(), tiles{r, chunks, d, row.cache, launcher.grid(), sink}, shape);
    }
  }

  /// True if one block takes the range: at most 1024 threads with four loads.
  template <class Reduction>
  static bool fits_one_block(const Reduction& r) {
    return r.view.size() <= max_elements<Reduction>();
  }

 private:
  template <class Reduction>
  static constexpr std::size_t max_elements() {
    constexpr std::size_t loaded = std::size_t{1024} * detail::rows_in_flight<Reduction>(64) *
                                   Reduction::view_type::chunk_size;
    // Products of chars, H100, graph replay: 32 KB 3.4 us, 64 KB 5.0 us, a grid 2.8 us. 16384
    // floats, H200, a function of 100 steps, one block -> many: 93 -> 8.2 us.
    constexpr std::size_t worth = 16 * 1024;
    using view_type = typename Reduction::view_type;
    if constexpr (warpfold::detail::has_unknown_cost<view_type>()) {
      constexpr std::size_t bytes = warpfold::detail::array_bytes_of<view_type>();
      if (bytes != 0 && worth / bytes < loaded) return worth / bytes;
    }
    return collective::folds_one_by_one<Reduction> && worth < loaded ? worth : loaded;
  }

  template <class Reduction, class Out, class Launcher>
  static void enqueue_one_block(const Reduction& r, const collective::result_sink<Out>& sink,
                                Launcher& launcher) {
    const auto chunks = collective::chunks_of<unsigned>(r.view);
    constexpr unsigned rows = detail::rows_in_flight<Reduction>(64);
    // One warp if it can load all; then eight warps, with as few rows as possible; then more.
    unsigned threads = chunks.count <= rows * collective::warp_size ? collective::warp_size : 256;
    unsigned shift = 5;
    const auto takes = [&] { return (threads / collective::warp_size) << shift; };
    while (takes() < chunks.count && (rows * collective::warp_size) >> shift > 1) ++shift;
    while (takes() < chunks.count) threads *= 2;
    const launch_shape as{1, threads};
    const unsigned step = 1u << shift;
    switch (as.block.x) {
      case 32:
        return launcher.launch(name(), one_block<Reduction, Out, 32>{r, chunks, step, shift, sink},
                               as);
      case 256:
        return launcher.launch(name(), one_block<Reduction, Out, 256>{r, chunks, step, shift, sink},
                               as);
      default:
        return launcher.launch(name(),
                               one_block<Reduction, Out, 1024>{r, chunks, step, shift, sink}, as);
    }
  }
};

static_assert(reduction_kernel<in_order<>>);

}  // namespace warpfold::kernel
