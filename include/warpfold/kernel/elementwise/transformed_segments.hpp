/// @file
/// The kernel of `transform_segments`: a function of each element and of a value of its segment, in
/// one launch.
///
/// Source: the tiles are those of kernel/elementwise/elementwise.hpp; the search in the bounds for
/// equal shares is that of merge-based kernels (D. Merrill, M. Garland, "Merge-based parallel
/// sparse matrix-vector multiplication", 2016).
///
/// - Idea: segments that follow one another are divided by elements: each block has a tile of equal
///   size, whatever the lengths. A thread starts its loads; meanwhile two warps search for the
///   tile's first and last segment, each by 128 probes of the bounds at a time. The ends and the
///   values of the tile's segments go to shared memory. A segment marks the first chunk that begins
///   in it, and a scan of the marks gives each chunk its segment.
/// - Segments with a begin and an end each may have any order. A warp takes a segment; a block one
///   of more than `longest_of_warp` elements; the last blocks divide the longest ones
///   (collective/grid_groups.hpp).
/// - Cost: each element is read once and written once, in 16-byte words where segments and
///   alignment allow; a bound is read twice and by some searches, a value once per tile. A run of
///   empty segments belongs to one tile.
/// - Bounds that decrease or lie outside of the range give unspecified results in the elements of
///   the output; other memory is neither read nor written.
/// - Needs: compute capability 7.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <warpfold/collective/grid_groups.hpp>
#include <warpfold/collective/lane_set.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/shuffle.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/elementwise/elementwise.hpp>
#include <warpfold/view/chunk.hpp>
#include <warpfold/view/global_access.hpp>
#include <warpfold/work/segmented_transformation.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct transformed_segments {
  static constexpr const char* name() { return "transformed_segments"; }

  static constexpr unsigned warps = 8;
  static constexpr unsigned threads = warps * collective::warp_size;
  /// For segments in any order: longer ones are not transformed by a warp.
  static constexpr std::size_t longest_of_warp = 4096;

  /// For segments that follow one another.
  template <class Work>
  struct tiles {
    using in_view = decltype(Work::in);
    using out_view = decltype(Work::out);
    using loaded_chunk = common_chunk<in_view, out_view>;
    static constexpr int chunk_size = loaded_chunk::size;
    static constexpr int max_block = threads;
    static constexpr int min_blocks_per_multiprocessor = sizeof(loaded_chunk) <= 16 ? 4 : 1;
    static constexpr bool waits_for_launch_before = true;
    /// Chunks of a thread. More of many elements would not stay in the registers.
    static constexpr int unroll = sizeof(loaded_chunk) <= 16
                                      ? 16 / (chunk_size < 4 ? 4 : chunk_size)
                                  : sizeof(loaded_chunk) <= 32 && chunk_size <= 8 ? 2
                                                                                  : 1;
    /// The segments in shared memory at once; a tile may have more, if they are short or empty.
    static constexpr unsigned most_segments = [] {
      constexpr std::size_t bytes = sizeof(typename Work::segment_value);
      return bytes <= 4      ? 2048u
             : bytes <= 8    ? 1024u
             : bytes <= 64   ? 128u
             : bytes <= 1024 ? 16u
                             : 1u;
    }();

    Work segmented;
    partition parts;
    unsigned tile;       ///< chunks of a block
    bool loads_aligned;  ///< true if loads are aligned where stores are

    WARPFOLD_HD const Work& work() const { return segmented; }
    WARPFOLD_DEVICE void operator()() const {
      if constexpr (Work::has_size_in_memory) {
        // A copy: views behind a count, such as a reversed one, ask for the size.
        tiles settled = *this;
        collective::wait_for_launch_before();
        settled.segmented.read_size(global_access{});
        const std::size_t head = settled.segmented.in.head();
        const std::size_t apart = head < parts.head ? parts.head - head : head - parts.head;
        settled.loads_aligned = head == any_head || apart % in_view::chunk_size == 0;
        settled.run_block();
      } else {
        run_block();
      }
    }

    WARPFOLD_DEVICE void run_block() const {
      WARPFOLD_SHARED collective::shared_array<std::size_t, 2> found;
      WARPFOLD_SHARED collective::shared_array<std::uint16_t, most_segments> ends;
      WARPFOLD_SHARED collective::shared_array<segment_value, most_segments> values;
      WARPFOLD_SHARED collective::shared_array<unsigned, most_chunks + warps * unroll> marks;
      collective::wait_for_launch_before();
      if (loads_aligned) {
        run<true>(found, ends, values, marks);
      } else {
        run<false>(found, ends, values, marks);
      }
    }

   private:
    using segment_value = typename Work::segment_value;
    using places_type = collective::shared_span<std::uint16_t>;
    using marks_type = collective::shared_span<unsigned>;
    using values_type = collective::shared_span<segment_value>;
    static constexpr unsigned most_chunks = unroll * threads;
    static_assert(most_chunks * chunk_size <= 0xffff && warps * unroll <= collective::warp_size);

    // The tile of a block. The first one has the elements before the chunks, too, and the last one
    // those after them.
    struct extent {
      std::size_t begin, end;
    };
    WARPFOLD_DEVICE extent extent_of(std::size_t base, unsigned here) const {
      extent e{parts.head + base * chunk_size, parts.head + (base + here) * chunk_size};
      if (blockIdx.x == 0) e.begin = 0;
      if (blockIdx.x == gridDim.x - 1) e.end = segmented.in.size();
      if constexpr (warpfold::detail::has_size_in_memory<in_view>) {
        if (segmented.in.size() < e.end) e.end = segmented.in.size();
      }
      return e;
    }

    template <bool LoadsAligned>
    WARPFOLD_DEVICE void run(collective::shared_span<std::size_t> found, const places_type& ends,
                             const values_type& values, const marks_type& marks) const {
      const std::size_t base = std::size_t{blockIdx.x} * tile;
      const std::size_t left = base < parts.chunks ? parts.chunks - base : 0;
      unsigned here = left < tile ? static_cast<unsigned>(left) : tile;
      const extent own = extent_of(base, here);
      if constexpr (warpfold::detail::has_size_in_memory<in_view>) {
        if (own.begin >= own.end) return;
        const std::size_t first = parts.head + base * chunk_size;
        const std::size_t chunks = own.end > first ? (own.end - first) / chunk_size : 0;
        if (chunks < here) here = static_cast<unsigned>(chunks);
      }
      loaded_chunk loaded[std::size_t{unroll}];
      load<LoadsAligned>(loaded, parts.head + base * chunk_size, here);
      const unsigned warp = threadIdx.x / collective::warp_size;
      if (warp < 2) {
        const std::size_t s = segment_after(warp == 0 ? own.begin : own.end - 1);
        if (threadIdx.x % collective::warp_size == 0) found.store(warp, s);
      }
      __syncthreads();
      collective::let_next_launch_start();
      const std::size_t all = segmented.size(), last = found.load(1);
      const std::size_t end = last < all ? last + 1 : all;
      WARPFOLD_NO_UNROLL
      for (std::size_t s = found.load(0); s < end; s += most_segments) {
        const unsigned count =
            end - s < most_segments ? static_cast<unsigned>(end - s) : most_segments;
        const std::size_t from = parts.head + base * chunk_size;
        WARPFOLD_UNROLL
        for (unsigned u = 0; u < unroll; ++u) marks.store(threadIdx.x + u * threads, 0);
        __syncthreads();
        load_segments(own, s, count, static_cast<unsigned>(from - own.begin), ends, values, marks);
        const global_loads bounds(caching::keep);
        const unsigned first = place_in(own, segmented.segments.begin(s, bounds));
        __syncthreads();
        unsigned segments[std::size_t{unroll}] = {};
        if (count > 1) find_segments(segments, marks);
        put(loaded, segments, own, from, here,
            segment_of_place(segmented, ends, values, first, count));
      }
    }

    // Loads the ends and values of `count` segments from `s` on to shared memory, and marks the
    // first chunk that begins in each: with one more than the segment's number. Chunks begin at
    // place `chunks_at`.
    WARPFOLD_DEVICE void load_segments(const extent& own, std::size_t s, unsigned count,
                                       unsigned chunks_at, const places_type& ends,
                                       const values_type& values, const marks_type& marks) const {
      constexpr unsigned at_once = sizeof(segment_value) <= 16 ? 2 : 1;
      const global_loads loads(caching::keep);
      WARPFOLD_NO_UNROLL
      for (unsigned k = threadIdx.x; k < count; k += at_once * threads) {
        const auto place = [&](unsigned u) {
          return k + u * threads < count ? k + u * threads : k;
        };
        chunk<segment_value, int{at_once}> loaded;
        unsigned from[at_once], to[at_once];
        WARPFOLD_UNROLL
        for (unsigned u = 0; u < at_once; ++u) {
          loaded.set(static_cast<int>(u),
                     static_cast<segment_value>(segmented.values.at(s + place(u), loads)));
          from[u] = place_in(own, segmented.segments.begin(s + place(u), loads));
          to[u] = place_in(own, segmented.segments.end(s + place(u), loads));
        }
        WARPFOLD_UNROLL
        for (unsigned u = 0; u < at_once; ++u) {
          ends.store(place(u), static_cast<std::uint16_t>(to[u]));
          values.store(place(u), loaded.elements[u]);
          const unsigned c =
              from[u] <= chunks_at ? 0 : (from[u] - chunks_at + chunk_size - 1) / chunk_size;
          if (c < most_chunks && chunks_at + c * chunk_size < to[u]) {
            marks.raise(c, place(u) + 1);  // once, unless bounds decrease
          }
        }
      }
    }

    // The segments in which the thread's chunks begin: the last mark up to each. Without one it is
    // 0, and a chunk then has no elements before those of segment 0.
    WARPFOLD_DEVICE void find_segments(unsigned (&segments)[std::size_t{unroll}],
                                       const marks_type& marks) const {
      const unsigned lane = threadIdx.x % collective::warp_size;
      const unsigned warp = threadIdx.x / collective::warp_size;
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < unroll; ++u) {
        const unsigned own = marks.load(threadIdx.x + u * threads);
        const unsigned lanes = __ballot_sync(collective::full_warp, own != 0) &
                               (collective::lanes_below(lane) | 1u << lane);
        segments[u] =
            collective::shuffle_from(own, lanes == 0 ? lane : collective::highest_lane(lanes));
        if (lane == collective::warp_size - 1) {
          marks.store(most_chunks + u * warps + warp, segments[u]);
        }
      }
      __syncthreads();
      const unsigned last = lane < warps * unroll ? marks.load(most_chunks + lane) : 0;
      const unsigned any = __ballot_sync(collective::full_warp, last != 0);
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < unroll; ++u) {
        const unsigned before = any & collective::lanes_below(u * warps + warp);
        const unsigned of_row =
            collective::shuffle_from(last, before == 0 ? 0 : collective::highest_lane(before));
        if (segments[u] == 0 && before != 0) segments[u] = of_row;
        if (segments[u] != 0) --segments[u];
      }
    }

    template <bool LoadsAligned>
    WARPFOLD_DEVICE void load(loaded_chunk (&loaded)[std::size_t{unroll}], std::size_t from,
                              unsigned here) const {
      if (threadIdx.x >= here) return;
      const global_access loads;
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < unroll; ++u) {
        const unsigned own = threadIdx.x + u * threads;
        const std::size_t at = from + std::size_t{own < here ? own : threadIdx.x} * chunk_size;
        loaded[u].template load<LoadsAligned>(segmented.in, at, loads);
      }
    }

    // The first segment that ends after element `i`, or the number of segments. Called by a warp.
    WARPFOLD_DEVICE std::size_t segment_after(std::size_t i) const {
      const global_loads bounds(caching::keep);
      const unsigned lane = threadIdx.x % collective::warp_size;
      constexpr unsigned of_lane = 4, probes = of_lane * collective::warp_size;
      std::size_t from = 0, end = segmented.size();
      WARPFOLD_NO_UNROLL
      while (from < end) {
        const std::size_t step = (end - from + probes - 1) / probes;
        bool is_before[of_lane];
        WARPFOLD_UNROLL
        for (unsigned k = 0; k < of_lane; ++k) {
          const std::size_t probe = from + (k * collective::warp_size + lane + 1) * step - 1;
          is_before[k] =
              probe < end && static_cast<std::size_t>(segmented.segments.end(probe, bounds)) <= i;
        }
        unsigned before = 0;
        WARPFOLD_UNROLL
        for (unsigned k = 0; k < of_lane; ++k) {
          before += collective::lane_count(__ballot_sync(collective::full_warp, is_before[k]));
        }
        from += before * step;
        // The next probe is after `i`, or beyond the end.
        if (from < end && end - from >= step) end = from + step - 1;
      }
      return from < segmented.size() ? from : segmented.size();
    }

    WARPFOLD_DEVICE static unsigned place_in(const extent& own, const auto& bound) {
      const auto i = static_cast<std::size_t>(bound);
      if (i <= own.begin) return 0;
      return static_cast<unsigned>((i < own.end ? i : own.end) - own.begin);
    }

    // The segments of the places of a chunk, one after the other.
    class segment_of_place {
     public:
      WARPFOLD_DEVICE segment_of_place(const Work& of, const places_type& ends,
                                       const values_type& values, unsigned first, unsigned count)
          : of_(of),
            ends_(ends),
            values_(values),
            count_(count),
            first_(first),
            end_(ends.load(count - 1)) {}

      /// True if a place is in one of these segments.
      WARPFOLD_DEVICE bool has(unsigned place) const { return place >= first_ && place < end_; }

      /// The next places are from segment `s` on.
      WARPFOLD_DEVICE void start(unsigned s) {
        own_ = s;
        own_end_ = ends_.load(s);
        value_.set(0, values_.load(s));
      }
      /// The result of an element at a place that it has.
      WARPFOLD_DEVICE typename Work::out_type apply(const typename Work::in_type& x,
                                                    unsigned place) {
        if (place >= own_end_) find(place);
        return of_.apply(x, value_.elements[0]);
      }

     private:
      // A few steps, then a binary search behind many empty segments.
      WARPFOLD_DEVICE void find(unsigned place) {
        unsigned from = own_ + 1, last = count_ - 1;
        WARPFOLD_NO_UNROLL
        for (unsigned steps = 0; from < last && ends_.load(from) <= place; ++steps) {
          if (steps < 4) {
            ++from;
            continue;
          }
          WARPFOLD_NO_UNROLL
          while (from < last) {
            const unsigned middle = (from + last) / 2;
            if (ends_.load(middle) <= place) {
              from = middle + 1;
            } else {
              last = middle;
            }
          }
        }
        start(from < count_ ? from : count_ - 1);
      }

      const Work& of_;
      places_type ends_;
      values_type values_;
      unsigned count_, first_, end_;
      unsigned own_ = 0, own_end_ = 0;
      chunk<segment_value, 1> value_;
    };

    WARPFOLD_DEVICE void put(const loaded_chunk (&loaded)[std::size_t{unroll}],
                             const unsigned (&segments)[std::size_t{unroll}], const extent& own,
                             std::size_t from, unsigned here, segment_of_place segment) const {
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < unroll; ++u) {
        const unsigned c = threadIdx.x + u * threads;
        if (c >= here) continue;
        segment.start(segments[u]);
        put_chunk(loaded[u], own, from + std::size_t{c} * chunk_size, segment);
      }
      const global_access memory;
      // Elements before and after the chunks: in the round that has their segment.
      const auto put_at = [&](std::size_t i) {
        const auto place = static_cast<unsigned>(i - own.begin);
        if (!segment.has(place)) return;
        segment.start(0);
        const auto x = segmented.in.at(i, memory);
        segmented.out.store_at(i, segment.apply(x, place), memory);
      };
      if (blockIdx.x == 0 && threadIdx.x < parts.head) put_at(threadIdx.x);
      if constexpr (warpfold::detail::has_size_in_memory<in_view>) {
        // Of the block whose last chunk the count divides, or of the last one.
        const std::size_t i = from + std::size_t{here} * chunk_size + threadIdx.x;
        if (i < own.end) put_at(i);
      } else if (blockIdx.x == gridDim.x - 1 && threadIdx.x < parts.tail) {
        put_at(segmented.in.size() - parts.tail + threadIdx.x);
      }
    }

    WARPFOLD_DEVICE void put_chunk(const loaded_chunk& loaded, const extent& own, std::size_t at,
                                   segment_of_place& segment) const {
      const global_access stores;
      const auto place = static_cast<unsigned>(at - own.begin);
      const auto result = [&](int i) {
        return segment.apply(loaded.get(segmented.in, i), place + static_cast<unsigned>(i));
      };
      if (segment.has(place) && segment.has(place + chunk_size - 1)) {
        loaded_chunk::store(segmented.out, at, result, stores);
        return;
      }
      WARPFOLD_UNROLL
      for (int i = 0; i < chunk_size; ++i) {
        if (!segment.has(place + static_cast<unsigned>(i))) continue;
        segmented.out.store_at(at + static_cast<std::size_t>(i), result(i), stores);
      }
    }
  };

  /// For segments in any order.
  template <class Work>
  struct ranges {
    using groups_type = collective::grid_groups<unsigned>;
    static constexpr int max_block = threads;
    static constexpr bool waits_for_launch_before = true;

    Work segmented;
    unsigned lookers, helpers;
    collective::grid_division divided;
    collective::grid_storage scratch;

    WARPFOLD_HD const Work& work() const { return segmented; }
    WARPFOLD_DEVICE void operator()() const {
      if constexpr (Work::has_size_in_memory) {
        // A copy: views behind a count, such as a reversed one, ask for the size.
        ranges settled = *this;
        collective::wait_for_launch_before();
        settled.segmented.read_size(global_access{});
        settled.run_block();
      } else {
        run_block();
      }
    }

    WARPFOLD_DEVICE void run_block() const {
      collective::wait_for_launch_before();
      if (blockIdx.x < lookers) return look();
      if (blockIdx.x >= gridDim.x - helpers) return help();
      WARPFOLD_SHARED collective::shared_array<unsigned, warps> aside;
      const std::size_t all = segmented.size();
      const std::size_t step = std::size_t{gridDim.x - lookers - helpers} * warps;
      const unsigned warp = threadIdx.x / collective::warp_size;
      const unsigned lane = threadIdx.x % collective::warp_size;
      WARPFOLD_NO_UNROLL
      for (std::size_t s = std::size_t{blockIdx.x - lookers} * warps; s < all; s += step) {
        const extent own = s + warp < all ? extent_of(s + warp) : extent{0, 0};
        const bool is_long = own.length > longest_of_warp;
        if (!is_long) put(s + warp, own, lane, collective::warp_size);
        if (lane == 0) aside.store(warp, is_long && own.length <= divided.longest_of_block);
        __syncthreads();
        WARPFOLD_NO_UNROLL
        for (unsigned w = 0; w < warps; ++w) {
          if (aside.load(w) != 0) put(s + w, extent_of(s + w), threadIdx.x, threads);
        }
        __syncthreads();
      }
    }

   private:
    struct extent {
      std::size_t begin, length;
    };

    WARPFOLD_DEVICE extent extent_of(std::size_t s) const {
      const global_loads bounds(caching::keep);
      const auto begin = static_cast<std::size_t>(segmented.segments.begin(s, bounds));
      const auto end = static_cast<std::size_t>(segmented.segments.end(s, bounds));
      const std::size_t size = segmented.in.size();
      const std::size_t to = end < size ? end : size;
      return {begin, begin < to ? to - begin : 0};
    }

    // Every `step`-th element of a segment, or of a part, from number `first` on.
    WARPFOLD_DEVICE void put(std::size_t s, const extent& own, unsigned first,
                             unsigned step) const {
      if (first >= own.length) return;
      constexpr unsigned at_once = 4;
      const global_access memory;
      const auto value = static_cast<typename Work::segment_value>(
          segmented.values.at(s, global_loads(caching::keep)));
      std::size_t i = first;
      WARPFOLD_NO_UNROLL
      for (; i + (at_once - 1) * step < own.length; i += at_once * step) {
        chunk<typename Work::in_type, int{at_once}> loaded;
        WARPFOLD_UNROLL
        for (unsigned u = 0; u < at_once; ++u) {
          loaded.set(static_cast<int>(u), segmented.in.at(own.begin + i + u * step, memory));
        }
        WARPFOLD_UNROLL
        for (unsigned u = 0; u < at_once; ++u) {
          segmented.out.store_at(own.begin + i + u * step,
                                 segmented.apply(loaded.elements[u], value), memory);
        }
      }
      WARPFOLD_NO_UNROLL
      for (; i < own.length; i += step) {
        const std::size_t at = own.begin + i;
        segmented.out.store_at(at, segmented.apply(segmented.in.at(at, memory), value), memory);
      }
    }

    // Enters the long segments in the list of the helpers.
    WARPFOLD_DEVICE void look() const {
      const groups_type groups(scratch);
      const std::size_t all = segmented.size();
      bool has_entered = false;
      WARPFOLD_NO_UNROLL
      for (std::size_t s = std::size_t{blockIdx.x} * threads + threadIdx.x; s < all;
           s += std::size_t{lookers} * threads) {
        const extent own = extent_of(s);
        if (own.length <= divided.longest_of_block) continue;
        groups.enter(s, own.begin, own.length, divided.part_log2);
        has_entered = true;
      }
      groups.end_of_looks(has_entered);
    }

    WARPFOLD_DEVICE void help() const {
      WARPFOLD_SHARED typename groups_type::helper_storage found;
      const groups_type groups(scratch);
      const unsigned all = groups.await_parts(lookers, found);
      unsigned turn = 0;
      WARPFOLD_NO_UNROLL
      for (unsigned p = blockIdx.x - (gridDim.x - helpers); p < all; p += helpers, turn ^= 1) {
        const collective::grid_group g = groups.group_of(p, turn, found);
        const std::size_t first = std::size_t{p - g.first_part} << divided.part_log2;
        const std::size_t left = g.length - first, most = std::size_t{1} << divided.part_log2;
        put(g.group, {g.begin + first, left < most ? left : most}, threadIdx.x, threads);
      }
      __syncthreads();
      (void)groups.end_of_help(helpers, found);
    }
  };

  /// Launches once; not at all if there is nothing to write.
  template <class Work, class Launcher>
  void enqueue(const Work& work, Launcher& launcher) const {
    if (work.size() == 0 || work.in.size() == 0) return;
    if constexpr (decltype(Work::segments)::are_adjacent) {
      enqueue_tiles(work, launcher);
    } else {
      enqueue_ranges(work, launcher);
    }
  }

 private:
  template <class Work, class Launcher>
  static void enqueue_tiles(const Work& work, Launcher& launcher) {
    using body_type = tiles<Work>;
    body_type body{work, {}, threads, true};
    body.loads_aligned =
        set_common_chunks<body_type::chunk_size>(work.in, work.out, work.in.size(), body.parts);
    const std::size_t chunks = body.parts.chunks;
    // Larger tiles, if there are enough for all multiprocessors and their segments fit.
    const std::size_t blocks = static_cast<std::size_t>(launcher.gpu().multiprocessors) *
                               std::size_t{body_type::min_blocks_per_multiprocessor};
    const std::size_t mean = work.in.size() / work.size() + 1;
    while (body.tile < unsigned{body_type::unroll} * threads &&
           chunks / (2 * body.tile) >= blocks &&
           2 * body.tile * body_type::chunk_size / mean < body_type::most_segments) {
      body.tile *= 2;
    }
    launcher.launch(name(), body,
                    {grid_of(chunks == 0 ? 1 : (chunks - 1) / body.tile + 1), threads});
  }

  template <class Work, class Launcher>
  static void enqueue_ranges(const Work& work, Launcher& launcher) {
    using body_type = ranges<Work>;
    const auto multiprocessors = static_cast<std::size_t>(launcher.gpu().multiprocessors);
    const std::size_t count = work.size(), elements = work.in.size();
    std::size_t lookers = 0, helpers = 0;
    const collective::grid_division divided = body_type::groups_type::division_of(elements, 2);
    if (elements > divided.longest_of_block) {
      lookers = (count - 1) / threads + 1;
      if (lookers > multiprocessors) lookers = multiprocessors;
      helpers = 2 * multiprocessors;
    }
    std::size_t blocks = (count - 1) / warps + 1;
    if (blocks > 32 * multiprocessors) blocks = 32 * multiprocessors;
    launcher.launch(name(),
                    body_type{work, static_cast<unsigned>(lookers), static_cast<unsigned>(helpers),
                              divided, launcher.grid()},
                    {grid_of(lookers + blocks + helpers), threads});
  }
};

}  // namespace warpfold::kernel
