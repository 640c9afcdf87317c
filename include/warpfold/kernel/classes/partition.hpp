/// @file
/// Brings values into the order of buckets. A bucket is some neighboring classes, whose tables fit
/// a block; it keeps the order of the range.
///
/// Source: radix sort, whose pass this is (D. Merrill, A. Grimshaw, "High Performance and Scalable
/// Radix Sorting"; A. Adinets, D. Merrill, "Onesweep").
///
/// - Count: a block counts the labels of its part of the range for each bucket, as counts.hpp.
/// - Places: a warp for each bucket adds up the counts of the blocks. The last block adds up the
///   buckets, and divides each into shares for the blocks that fold them.
/// - Scatter: a block goes over its part in tiles. Each warp counts its labels by votes, and so
///   finds the rank of each value among those of its bucket. Values and labels of a tile are put in
///   order in shared memory, so that neighboring threads store neighbors. Values of more than 8
///   bytes are stored at once: each fills much of a sector.
/// - Stores the elements, and one or two bytes for each label. Stores accumulators instead of
///   elements if the op has an index, or if they are smaller.
/// - Cost: reads the labels twice and the values once. Up to 140 instructions for each 32 values.
/// - Wrong labels are left out.
/// - Needs: compute capability 7.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/collective/lane_set.hpp>
#include <warpfold/collective/last_block.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/matching_lanes.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/shuffle.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/classes/table_room.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/view/chunk.hpp>
#include <warpfold/view/concept.hpp>
#include <warpfold/work/class_reduction.hpp>

namespace warpfold::kernel::detail {

/// What the partition stores of a value, and the accumulator of that.
template <class Work>
struct stored_values {
  using element = typename Work::value_type;
  using accumulator = typename Work::accumulator;
  static constexpr bool are_elements = !lifts_indexed<typename Work::op_type, element> &&
                                       std::is_trivially_copyable_v<element> &&
                                       (sizeof(element) <= sizeof(accumulator));
  using type = std::conditional_t<are_elements, element, accumulator>;

  template <class Loads>
  static WARPFOLD_DEVICE type load(const Work& work, std::size_t i, const Loads& loads) {
    if constexpr (are_elements) {
      return static_cast<element>(work.values.at(i, loads));
    } else {
      return work.lift_at(i, loads);
    }
  }
  static WARPFOLD_DEVICE accumulator lift(const Work& work, const type& stored) {
    if constexpr (are_elements) {
      return static_cast<accumulator>(
          warpfold::detail::lift_by(work.op, work.keep, stored, std::size_t{0}));
    } else {
      return stored;
    }
  }
};

/// A share of a bucket, for one block.
struct bucket_share {
  unsigned bucket;
  unsigned number;  ///< of the share in its bucket
};

/// How classes are divided into buckets, and the range among the blocks of the partition.
struct bucket_division {
  static constexpr unsigned most = 512;
  static constexpr unsigned threads = 256;  ///< of a block of the partition
  static constexpr unsigned warps = threads / collective::warp_size;
  /// Bits of the rank of a value among up to 512 of a warp.
  static constexpr unsigned rank_bits = 9;
  /// The maximum number of classes: beside a rank there are 23 bits.
  static constexpr std::size_t most_classes = (std::size_t{1} << 23) - 1;

  unsigned classes;
  unsigned class_bits;     ///< log2 of the classes of a bucket
  unsigned buckets;        ///< their number, up to `most`
  std::size_t part_size;   ///< values of a block of the partition: whole tiles
  unsigned blocks;         ///< of the partition
  std::size_t share_size;  ///< values of a block that folds

