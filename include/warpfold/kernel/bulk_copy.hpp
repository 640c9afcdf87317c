/// @file
/// The memory system copies tiles to shared memory by itself, a few ahead; the threads fold them from there.
///
/// Source: cp.async.bulk and mbarriers (PTX ISA, "Data Movement and Conversion Instructions"; NVIDIA Hopper
/// tuning guide, "Tensor Memory Accelerator"), the ring of stages of CUTLASS's pipelines, and the end of
/// single_pass.
///
/// Idea:  to keep the memory busy takes bytes in flight, and those of single_pass are in registers. Here one
///        thread a block asks for 48 KB in one instruction, and no register waits for them. Two such
///        stages a multiprocessor are 96 KB on the way or being folded, whatever the threads do meanwhile. A round of tiles is a contiguous piece of memory, a tile a block; what is
///        left after the whole rounds is spread evenly over all blocks.
/// Cost:  every byte is read once, and goes through shared memory. A tile takes one copy for each array, a
///        wait, and one barrier of the block before its stage is filled again. A first tile is there no
///        sooner than its last byte, so that short launches are slower than single_pass's. Blocks meet as
///        there.
///        In the emulation a copy is done at once, and waiting for it is a barrier of the block: barriers are
///        counted too many, and one that is missing from the ring is not found.
/// Needs: compute capability 9.0; `stages * stage_bytes` of shared memory. Copied are arrays of as many
///        elements as the view has, and at least 16-byte aligned where its chunks begin, up to four of a zip
///        and one of any other view; all else is loaded directly, and each load has to find out. Chunks of
///        more than 16 bytes (float3; chars beside doubles) may meet bank conflicts, up to eightfold.
#pragma once

#include <warpfold/collective/block_reduce.hpp>
#include <warpfold/collective/bulk_copy.hpp>
#include <warpfold/collective/grid_finish.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/collective/thread_fold.hpp>
#include <warpfold/core/device_info.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/concept.hpp>

namespace warpfold::kernel {

/// In which order the blocks of a `bulk_copy` take the tiles.
enum class tile_order {
  rounds,  ///< a tile each, side by side, then the next ones
  pieces   ///< each all of its tiles, side by side
};

namespace detail {

// Whether the aligned chunks of a view are whole words of one array and nothing else. `Chunk`: of that array.
template <class Chunk>
inline constexpr bool only_words =
    Chunk::fills_words && sizeof(Chunk) <= 64 &&
    alignof(typename Chunk::element) %
            warpfold::detail::gcd(sizeof(typename Chunk::element), word_bytes) ==
        0;
template <>
inline constexpr bool only_words<void> = false;

// How many arrays of a view are copied at most.
template <class View>
inline constexpr int copied_arrays = warpfold::detail::arrays_of<View>() < 1 ? 1
                                     : warpfold::detail::arrays_of<View>() > 4
                                         ? 4
                                         : warpfold::detail::arrays_of<View>();

}  // namespace detail

/// One launch of blocks that each keep a few copies going; see the file's head.
struct bulk_copy {
  static constexpr const char* name() { return "bulk_copy"; }
  static constexpr unsigned max_stages = 8;

  // Measured on an H100, 4 GB of floats: 1368 us (CUB 1398) so; with 3 stages 1370, with blocks of 512 1371, of
  // 1024 1371, with two blocks a multiprocessor 1373, and with two of 16 KB and 1024 threads 1582.

  /// Threads a block, a multiple of 32 up to 1024, and 512 where ops that lift fold states of more than 16 bytes.
  unsigned block = 256;
  unsigned blocks_per_multiprocessor = 1;
  /// Tiles that a block has on the way or folds, up to `max_stages`.
  unsigned stages = 2;
  /// Shared memory of a tile, a multiple of 128 from 1024 on.
  unsigned stage_bytes = 48 * 1024;
  tile_order order = tile_order::rounds;
  /// What the L2 cache does with the data.
  caching cache = caching::keep;

