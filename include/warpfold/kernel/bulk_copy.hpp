/// @file
/// Asynchronous copies fill tiles in shared memory ahead of the threads, which fold them.
///
/// Source: cp.async.bulk and mbarriers (PTX ISA, "Data Movement and Conversion Instructions";
/// NVIDIA Hopper tuning guide, "Tensor Memory Accelerator"), the ring of stages of CUTLASS's
/// pipelines, and the end of single_pass.
///
/// - Idea: saturating the memory takes many bytes in flight, and single_pass holds them in
///   registers. Here one thread per block requests 48 KB with one instruction. With two such stages
///   per multiprocessor, 96 KB are in flight or being folded, whatever the threads do meanwhile. A
///   round of tiles is contiguous memory, with one tile per block; the rest is spread evenly.
/// - Cost: every byte is read once and passes through shared memory. A tile takes one copy per
///   array, one wait, and one barrier of the block. A first tile arrives only with its last byte,
///   so short launches are slower than those of single_pass. In the emulation a copy is immediate,
///   and waiting for it is a barrier, so it counts too many barriers and finds no missing one.
/// - Needs: compute capability 9.0; `stages * stage_bytes` of shared memory. It copies arrays with
///   as many elements as the view, aligned to 16 bytes where its chunks begin: up to four of a zip
///   and one of any other view. Other arrays are loaded directly. Chunks of more than 16 bytes
///   (float3; chars beside doubles) may cause up to eightfold bank conflicts.
#pragma once

#include <warpfold/collective/block_reduce.hpp>
#include <warpfold/collective/bulk_copy.hpp>
#include <warpfold/collective/grid_finish.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/collective/thread_fold.hpp>
#include <warpfold/core/device_info.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/concept.hpp>
#include <warpfold/kernel/single_pass.hpp>

namespace warpfold::kernel {

/// The order in which the blocks of a `bulk_copy` take the tiles.
enum class tile_order {
  rounds,  ///< one contiguous tile per block, then the next round
  pieces   ///< each block takes all of its tiles contiguously
};

namespace detail {

// True if the aligned chunks of a view are whole chunks, `Chunk`, of one array: whole words.
template <class View, class Chunk = warpfold::detail::array_chunk_of_t<View>>
inline constexpr bool reads_only_words =
    Chunk::fills_words && sizeof(Chunk) <= 64 &&
    alignof(typename Chunk::element) %
            warpfold::detail::gcd(sizeof(typename Chunk::element), word_bytes) ==
        0 &&
    sizeof(typename Chunk::element) * View::chunk_size % sizeof(Chunk) == 0;
template <class View>
inline constexpr bool reads_only_words<View, void> = false;

// The maximum number of a view's arrays that are copied.
template <class View>
inline constexpr int copied_arrays = warpfold::detail::arrays_of<View>() < 1 ? 1
                                     : warpfold::detail::arrays_of<View>() > 4
                                         ? 4
                                         : warpfold::detail::arrays_of<View>();

}  // namespace detail

/// One launch of blocks that each keep a few copies in flight; see the top of this file.
struct bulk_copy {
  static constexpr const char* name() { return "bulk_copy"; }
  static constexpr ladder_step in_ladder{17};
  static constexpr unsigned max_stages = 8;

  // H100, 4 GB of floats: 1368 us (CUB 1398). 3 stages 1370, blocks of 512 1371, of 1024 1371, two
  // blocks per multiprocessor 1373, two of 16 KB and 1024 threads 1582.

  /// Threads per block, a multiple of 32 up to 1024; up to 512 if an op with `lift` folds states of
  /// more than 16 bytes.
  unsigned block = 256;
  unsigned blocks_per_multiprocessor = 1;
  /// Tiles that a block has in flight or folds, up to `max_stages`.
  unsigned stages = 2;
  /// Shared memory per tile in bytes, a multiple of 128, at least 1024.
  unsigned stage_bytes = 48 * 1024;
  tile_order order = tile_order::rounds;
  /// How the data uses the L2 cache.
  caching cache = caching::keep;

  /// The arrays to copy, starting at the first aligned chunk.
  template <int Count>
  struct staging {
    struct array {
      const unsigned char* from;
      unsigned chunk_bytes;  ///< 0: no array
      unsigned at;           ///< byte offset in a stage
    };
    array arrays[std::size_t{Count}] = {};
    unsigned chunks = 0;  ///< per whole tile
  };

  struct ring {
    unsigned stages;
    unsigned stage_bytes;
    tile_order order;
    caching cache;
  };

  /// Whole tiles in rounds, one per block, and then the rest.
  struct division {
    std::size_t rounds;
    unsigned left;  ///< chunks of the rest per block, at most
  };

  template <class Reduction, class Out>
  struct body {
    static constexpr int array_count = detail::copied_arrays<typename Reduction::view_type>;
    using loads_type =
        collective::staged_loads<array_count,
                                 detail::reads_only_words<typename Reduction::view_type>>;
    static constexpr int max_block = collective::max_threads<Reduction>;
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
      const global_loads direct(how.cache);

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
      __syncthreads();  // the barriers of the copies are initialized

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
          __syncthreads();  // no thread reads this stage any more
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
      std::size_t first;  // index of a chunk
      unsigned chunks;
    };