  /// The bucket of wrong labels: an even number, because counters are in pairs.
  WARPFOLD_HD unsigned none() const { return (buckets + 1) & ~1u; }
  /// The number of bits of `none`.
  unsigned bits() const {
    unsigned b = 1;
    while (none() >> b != 0) ++b;
    return b;
  }
  WARPFOLD_HD unsigned bucket_of(unsigned row) const {
    return row < classes ? row >> class_bits : none();
  }
  /// The maximum number of shares.
  std::size_t most_shares(std::size_t n) const { return buckets + n / share_size; }
};

/// The memory of a partition, which all of its launches use.
template <class Stored>
struct bucket_memory {
  collective::global_array<Stored> values;         ///< of the buckets, one after the other
  collective::global_array<std::uint8_t> bytes;    ///< the class in the bucket; either this
  collective::global_array<std::uint16_t> shorts;  ///< or this
  collective::global_array<std::size_t> counts;    ///< of a bucket: those of all blocks
  collective::global_array<std::size_t> begins;    ///< of the buckets, and the end of the last
  collective::global_array<bucket_share> shares;
  collective::global_array<unsigned> share_count;
};

/// Counts the labels of each block.
template <class Work>
struct count_buckets {
  static constexpr int max_block = 512;
  static constexpr bool waits_for_launch_before = true;
  using label = typename std::remove_cvref_t<decltype(Work::labels)>::value_type;

  Work reduction;
  bucket_division how;
  unsigned copies;  ///< counters per bucket: a power of two
  caching cache;
  collective::global_array<std::size_t> counts;

  WARPFOLD_HD const Work& work() const { return reduction; }
  WARPFOLD_DEVICE void operator()() const {
    constexpr unsigned unroll = 8, threads = max_block;
    const auto table = collective::dynamic_shared<unsigned>((how.none() + 1) * copies);
    for (unsigned i = threadIdx.x; i < table.size(); i += threads) table.store(i, 0);
    __syncthreads();
    collective::wait_for_launch_before();
    const global_loads loads(cache);
    const collective::shared_counters column(table, threadIdx.x & (copies - 1), copies);
    const auto count = [&](const label& own) {
      column.increment(how.bucket_of(row_of_label<true>(own, 0, how.classes)));
    };
    const std::size_t begin = blockIdx.x * how.part_size, n = reduction.size();
    const std::size_t end = n - begin < how.part_size ? n : begin + how.part_size;
    std::size_t i = begin + threadIdx.x;
    WARPFOLD_NO_UNROLL
    for (; i + (unroll - 1) * threads < end; i += unroll * threads) {
      label own[unroll];
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < unroll; ++u) own[u] = reduction.labels.at(i + u * threads, loads);
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < unroll; ++u) count(own[u]);
    }
    WARPFOLD_NO_UNROLL
    for (; i < end; i += threads) count(reduction.labels.at(i, loads));
    collective::let_next_launch_start();
    __syncthreads();
    for (unsigned b = threadIdx.x; b < how.buckets; b += threads) {
      unsigned all = 0;
      for (unsigned k = 0; k < copies; ++k) {
        all += table.load(b * copies + ((k + threadIdx.x) & (copies - 1)));
      }
      counts.store(std::size_t{b} * how.blocks + blockIdx.x, all);
    }
  }
};

/// Computes where the values of each block and bucket begin, and the shares.
struct place_buckets {
  static constexpr int max_block = bucket_division::threads;
  static constexpr bool waits_for_launch_before = true;
  static constexpr bool calls_user_functions = false;

  bucket_division how;
  collective::grid_storage grid;
  collective::global_array<std::size_t> counts;
  collective::global_array<std::size_t> begins;
  collective::global_array<bucket_share> shares;
  collective::global_array<unsigned> share_count;

  WARPFOLD_DEVICE void operator()() const {
    collective::wait_for_launch_before();
    const unsigned bucket =
        blockIdx.x * bucket_division::warps + threadIdx.x / collective::warp_size;
    if (bucket < how.buckets) add_up_blocks(bucket);
    if (collective::is_last_block(grid, 0, gridDim.x)) add_up_buckets();
  }