  /// The arrays to copy, as they lie from the first aligned chunk on.
  template <int Count>
  struct staging {
    struct array {
      const unsigned char* from;
      unsigned chunk_bytes;  ///< 0: there is none
      unsigned at;           ///< byte of a stage
    };
    array arrays[std::size_t{Count}] = {};
    unsigned chunks = 0;  ///< of a whole tile
  };

  /// How the stages are used.
  struct ring {
    unsigned stages;
    unsigned stage_bytes;
    tile_order order;
    caching cache;
  };

  /// How the chunks fall to the blocks: whole tiles in rounds, a tile a block, and then what is left.
  struct division {
    std::size_t rounds;
    unsigned left;  ///< chunks that a block takes at most after them
  };

  /// The code that runs on the GPU for one reduction.
  template <class Reduction, class Out>
  struct body {
    static constexpr int array_count = detail::copied_arrays<typename Reduction::view_type>;
    using loads_type = collective::staged_loads<
        array_count,
        detail::only_words<warpfold::detail::array_chunk_of_t<typename Reduction::view_type>>>;
    static constexpr int max_block = collective::most_threads<Reduction>;
    static constexpr int min_architecture = 90;
    static constexpr int unroll = collective::loads_in_flight<Reduction>(64);

    Reduction reduction;
    partition parts;
    ring how;
    staging<array_count> arrays;
    division tiles;
    collective::grid_storage scratch;
    collective::result_sink<Out> sink;

    WARPFOLD_HD const Reduction& work() const { return reduction; }
    WARPFOLD_DEVICE void operator()() const {
      WARPFOLD_SHARED collective::block_storage<typename Reduction::state> storage;
      WARPFOLD_SHARED collective::bulk_copies copies[max_stages];
      const auto stage_memory = collective::dynamic_shared_bytes(how.stages * how.stage_bytes);
      const share own = own_share();
      const std::size_t count = own.rounds + (own.left != 0 ? 1 : 0);
      const bool starter = threadIdx.x == 0;
      const cache_hint direct(how.cache);

      if (starter) {
        collective::bulk_copies::make_ready(copies, how.stages);
        WARPFOLD_NO_UNROLL
        for (unsigned s = 0; s < how.stages && s < count; ++s) {
          start(own.at(s), s, copies[s], stage_memory, direct);
        }
      }
      const auto fold = reduction.fold();
      const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
      const collective::edges<Reduction> own_edges(reduction, parts, thread, direct);
      __syncthreads();  // the copies are ready to be waited for

      auto state = fold.start();
      unsigned stage = 0;
      unsigned phase = 0;
      for (std::size_t k = 0; k < count; ++k) {
        const tile t = own.at(k);
        loads_type loads(stage_memory, direct);
        place(loads.pieces, t, stage);
        copies[stage].wait(phase);
        state = fold_tile(state, t, loads);
        if (k + how.stages < count) {
          __syncthreads();  // nobody reads this stage any more
          if (starter) start(own.at(k + how.stages), stage, copies[stage], stage_memory, direct);
        }
        if (++stage == how.stages) {
          stage = 0;
          ++phase;
        }
      }
      state = own_edges.add_to(state, reduction, thread);
      state = collective::block_reduce(fold, state, storage);
      if (collective::grid_finish(fold, state, scratch, storage)) {
        sink.deliver(reduction.result(state));
      }
    }

   private:
    struct tile {
      std::size_t first;  // chunk
      unsigned chunks;
    };

    // The tiles of one block.
    struct share {
      std::size_t rounds;  // that many whole ones,
      std::size_t first;
      std::size_t step;
      unsigned chunks;
      std::size_t first_left;  // and after them what is left
      unsigned left;

      WARPFOLD_DEVICE tile at(std::size_t k) const {
        if (k < rounds) return {first + k * step, chunks};
        return {first_left, left};
      }
    };