    struct share {
      std::size_t rounds;  // number of whole tiles,
      std::size_t first;
      std::size_t step;
      unsigned chunks;
      std::size_t first_left;  // and after them the rest
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

    // Computes the parts of the arrays in a tile, and their positions in a stage.
    WARPFOLD_DEVICE void place(collective::staged_piece (&pieces)[std::size_t{array_count}],
                               const tile& t, unsigned stage) const {
      constexpr unsigned whole = collective::bulk_copy_bytes;
      WARPFOLD_UNROLL
      for (int i = 0; i < array_count; ++i) {
        const auto& a = arrays.arrays[i];
        // At the end of the range the last bytes may be too few to be copied.
        pieces[i] = {a.from + t.first * a.chunk_bytes, t.chunks * a.chunk_bytes / whole * whole,
                     stage * how.stage_bytes + a.at};
      }
    }

    WARPFOLD_DEVICE void start(const tile& t, unsigned stage, collective::bulk_copies& copies,
                               const collective::shared_bytes& stage_memory,
                               const global_loads& hint) const {
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

  /// True if the GPU has such copies, and shared memory for these stages.
  template <class Reduction>
  constexpr bool fits(const device_info& gpu) const {
    return gpu.compute_capability >= 90 && shared_bytes<Reduction>() <= gpu.shared_bytes_per_block;
  }

  /// Launches once.
  /// @throws unsupported_kernel if the GPU has no such copies or too little shared memory, or a
  ///     member has an invalid value
  template <class Reduction, class Out>
  void enqueue(const Reduction& r, const collective::result_sink<Out>& sink, auto& launcher) const {
    using body_type = body<Reduction, Out>;
    require<Reduction>(launcher.gpu());
    const partition parts = partition_of(r.view);
    const auto arrays = arrays_to_copy<body_type::array_count>(r.view, parts);
    if constexpr (detail::reads_only_words<typename Reduction::view_type>) {
      // A view of a user's own whose chunks start at no 16-byte word: nothing can be copied.
      if (parts.chunks != 0 && arrays.arrays[0].chunk_bytes == 0) {
        single_pass<>{}.enqueue(r, sink, launcher);
        return;
      }
    }
    const launch_shape shape = shape_of<Reduction>(parts, launcher.gpu());
    launcher.launch(
        name(),
        body_type{r, parts, ring{stages, stage_bytes, order, cache}, arrays,
                  divide(parts.chunks, shape.grid.x, arrays.chunks), launcher.grid(), sink},
        shape);
  }

 private:
  // The shared memory of a block beside the stages, and in total.
  template <class Reduction>
  static constexpr std::size_t own_bytes =
      sizeof(collective::block_storage<typename Reduction::state>) +
      max_stages * sizeof(collective::bulk_copies) + 128;
  template <class Reduction>
  constexpr std::size_t shared_bytes() const {
    return std::size_t{stages} * stage_bytes + own_bytes<Reduction>;
  }

  // Tiles are multiples of this many chunks: 16 bytes divide them for any element size.
  static constexpr unsigned chunk_step = 16;

  template <class Reduction>
  void require(const device_info& gpu) const {
    const int capability = gpu.compute_capability;
    if (capability < 90) {
      throw_error<unsupported_kernel>(
          "warpfold: kernel bulk_copy needs bulk copies to shared memory, which need compute "
          "capability 9.0, but this GPU has ",
          capability / 10, ".", capability % 10,
          "; use kernel::single_pass, or let wf::device choose");
    }
    const auto require = [](bool is_right, const auto&... asked) {
      if (is_right) return;
      throw_error<unsupported_kernel>("warpfold: kernel bulk_copy was asked for ", asked...);
    };
    require(stages != 0 && stages <= max_stages, stages, " stages; it takes 1 to ", max_stages);
    require(stage_bytes >= 1024 && stage_bytes % 128 == 0, "stages of ", stage_bytes,
            " bytes; it takes a multiple of 128, from 1024 on");
    require(blocks_per_multiprocessor != 0, "no block per multiprocessor; it takes 1 or more");
    require(shared_bytes<Reduction>() <= gpu.shared_bytes_per_block, stages, " stages of ",
            stage_bytes, " bytes, which with ", own_bytes<Reduction>,
            " bytes of its own is more than the ", gpu.shared_bytes_per_block,
            " bytes of shared memory that this GPU gives a block");
  }

  template <class Reduction>
  launch_shape shape_of(const partition& parts, const device_info& gpu) const {
    constexpr std::size_t most = collective::max_blocks<typename Reduction::state>();
    std::size_t limit =
        std::size_t{blocks_per_multiprocessor} * static_cast<std::size_t>(gpu.multiprocessors);
    if (limit > most) limit = most;
    // check_shape refuses a block without threads later; until then it must not be a divisor.
    const std::size_t threads = block != 0 ? block : 1;
    std::size_t wanted = (parts.chunks + threads - 1) / threads;
    if (wanted == 0) wanted = 1;  // an empty range still has a result to deliver
    return {static_cast<unsigned>(wanted < limit ? wanted : limit), block,
            std::size_t{stages} * stage_bytes};
  }

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
    // only direct loads: any tile size works
    if (step_bytes == 0) step_bytes = chunk_step * word_bytes;
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
