/// @file
/// Folds in the declared order (op/fold_order.hpp): the bits of the result depend on the elements
/// alone. They are those of wf::seq, whatever the GPU, the launch and the alignment of the range.
/// Operands keep their sides.
///
/// Source: pairwise summation (N. Higham, "The accuracy of floating point summation", 1993) with
/// pairs at fixed positions; the launch is that of kernel/single_pass.hpp.
///
/// - Idea: every warp folds whole nodes of the tree. It loads tiles of up to eight rows of 32 words
///   and combines neighbors first: the lanes of a row, then rows (collective/row_fold.hpp), then
///   tiles, then the block's warps. A warp has a power of two of neighboring tiles, so a block's
///   result is a node too. The last block combines all nodes (collective/node_finish.hpp). A small
///   range takes one block; kernel/thread_per_element.hpp takes a range that reads no memory, and
///   kernel/in_order_copies.hpp structs that leave gaps between the lanes' loads.
/// - Cost: every byte is read once, as in single_pass; twelve shuffles for a tile of 4 KB. Nodes of
///   up to 96 bytes are posted. A range not aligned to 16 bytes takes narrower loads.
/// - Needs: compute capability 7.0; PTX 8.3 (CUDA 12.3) for 16-byte posts.
#pragma once

#include <warpfold/collective/block_fold.hpp>
#include <warpfold/collective/final_result.hpp>
#include <warpfold/collective/held_registers.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/node_finish.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/collective/tile_fold.hpp>
#include <warpfold/collective/unchecked_fold.hpp>
#include <warpfold/core/device_info.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/concept.hpp>
#include <warpfold/kernel/in_order_copies.hpp>
#include <warpfold/kernel/thread_per_element.hpp>
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

// What a warp folds. For less, the kernel has less code and fewer registers.
enum class warp_share {
  half_tile,  // at most half of the rows of a tile
  tile,
  tiles
};

}  // namespace detail

/// One launch of one block or of as many as are useful; see the top of this file.
///
/// ```cpp
/// #include <warpfold/kernel/in_order.hpp>
/// #include <warpfold/policy/emulated.hpp>
///
/// const std::vector<float> v(1000, 0.1f);
/// const auto policy = wf::emulated.with_kernel(wf::kernel::in_order<>{});  // or wf::device
/// const float sum = wf::reduce(policy, v);  // == wf::reduce(wf::seq, v)
/// ```
/// @tparam LoadBytes bytes that a thread has in flight in launches of several blocks; at most half
///     as many if a warp folds at most half of a tile
template <int LoadBytes = 128>
struct in_order {
  static_assert(LoadBytes > 0, "warpfold: a thread needs at least one load; use LoadBytes > 0");

  static constexpr const char* name() { return "in_order"; }
  static constexpr bool in_declared_order = true;
  static constexpr bool reads_size = true;  // of a view/counted.hpp
  static constexpr int max_block = 512;

  /// Threads per block, rounded down to a power of two from 32 to 512 (256 for structs that are
  /// copied, 128 if they have less than 48 bytes). 0 is the largest for such structs; otherwise
  /// 256, or 512 for elements of more than 16 bytes from 1.5 GB on; or the value of a caller's
  /// table.
  unsigned block = 0;
  /// The maximum number of blocks, at most `max_nodes` (collective/node_finish.hpp). 0 is two per
  /// multiprocessor, or 64 for ranges as large as the L2 cache; for structs that are copied one,
  /// four or five (in_order_copies.hpp); or the value of a caller's table. Parts are powers of two,
  /// so there may be half as many blocks, unless copied structs have at least 48 bytes. If both are
  /// 0, a small range takes one block of its own shape.
  unsigned grid = 0;

  /// Where the values that are 0 come from.
  constexpr tuning_source table_source(const device_info& gpu) const {
    return block == 0 || grid == 0 ? tuning::source_of(gpu) : tuning_source::none;
  }

  /// How the chunks of a range are divided: into parts, one for each block, and these evenly among
  /// its warps. All sizes are powers of two; only the last part may be shorter.
  struct division {
    unsigned shift;  ///< log2 of the chunks of a warp
    unsigned parts;

