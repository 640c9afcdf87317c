/// @file
/// Folds segments that follow one another, in one launch. Blocks and threads have equal shares of
/// elements and segments, whatever the lengths.
///
/// Source: merge-path decomposition (D. Merrill and M. Garland, "Merge-based Parallel Sparse
/// Matrix-Vector Multiplication"; S. Baxter, moderngpu). Sharing the states of blocks: see
/// single_pass.hpp.
///
/// - Idea: the ends of the segments are merged into the elements. The end of segment `s` is at
///   position `end(s) - begin(0) + s` of that path. Each block takes an equal stretch of it, in
///   tiles: a search over the offsets finds its first segment. For each tile a thread per segment
///   marks the last element of that segment. Each thread then folds its consecutive elements and
///   keeps the folds that end at marks in shared memory. A scan of the block gives it the fold
///   before its first mark. At last a thread per segment writes the result. A block posts the folds
///   of the segments that other blocks have a part of, and the last block folds and writes these.
/// - Floor: a read of the elements and of the offsets, and a write of the results.
/// - Cost: each element is read once, in whole sectors; a thread reads neighboring words. Offsets
///   are read twice, the second time from the L1 cache. Four barriers a tile (five if the op has an
///   index), six shuffles of a state, and one combination for each warp. The marks and folds of a
///   thread are without bank conflicts. Marking an end and reading a result take at most two
///   wavefronts for segments of 1, 2, 4 and 8 floats; for other lengths as many as lanes meet in a
///   bank. A block begins with a search of at most seven dependent loads for 2^32 segments.
///   Nobody has measured it. The machine code for 9.0 has about 750 instructions for each of 8
///   warps and a tile of 4093 steps, and 900 for segments of 8 floats. At half of
///   the issue rate of an H100, long segments reach 0.4 and segments of 8 floats 0.3 of the
///   bandwidth of plain loads: instructions are the limit.
/// - Order: elements are combined in their order, by neighbors. The grouping is fixed by the
///   offsets, the sizes and the GPU: the same bits on every run.
/// - Offsets that decrease or lie outside of the range give unspecified results, but elements
///   outside of the range are not read, and other memory is not written.
/// - Needs: compute capability 7.0; PTX 8.3 (CUDA 12.3) for 16-byte posts.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/grid_finish.hpp>
#include <warpfold/collective/lane_set.hpp>
#include <warpfold/collective/segmented_scan.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/shuffle.hpp>
#include <warpfold/collective/staged_loads.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/view/global_access.hpp>
#include <warpfold/work/segmented_reduction.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct balanced_segments {
  static constexpr const char* name() { return "balanced_segments"; }

  /// The shape of a tile.
  template <class Work>
  struct tile {
    using view_type = typename Work::view_type;
    static constexpr std::size_t state_bytes = sizeof(typename Work::state);
    static constexpr std::size_t most = 32 * 1024;  // bytes of states in shared memory

    /// Elements per load: one if the states of a chunk are too large.
    static constexpr unsigned chunk =
        32 * state_bytes * view_type::chunk_size <= most ? view_type::chunk_size : 1;
    /// Elements per thread: a power of two.
    static constexpr unsigned each = [] {
      unsigned n = chunk < 16 ? 16 : chunk;
      while (n > chunk && 256 * state_bytes * n > most) n /= 2;
      return n;
    }();
    static constexpr unsigned loads = each / chunk;
    /// Threads per block.
    static constexpr unsigned threads = [] {
      unsigned n = 256;
      while (n > 32 && n * state_bytes * each > most) n /= 2;
      return n;
    }();
    static constexpr unsigned warps = threads / collective::warp_size;
    /// Elements and segment ends per tile: the first chunk may begin before the tile.
    static constexpr unsigned steps = threads * each - (chunk - 1);
    /// The states of the elements `k` of all threads are neighbors. Their distance spreads the
    /// results of neighboring elements over the banks.
    static constexpr unsigned pitch =
        threads + (each == 1                      ? 0
                   : 128 / state_bytes / each > 1 ? static_cast<unsigned>(128 / state_bytes / each)
                                                  : 1);
    /// Bytes of the mark of an element: the marks of a thread are at least a word.
    static constexpr unsigned mark_bytes = each < 4 ? 4 : 1;
    static constexpr unsigned marks = threads * each * mark_bytes;
  };

  /// The code that runs on the GPU.
  template <class Work>
  struct body {
    using shape = tile<Work>;
    using view_type = typename Work::view_type;
    using state = typename Work::state;

    // 1024 limits the registers to 64 if that is enough: four blocks are resident.
    static constexpr int max_block =
        sizeof(state) * shape::each * warpfold::detail::arrays_of<view_type>() <= 64
            ? 1024
            : static_cast<int>(shape::threads);
    static constexpr int elements_a_load = shape::chunk;  // for explain_segments
    static constexpr unsigned threads = shape::threads;
    static constexpr unsigned each = shape::each;

    /// The folds of a block that other blocks need.
    struct record {
      std::size_t first;  ///< the segment that ends first, and the bits below
      state head;         ///< of the block's elements of that segment
      state tail;         ///< of the elements after the last segment end
    };
    static constexpr std::size_t has_end = std::size_t{1} << 63;
    static constexpr std::size_t is_open = std::size_t{1} << 62;  ///< began before the block

    Work segmented;
    caching cache;
    collective::grid_storage scratch;

    WARPFOLD_HD const Work& work() const { return segmented; }
    WARPFOLD_DEVICE void operator()() const {
      WARPFOLD_SHARED collective::shared_array<state, shape::pitch * each> folds;
      WARPFOLD_SHARED collective::shared_array<state, shape::warps> states;
      WARPFOLD_SHARED collective::shared_array<unsigned, shape::warps> marks;
      WARPFOLD_SHARED collective::shared_array<unsigned, 2 * shape::warps> counts;
      WARPFOLD_SHARED collective::shared_array<std::size_t, shape::warps> begins;
      WARPFOLD_SHARED collective::shared_array<std::size_t, 1> found;
      WARPFOLD_SHARED collective::shared_array<record, 1> own;
      alignas(word_bytes) WARPFOLD_SHARED unsigned char ends[shape::marks];
      run({folds, states, marks, counts, begins, found, own,
           collective::shared_bytes(ends, shape::marks)});
    }

   private:
    struct storage {
      collective::shared_span<state> folds;  ///< those that end at marks
      collective::shared_span<state> states;
      collective::shared_span<unsigned> marks;
      collective::shared_span<unsigned> counts;
      collective::shared_span<std::size_t> begins;
      collective::shared_span<std::size_t> found;
      collective::shared_span<record> own;
      collective::shared_bytes ends;
    };
    struct mark_group {
      alignas(warpfold::detail::gcd(
          each* shape::mark_bytes,
          word_bytes)) unsigned char bytes[std::size_t{each} * shape::mark_bytes];
    };

    /// The elements that are in segments.
    struct element_range {
      std::size_t first, last;

      WARPFOLD_DEVICE std::size_t clamped(std::size_t i) const {
        return i < first ? first : i > last ? last : i;
      }
    };

    /// A position on the path: the next segment end and the next element.
    struct place {
      std::size_t segment, element;
    };

    WARPFOLD_DEVICE std::size_t begin_of(const element_range& in, std::size_t s,
                                         const global_loads& loads) const {
      return in.clamped(static_cast<std::size_t>(segmented.segments.begin(s, loads)));
    }
    WARPFOLD_DEVICE std::size_t end_of(const element_range& in, std::size_t s,
                                       const global_loads& loads) const {
      return in.clamped(static_cast<std::size_t>(segmented.segments.end(s, loads)));
    }

    WARPFOLD_DEVICE void run(const storage& shared) const {
      const auto fold = segmented.fold();
      const global_loads bounds(caching::keep);
      const std::size_t segments = segmented.size();
      const element_range in = [&] {
        const auto from = static_cast<std::size_t>(segmented.segments.begin(0, bounds));
        const auto to = static_cast<std::size_t>(segmented.segments.end(segments - 1, bounds));
        const std::size_t size = segmented.view.size();
        const std::size_t first = from < size ? from : size;
        return element_range{first, element_range{first, size}.clamped(to)};
      }();
      const std::size_t steps = segments + (in.last - in.first);
      const std::size_t tiles = (steps + shape::steps - 1) / shape::steps;
      const std::size_t from = tiles * blockIdx.x / gridDim.x * shape::steps;
      const std::size_t to = tiles * (blockIdx.x + 1) / gridDim.x * shape::steps;
      shared.ends.store(0, threadIdx.x * unsigned{sizeof(mark_group)}, mark_group{},
                        call_site::here());

      place at = find(in, from, shared, bounds);
      const place start = at;
      std::size_t open_begin =
          at.segment < segments ? begin_of(in, at.segment, bounds) : at.element;
      const bool open = open_begin < at.element;  // the first segment began before the block
      if (threadIdx.x == 0) shared.own.store(0, record{0, fold.start(), fold.start()});
      state carry = fold.start();
      unsigned parity = 0;
      WARPFOLD_NO_UNROLL
      for (std::size_t done = from; done < to && done < steps; done += shape::steps) {
        const std::size_t left = steps - done;
        fold_tile(in, at, left < shape::steps ? static_cast<unsigned>(left) : shape::steps, start,
                  open, open_begin, carry, parity, shared, bounds);
      }

      if (gridDim.x == 1) return;
      __syncthreads();
      record last = shared.own.load(0);
      last.tail = carry;
      last.first = start.segment | (at.segment != start.segment ? has_end : 0) |
                   (open ? is_open : std::size_t{0});
      finish(last, shared);
    }

    /// Finds the place of step `step` of the path. A warp reads the ends of 32 segments at once.
    WARPFOLD_DEVICE place find(const element_range& in, std::size_t step, const storage& shared,
                               const global_loads& bounds) const {
      if (threadIdx.x < collective::warp_size) {
        std::size_t low = 0, high = segmented.size();
        WARPFOLD_NO_UNROLL
        while (low < high) {
          const std::size_t part = (high - low + collective::warp_size - 1) / collective::warp_size;
          std::size_t s = low + (threadIdx.x + 1) * part;
          s = (s < high ? s : high) - 1;
          const bool before = end_of(in, s, bounds) - in.first + s < step;
          const unsigned count = static_cast<unsigned>(
              collective::lane_count(__ballot_sync(collective::full_warp, before)));
          const std::size_t next = low + (count + 1) * part;
          if (count != collective::warp_size && next - 1 < high) high = next - 1;
          low = low + count * part < high ? low + count * part : high;
        }
        if (threadIdx.x == 0) shared.found.store(0, low);
      }
      __syncthreads();
      const std::size_t segment = shared.found.load(0);
      return {segment, in.clamped(in.first + (step - segment))};
    }

    /// Folds the next `steps` steps from `at` on and moves `at` behind them.
    WARPFOLD_DEVICE void fold_tile(const element_range& in, place& at, unsigned steps,
                                   const place& start, bool open, std::size_t& open_begin,
                                   state& carry, unsigned& parity, const storage& shared,
                                   const global_loads& bounds) const {
      const auto fold = segmented.fold();
      const std::size_t head = segmented.view.head();
      constexpr unsigned chunk = shape::chunk;
      // Chunks begin at multiples of `chunk`, counted from `-shift`.
      const std::size_t shift = head == any_head ? 0 : (chunk - head % chunk) % chunk;
      const std::size_t base = (at.element + shift) / chunk * chunk;
      const state carried = carry;
      if (at.segment < segmented.size() && end_of(in, at.segment, bounds) <= at.element) {
        // The segment of `carried` ends before the first element.
        carry = fold.start();
        open_begin = at.element;
      }
      const place next = mark_ends(in, at, steps, base - shift, parity, shared, bounds);
      const auto from = static_cast<unsigned>(at.element + shift - base);
      const auto to = static_cast<unsigned>(next.element + shift - base);

      const unsigned of_thread = threadIdx.x * unsigned{sizeof(mark_group)};
      const auto group = shared.ends.template load<mark_group>(0, of_thread, call_site::here());
      shared.ends.store(0, of_thread, mark_group{}, call_site::here());
      std::uint32_t ends = 0;
      WARPFOLD_UNROLL
      for (unsigned k = 0; k < each; ++k) {
        ends |= static_cast<std::uint32_t>(group.bytes[k * shape::mark_bytes]) << k;
      }
      std::size_t begin = 0;
      if constexpr (Work::is_indexed) begin = find_begin(ends, base - shift, open_begin, shared);

      state head_fold = fold.start(), seen = fold.start();
      const unsigned first = threadIdx.x * each;  // from `base`
      const auto step = [&](unsigned k, const typename Work::value_type& x) {
        const std::size_t i = base + first + k - shift;
        const state more = fold.combine(seen, fold.state_of(segmented.lift(x, i - begin)));
        if (first + k >= from && first + k < to) seen = more;
        if ((ends >> k & 1) != 0) {
          if ((ends & ((1u << k) - 1)) == 0) {
            head_fold = seen;
          } else {
            shared.folds.store(k * shape::pitch + threadIdx.x, seen);
          }
          seen = fold.start();
          begin = i + 1;
        }
      };
      if (first < to && first + each > from) {
        const global_loads loads(cache);
        const std::size_t own = base + first;
        if (chunk == view_type::chunk_size && own >= shift &&
            own - shift + each <= segmented.view.size()) {
          typename view_type::chunk_type loaded[std::size_t{shape::loads}];
          WARPFOLD_UNROLL
          for (unsigned u = 0; u < shape::loads; ++u) {
            segmented.view.load(loaded[u], own - shift + u * chunk, loads);
          }
          WARPFOLD_UNROLL
          for (unsigned k = 0; k < each; ++k) {
            step(k, segmented.view.get(loaded[k / chunk], static_cast<int>(k % chunk)));
          }
        } else {
          // Only at the ends of the range.
          WARPFOLD_NO_UNROLL
          for (unsigned k = 0; k < each; ++k) {
            if (first + k >= from && first + k < to) {
              step(k, segmented.view.at(own + k - shift, loads));
            }
          }
        }
      }

      const state before =
          collective::segmented_scan(fold, seen, ends != 0, carry, shared.states, shared.marks);
      if (ends != 0) {
        shared.folds.store(lowest(ends) * shape::pitch + threadIdx.x,
                           fold.combine(before, head_fold));
      }
      __syncthreads();

      const global_access stores;
      WARPFOLD_NO_UNROLL
      for (std::size_t s = at.segment + threadIdx.x; s < next.segment; s += threads) {
        const std::size_t b = begin_of(in, s, bounds), e = end_of(in, s, bounds);
        if (!(b < e)) {
          segmented.write_empty(s, stores);
          continue;
        }
        const std::size_t last = e - 1 + shift - base;
        const state whole =
            e > at.element && last < threads * each
                ? shared.folds.load(static_cast<unsigned>(last) % each * shape::pitch +
                                    static_cast<unsigned>(last) / each)
                : carried;
        if (open && s == start.segment) {
          shared.own.store(0, record{0, whole, whole});
        } else {
          segmented.write(s, segmented.result(whole), stores);
        }
      }
      at = next;
    }

    static WARPFOLD_DEVICE unsigned lowest(std::uint32_t bits) {
      return collective::highest_lane(bits & (0u - bits));
    }

    /// Marks the last elements of the segments that end within `steps` steps from `at` on; `base`
    /// is the element of the first mark. Returns the place behind these steps.
    WARPFOLD_DEVICE place mark_ends(const element_range& in, const place& at, unsigned steps,
                                    std::size_t base, unsigned& parity, const storage& shared,
                                    const global_loads& bounds) const {
      const std::size_t segments = segmented.size();
      // The step at which the tile ends, from the first element on.
      const std::size_t until = at.element - in.first + at.segment + steps;
      unsigned ended = 0;
      for (bool more = true; more;) {
        const unsigned nth = ended + threadIdx.x;
        const std::size_t s = at.segment + nth;
        bool inside = false;
        if (nth < steps && s < segments) {
          const std::size_t b = begin_of(in, s, bounds), e = end_of(in, s, bounds);
          inside = e - in.first + s < until;
          const std::size_t last = e - 1 - base;
          if (inside && b < e && e > at.element && last < threads * each) {
            shared.ends.store(0, static_cast<unsigned>(last) * shape::mark_bytes,
                              static_cast<unsigned char>(1), call_site::here());
          }
        }
        const unsigned lanes = __ballot_sync(collective::full_warp, inside);
        if (threadIdx.x % collective::warp_size == 0) {
          shared.counts.store(parity * shape::warps + threadIdx.x / collective::warp_size,
                              collective::lane_count(lanes));
        }
        more = __syncthreads_and(inside) != 0;
        WARPFOLD_UNROLL
        for (unsigned w = 0; w < shape::warps; ++w) {
          ended += shared.counts.load(parity * shape::warps + w);
        }
        parity ^= 1;
      }
      return {at.segment + ended, in.clamped(at.element + (steps - ended))};
    }

    /// The begin of the segment that the thread's first element belongs to; `open_begin` is that of
    /// the tile's first element, and becomes that of the next tile's.
    WARPFOLD_DEVICE std::size_t find_begin(std::uint32_t ends, std::size_t base,
                                           std::size_t& open_begin, const storage& shared) const {
      constexpr std::size_t none = static_cast<std::size_t>(-1);
      const unsigned lane = threadIdx.x % collective::warp_size;
      const unsigned warp = threadIdx.x / collective::warp_size;
      const unsigned ending = __ballot_sync(collective::full_warp, ends != 0);
      const std::size_t behind =
          ends == 0 ? none : base + threadIdx.x * each + collective::highest_lane(ends) + 1;
      const unsigned below = ending & collective::lanes_below(lane);
      const std::size_t neighbor =
          collective::shuffle_from(behind, below == 0 ? lane : collective::highest_lane(below));
      const std::size_t last =
          collective::shuffle_from(behind, ending == 0 ? 0 : collective::highest_lane(ending));
      if (lane == 0) shared.begins.store(warp, last);
      __syncthreads();
      std::size_t mine = open_begin;
      WARPFOLD_NO_UNROLL
      for (unsigned w = 0; w < shape::warps; ++w) {
        if (w == warp) mine = open_begin;
        const std::size_t next = shared.begins.load(w);
        if (next != none) open_begin = next;
      }
      return below != 0 ? neighbor : mine;
    }

    /// The last block combines the folds of segments that several blocks have a part of.
    WARPFOLD_DEVICE void finish(const record& last, const storage& shared) const {
      using posted = collective::posted_state<record>;
      constexpr bool is_posted = collective::detail::is_posted<record>;
      const collective::global_array<record> partials{static_cast<record*>(scratch.partials),
                                                      gridDim.x};
      if constexpr (is_posted) {
        if (blockIdx.x != gridDim.x - 1) {
          if (threadIdx.x == 0) {
            posted::store(scratch.posts + std::size_t{blockIdx.x} * posted::posts, last);
          }
          return;
        }
      } else {
        if (threadIdx.x == 0) {
          partials.store(blockIdx.x, last);
          shared.found.store(
              0, collective::draw_ticket(scratch.ticket, gridDim.x - 1) == gridDim.x - 1);
        }
        __syncthreads();
        if (shared.found.load(0) == 0) return;
      }
      const auto fold = segmented.fold();
      const global_access stores;
      state carry = fold.start();
      WARPFOLD_NO_UNROLL
      for (unsigned done = 0; done < gridDim.x; done += threads) {
        const unsigned b = done + threadIdx.x;
        record own = last;
        if (b >= gridDim.x) {
          own = record{0, fold.start(), fold.start()};
        } else if constexpr (is_posted) {
          if (b != gridDim.x - 1) {
            collective::post* const from = scratch.posts + std::size_t{b} * posted::posts;
            own = posted::await(from, last);
            posted::clear(from);
          }
        } else {
          own = partials.load(b);
        }
        const bool ends = (own.first & has_end) != 0;
        const state before =
            collective::segmented_scan(fold, own.tail, ends, carry, shared.states, shared.marks);
        if (ends && (own.first & is_open) != 0) {
          segmented.write(own.first & (is_open - 1),
                          segmented.result(fold.combine(before, own.head)), stores);
        }
        __syncthreads();
      }
    }
  };

  /// Launches once.
  template <class Work, class Launcher>
  void enqueue(const Work& work, Launcher& launcher) const {
    using body_type = body<Work>;
    using record = typename body_type::record;
    using shape = tile<Work>;
    const std::size_t segments = work.size();
    if (segments == 0) return;
    constexpr std::size_t most = collective::max_blocks<record>();
    const std::size_t tiles = (segments + work.view.size()) / shape::steps + 1;
    std::size_t blocks =
        1024 / shape::threads * static_cast<std::size_t>(launcher.gpu().multiprocessors);
    if (blocks > most) blocks = most;
    if (blocks > tiles) blocks = tiles;
    std::size_t bytes = 0;
    work.visit_read([&](const void*, std::size_t n, std::size_t) { bytes += n; });
    const caching cache = tuning::row_for(bytes, launcher.gpu()).cache;
    launcher.launch(name(), body_type{work, cache, launcher.grid()},
                    {grid_of(blocks), shape::threads});
  }
};

}  // namespace warpfold::kernel