    WARPFOLD_DEVICE share own_share() const {
      const std::size_t number = blockIdx.x;
      const std::size_t in_rounds = tiles.rounds * gridDim.x * arrays.chunks;
      const std::size_t before = in_rounds + number * tiles.left;
      const std::size_t left = before < parts.chunks ? parts.chunks - before : 0;
      const bool by_rounds = how.order == tile_order::rounds;
      return {tiles.rounds,
              (by_rounds ? number : number * tiles.rounds) * arrays.chunks,
              (by_rounds ? std::size_t{gridDim.x} : 1) * arrays.chunks,
              arrays.chunks,
              before,
              left < tiles.left ? static_cast<unsigned>(left) : tiles.left};
    }

    // `state`, when it has seen this thread's part of a tile too.
    WARPFOLD_DEVICE typename Reduction::state fold_tile(typename Reduction::state state,
                                                        const tile& t,
                                                        const loads_type& loads) const {
      constexpr std::size_t size = Reduction::view_type::chunk_size;
      WARPFOLD_NO_UNROLL
      for (unsigned c = 0; c < t.chunks; c += unroll * blockDim.x) {
        state = collective::fold_round<unroll>(reduction, state, parts.head + (t.first + c) * size,
                                               t.chunks - c, threadIdx.x, blockDim.x, loads);
      }
      return state;
    }

    // The pieces of the arrays that belong to a tile, and where they are in a stage.
    WARPFOLD_DEVICE void place(collective::staged_piece (&pieces)[std::size_t{array_count}],
                               const tile& t, unsigned stage) const {
      constexpr unsigned whole = collective::bulk_copy_bytes;
      WARPFOLD_UNROLL
      for (int i = 0; i < array_count; ++i) {
        const auto& a = arrays.arrays[i];
        // At the range's end the last bytes may be too few to be copied.
        pieces[i] = {a.from + t.first * a.chunk_bytes, t.chunks * a.chunk_bytes / whole * whole,
                     stage * how.stage_bytes + a.at};
      }
    }

    WARPFOLD_DEVICE void start(const tile& t, unsigned stage, collective::bulk_copies& copies,
                               const collective::shared_bytes& stage_memory,
                               const cache_hint& hint) const {
      collective::staged_piece pieces[std::size_t{array_count}];
      place(pieces, t, stage);
      unsigned bytes = 0;
      for (const auto& p : pieces) bytes += p.bytes;
      copies.expect(bytes);
      for (const auto& p : pieces) {
        if (p.bytes != 0) copies.start(stage_memory, p.copy, p.from, p.bytes, hint);
      }
    }
  };

  /// Whether the GPU has such copies, and shared memory for these stages.
  template <class Reduction>
  constexpr bool fits(const device_info& gpu) const {
    return gpu.compute_capability >= 90 && shared_bytes<Reduction>() <= gpu.shared_bytes_per_block;
  }

  /// Launches once.
  /// @throws unsupported_kernel  if the GPU has no such copies or not as much shared memory, or a member has
  ///                             a value that it cannot have
  template <class Reduction, class Out, class Launcher>
  void enqueue(const Reduction& r, const collective::result_sink<Out>& sink, Launcher& on) const {
    using body_type = body<Reduction, Out>;
    require<Reduction>(on.gpu());
    const partition parts = partition_of(r.view);
    const auto arrays = arrays_to_copy<body_type::array_count>(r.view, parts);
    const launch_shape shape = shape_of<Reduction>(parts, on.gpu());
    on.launch(name(),
              body_type{r, parts, ring{stages, stage_bytes, order, cache}, arrays,
                        divide(parts.chunks, shape.grid.x, arrays.chunks), on.grid(), sink},
              shape);
  }

 private:
  // What a block needs beside the stages, and all together.
  template <class Reduction>
  static constexpr std::size_t own_bytes =
      sizeof(collective::block_storage<typename Reduction::state>) +
      max_stages * sizeof(collective::bulk_copies) + 128;
  template <class Reduction>
  constexpr std::size_t shared_bytes() const {
    return std::size_t{stages} * stage_bytes + own_bytes<Reduction>;
  }

  // Tiles are whole multiples of so many chunks: whatever an element is, that is a multiple of 16 bytes.
  static constexpr unsigned chunk_step = 16;

