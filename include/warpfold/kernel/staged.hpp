/// @file
/// Warps copy their tiles to shared memory with coalesced loads and read the elements from there.
///
/// Source: "Coalesced access to global memory" (in Czech), in which a block loads float3 as floats
/// into shared memory; a ring of copies that use no registers (cp.async: CUDA C++ Programming
/// Guide, "Asynchronous Data Copies").
///
/// - Idea: loads of elements of 12, 20 or 50 bytes have gaps between the lanes, so every request
///   touches more sectors than it has bytes for. Here a warp copies a tile of 32 k contiguous
///   elements, k per lane, as 16-byte words, and every lane reads its elements from the copy
///   (collective/warp_tile.hpp). A warp waits for no other, and copies its next tiles meanwhile.
/// - Cost: every byte is read once, in requests of whole sectors, and passes through shared memory.
///   Two warp barriers per tile. Bank conflicts occur only in the copies of zipped arrays whose
///   elements are not an odd number of 4-, 8- or 16-byte words.
/// - Needs: compute capability 8.0 for copies without registers (older GPUs load and store); arrays
///   that are 16-byte aligned at one of their first 16 elements. Other arrays are read directly.
///   single_pass runs the rest: ranges with only such arrays, views that do not declare their
///   arrays, zips of ranges of different sizes, more than 8 arrays, and elements of more than 256
///   bytes or too large for the GPU's shared memory.
#pragma once

#include <warpfold/collective/block_reduce.hpp>
#include <warpfold/collective/grid_finish.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/collective/staged_copies.hpp>
#include <warpfold/collective/warp_tile.hpp>
#include <warpfold/kernel/concept.hpp>
#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/kernel/tuning.hpp>

namespace warpfold::kernel {

/// One launch whose warps each keep a few copies in flight; see the top of this file.
/// @tparam TileBytes maximum shared memory of a warp's tile; a tile has at least 32 elements
/// @tparam Stages tiles that a warp has in flight or folds
template <unsigned TileBytes = 4096, int Stages = 3>
struct staged {
  static_assert(TileBytes >= 512, "warpfold: a tile has at least 512 bytes; use TileBytes >= 512");
  static_assert(Stages >= 2 && Stages <= 8,
                "warpfold: a warp has 2 to 8 tiles; use Stages from 2 to 8");

  static constexpr const char* name() { return "staged"; }
  static constexpr ladder_step in_ladder{18};

  // H100, cold, 12 to 50 bytes, 64 KB to 3 GB: within 1.5 % of the best of two blocks per
  // multiprocessor, one of 512 and three of 128 threads, tiles of 2 and 8 KB, two and four stages.

  static constexpr unsigned own_block = 256;

  /// Threads per block, a multiple of 32 up to 1024.
  unsigned block = own_block;
  /// The maximum number of blocks; 0 is one per multiprocessor.
  unsigned grid = 0;

  template <class Reduction, class Out>
  struct body {
    using view_type = typename Reduction::view_type;
    static constexpr int max_block = 1024;
    static constexpr bool waits_for_launch_before = true;
    static constexpr int arrays = warpfold::detail::arrays_of<view_type>();
    using tile = collective::warp_tile<warpfold::detail::array_bytes_of<view_type>(), TileBytes>;
    /// The size of an element, if all are in one array.
    static constexpr std::size_t bytes =
        arrays == 1 ? warpfold::detail::array_bytes_of<view_type>() : 0;

    Reduction reduction;
    partition parts;  ///< in tiles
    caching cache;
    collective::staged_arrays<arrays> copied;
    collective::grid_storage scratch;
    collective::result_sink<Out> sink;

    WARPFOLD_HD const Reduction& work() const { return reduction; }
    WARPFOLD_DEVICE void operator()() const {
      WARPFOLD_SHARED collective::block_storage<typename Reduction::state> storage;
      const auto fold = reduction.fold();
      const global_loads direct(cache);
      collective::wait_for_launch_before();
      auto state = fold_edges(direct);
      state = fold.combine(state, fold_tiles(direct));
      collective::let_next_launch_start();
      state = collective::block_reduce(fold, state, storage);
      if (collective::grid_finish(fold, state, scratch, storage)) {
        sink.deliver(reduction.result(state));
      }
    }

