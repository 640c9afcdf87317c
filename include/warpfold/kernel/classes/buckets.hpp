/// @file
/// Folds many classes of values: brings the values into the order of buckets (partition.hpp), and
/// folds each bucket with tables (block_tables.hpp).
///
/// - A bucket has 64 classes, or more if there would be more than 512 buckets. With 1024, the runs
///   that go to memory are short (65536 classes of 2^24 floats, H200: 389 -> 561 us). It has fewer
///   classes if only then 32 threads have room for a table each.
/// - Blocks have as many threads as have room for a table each, 32 to 128. If 32 have none, each
///   warp has a table.
/// - A block folds a share of a bucket: about n / 820 values, so that labels that are all equal
///   take as long as others. The last block of a bucket folds the tables of its shares, in a fixed
///   order.
/// - Order: fixed by the numbers of values and classes and the types: the same bits on every run
///   and every GPU. Only if tables of each warp are larger than 47 KB, it also depends on the GPU.
/// - Cost: reads the labels twice and the values once; writes and reads a copy of the values and
///   one or two bytes for each. Four launches. Scratch: that copy, and a table for each share.
/// - Wrong labels: their values are left out.
/// - Needs: compute capability 7.0.
#pragma once

#include <cstddef>

#include <warpfold/kernel/classes/block_tables.hpp>
#include <warpfold/kernel/classes/partition.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct class_buckets {
  static constexpr const char* name() { return "class_buckets"; }

  /// @tparam PerThread true if each thread has a table
  template <class Work, bool PerThread>
  struct body {
    using state = typename Work::state;
    using stored = typename detail::stored_values<Work>::type;

    static constexpr int max_block = 128;
    static constexpr bool waits_for_launch_before = true;
    /// Values of a thread in flight. A user function is inlined for each of them, twice.
    static constexpr int unroll = sizeof(state) > 16 ? 2 : 8;

    Work reduction;
    detail::bucket_division how;
    unsigned bits;  ///< of the numbers from 0 to the classes of a bucket
    collective::grid_storage grid;
    detail::bucket_memory<stored> memory;
    collective::global_array<state> tables;  ///< of all shares

    WARPFOLD_HD const Work& work() const { return reduction; }
    WARPFOLD_DEVICE void operator()() const {
      const auto fold = reduction.fold();
      const unsigned rows = 1u << how.class_bits;
      const detail::block_tables<typename Work::fold_type, PerThread> own(fold, rows, bits);
      own.clear();
      __syncthreads();
      collective::wait_for_launch_before();
      if (blockIdx.x >= memory.share_count.load(0)) return;
      const detail::bucket_share share = memory.shares.load(blockIdx.x);
      const std::size_t first = memory.begins.load(share.bucket);
      const std::size_t size = memory.begins.load(share.bucket + 1) - first;
      const std::size_t before = share.number * how.share_size, left = size - before;
      own.template fold_values<unroll>(
          values_of_share{reduction, memory}, first + before,
          first + before + (left < how.share_size ? left : how.share_size));
      collective::let_next_launch_start();

      const bool is_all = size <= how.share_size;
      const auto write = [&](unsigned c, const state& all) {
        const unsigned of = (share.bucket << how.class_bits) + c;
        if (of < how.classes) detail::write_class(reduction, of, all);
      };
      own.finish([&](unsigned c, const state& all) {
        if (is_all) {
          write(c, all);
        } else {
          tables.store(std::size_t{blockIdx.x} * rows + c, all);
        }
      });
      if (is_all) return;
      const auto shares = static_cast<unsigned>((size - 1) / how.share_size + 1);
      if (!collective::is_last_block(grid, share.bucket, shares)) return;
      const std::size_t at = std::size_t{blockIdx.x - share.number} * rows;
      own.finish_all({tables.data + at, std::size_t{shares} * rows}, shares, write);
    }

   private:
    /// The values of a bucket as its tables take them.
    struct values_of_share {
      using label_type = unsigned;

      const Work& reduction;
      const detail::bucket_memory<stored>& memory;

      WARPFOLD_DEVICE unsigned label(std::size_t i) const {
        if constexpr (PerThread) {
          return memory.bytes.load(i);
        } else {
          return memory.bytes.size != 0 ? memory.bytes.load(i) : memory.shorts.load(i);
        }
      }
      WARPFOLD_DEVICE unsigned row(unsigned own) const { return own; }
      WARPFOLD_DEVICE typename Work::state state(std::size_t i) const {
        return reduction.fold().state_of(
            detail::stored_values<Work>::lift(reduction, memory.values.load(i)));
      }
    };
  };

  /// True if the GPU has room for the tables of a bucket and for a tile.
  template <class Work>
  static bool has_room(const Work& work, const device_info& gpu) {
    return plan_of(work, gpu).threads != 0;
  }

  /// Launches four times; not at all without classes.
  /// @throws unsupported_kernel unless `has_room`
  template <class Work, class Launcher>
  void enqueue(const Work& work, Launcher& launcher) const {
    if (work.classes == 0) return;
    const plan p = plan_of(work, launcher.gpu());
    if (p.threads == 0) (void)detail::ranges_of_classes(work, 0, sizeof(typename Work::state), 0);
    if (p.per_thread) {
      enqueue_as<true>(work, p, launcher);
    } else {
      enqueue_as<false>(work, p, launcher);
    }
  }

 private:
  /// The shared memory of the tables of a block if possible: every GPU has it.
  static constexpr std::size_t usual_room = 47 * 1024;

  struct plan {
    detail::bucket_division how{};
    unsigned threads = 0;  ///< of a block that folds; 0 if there is no room
    bool per_thread = false;
    std::size_t table_bytes = 0;
  };

  template <class Work>
  static plan plan_of(const Work& work, const device_info& gpu) {
    using scatter = detail::scatter_to_buckets<Work>;
    constexpr std::size_t bytes = sizeof(typename Work::state);
    constexpr std::size_t most = detail::bucket_division::most;
    plan p;
    if (work.classes == 0 || work.classes > detail::bucket_division::most_classes) return p;
    const auto buckets_of = [&](unsigned bits) { return ((work.classes - 1) >> bits) + 1; };
    // Sets the largest number of threads that have room. Tables of threads take labels of a byte.
    const auto find_threads = [&](bool per_thread, unsigned bits, std::size_t room) {
      if (per_thread && bits > 8) return false;
      for (unsigned t = body<Work, true>::max_block; t >= collective::warp_size; t /= 2) {
        const std::size_t rows = std::size_t{1} << bits;
        p.table_bytes = bytes * (per_thread ? detail::states_of_block<true>(t, rows)
                                            : detail::states_of_block<false>(t, rows));
        p.per_thread = per_thread;
        p.threads = p.table_bytes <= room ? t : 0;
        if (p.threads != 0) return true;
      }
      return false;
    };
    unsigned bits = 6;
    while (buckets_of(bits) > most) ++bits;
    const unsigned wanted = bits;
    while (bits > 0 && !find_threads(true, bits, usual_room) && buckets_of(bits - 1) <= most)
      --bits;
    if (p.threads == 0) {
      bits = wanted;
      const std::size_t room = detail::room_for_classes(gpu);
      if (!find_threads(false, bits, usual_room)) find_threads(false, bits, room);
    }
    const std::size_t n = work.size();
    auto& how = p.how;
    how.classes = static_cast<unsigned>(work.classes);
    how.class_bits = bits;
    how.buckets = static_cast<unsigned>(buckets_of(bits));
    const typename scatter::layout shared(how);
    if (shared.bytes > detail::room_for_classes(gpu)) p.threads = 0;
    // A little more than n / 1024: two shares for each of 512 buckets.
    how.share_size = ((n / 1024 * 5 / 4) / 1024 + 1) * 1024;
    if (how.share_size < 5 * 1024) how.share_size = 5 * 1024;
    // As many blocks as are resident.
    const std::size_t resident = gpu.shared_bytes_per_block / (shared.bytes + 1024);
    const std::size_t at_once =
        static_cast<std::size_t>(gpu.multiprocessors) * (resident < 1   ? 1
                                                         : resident < 3 ? resident
                                                                        : 3);
    const std::size_t tiles = n == 0 ? 1 : (n - 1) / scatter::tile + 1;
    const std::size_t each = (tiles - 1) / at_once + 1;
    how.part_size = each * scatter::tile;
    how.blocks = static_cast<unsigned>((tiles - 1) / each + 1);
    return p;
  }

  template <bool PerThread, class Work, class Launcher>
  static void enqueue_as(const Work& work, const plan& p, Launcher& launcher) {
    using state = typename Work::state;
    using scatter = detail::scatter_to_buckets<Work>;
    using stored = typename scatter::stored;
    const detail::bucket_division& how = p.how;
    const std::size_t n = work.size(), shares = how.most_shares(n);
    const std::size_t rows = std::size_t{1} << how.class_bits;

    // All arrays in one piece of memory, of `unit`s.
    constexpr std::size_t unit = 256;
    std::size_t units = 0;
    const auto place = [&](std::size_t bytes) {
      const std::size_t at = units;
      units += (bytes + unit - 1) / unit;
      return at * unit;
    };
    const bool are_bytes = how.class_bits <= 8;
    const std::size_t values = place(n * sizeof(stored));
    const std::size_t labels = place(n * (are_bytes ? 1 : 2));
    const std::size_t tables = place(shares * rows * sizeof(state));
    const std::size_t counts = place(how.buckets * how.blocks * sizeof(std::size_t));
    const std::size_t begins = place((how.buckets + 1) * sizeof(std::size_t));
    const std::size_t list = place(shares * sizeof(detail::bucket_share));
    const std::size_t count = place(sizeof(unsigned));
    struct alignas(unit) piece {
      unsigned char bytes[unit];
    };
    auto* const data =
        reinterpret_cast<unsigned char*>(launcher.template scratch<piece>(units).data);
    const auto array = [&]<class T>(const T*, std::size_t at, std::size_t size) {
      return collective::global_array<T>{reinterpret_cast<T*>(data + at), size};
    };
    const detail::bucket_memory<stored> memory{
        array(static_cast<const stored*>(nullptr), values, n),
        array(static_cast<const std::uint8_t*>(nullptr), labels, are_bytes ? n : 0),
        array(static_cast<const std::uint16_t*>(nullptr), labels, are_bytes ? 0 : n),
        array(static_cast<const std::size_t*>(nullptr), counts, how.buckets * how.blocks),
        array(static_cast<const std::size_t*>(nullptr), begins, how.buckets + 1),
        array(static_cast<const detail::bucket_share*>(nullptr), list, shares),
        array(static_cast<const unsigned*>(nullptr), count, 1)};

    detail::enqueue_partition(name(), work, how, memory, launcher);
    launcher.launch(
        name(),
        body<Work, PerThread>{work, how, how.class_bits + 1, launcher.grid(), memory,
                              array(static_cast<const state*>(nullptr), tables, shares * rows)},
        {grid_of(shares), p.threads, p.table_bytes});
  }
};

}  // namespace warpfold::kernel