  template <class Reduction>
  void require(const device_info& gpu) const {
    const int capability = gpu.compute_capability;
    if (capability < 90) {
      throw unsupported_kernel(
          "warpfold: kernel bulk_copy needs bulk copies to shared memory, which GPUs have from "
          "compute capability 9.0 on, and this one is of ",
          capability / 10, ".", capability % 10,
          "; use kernel::single_pass, or let wf::device choose");
    }
    if (stages == 0 || stages > max_stages) {
      throw unsupported_kernel("warpfold: kernel bulk_copy was asked for ", stages,
                               " stages; it takes 1 to ", max_stages);
    }
    if (stage_bytes < 1024 || stage_bytes % 128 != 0) {
      throw unsupported_kernel("warpfold: kernel bulk_copy was asked for stages of ", stage_bytes,
                               " bytes; it takes a multiple of 128, from 1024 on");
    }
    if (blocks_per_multiprocessor == 0) {
      throw unsupported_kernel(
          "warpfold: kernel bulk_copy was asked for no block a multiprocessor; it takes 1 or more");
    }
    if (shared_bytes<Reduction>() > gpu.shared_bytes_per_block) {
      throw unsupported_kernel("warpfold: kernel bulk_copy was asked for ", stages, " stages of ",
                               stage_bytes, " bytes, which with ", own_bytes<Reduction>,
                               " bytes of its own is more than the ", gpu.shared_bytes_per_block,
                               " bytes of shared memory that this GPU gives a block");
    }
  }

  template <class Reduction>
  launch_shape shape_of(const partition& parts, const device_info& gpu) const {
    constexpr std::size_t most = collective::most_blocks<typename Reduction::state>();
    std::size_t limit =
        std::size_t{blocks_per_multiprocessor} * static_cast<std::size_t>(gpu.multiprocessors);
    if (limit > most) limit = most;
    // check_shape refuses a block of no threads; until then it must not divide.
    const std::size_t threads = block != 0 ? block : 1;
    std::size_t wanted = (parts.chunks + threads - 1) / threads;
    if (wanted == 0) wanted = 1;  // an empty range still has a result to deliver
    return {static_cast<unsigned>(wanted < limit ? wanted : limit), block,
            std::size_t{stages} * stage_bytes};
  }

  // Which arrays are copied, and how large a tile is.
  template <int Count, class View>
  staging<Count> arrays_to_copy(const View& view, const partition& parts) const {
    staging<Count> s;
    const std::size_t n = view.size();
    std::size_t step_bytes = 0;  // of `chunk_step` chunks, all arrays together
    int i = 0;
    if (parts.chunks != 0) {
      view.visit_memory([&](const void* data, std::size_t bytes, std::size_t) {
        const std::size_t element = bytes / n;
        const auto* const from = static_cast<const unsigned char*>(data) + parts.head * element;
        const bool aligned =
            reinterpret_cast<std::uintptr_t>(from) % collective::bulk_copy_bytes == 0;
        const std::size_t own = chunk_step * View::chunk_size * element;
        if (i == Count || element == 0 || bytes % n != 0 || !aligned ||
            step_bytes + own > stage_bytes)
          return;
        s.arrays[i++] = {from, static_cast<unsigned>(View::chunk_size * element), 0};
        step_bytes += own;
      });
    }
    if (step_bytes == 0) step_bytes = chunk_step * word_bytes;  // a measure for direct loads
    s.chunks = static_cast<unsigned>(stage_bytes / step_bytes) * chunk_step;
    unsigned at = 0;
    for (auto& a : s.arrays) {
      a.at = at;
      at += s.chunks * a.chunk_bytes;
    }
    return s;
  }

  static division divide(std::size_t chunks, unsigned blocks, unsigned tile) {
    const std::size_t round = std::size_t{blocks} * tile;
    const std::size_t rounds = chunks / round;
    const std::size_t each = (chunks - rounds * round + blocks - 1) / blocks;
    return {rounds, static_cast<unsigned>((each + chunk_step - 1) / chunk_step) * chunk_step};
  }
};

static_assert(reduction_kernel<bulk_copy>);

}  // namespace warpfold::kernel