   private:
    using loads_type = collective::staged_loads<arrays, arrays == 1, global_loads, bytes>;

    WARPFOLD_DEVICE typename Reduction::state fold_edges(const global_loads& direct) const {
      const auto fold = reduction.fold();
      auto state = fold.start();
      const unsigned threads = gridDim.x * blockDim.x;
      const auto edge = static_cast<unsigned>(parts.head + parts.tail);
      WARPFOLD_NO_UNROLL
      for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < edge; i += threads) {
        const std::size_t element = i < parts.head ? i : i + parts.chunks * tile::size;
        state =
            fold.combine(state, fold.state_of(reduction.lift(reduction.view.at(element, direct))));
      }
      return state;
    }

    WARPFOLD_DEVICE typename Reduction::state fold_tiles(const global_loads& direct) const {
      const auto fold = reduction.fold();
      const unsigned lane = threadIdx.x % 32;
      const unsigned in_block = blockDim.x / 32;
      const unsigned warps = gridDim.x * in_block;
      const unsigned own = threadIdx.x / 32;
      const auto memory = collective::dynamic_shared_bytes(in_block * Stages * copied.bytes);
      const unsigned ring = own * Stages * copied.bytes;
      const collective::async_copies copies(memory, cache);

      std::size_t next = blockIdx.x * in_block + own;  // to be copied
      unsigned fill = 0;                               // slot of the ring to fill next
      const auto start_next = [&] {
        if (next < parts.chunks) {
          collective::start_copies<bytes, tile::size>(copies, copied, ring + fill * copied.bytes,
                                                      next, lane);
        }
        copies.commit();  // also an empty group: groups are counted
        next += warps;
        fill = fill + 1 == Stages ? 0 : fill + 1;
      };
      WARPFOLD_UNROLL
      for (int s = 0; s < Stages - 1; ++s) start_next();

      auto state = fold.start();
      unsigned place = 0;
      for (std::size_t t = blockIdx.x * in_block + own; t < parts.chunks; t += warps) {
        start_next();
        copies.template wait<Stages - 1>();
        __syncwarp();
        loads_type loads(memory, direct);
        WARPFOLD_UNROLL
        for (int a = 0; a < arrays; ++a) {
          loads.pieces[a] = copied.piece(a, t, ring + place * copied.bytes);
        }
        const std::size_t first = parts.head + t * tile::size;
        state =
            fold.combine(state, fold.state_of(fold_tree<0, tile::each>(
                                    [&](const auto& a, const auto& b) { return fold.apply(a, b); },
                                    [&](int k) {
                                      return reduction.lift(
                                          reduction.view.at(first + tile::element(lane, k), loads));
                                    })));
        __syncwarp();  // before this slot is filled again
        place = place + 1 == Stages ? 0 : place + 1;
      }
      return state;
    }
  };

  /// Launches once.
  template <class Out>
  void enqueue(const auto& r, const collective::result_sink<Out>& sink, auto& launcher) const {
    enqueue_as(tuning::row_for(loaded_bytes(r.view), launcher.gpu()), r, sink, launcher);
  }