  /// The sum of the lanes before this one, and of all lanes. All lanes of the warp call it.
  struct sums {
    std::size_t before, all;
  };
  static WARPFOLD_DEVICE sums sums_of_lanes(std::size_t own) {
    const unsigned lane = threadIdx.x % collective::warp_size;
    auto up_to = static_cast<unsigned long long>(own);
    for (unsigned apart = 1; apart < collective::warp_size; apart *= 2) {
      const unsigned long long other = __shfl_up_sync(collective::full_warp, up_to, apart);
      if (lane >= apart) up_to += other;
    }
    return {static_cast<std::size_t>(up_to) - own,
            static_cast<std::size_t>(collective::shuffle_from(up_to, collective::warp_size - 1))};
  }

 private:
  /// Replaces the counts of a bucket by the sum of those before, and stores the sum of all.
  WARPFOLD_DEVICE void add_up_blocks(unsigned bucket) const {
    const unsigned lane = threadIdx.x % collective::warp_size;
    const std::size_t first = std::size_t{bucket} * how.blocks;
    std::size_t before = 0;
    for (unsigned block = 0; block < how.blocks; block += collective::warp_size) {
      const bool is_there = block + lane < how.blocks;
      const sums s = sums_of_lanes(is_there ? counts.load(first + block + lane) : 0);
      if (is_there) counts.store(first + block + lane, before + s.before);
      before += s.all;
    }
    if (lane == 0) begins.store(bucket, before);
  }

  /// Replaces the sums of the buckets by that of the buckets before. Each thread adds up
  /// neighbors.
  WARPFOLD_DEVICE void add_up_buckets() const {
    constexpr unsigned each = bucket_division::most / bucket_division::threads;
    WARPFOLD_SHARED collective::shared_array<std::size_t, 2 * bucket_division::warps> of_warps;
    std::size_t sizes[each];
    std::size_t own = 0, own_shares = 0;
    WARPFOLD_UNROLL
    for (unsigned k = 0; k < each; ++k) {
      const unsigned b = threadIdx.x * each + k;
      sizes[k] = b < how.buckets ? begins.load(b) : 0;
      own += sizes[k];
      own_shares += b < how.buckets ? shares_of(sizes[k]) : 0;
    }
    const sums values = sums_of_lanes(own), folds = sums_of_lanes(own_shares);
    const unsigned warp = threadIdx.x / collective::warp_size;
    if (threadIdx.x % collective::warp_size == 0) {
      of_warps.store(2 * warp, values.all);
      of_warps.store(2 * warp + 1, folds.all);
    }
    __syncthreads();
    std::size_t begin = values.before, first = folds.before;
    for (unsigned w = 0; w < warp; ++w) {
      begin += of_warps.load(2 * w);
      first += of_warps.load(2 * w + 1);
    }
    WARPFOLD_UNROLL
    for (unsigned k = 0; k < each; ++k) {
      const unsigned b = threadIdx.x * each + k;
      if (b >= how.buckets) break;
      begins.store(b, begin);
      const auto count = static_cast<unsigned>(shares_of(sizes[k]));
      for (unsigned s = 0; s < count; ++s) shares.store(first + s, {b, s});
      begin += sizes[k];
      first += count;
      if (b + 1 == how.buckets) {
        begins.store(how.buckets, begin);
        share_count.store(0, static_cast<unsigned>(first));
      }
    }
  }

  /// An empty bucket has a share too, whose block writes its results.
  WARPFOLD_DEVICE std::size_t shares_of(std::size_t size) const {
    return size == 0 ? 1 : (size - 1) / how.share_size + 1;
  }
};

/// Stores the values of each block in the order of the buckets.
template <class Work>
struct scatter_to_buckets {
  using stored = typename stored_values<Work>::type;

  static constexpr int max_block = bucket_division::threads;
  static constexpr bool waits_for_launch_before = true;
  static constexpr int min_blocks_per_multiprocessor = sizeof(stored) <= 8 ? 3 : 2;
  /// True if values are put in order in shared memory.
  static constexpr bool is_staged = sizeof(stored) <= 8;
  static constexpr unsigned threads = bucket_division::threads, warps = bucket_division::warps;
  /// Values of a thread in a tile. A user function is inlined for each of them.
  static constexpr unsigned unroll = sizeof(stored) <= 4 ? 16 : sizeof(stored) <= 16 ? 8 : 4;
  static constexpr unsigned tile = unroll * threads;
  static_assert(tile < 1u << 16, "counters have 16 bits");
  static constexpr unsigned rank_bits = bucket_division::rank_bits;
  static_assert(unroll * collective::warp_size <= 1u << rank_bits);

