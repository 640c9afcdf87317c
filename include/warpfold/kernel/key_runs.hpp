/// @file
/// Folds the values of runs of equal keys in the declared order (op/fold_order.hpp), in one pass:
/// the bits of a run are those of `reduce` of its values by wf::seq.
///
/// - Idea: a block has a tile of keys. It finds where runs begin, and a look-back (look_back.hpp)
///   counts the runs before the tile. The block folds each run that ends in its tile: the length
///   decides whether a lane, several lanes, a warp or the block does it. So a run is folded as a
///   whole, from its first value on, whatever the tiles. Runs of more than `longest_of_block`
///   values are entered in a list, and the last blocks of the grid fold them in parts
///   (grid_groups.hpp).
/// - Cost: keys and values are read once from memory; the keys that begin runs once more from a
///   cache. Two launches: the first clears 16 bytes for each tile. One, if there is one tile.
/// - Needs: compute capability 7.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/grid_groups.hpp>
#include <warpfold/collective/group_fold.hpp>
#include <warpfold/collective/lane_set.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/look_back.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/shuffle.hpp>
#include <warpfold/collective/thread_nodes.hpp>
#include <warpfold/collective/warp_sum.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/view/global_access.hpp>
#include <warpfold/view/part.hpp>
#include <warpfold/work/key_reduction.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct key_runs {
  static constexpr const char* name() { return "key_runs"; }

  static constexpr unsigned warps = 8;
  static constexpr unsigned threads = warps * collective::warp_size;
  static constexpr unsigned keys_of_thread = 16;
  static constexpr unsigned keys_of_warp = keys_of_thread * collective::warp_size;
  static constexpr unsigned tile_keys = threads * keys_of_thread;
  /// The longest run that begins before a tile and is folded by one warp.
  static constexpr unsigned longest_of_warp = 1024;
  /// The longest run that a lane folds in registers, used if no run of the warp is longer.
  static constexpr unsigned longest_of_few = 8;

  /// Takes the place of the segments of a segmented reduction: the kernel itself finds the bounds.
  struct own_bounds {
    static constexpr bool tells_memory = true;
  };

  /// What the blocks do.
  struct plan {
    bool writes = true;  ///< false: counts the runs only
    unsigned helpers = 0;
    unsigned part_log2 = 0;  ///< log2 of the parts that helpers fold
    std::size_t longest_of_block = static_cast<std::size_t>(-1);
    std::size_t room;  ///< elements of the shorter output
  };

  /// Zeroes posts.
  struct clear {
    static constexpr int max_block = threads;
    static constexpr bool calls_user_functions = false;
    static constexpr bool waits_for_launch_before = true;

    collective::global_array<collective::post> posts;

    WARPFOLD_DEVICE void operator()() const {
      collective::let_next_launch_start();
      collective::wait_for_launch_before();
      const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
      if (i < posts.size) posts.store(i, {0, 0});
    }
  };

  // The blocks of a multiprocessor for whose keys and accumulators the registers suffice.
  template <class Work>
  static constexpr int blocks_for() {
    constexpr bool are_small = sizeof(typename Work::key_type) <= 4;
    if constexpr (Work::has_values) {
      using folds = decltype(std::declval<const Work&>().folds_of(own_bounds{}));
      constexpr std::size_t bytes = sizeof(typename folds::accumulator);
      return bytes <= 8 && are_small ? 5 : bytes <= 16 ? 4 : bytes <= 32 ? 2 : 1;
    } else {
      return are_small ? 6 : 4;
    }
  }

  template <class Work, class Out>
  struct body {
    static constexpr int max_block = threads;
    static constexpr int min_blocks_per_multiprocessor = blocks_for<Work>();
    static constexpr bool waits_for_launch_before = true;

    Work keyed;
    caching cache;
    plan how;
    collective::post* posts;           ///< of the tiles
    collective::grid_storage scratch;  ///< of the list of long runs
    collective::result_sink<Out> sink;

    WARPFOLD_HD const Work& work() const { return keyed; }
    WARPFOLD_DEVICE void operator()() const {
      collective::wait_for_launch_before();
      if constexpr (Work::has_values) {
        WARPFOLD_SHARED typename folder::storage_type storage;
        const folder folds(*this, storage);
        if (is_helper()) return folds.help();
        const bool has_entered = take_tile(folds);
        if (how.helpers != 0) folds.end_of_tile(has_entered);
      } else {
        (void)take_tile(*this);
      }
      collective::let_next_launch_start();
    }

   private:
    WARPFOLD_DEVICE std::size_t tiles() const { return gridDim.x - how.helpers; }
    WARPFOLD_DEVICE bool is_helper() const { return blockIdx.x >= tiles(); }
    WARPFOLD_DEVICE bool is_last() const { return blockIdx.x == tiles() - 1; }

    // Where runs begin among the keys of a warp. A lane has some neighbors in each row.
    class warp_begins {
      using view = typename Work::keys_view;
      using key = typename Work::key_type;
      static constexpr auto chunk_size = static_cast<unsigned>(view::chunk_size);
      static constexpr unsigned width = keys_of_thread % chunk_size == 0 ? chunk_size : 1;
      static constexpr unsigned rows = keys_of_thread / width;

     public:
      // @param first the number of the warp's first key
      WARPFOLD_DEVICE warp_begins(const Work& keyed, std::size_t first, const global_loads& loads) {
        const unsigned lane = threadIdx.x % collective::warp_size;
        const std::size_t all = keyed.size(), left = first < all ? all - first : 0;
        const auto there = static_cast<unsigned>(left < keys_of_warp ? left : keys_of_warp);
        chunk<key, int{keys_of_thread}> own;
        load(keyed.keys, first, there, loads, own);
        // Of lane 0: the key before the row.
        chunk<key, 1> before;
        before.set(0, keyed.keys.at(first == 0 || there == 0 ? 0 : first - 1, loads));
        WARPFOLD_UNROLL
        for (unsigned r = 0; r < rows; ++r) {
          const key of_lane_before =
              collective::shuffle_from(own.elements[r * width + width - 1],
                                       (lane + collective::warp_size - 1) % collective::warp_size);
          WARPFOLD_UNROLL
          for (unsigned k = 0; k < width; ++k) {
            const key left_key = k > 0       ? own.elements[r * width + k - 1]
                                 : lane == 0 ? before.elements[0]
                                             : of_lane_before;
            if (place(r) + k < there && !keyed.are_equal(left_key, own.elements[r * width + k])) {
              mask_ |= 1u << (r * width + k);
            }
          }
          before.set(0, of_lane_before);
        }
        if (first == 0 && lane == 0) mask_ |= there == 0 ? 0u : 1u;
        count_lanes(lane);
      }
      // The runs that begin in the warp.
      WARPFOLD_DEVICE unsigned count() const { return count_; }
      // 1 + the place of the last of them; 0 if there is none. All lanes call it.
      WARPFOLD_DEVICE unsigned last() const {
        const unsigned bit = collective::highest_lane(mask_ | 1);
        return collective::warp_max(mask_ == 0 ? 0 : place(bit / width) + bit % width + 1);
      }
      // Stores their places, after those of `from` others.
      WARPFOLD_DEVICE void store(collective::shared_span<std::uint16_t> begins,
                                 unsigned from) const {
        const unsigned first = threadIdx.x / collective::warp_size * keys_of_warp;
        WARPFOLD_UNROLL
        for (unsigned r = 0; r < rows; ++r) {
          unsigned at = from + before_[r];
          WARPFOLD_UNROLL
          for (unsigned k = 0; k < width; ++k) {
            if ((mask_ >> (r * width + k) & 1) == 0) continue;
            begins.store(at++, static_cast<std::uint16_t>(first + place(r) + k));
          }
        }
      }

     private:
      WARPFOLD_DEVICE static unsigned place(unsigned r) {
        return (r * collective::warp_size + threadIdx.x % collective::warp_size) * width;
      }
      WARPFOLD_DEVICE static void load(const view& keys, std::size_t first, unsigned there,
                                       const global_loads& loads,
                                       chunk<key, int{keys_of_thread}>& own) {
        if constexpr (width > 1) {
          if (there == keys_of_warp) {
            typename view::chunk_type loaded[rows];
            WARPFOLD_UNROLL
            for (unsigned r = 0; r < rows; ++r) {
              keys.load_anywhere(loaded[r], first + place(r), loads);
            }
            WARPFOLD_UNROLL
            for (unsigned r = 0; r < rows; ++r) {
              WARPFOLD_UNROLL
              for (unsigned k = 0; k < width; ++k) {
                own.set(r * width + k, keys.get(loaded[r], static_cast<int>(k)));
              }
            }
            return;
          }
        }
        WARPFOLD_UNROLL
        for (unsigned r = 0; r < rows; ++r) {
          WARPFOLD_UNROLL
          for (unsigned k = 0; k < width; ++k) {
            // No branch: a load would wait for the one before.
            const std::size_t i = first + place(r) + k;
            own.set(r * width + k, keys.at(i < keys.size() ? i : keys.size() - 1, loads));
          }
        }
      }

      // Counts the runs that begin before each row of the lane, and in the warp.
      WARPFOLD_DEVICE void count_lanes(unsigned lane) {
        constexpr unsigned row_mask = width == 32 ? ~0u : (1u << width) - 1;
        if constexpr (rows <= 4) {
          // A row has at most 32 * width keys, whose number fits its bits of the word.
          constexpr unsigned bits = 32 / rows;
          unsigned own = 0;
          WARPFOLD_UNROLL
          for (unsigned r = 0; r < rows; ++r) {
            own |= collective::lane_count(mask_ >> (r * width) & row_mask) << (r * bits);
          }
          unsigned up_to = own;
          WARPFOLD_UNROLL
          for (unsigned apart = 1; apart < collective::warp_size; apart *= 2) {
            const unsigned other =
                collective::shuffle_from(up_to, lane < apart ? lane : lane - apart);
            if (lane >= apart) up_to += other;
          }
          const unsigned of_rows = collective::shuffle_from(up_to, collective::warp_size - 1);
          constexpr unsigned sum_mask = bits == 32 ? ~0u : (1u << bits) - 1;
          WARPFOLD_UNROLL
          for (unsigned r = 0; r < rows; ++r) {
            before_[r] = count_ + ((up_to - own) >> (r * bits) & sum_mask);
            count_ += of_rows >> (r * bits) & sum_mask;
          }
        } else {
          WARPFOLD_UNROLL
          for (unsigned r = 0; r < rows; ++r) {
            before_[r] = count_;
            WARPFOLD_UNROLL
            for (unsigned k = 0; k < width; ++k) {
              const unsigned lanes =
                  __ballot_sync(collective::full_warp, (mask_ >> (r * width + k) & 1) != 0);
              before_[r] += collective::lane_count(lanes & collective::lanes_below(lane));
              count_ += collective::lane_count(lanes);
            }
          }
        }
      }

      unsigned mask_ = 0, count_ = 0;
      unsigned before_[rows];  // of the runs of the warp, those before the lane's keys of a row
    };

    // Finds the runs of this block's tile, and writes the keys and the results of those that end
    // there. Returns true if this thread has entered a long run in the list.
    template <class Folds>
    WARPFOLD_DEVICE bool take_tile(const Folds& folds) const {
      WARPFOLD_SHARED collective::shared_array<unsigned, warps> counts, lasts;
      WARPFOLD_SHARED collective::shared_array<std::uint16_t, tile_keys> begins;
      WARPFOLD_SHARED collective::shared_array<std::size_t, 2> before;
      const unsigned lane = threadIdx.x % collective::warp_size;
      const unsigned warp = threadIdx.x / collective::warp_size;
      const std::size_t tile = blockIdx.x, first = tile * tile_keys;
      const global_loads loads(cache);
      if (keyed.size() == 0) {
        if (threadIdx.x == 0) sink.deliver(std::size_t{0});
        return false;
      }
      const warp_begins own_begins(keyed, first + warp * keys_of_warp, loads);
      const unsigned last_of_warp = own_begins.last();
      if (lane == 0) {
        counts.store(warp, own_begins.count());
        lasts.store(warp, last_of_warp == 0 ? 0 : warp * keys_of_warp + last_of_warp);
      }
      __syncthreads();
      unsigned count_before = 0, count = 0, last = 0;
      WARPFOLD_UNROLL
      for (unsigned w = 0; w < warps; ++w) {
        if (w == warp) count_before = count;
        count += counts.load(w);
        const unsigned last_of_other = lasts.load(w);
        if (last_of_other != 0) last = last_of_other;
      }

      const collective::look_back others(posts);
      const collective::begun_runs own{count, last == 0 ? 0 : first + last};
      if (threadIdx.x == 0) {
        if (tile == 0) {
          others.post_all(tile, own);
          before.store(0, 0);
          before.store(1, 0);
        } else {
          others.post_own(tile, own);
        }
      }
      own_begins.store(begins, count_before);
      if (warp == 0 && tile != 0) {
        const collective::begun_runs found = others.await_before(tile);
        if (lane == 0) {
          others.post_all(tile, found.then(own));
          before.store(0, found.count);
          before.store(1, found.last);
        }
      }
      __syncthreads();
      const std::size_t base = before.load(0), open = before.load(1);
      if (is_last() && threadIdx.x == 0) sink.deliver(base + count);
      if (!how.writes) return false;

      const global_access stores{};
      const std::size_t room = base < how.room ? how.room - base : 0;
      const auto writable = static_cast<unsigned>(room < count ? room : count);
      for (unsigned j = threadIdx.x; j < writable; j += threads) {
        keyed.write_key(base + j, first + begins.load(j), stores);
      }
      // The runs that end here: where the next one begins, or the keys end.
      const auto keys_here = static_cast<unsigned>(
          keyed.size() - first < tile_keys ? keyed.size() - first : tile_keys);
      const auto end_of = [&](unsigned j) {
        return j < count ? unsigned{begins.load(j)} : keys_here;
      };
      const unsigned ends = is_last() ? count + 1 : count;
      bool has_entered = false;
      if (ends != 0 && open != 0 && base <= how.room) {
        has_entered = folds.write_open(base - 1, open - 1, first + end_of(0) - (open - 1), loads);
      }
      const auto inner = static_cast<unsigned>(room < ends - 1 ? room : ends - 1);
      if (ends > 1 && inner != 0) folds.write_inner(base, first, inner, begins, end_of, loads);
      return has_entered;
    }

    // The lengths of runs.
    WARPFOLD_DEVICE bool write_open(std::size_t run, std::size_t, std::size_t length,
                                    const global_loads&) const {
      if (threadIdx.x == 0) keyed.write_length(run, length, global_access{});
      return false;
    }
    template <class EndOf>
    WARPFOLD_DEVICE void write_inner(std::size_t run, std::size_t, unsigned count,
                                     collective::shared_span<std::uint16_t> begins,
                                     const EndOf& end_of, const global_loads&) const {
      for (unsigned j = threadIdx.x; j < count; j += threads) {
        keyed.write_length(run + j, end_of(j + 1) - begins.load(j), global_access{});
      }
    }

    // The folds of values.
    class folder {
      using folds_type =
          std::remove_cvref_t<decltype(std::declval<const Work&>().folds_of(own_bounds{}))>;
      using accumulator = typename folds_type::accumulator;
      using groups_type = collective::grid_groups<accumulator>;
      static_assert(sizeof(accumulator) <= 1024,
                    "warpfold: accumulators of more than 1024 bytes do not fit a block's shared "
                    "memory; fold smaller states");

     public:
      using storage_type = collective::shared_array<accumulator, warps>;

      WARPFOLD_DEVICE folder(const body& b, collective::shared_span<accumulator> storage)
          : b_(b), values_(b.keyed.folds_of(own_bounds{})), groups_(b.scratch), storage_(storage) {}

      // Folds the run that begins before the tile, or enters it in the list.
      WARPFOLD_DEVICE bool write_open(std::size_t run, std::size_t begin, std::size_t length,
                                      const global_loads& loads) const {
        if (length <= longest_of_warp) {
          if (threadIdx.x / collective::warp_size == warps - 1) {
            write_by_warp(run, begin, length, loads);
          }
          return false;
        }
        if (length > b_.how.longest_of_block) {
          if (threadIdx.x != 0) return false;
          groups_.enter(run, begin, length, b_.how.part_log2);
          return true;
        }
        fold_by_block(begin, 0, length, loads, [&](const accumulator& a) { write(run, a); });
        return false;
      }

      // Folds runs inside of the tile: run `j` is from `begins[j]` up to `end_of(j + 1)`.
      template <class EndOf>
      WARPFOLD_DEVICE void write_inner(std::size_t run, std::size_t first, unsigned count,
                                       collective::shared_span<std::uint16_t> begins,
                                       const EndOf& end_of, const global_loads& loads) const {
        const unsigned warp = threadIdx.x / collective::warp_size;
        const unsigned lane = threadIdx.x % collective::warp_size;
        const unsigned mean = (end_of(count) - begins.load(0)) / count;
        if (mean > 64) {
          WARPFOLD_NO_UNROLL
          for (unsigned j = warp; j < count; j += warps) {
            const unsigned begin = begins.load(j);
            write_by_warp(run + j, first + begin, end_of(j + 1) - begin, loads);
          }
          return;
        }
        const unsigned lanes_log2 = mean <= 8 ? 0 : mean <= 16 ? 1 : mean <= 32 ? 2 : 3;
        const unsigned at_once = collective::warp_size >> lanes_log2;
        const unsigned longest_of_lanes = collective::longest_of_lane << lanes_log2;
        WARPFOLD_NO_UNROLL
        for (unsigned done = warp * at_once; done < count; done += warps * at_once) {
          const unsigned j = done + (lane >> lanes_log2);
          const unsigned begin = j < count ? begins.load(j) : 0;
          const unsigned length = j < count ? end_of(j + 1) - begin : 0;
          const unsigned own_length = length <= longest_of_lanes ? length : 0;
          const unsigned longest = collective::warp_max(own_length);
          if (longest != 0) {
            const accumulator a = fold_short(values_from(first + begin, longest, loads), own_length,
                                             longest, lanes_log2);
            if ((lane & ((1u << lanes_log2) - 1)) == 0 && own_length != 0) write(run + j, a);
          }
          unsigned left =
              __ballot_sync(collective::full_warp,
                            length > longest_of_lanes && (lane & ((1u << lanes_log2) - 1)) == 0);
          WARPFOLD_NO_UNROLL
          while (left != 0) {
            const unsigned of = collective::highest_lane(left);
            left ^= 1u << of;
            write_by_warp(run + collective::shuffle_from(j, of),
                          first + collective::shuffle_from(begin, of),
                          collective::shuffle_from(length, of), loads);
          }
        }
      }

      WARPFOLD_DEVICE void end_of_tile(bool has_entered) const {
        groups_.end_of_looks(has_entered);
      }

      // Folds parts of the long runs of all tiles.
      WARPFOLD_DEVICE void help() const {
        WARPFOLD_SHARED typename groups_type::helper_storage found;
        const global_loads loads(b_.cache);
        const unsigned parts = groups_.await_parts(static_cast<unsigned>(b_.tiles()), found);
        unsigned turn = 0;
        WARPFOLD_NO_UNROLL
        for (auto part = static_cast<unsigned>(blockIdx.x - b_.tiles()); part < parts;
             part += b_.how.helpers) {
          const collective::grid_group g = groups_.group_of(part, turn++ & 1, found);
          const std::size_t first = std::size_t{part - g.first_part} << b_.how.part_log2;
          const std::size_t left = g.length - first, most = std::size_t{1} << b_.how.part_log2;
          fold_by_block(g.begin, first, left < most ? left : most, loads,
                        [&](const accumulator& a) { groups_.store(part, a); });
          __syncthreads();  // others may still read `storage_`
        }
        if (parts == 0) return;  // the next launch clears the list
        groups_.finish(values_.fold(), b_.how.helpers, storage_, found,
                       [&](std::size_t run, const accumulator& a) { write(run, a); });
      }

     private:
      WARPFOLD_DEVICE void write(std::size_t run, const accumulator& a) const {
        values_.write(run, values_.result(values_.fold().state_of(a)), global_access{});
      }
      // A function that loads the values from number `from` on.
      WARPFOLD_DEVICE auto values_from(std::size_t from, std::size_t count,
                                       const global_loads& loads) const {
        return [own = warpfold::detail::part_in_kernel(values_.view, from, count),
                &loads](unsigned i) { return own.at(i, loads); };
      }
      // Folds short runs, each by `1 << lanes_log2` lanes.
      // @param longest the largest length
      WARPFOLD_DEVICE accumulator fold_short(const auto& get, unsigned length, unsigned longest,
                                             unsigned lanes_log2) const {
        if constexpr (sizeof(accumulator) <= 16) {
          if (lanes_log2 == 0 && longest <= longest_of_few) return fold_few(get, length, longest);
        }
        return collective::fold_groups(values_, get, length, longest, lanes_log2);
      }
      WARPFOLD_DEVICE accumulator fold_few(const auto& get, unsigned length,
                                           unsigned longest) const {
        const auto fold = values_.fold();
        const accumulator own = values_.lift(get(0), 0);
        if (longest == 1) return own;
        collective::thread_nodes<accumulator, 3> nodes(own);
        WARPFOLD_UNROLL
        for (unsigned k = 1; k < longest_of_few; ++k) {
          if (k >= longest) break;
          const unsigned there = k < length ? k : 0;  // no branch
          nodes.add(fold, k, values_.lift(get(there), there), k < length);
        }
        return nodes.folded(fold, length);
      }
      // The fold of values of a run that begins with value `begin`, from its value `first` on.
      WARPFOLD_DEVICE accumulator fold_by_warp(std::size_t begin, std::size_t first,
                                               std::size_t length,
                                               const global_loads& loads) const {
        return collective::fold_group(
            values_,
            [&](std::size_t i) { return values_from(begin + first + i, length - i, loads); },
            length, first);
      }
      WARPFOLD_DEVICE void write_by_warp(std::size_t run, std::size_t begin, std::size_t length,
                                         const global_loads& loads) const {
        const accumulator a = fold_by_warp(begin, 0, length, loads);
        if (threadIdx.x % collective::warp_size == 0) write(run, a);
      }
      // The same by all threads. One of them calls `use(value)`.
      WARPFOLD_DEVICE void fold_by_block(std::size_t begin, std::size_t first, std::size_t length,
                                         const global_loads& loads, const auto& use) const {
        collective::fold_group_by_block<warps>(
            values_, length,
            [&](std::size_t from, std::size_t count) {
              return fold_by_warp(begin, first + from, count, loads);
            },
            storage_, use);
      }

      const body& b_;
      folds_type values_;
      groups_type groups_;
      collective::shared_span<accumulator> storage_;
    };
  };

  /// Folds the runs, and delivers their number.
  template <class Work, class Out, class Launcher>
  void enqueue(const Work& work, const collective::result_sink<Out>& sink,
               Launcher& launcher) const {
    launch(work, true, sink, launcher);
  }
  /// Delivers the number of runs, and writes nothing else.
  template <class Work, class Out, class Launcher>
  void count(const Work& work, const collective::result_sink<Out>& sink, Launcher& launcher) const {
    launch(work, false, sink, launcher);
  }

 private:
  template <class Work, class Out, class Launcher>
  static void launch(const Work& work, bool writes, const collective::result_sink<Out>& sink,
                     Launcher& launcher) {
    const std::size_t n = work.size(), tiles = n == 0 ? 1 : (n - 1) / tile_keys + 1;
    plan how;
    how.writes = writes;
    how.room = work.room();
    // The posts of the list, its ticket, those of the tiles, and then the list.
    constexpr std::size_t of_list = 4,
                          list_posts = collective::partial_bytes / sizeof(collective::post);
    if constexpr (Work::has_values) {
      using accumulator = typename decltype(work.folds_of(own_bounds{}))::accumulator;
      using groups_type = collective::grid_groups<accumulator>;
      if (writes) set_helpers<groups_type>(n, launcher.gpu(), how);
    }
    const auto posts = launcher.template scratch<collective::post>(
        of_list + tiles + (how.helpers == 0 ? 0 : list_posts));
    const std::size_t cleared = of_list + tiles;
    if (tiles > 1)
      launcher.launch("clear", clear{{posts.data, cleared}},
                      {grid_of((cleared - 1) / threads + 1), threads});
    const collective::grid_storage list{posts.data, posts.data + cleared,
                                        reinterpret_cast<unsigned*>(posts.data + 3)};
    launcher.launch(name(),
                    body<Work, Out>{work, tuning::caching_of_reads(work, launcher.gpu()), how,
                                    posts.data + of_list, list, sink},
                    {grid_of(tiles + how.helpers), threads});
  }

  // Who folds the longest runs, if there may be such.
  template <class Groups>
  static void set_helpers(std::size_t n, const device_info& gpu, plan& how) {
    if constexpr (Groups::exist) {
      const collective::grid_division d = Groups::division_of(n, 2);
      how.part_log2 = d.part_log2;
      how.longest_of_block = d.longest_of_block;
      if (n <= how.longest_of_block) return;
      const std::size_t most_helpers = static_cast<std::size_t>(gpu.multiprocessors) * 2;
      const std::size_t helpers = (n >> how.part_log2) / 4 + 1;
      how.helpers = static_cast<unsigned>(helpers < most_helpers ? helpers : most_helpers);
    }
  }
};

}  // namespace warpfold::kernel