  /// The same with the caching of a row; if nothing can be staged, with its launch shape too.
  template <class Reduction, class Out, class Launcher>
  void enqueue_as(const tuning::row& row, const Reduction& r,
                  const collective::result_sink<Out>& sink, Launcher& launcher) const {
    using view_type = typename Reduction::view_type;
    if constexpr (can_stage<view_type>) {
      using body_type = body<Reduction, Out>;
      const std::size_t n = r.view.size();
      const std::size_t head = head_of(r.view);
      // In a zip with arrays longer than it is, the element sizes of the arrays are unknown.
      const bool known = bytes_of(r.view) == n * warpfold::detail::array_bytes_of<view_type>();
      if (known && head != any_head) {
        constexpr unsigned tile = body_type::tile::size;
        const std::size_t tiles = (n - head) / tile;
        const auto copied = arrays_to_copy<body_type::arrays>(r.view, head, tile);
        const launch_shape launch =
            shape<typename Reduction::state>(tiles, copied.bytes, launcher.gpu());
        if (launch.shared_bytes + fixed_bytes<typename Reduction::state> <=
            launcher.gpu().shared_bytes_per_block) {
          launcher.launch(name(),
                          body_type{r,
                                    {head, tiles, n - head - tiles * tile},
                                    row.cache,
                                    copied,
                                    launcher.grid(),
                                    sink},
                          launch);
          return;
        }
      }
    }
    // Read directly: the block size of this kernel is not meant for that.
    single_pass<>{block == own_block ? 0 : block, grid}.enqueue_as(row, r, sink, launcher);
  }

 private:
  template <class State>
  static constexpr std::size_t fixed_bytes = sizeof(collective::block_storage<State>);

  template <class View>
  static constexpr bool can_stage =
      warpfold::detail::array_bytes_of<View>() != 0 &&
      warpfold::detail::array_bytes_of<View>() <= 256 && warpfold::detail::arrays_of<View>() <= 8;

  static bool is_aligned(const unsigned char* p) {
    return reinterpret_cast<std::uintptr_t>(p) % word_bytes == 0;
  }

  // The first element at which an array is aligned; any_head if there is none, or no array.
  static std::size_t head_of(const auto& view) {
    const std::size_t n = view.size();
    std::size_t head = any_head;
    view.visit_memory([&](const void* data, std::size_t bytes, std::size_t) {
      const auto* const from = static_cast<const unsigned char*>(data);
      const std::size_t most = n < word_bytes ? n : word_bytes;
      for (std::size_t h = 0; h < most && head == any_head; ++h) {
        if (is_aligned(from + h * (bytes / n))) head = h;
      }
    });
    return head;
  }

  template <int Count, class View>
  static collective::staged_arrays<Count> arrays_to_copy(const View& view, std::size_t head,
                                                         unsigned tile) {
    collective::staged_arrays<Count> s;
    const std::size_t n = view.size();
    int i = 0;
    view.visit_memory([&](const void* data, std::size_t bytes, std::size_t) {
      if (i == Count) return;
      const std::size_t element = bytes / n;
      const auto* const from = static_cast<const unsigned char*>(data) + head * element;
      if (is_aligned(from)) s.add(i++, from, tile * element);
    });
    return s;
  }

  template <class State>
  launch_shape shape(std::size_t tiles, unsigned tile_bytes, const device_info& gpu) const {
    constexpr std::size_t most = collective::max_blocks<State>();
    // Fewer warps per block if shared memory is little. Invalid block sizes are left, to be
    // refused.
    unsigned threads = block;
    while (block <= 1024 && block % 32 == 0 && threads >= 64 &&
           shared_bytes(threads, tile_bytes) + fixed_bytes<State> > gpu.shared_bytes_per_block) {
      threads = threads / 64 * 32;
    }
    std::size_t limit = grid != 0 ? grid : static_cast<std::size_t>(gpu.multiprocessors);
    if (limit > most) limit = most;
    const std::size_t warps = threads < 32 ? 1 : threads / 32;
    std::size_t wanted = (tiles + warps - 1) / warps;
    if (wanted == 0) wanted = 1;  // an empty range still has a result to deliver
    return {static_cast<unsigned>(wanted < limit ? wanted : limit), threads,
            shared_bytes(threads, tile_bytes)};
  }

  static std::size_t shared_bytes(unsigned threads, unsigned tile_bytes) {
    return std::size_t{threads / 32} * Stages * tile_bytes;
  }
};

static_assert(reduction_kernel<staged<>>);

}  // namespace warpfold::kernel