    /// The division into at most `most` parts for blocks of `warps` warps, with `least` rows each.
    static WARPFOLD_HD division of(std::size_t chunks, unsigned warps, std::size_t most,
                                   int least) {
      unsigned shift = 5;  // a row
      for (; least > 1; least /= 2) ++shift;
      const unsigned of_rows = shift;
      while (warps > 1) {
        ++shift;
        warps /= 2;
      }
      const unsigned of_warps = shift - of_rows;
      std::size_t parts = 0;
      for (;; ++shift) {
        parts = chunks == 0 ? 0 : ((chunks - 1) >> shift) + 1;
        if (parts <= most) return {shift - of_warps, static_cast<unsigned>(parts)};
      }
    }
  };

  /// The code that runs on the GPU for a range that one block takes: blocks of exactly `MaxBlock`
  /// threads if that is 32 or 256, otherwise of any power of two. Each warp folds up to `Rows`
  /// rows; code for several numbers of rows in one kernel takes longer (64 KB of floats in a graph,
  /// H200: 1.65 -> 1.52 us).
  template <class Reduction, class Out, int MaxBlock, int Rows>
  struct one_block {
    using accumulator = typename Reduction::accumulator;
    using chunks_type = collective::counted_chunks<unsigned>;
    static constexpr int max_block = MaxBlock;
    static constexpr bool waits_for_launch_before = true;
    static constexpr bool is_one_warp = MaxBlock == collective::warp_size;
    static constexpr bool knows_threads = MaxBlock <= 256;
    static constexpr unsigned max_warps = MaxBlock / collective::warp_size;