  /// The dynamic shared memory of a block. It begins with the places of buckets in memory. From
  /// these offsets on: values, their rows, the counters of the warps, the places of buckets in the
  /// tile.
  struct layout {
    std::size_t values, rows, counters, starts, bytes;
    unsigned pitch;  ///< counters of a warp: whole words

    WARPFOLD_HD explicit layout(const bucket_division& how)
        : values((how.buckets * sizeof(std::size_t) + 15) & ~std::size_t{15}),
          rows(values + (is_staged ? tile * sizeof(stored) : 0)),
          counters(rows + tile * sizeof(unsigned)),
          pitch((how.none() + 8) & ~7u) {
      starts = counters + warps * pitch * sizeof(std::uint16_t);
      bytes = starts + pitch * sizeof(std::uint16_t);
    }
  };

  Work reduction;
  bucket_division how;
  unsigned bits;  ///< of the numbers of buckets
  caching cache;
  bucket_memory<stored> memory;

  WARPFOLD_HD const Work& work() const { return reduction; }
  WARPFOLD_DEVICE void operator()() const {
    const layout at(how);
    const auto shared = collective::dynamic_shared<unsigned char>(static_cast<unsigned>(at.bytes));
    const collective::shared_span<std::size_t> bases(shared.data(), how.buckets);
    const collective::shared_span<stored> values(shared.data() + at.values, is_staged ? tile : 0);
    const collective::shared_span<unsigned> rows(shared.data() + at.rows, tile);
    const counters_of_warps own{shared.data() + at.counters, at.pitch};
    const unsigned lane = threadIdx.x % collective::warp_size;
    const unsigned warp = threadIdx.x / collective::warp_size;
    const global_loads loads(cache);
    collective::wait_for_launch_before();
    unsigned ends[pairs_of_thread] = {};  // of the pairs of buckets in the tile before
    set_bases(bases);

    const std::size_t part = blockIdx.x * how.part_size, n = reduction.size();
    const std::size_t part_end = n - part < how.part_size ? n : part + how.part_size;
    WARPFOLD_NO_UNROLL
    for (std::size_t first = part; first < part_end; first += tile) {
      const std::size_t left = part_end - first;
      const unsigned there = left < tile ? static_cast<unsigned>(left) : tile;
      // Lane `l` has values l, l + 32 and so on of its warp.
      const unsigned begin = warp * unroll * collective::warp_size + lane;
      // Calls `use(u, i)` for each value, number `i` of the range.
      const auto each = [&](const auto& use) {
        const std::size_t i = first + begin;
        if (there == tile) {
          WARPFOLD_UNROLL
          for (unsigned u = 0; u < unroll; ++u) use(u, i + u * collective::warp_size);
        } else {
          WARPFOLD_UNROLL
          for (unsigned u = 0; u < unroll; ++u) {
            if (begin + u * collective::warp_size < there) use(u, i + u * collective::warp_size);
          }
        }
      };
      // The row of each value, and then also its rank in the lowest bits: fewer registers.
      unsigned ranked[unroll];
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < unroll; ++u) ranked[u] = how.classes;
      each([&](unsigned u, std::size_t i) {
        ranked[u] = row_of_label<true>(reduction.labels.at(i, loads), 0, how.classes);
      });
      own.clear(warp);
      __syncwarp();
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < unroll; ++u) {
        const unsigned rank = own.count(warp, how.bucket_of(ranked[u]), bits);
        ranked[u] = ranked[u] << rank_bits | rank;
      }
      // Later than the labels: otherwise they take registers meanwhile.
      chunk<stored, int{unroll}> loaded;
      each([&](unsigned u, std::size_t i) {
        loaded.set(u, stored_values<Work>::load(reduction, i, loads));
      });
      __syncthreads();
      const unsigned count = place_tile(own, bases, ends);
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < unroll; ++u) {
        const unsigned row = ranked[u] >> rank_bits;
        if (row >= how.classes) continue;
        const unsigned bucket = row >> how.class_bits;
        const unsigned to = (ranked[u] & ((1u << rank_bits) - 1)) + own.place(warp, bucket);
        rows.store(to, row);
        if constexpr (is_staged) {
          values.store(to, loaded.elements[u]);
        } else {
          memory.values.store(bases.load(bucket) + to, loaded.elements[u]);
        }
      }
      __syncthreads();
      for (unsigned i = threadIdx.x; i < count; i += threads) {
        const unsigned r = rows.load(i);
        const std::size_t to = bases.load(r >> how.class_bits) + i;
        if constexpr (is_staged) memory.values.store(to, values.load(i));
        const unsigned in_bucket = r & ((1u << how.class_bits) - 1);
        if (memory.bytes.size != 0) {
          memory.bytes.store(to, static_cast<std::uint8_t>(in_bucket));
        } else {
          memory.shorts.store(to, static_cast<std::uint16_t>(in_bucket));
        }
      }
    }
    collective::let_next_launch_start();
  }

 private:
  static constexpr unsigned pairs_of_thread = bucket_division::most / 2 / threads;

  /// A counter of 16 bits for each warp and bucket. Neighbors are added up in one word.
  struct counters_of_warps {
    unsigned char* data;
    unsigned pitch;

    WARPFOLD_DEVICE collective::shared_span<std::uint16_t> counters() const {
      return {data, (warps + 1) * pitch};
    }
    WARPFOLD_DEVICE collective::shared_span<unsigned> pairs() const {
      return {data, (warps + 1) * pitch / 2};
    }
    /// Sets the counters of a warp to zero.
    WARPFOLD_DEVICE void clear(unsigned warp) const {
      const unsigned words = pitch / 8;
      const collective::shared_span<word> all(data, warps * words);
      for (unsigned i = threadIdx.x % collective::warp_size; i < words;
           i += collective::warp_size) {
        all.store(warp * words + i, word{});
      }
    }
    /// Counts a value of each lane. Returns how many of the same bucket the warp has counted
    /// before.
    WARPFOLD_DEVICE unsigned count(unsigned warp, unsigned bucket, unsigned key_bits) const {
      const auto all = counters();
      const unsigned same = collective::lanes_of_key(bucket, key_bits);
      const unsigned lane = threadIdx.x % collective::warp_size;
      const unsigned at = warp * pitch + bucket;
      const unsigned before =
          all.load(at) + collective::lane_count(same & collective::lanes_below(lane));
      __syncwarp();
      if (same >> lane == 1) all.store(at, static_cast<std::uint16_t>(before + 1));
      __syncwarp();
      return before;
    }
    /// The place of a warp's first value of a bucket, after `place_tile`.
    WARPFOLD_DEVICE unsigned place(unsigned warp, unsigned bucket) const {
      const auto all = counters();
      return all.load(warps * pitch + bucket) + all.load(warp * pitch + bucket);
    }
  };

  /// `bases` becomes the place in memory of the block's first value of each bucket.
  WARPFOLD_DEVICE void set_bases(const collective::shared_span<std::size_t>& bases) const {
    WARPFOLD_UNROLL
    for (unsigned k = 0; k < pairs_of_thread; ++k) {
      for (unsigned b = 2 * (k * threads + threadIdx.x), i = 0; i < 2 && b + i < how.buckets; ++i) {
        bases.store(b + i, memory.begins.load(b + i) +
                               memory.counts.load(std::size_t{b + i} * how.blocks + blockIdx.x));
      }
    }
  }

  /// Counters become places in the tile: of a warp among those of the bucket, and of buckets. A
  /// thread has `pairs_of_thread` pairs of buckets, which are neighbors in the tile. `bases`
  /// becomes the place in memory less that in the tile. Returns the number of values. Ends with a
  /// barrier.
  WARPFOLD_DEVICE unsigned place_tile(const counters_of_warps& own,
                                      const collective::shared_span<std::size_t>& bases,
                                      unsigned (&ends)[pairs_of_thread]) const {
    WARPFOLD_SHARED collective::shared_array<unsigned, warps> of_warps;
    const auto all = own.pairs();
    const unsigned pitch = own.pitch / 2, count = how.none() / 2;
    unsigned sizes[pairs_of_thread], of_thread = 0;
    WARPFOLD_UNROLL
    for (unsigned k = 0; k < pairs_of_thread; ++k) {
      const unsigned p = k * threads + threadIdx.x;
      sizes[k] = 0;
      if (p >= count) continue;
      WARPFOLD_UNROLL
      for (unsigned w = 0; w < warps; ++w) {
        const unsigned of_warp = all.load(w * pitch + p);
        all.store(w * pitch + p, sizes[k]);
        sizes[k] += of_warp;
      }
      of_thread += (sizes[k] & 0xffff) + (sizes[k] >> 16);
    }
    unsigned up_to = of_thread;
    for (unsigned apart = 1; apart < collective::warp_size; apart *= 2) {
      const unsigned other = __shfl_up_sync(collective::full_warp, up_to, apart);
      if (threadIdx.x % collective::warp_size >= apart) up_to += other;
    }
    const unsigned warp = threadIdx.x / collective::warp_size;
    if (threadIdx.x % collective::warp_size == collective::warp_size - 1) {
      of_warps.store(warp, up_to);
    }
    __syncthreads();
    unsigned start = up_to - of_thread, in_tile = 0;
    WARPFOLD_UNROLL
    for (unsigned w = 0; w < warps; ++w) {
      const unsigned of_warp = of_warps.load(w);
      in_tile += of_warp;
      start += w < warp ? of_warp : 0;
    }
    WARPFOLD_UNROLL
    for (unsigned k = 0; k < pairs_of_thread; ++k) {
      const unsigned p = k * threads + threadIdx.x;
      if (p >= count) continue;
      const unsigned middle = start + (sizes[k] & 0xffff), end = middle + (sizes[k] >> 16);
      all.store(warps * pitch + p, start | middle << 16);
      move_base(bases, 2 * p, ends[k] & 0xffff, start);
      move_base(bases, 2 * p + 1, ends[k] >> 16, middle);
      ends[k] = middle | end << 16;
      start = end;
    }
    __syncthreads();
    return in_tile;
  }

  /// @param before the end of the bucket in the tile before
  /// @param now its begin in this one
  WARPFOLD_DEVICE void move_base(const collective::shared_span<std::size_t>& bases, unsigned bucket,
                                 unsigned before, unsigned now) const {
    if (bucket < how.buckets) bases.store(bucket, bases.load(bucket) + before - now);
  }
};

/// Enqueues the partition: three launches.
template <class Work, class Stored, class Launcher>
void enqueue_partition(const char* name, const Work& work, const bucket_division& how,
                       const bucket_memory<Stored>& memory, Launcher& launcher) {
  const caching cache = tuning::caching_of_reads(work, launcher.gpu());
  const std::size_t counters = (how.none() + 1) * sizeof(unsigned);
  unsigned copies = 1;
  while (copies < 32 && 2 * copies * counters <= 33 * 1024) copies *= 2;
  using counting = count_buckets<Work>;
  launcher.launch(name, counting{work, how, copies, cache, memory.counts},
                  {how.blocks, static_cast<unsigned>(counting::max_block), copies * counters});
  launcher.launch(name,
                  place_buckets{how, launcher.grid(), memory.counts, memory.begins, memory.shares,
                                memory.share_count},
                  {(how.buckets - 1) / bucket_division::warps + 1, bucket_division::threads});
  using scatter = scatter_to_buckets<Work>;
  launcher.launch(name, scatter{work, how, how.bits(), cache, memory},
                  {how.blocks, scatter::threads, typename scatter::layout(how).bytes});
}

}  // namespace warpfold::kernel::detail