    Reduction reduction;
    chunks_type chunks;
    unsigned shift;  ///< log2 of the chunks of a warp
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
    inline WARPFOLD_DEVICE void fold_all(const Reduction& r, const chunks_type& all,
                                         const global_loads& loads, const auto& result,
                                         const auto& out) const {
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
          const unsigned left = all.count - first, step = 1u << shift;
          collective::store_of_warp(storage,
                                    fold_own(r, all, first, left < step ? left : step, loads));
        }
        if constexpr (knows_threads) hold<MaxBlock>(all.count, out);
        collective::fold_block(fold, storage, ((all.count - 1) >> shift) + 1, deliver);
      }
    }
    WARPFOLD_DEVICE accumulator fold_own(const Reduction& r, const chunks_type& all, unsigned first,
                                         unsigned here, const global_loads& loads) const {
      return collective::fold_unchecked(r, [&](const auto& of) {
        return collective::fold_tile<Rows>(of, all, first, here, loads);
      });
    }
    template <int Threads, class Sink>
    WARPFOLD_DEVICE void hold(unsigned count, const Sink& out) const {
      collective::hold_registers<collective::registers_beside_others<Threads>>(count == ~0u,
                                                                               out.memory());
    }
  };

  /// The code that runs on the GPU for other ranges. A warp that has a single tile,
  /// or at most half of its rows, has less code and fewer steps at its end.
  template <class Reduction, class Out, detail::warp_share Share>
  struct body {
    using accumulator = typename Reduction::accumulator;
    using chunks_type = collective::counted_chunks<std::size_t>;
    static constexpr int max_block = in_order::max_block;
    static constexpr int unroll = detail::rows_in_flight<Reduction>(
        Share == detail::warp_share::half_tile ? LoadBytes / 2 : LoadBytes);
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
            division::of(read.count, blockDim.x / collective::warp_size, gridDim.x, 1);
        fold_part(counted, read, d, result);
      } else {
        fold_part(reduction, chunks, divided, result);
      }
    }

   private:
    static constexpr bool reads_size =
        warpfold::detail::has_size_in_memory<typename Reduction::view_type>;

    // The block that finishes depends on the size.
    WARPFOLD_DEVICE static bool may_finish() {
      return reads_size ? threadIdx.x == 0 : collective::may_finish_grid<accumulator>();
    }

    inline WARPFOLD_DEVICE void fold_part(const Reduction& r, const chunks_type& all,
                                          const division& d, const auto& result) const {
      using node_storage = collective::shared_array<accumulator, max_block / collective::warp_size>;
      using nodes_type = collective::grid_nodes<accumulator>;
      WARPFOLD_SHARED node_storage storage;
      WARPFOLD_SHARED typename nodes_type::kept_node kept;
      if (all.count == 0) [[unlikely]] {
        if (blockIdx.x == 0 && threadIdx.x == 0) sink.deliver(result(r.fold().start()));
        return;
      }
      const auto fold = r.fold();
      const nodes_type nodes(scratch, d.parts);
      if (blockIdx.x < d.parts) {
        const unsigned warps = blockDim.x / collective::warp_size;
        const std::size_t first = std::size_t{blockIdx.x} * warps << d.shift;
        const std::size_t own =
            first + (std::size_t{threadIdx.x / collective::warp_size} << d.shift);
        if (own < all.count) {
          collective::store_of_warp(storage, fold_own(r, all, own, d.shift));
        }
        // After the loads: waiting blocks slow down blocks that load.
        collective::let_next_launch_start();
        const std::size_t with_chunks = ((all.count - first - 1) >> d.shift) + 1;
        collective::fold_block(
            fold, storage, with_chunks < warps ? static_cast<unsigned>(with_chunks) : warps,
            [&](const accumulator& node) { nodes.store(blockIdx.x, node, kept); });
      }
      nodes.finish(blockIdx.x == d.parts - 1, fold, storage, kept,
                   [&](const accumulator& a) { sink.deliver(result(fold.state_of(a))); });
    }

    // The fold of a warp's chunks, from chunk `own` on.
    WARPFOLD_DEVICE accumulator fold_own(const Reduction& r, const chunks_type& all,
                                         std::size_t own, unsigned shift) const {
      const global_loads loads(cache);
      const std::size_t left = all.count - own, each = std::size_t{1} << shift;
      const std::size_t here = left < each ? left : each;
      using detail::warp_share;
      return collective::fold_unchecked(r, [&](const auto& of) {
        if constexpr (Share == warp_share::half_tile) {
          return collective::fold_tile_of<unroll>(of, all, own, static_cast<unsigned>(here),
                                                  1u << shift, loads);
        } else if constexpr (Share == warp_share::tile) {
          return collective::fold_tile<unroll>(of, all, own, static_cast<unsigned>(here), loads);
        } else {
          return collective::fold_tiles<unroll>(of, all, own, own + here, loads);
        }
      });
    }
  };

  /// Launches once.
  template <class Out>
  void enqueue(const auto& r, const collective::result_sink<Out>& sink, auto& launcher) const {
    const device_info& gpu = launcher.gpu();
    const std::size_t bytes = loaded_bytes(r.view);
    tuning::row row = tuning::row_for(bytes, gpu);
    row.block = 256;
    row.blocks = 2;
    // Beyond the cache many blocks, each with neighboring tiles, and the next tile loaded ahead:
    // the order of the reads matters more than their number. 256 MB of floats, H100: as many blocks
    // as run at once 103 us, 2048 blocks 89 us.
    if (bytes >= gpu.l2_bytes) row.blocks = 64;
    // Large elements have few nodes, so the part of a warp is long. Warps that read at some
    // distances slow each other down. H100, 256 -> 512 threads: 24 to 40 bytes, 1.5 to 5 GB, 0.94
    // to 1.22 times as fast, on average 1.04.
    using view_type = std::remove_cvref_t<decltype(r.view)>;
    constexpr bool is_large = warpfold::detail::array_bytes_of<view_type>() > 16;
    constexpr std::size_t far_apart = std::size_t{3} << 29;
    if (is_large && bytes >= far_apart) row.block = 512;
    if constexpr (detail::folds_copies<std::remove_cvref_t<decltype(r)>>) {
      if (takes_copies(r)) {
        in_order_copies::set_shape<view_type>(row, bytes, gpu);
      }
    }
    enqueue_as(row, r, sink, launcher);
  }

  /// The same; values that are 0 come from a row of a tuning.
  template <class Reduction, class Out, class Launcher>
  void enqueue_as(const tuning::row& row, const Reduction& r,
                  const collective::result_sink<Out>& sink, Launcher& launcher) const {
    if constexpr (warpfold::detail::arrays_of<typename Reduction::view_type>() == 0) {
      thread_per_element{block, grid}.enqueue(r, sink, launcher);
    } else {
      const auto chunks = collective::chunks_of<std::size_t>(r.view);
      if (block == 0 && grid == 0 && r.view.size() <= max_elements<Reduction>()) {
        return enqueue_one_block(r, chunks, sink, launcher);
      }
      const unsigned asked = block != 0 ? block : row.block;
      unsigned threads = collective::warp_size;
      while (2 * threads <= asked && threads < unsigned{max_block}) threads *= 2;
      std::size_t most = grid != 0 ? grid
                                   : std::size_t{row.blocks} *
                                         static_cast<std::size_t>(launcher.gpu().multiprocessors);
      using view_type = typename Reduction::view_type;
      constexpr bool copies = detail::folds_copies<Reduction>;
      constexpr bool may_be_direct = !copies || in_order_copies::may_be_slower<view_type>;
      if constexpr (copies) {
        if (takes_copies(r)) {
          return in_order_copies::enqueue(name(), threads, most, row.cache, r, sink, launcher);
        }
      }
      if constexpr (may_be_direct) {
        using detail::warp_share;
        using half_tile = body<Reduction, Out, warp_share::half_tile>;
        using tile = body<Reduction, Out, warp_share::tile>;
        using tiles = body<Reduction, Out, warp_share::tiles>;
        const std::size_t nodes = collective::max_nodes<typename Reduction::accumulator>(threads);
        if (most > nodes) most = nodes;
        if (most == 0) {
          throw_error<unsupported_kernel>(
              "warpfold: kernel in_order was asked for accumulators of ",
              sizeof(typename Reduction::accumulator),
              " bytes, which are too large for its scratch");
        }
        // Many blocks take at least a tile per warp.
        const int least = row.blocks > 8 && grid == 0 ? tile::unroll : 1;
        const division d = division::of(chunks.count, threads / collective::warp_size, most, least);
        const auto launch = [&]<class Body>(const Body*) {
          launcher.launch(name(), Body{r, chunks, d, row.cache, launcher.grid(), sink},
                          launch_shape{d.parts == 0 ? 1 : d.parts, threads});
        };
        const std::size_t rows = (std::size_t{1} << d.shift) / collective::warp_size;
        if (rows <= std::size_t{half_tile::unroll}) return launch(static_cast<half_tile*>(nullptr));
        if (rows <= std::size_t{tile::unroll}) return launch(static_cast<tile*>(nullptr));
        launch(static_cast<tiles*>(nullptr));
      }
    }
  }

 private:
  // True if structs are folded from copies: those that a caller gives a shape always are.
  template <class Reduction>
  bool takes_copies(const Reduction& r) const {
    using view_type = typename Reduction::view_type;
    return block != 0 || grid != 0 || in_order_copies::is_faster<view_type>(loaded_bytes(r.view));
  }

  // The elements that one block takes: as many as 1024 threads load at once; fewer if folding takes
  // longer, as in single_block and automatic.
  template <class Reduction>
  static consteval std::size_t max_elements() {
    using view_type = typename Reduction::view_type;
    constexpr std::size_t loaded =
        std::size_t{1024} * detail::rows_in_flight<Reduction>(64) * view_type::chunk_size;
    constexpr std::size_t worth = 16 * 1024;
    if constexpr (warpfold::detail::has_unknown_cost<view_type>()) {
      constexpr std::size_t bytes = warpfold::detail::array_bytes_of<view_type>();
      if constexpr (bytes != 0) return worth / bytes < loaded ? worth / bytes : loaded;
    }
    return collective::folds_one_by_one<Reduction> && worth < loaded ? worth : loaded;
  }

  template <class Reduction, class Out, class Launcher>
  static void enqueue_one_block(const Reduction& r,
                                const collective::counted_chunks<std::size_t>& all,
                                const collective::result_sink<Out>& sink, Launcher& launcher) {
    const collective::counted_chunks<unsigned> chunks{static_cast<unsigned>(all.count), all.last,
                                                      all.are_aligned};
    constexpr int rows = detail::rows_in_flight<Reduction>(64);
    constexpr unsigned most = rows * collective::warp_size;  // chunks of a warp
    // One warp if it can load all; then eight warps, with as few rows as possible; then more.
    unsigned threads = chunks.count <= most ? collective::warp_size : 256;
    unsigned shift = 5;
    const auto takes = [&] { return (threads / collective::warp_size) << shift; };
    while (takes() < chunks.count && most >> shift > 1) ++shift;
    while (takes() < chunks.count) threads *= 2;
    const auto launch = [&]<class Body>(const Body*) {
      launcher.launch(name(), Body{r, chunks, shift, sink}, launch_shape{1, threads});
    };
    using one_warp = one_block<Reduction, Out, 32, rows>;
    using one_row = one_block<Reduction, Out, 256, 1>;
    using some_warps = one_block<Reduction, Out, 256, rows>;
    using many_warps = one_block<Reduction, Out, 1024, rows>;
    if (threads == 32) return launch(static_cast<one_warp*>(nullptr));
    if (threads > 256) return launch(static_cast<many_warps*>(nullptr));
    if (shift == 5) return launch(static_cast<one_row*>(nullptr));
    launch(static_cast<some_warps*>(nullptr));
  }
};

static_assert(reduction_kernel<in_order<>>);

}  // namespace warpfold::kernel
