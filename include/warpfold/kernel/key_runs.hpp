/// @file
/// Folds the values of runs of equal keys in the declared order (op/fold_order.hpp), in one pass:
/// the bits of a run are those of `reduce` of its values by wf::seq.
///
/// - Idea: a block has a tile of keys. It finds where runs begin, and the totals of tiles
///   (tile_totals.hpp) say how many begin before the tile. Meanwhile each warp folds its first
///   batch of the runs that begin and end in the tile. A lane, several lanes or a warp fold a run,
///   depending on its length. Small values are copied to shared memory before.
/// - The run that begins before the tile and ends in it comes last. If values are copied and it
///   begins up to 31 keys before the tile, it is one of the others. So a run is folded as a whole,
///   from its first value on, whatever the tiles.
/// - From 2^19 keys on, runs of more than `longest_of_block` values are entered in a list. The last
///   blocks of the grid fold them in parts (grid_groups.hpp).
/// - Cost: keys and values are read once from memory; the keys that begin runs, and the values of
///   runs across tiles, once more from a cache. Two launches: the first clears 17 bytes for each
///   tile. One, if there is one tile.
/// - Needs: compute capability 7.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/grid_groups.hpp>
#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/collective/group_fold.hpp>
#include <warpfold/collective/lane_set.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/memory_order.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/collective/run_begins.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/shuffle.hpp>
#include <warpfold/collective/thread_nodes.hpp>
#include <warpfold/collective/tile_fold.hpp>
#include <warpfold/collective/tile_totals.hpp>
#include <warpfold/collective/warp_elements.hpp>
#include <warpfold/collective/warp_sum.hpp>
#include <warpfold/core/device_info.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/view/chunk.hpp>
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
  static_assert(tile_keys <= collective::tile_totals::most_runs);
  /// The keys before a tile that its block sees. Places of keys are counted from the first of them.
  static constexpr unsigned keys_before = collective::warp_size;
  /// The longest run that begins before a tile and is folded by one warp.
  static constexpr unsigned longest_of_warp = 1024;

  /// Takes the place of the segments of a segmented reduction: the kernel itself finds the bounds.
  struct own_bounds {
    static constexpr bool tells_memory = true;
  };

  /// What the blocks do.
  struct plan {
    bool writes = true;  ///< false: counts the runs only
    bool has_aligned_keys = true, has_aligned_values = true;
    unsigned helpers = 0;
    collective::grid_division division;  ///< of the runs that helpers fold
    std::size_t room;                    ///< elements of the shorter output
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

  // The blocks of a multiprocessor for which the registers suffice. A thread has 16 keys.
  template <class Work>
  static constexpr int blocks_for() {
    if constexpr (Work::has_values) {
      using folds = decltype(std::declval<const Work&>().folds_of(own_bounds{}));
      constexpr std::size_t key = sizeof(typename Work::key_type),
                            value = sizeof(typename folds::value_type),
                            state = sizeof(typename folds::accumulator);
      if (state > 32) return 1;
      if (state > 16 || key > 8 || key + value > 12) return 2;
      return key + value > 8 ? 3 : state > 4 ? 4 : 5;
    } else {
      return sizeof(typename Work::key_type) <= 4 ? 6 : 4;
    }
  }

  template <class Work, class Out>
  struct body {
    static constexpr int max_block = threads;
    static constexpr int min_blocks_per_multiprocessor = blocks_for<Work>();
    static constexpr bool waits_for_launch_before = true;

    Work keyed;
    plan how;
    collective::post* posts;           ///< of the tiles
    collective::grid_storage scratch;  ///< of the list of long runs
    collective::result_sink<Out> sink;

    WARPFOLD_HD const Work& work() const { return keyed; }
    WARPFOLD_DEVICE void operator()() const {
      if constexpr (Work::has_size_in_memory) {
        // A copy: views behind a count, such as a reversed one, ask for the size.
        body settled = *this;
        collective::wait_for_launch_before();
        settled.keyed.read_size(global_access{});
        settled.how.has_aligned_keys =
            collective::chunks_of<std::size_t>(settled.keyed.keys).are_aligned;
        settled.run_block();
      } else {
        run_block();
      }
    }

   private:
    WARPFOLD_DEVICE void run_block() const {
      collective::wait_for_launch_before();
      if constexpr (Work::has_values) {
        WARPFOLD_SHARED typename folder::storage_type storage;
        const folder folds(*this, storage);
        if (is_helper()) return folds.help();
        const bool has_entered = has_keys() && take_tile(folds);
        if (how.helpers != 0) folds.end_of_tile(has_entered);
      } else {
        if (has_keys()) (void)take_tile(lengths(keyed));
      }
      collective::let_next_launch_start();
    }

    WARPFOLD_DEVICE std::size_t tiles() const { return gridDim.x - how.helpers; }
    WARPFOLD_DEVICE bool is_helper() const { return blockIdx.x >= tiles(); }
    // The number of keys.
    WARPFOLD_DEVICE std::size_t size() const { return keyed.keys.size(); }
    // True for the first tile, and for tiles with keys.
    WARPFOLD_DEVICE bool has_keys() const {
      return !Work::has_size_in_memory || blockIdx.x == 0 ||
             std::size_t{blockIdx.x} * tile_keys < size();
    }
    WARPFOLD_DEVICE bool is_last() const {
      if constexpr (Work::has_size_in_memory) {
        return (std::size_t{blockIdx.x} + 1) * tile_keys >= size();
      } else {
        return blockIdx.x == tiles() - 1;
      }
    }

    using key_elements = collective::warp_elements<typename Work::keys_view, keys_of_thread>;

    // What a lane knows of a run of its batch.
    struct batch_run {
      unsigned begin = 0, length = 0;  // in the tile
      bool is_first_lane = false;      // of those that fold the run
    };

    // Finds the runs of this block's tile, and writes the keys and the results of those that end
    // there. Returns true if this thread has entered a long run in the list.
    template <class Folds>
    WARPFOLD_DEVICE bool take_tile(const Folds& folds) const {
      WARPFOLD_SHARED collective::shared_array<unsigned, warps> counts, lasts, remainders;
      // The place where the run before the tile begins, or 0; those of the tile's runs; the end.
      WARPFOLD_SHARED collective::shared_array<std::uint16_t, tile_keys + 2> begins;
      WARPFOLD_SHARED collective::shared_array<std::size_t, 2> before;
      const unsigned lane = threadIdx.x % collective::warp_size;
      const unsigned warp = threadIdx.x / collective::warp_size;
      const std::size_t tile = blockIdx.x, first = tile * tile_keys;
      // Some keys and values are read again, perhaps by another block.
      const global_loads loads(caching::keep);
      if (size() == 0) {
        if (threadIdx.x == 0) sink.deliver(std::size_t{0});
        return false;
      }
      const auto keys_here =
          static_cast<unsigned>(size() - first < tile_keys ? size() - first : tile_keys);
      const unsigned own = warp * keys_of_warp;
      const unsigned there = own >= keys_here                 ? 0
                             : keys_here - own < keys_of_warp ? keys_here - own
                                                              : unsigned{keys_of_warp};
      const key_elements keys(keyed.keys, first + own, there, how.has_aligned_keys, loads);
      const bool sees_before = Folds::may_see_before && warp == warps - 1 && tile != 0;
      chunk<typename Work::key_type, 1> key_before;
      if (sees_before) key_before.set(0, keyed.keys.at(first - keys_before + lane, loads));
      const bool is_first = first + own == 0;
      const collective::run_begins<key_elements> own_begins(
          keys, there, is_first, keyed.keys.at(is_first || there == 0 ? 0 : first + own - 1, loads),
          [&](const auto& a, const auto& b) { return keyed.are_equal(a, b); });
      const unsigned last_of_warp = own_begins.last();
      const unsigned remainders_of_warp = own_begins.remainders();
      if (lane == 0) {
        remainders.store(warp, remainders_of_warp);
        counts.store(warp, own_begins.count());
        lasts.store(warp, last_of_warp == 0 ? 0 : own + last_of_warp);
      }
      if (sees_before) {
        // Lane 0 compares its key with itself. Place 0 means that the run begins before lane 1.
        const auto own_key = key_before.elements[0];
        const auto left_key = collective::shuffle_from(own_key, lane == 0 ? 0 : lane - 1);
        const unsigned begin_here =
            __ballot_sync(collective::full_warp, !keyed.are_equal(left_key, own_key));
        if (lane == 0) {
          begins.store(0, static_cast<std::uint16_t>(
                              begin_here == 0 ? 0 : collective::highest_lane(begin_here)));
        }
      } else if (threadIdx.x == threads - 1) {
        begins.store(0, 0);
      }
      __syncthreads();
      unsigned count_before = 0, count = 0, last = 0, all_remainders = 0;
      WARPFOLD_UNROLL
      for (unsigned w = 0; w < warps; ++w) {
        if (w == warp) count_before = count;
        count += counts.load(w);
        all_remainders |= remainders.load(w);
        const unsigned last_of_other = lasts.load(w);
        if (last_of_other != 0) last = last_of_other;
      }
      const collective::tile_totals totals(posts, tiles());
      collective::tile_totals::section_total completed{0};
      if (threadIdx.x == 0) {
        if (tiles() > 1) {
          completed = totals.post_own(tile, {count, last == 0 ? 0 : first + last});
        }
        begins.store(count + 1, static_cast<std::uint16_t>(keys_before + keys_here));
      }
      // Values that no run needs are not loaded, such as those in the middle of a long run.
      const bool ends_any = count != 0 || is_last();
      if (how.writes && ends_any) folds.copy_values(first, own, there, sees_before);
      own_begins.store(begins, count_before + 1, keys_before + own);
      __syncthreads();
      if (warp == 0) completed.bits = collective::shuffle_from(completed.bits, 0);
      // A tile that completes a section posts its total, also if only the last one needs it.
      if (warp == 0 && (how.writes || is_last() || completed.bits != 0)) {
        collective::begun_runs found{0, 0};
        if (tiles() > 1) found = totals.await_before(tile, completed);
        if (lane == 0) {
          before.store(0, found.count);
          before.store(1, found.last);
          if (is_last()) sink.deliver(found.count + count);
        }
      }
      if (!how.writes) return false;
      const bool are_multiples = (all_remainders & (all_remainders - 1)) == 0;
      return write_runs(folds, first, count, folds.lanes_log2_for(count, are_multiples), begins,
                        before, loads);
    }

    // Folds the runs of the tile, the first of each warp before their number is known.
    template <class Folds>
    WARPFOLD_DEVICE bool write_runs(const Folds& folds, std::size_t first, unsigned count,
                                    unsigned lanes_log2,
                                    collective::shared_span<std::uint16_t> begins,
                                    collective::shared_span<std::size_t> before,
                                    const global_loads& loads) const {
      using key = typename Work::key_type;
      const unsigned lane = threadIdx.x % collective::warp_size;
      // The warps take turns. Warp 0, which waits for the totals, is the last one.
      const unsigned turn = (threadIdx.x / collective::warp_size + warps - 1) % warps;
      const unsigned at_once = collective::warp_size >> lanes_log2;
      const auto own_keys = warpfold::detail::part_in_kernel(keyed.keys, first, tile_keys);
      const global_access stores{};
      // Run j of the tile has number `base + j - 1`. Run 0 begins before the tile; the loop folds
      // it if the block has its values.
      const bool ends_open = count != 0 || is_last();
      const bool has_open = begins.load(0) != 0 && ends_open;
      const unsigned skipped = has_open ? 0 : 1, end = count + 1;
      std::size_t base = 0;
      unsigned with_keys = 0, with_results = 0;  // the runs from run 0 on for which there is room
      WARPFOLD_NO_UNROLL
      for (unsigned done = skipped + turn * at_once, batch = 0;; done += warps * at_once, ++batch) {
        const unsigned j = done + (lane >> lanes_log2);
        batch_run run;
        chunk<key, 1> own_key;
        typename Folds::folded_type folded;
        if (done < end) {
          const unsigned there = j < end ? j : end - 1;
          run.begin = begins.load(there);
          run.length = j < end ? begins.load(there + 1) - run.begin : 0;
          run.is_first_lane = (lane & ((1u << lanes_log2) - 1)) == 0 && j < end;
          own_key.set(0, own_keys.at(there == 0 ? 0 : run.begin - keys_before, loads));
          folds.fold_batch(folded, run, first, lanes_log2, loads);
        }
        if (batch == 0) {
          __syncthreads();
          base = before.load(0);
          const std::size_t room = how.room + 1 > base ? how.room + 1 - base : 0;
          with_keys = static_cast<unsigned>(room < end ? room : end);
          // The last run ends in another tile.
          with_results = with_keys == end && !is_last() ? count : with_keys;
        }
        if (done >= with_keys) break;
        if (run.is_first_lane && j != 0 && j < with_keys) {
          keyed.store_key(base + j - 1, own_key.elements[0], stores);
        }
        folds.write_batch(folded, run, first, base + j - 1, j < with_results, lanes_log2, loads);
      }
      const std::size_t open = before.load(1);
      if (has_open || open == 0 || !ends_open || base > how.room) return false;
      return folds.write_open(base - 1, open - 1, first + begins.load(1) - keys_before - (open - 1),
                              loads);
    }

    // The lengths of runs, with the names of `folder`.
    class lengths {
     public:
      static constexpr bool may_see_before = false;
      struct folded_type {};

      WARPFOLD_DEVICE explicit lengths(const Work& keyed) : keyed_(keyed) {}

      WARPFOLD_DEVICE static void copy_values(std::size_t, unsigned, unsigned, bool) {}
      WARPFOLD_DEVICE static unsigned lanes_log2_for(unsigned, bool) { return 0; }
      WARPFOLD_DEVICE static void fold_batch(folded_type, const batch_run&, std::size_t, unsigned,
                                             const global_loads&) {}
      WARPFOLD_DEVICE void write_batch(folded_type, const batch_run& own, std::size_t,
                                       std::size_t run, bool has_result, unsigned,
                                       const global_loads&) const {
        if (has_result) keyed_.write_length(run, own.length, global_access{});
      }
      WARPFOLD_DEVICE bool write_open(std::size_t run, std::size_t, std::size_t length,
                                      const global_loads&) const {
        if (threadIdx.x == 0) keyed_.write_length(run, length, global_access{});
        return false;
      }

     private:
      const Work& keyed_;
    };

    // The folds of values.
    class folder {
      using folds_type =
          std::remove_cvref_t<decltype(std::declval<const Work&>().folds_of(own_bounds{}))>;
      using accumulator = typename folds_type::accumulator;
      using value_type = typename folds_type::value_type;
      using elements = collective::warp_elements<typename folds_type::view_type, keys_of_thread>;
      using values_type = collective::shared_part<value_type>;
      using groups_type = collective::grid_groups<accumulator>;
      static_assert(sizeof(accumulator) <= 1024,
                    "warpfold: accumulators of more than 1024 bytes do not fit a block's shared "
                    "memory; fold smaller states");
      // True if the values are copied to shared memory: they fit beside a state for each warp.
      static constexpr bool copies = sizeof(value_type) <= 8 && sizeof(accumulator) <= 512 &&
                                     std::is_trivially_copyable_v<value_type>;
      // Elements that lanes may load and not use.
      static constexpr unsigned beyond = 64;
      // True if a lane may load and lift values beyond its run: ops with an index may read memory.
      static constexpr bool may_exceed =
          copies && !folds_type::is_indexed && sizeof(accumulator) <= 16;

     public:
      static constexpr bool may_see_before = copies;
      using folded_type = chunk<accumulator, 1>;
      struct storage_type {
        collective::shared_array<value_type, copies ? keys_before + tile_keys + beyond : 1> values;
        collective::shared_array<accumulator, warps> of_warps;
      };

      WARPFOLD_DEVICE folder(const body& b, storage_type& storage)
          : b_(b), values_(b.keyed.folds_of(own_bounds{})), groups_(b.scratch), storage_(storage) {}

      // Copies values of a warp: those of the tile from number `own` on, of which `there` exist,
      // and those before the tile if the warp sees its keys. The tile has values from `first` on.
      WARPFOLD_DEVICE void copy_values(std::size_t first, unsigned own, unsigned there,
                                       bool sees_before) const {
        if constexpr (copies) {
          const global_loads loads(caching::keep);
          const unsigned lane = threadIdx.x % collective::warp_size;
          if (sees_before) {
            storage_.values.store(lane, values_.view.at(first - keys_before + lane, loads));
          }
          const elements loaded(values_.view, first + own, there, b_.how.has_aligned_values, loads);
          const values_type to(storage_.values, keys_before + own + elements::place(0));
          WARPFOLD_UNROLL
          for (unsigned r = 0; r < elements::rows; ++r) {
            WARPFOLD_UNROLL
            for (unsigned k = 0; k < elements::width; ++k) {
              to.store(r * collective::warp_size * elements::width + k,
                       loaded.own.elements[r * elements::width + k]);
            }
          }
          if (threadIdx.x < beyond) {
            storage_.values.store(keys_before + tile_keys + threadIdx.x, loaded.own.elements[0]);
          }
        }
      }

      // log2 of the lanes for each of `count` runs of a tile: there should be batches for four
      // warps. If all distances of runs are multiples of 8, a lane takes 8 values at once, so that
      // loads have at most 8-way bank conflicts; likewise if values are not copied, for the sectors
      // that a load reads.
      WARPFOLD_DEVICE static unsigned lanes_log2_for(unsigned count, bool are_multiples) {
        if (count < 16) return 5;
        if (count < 128 || (may_exceed && !are_multiples)) {
          return count >= 128 ? 0 : count >= 64 ? 1 : count >= 32 ? 2 : 3;
        }
        return count >= 512 ? 0 : count >= 256 ? 1 : 2;
      }

      // Folds a run for each `1 << lanes_log2` lanes, if it is not too long for them.
      // Result: valid in the first of these lanes.
      WARPFOLD_DEVICE void fold_batch(folded_type& folded, const batch_run& own, std::size_t first,
                                      unsigned lanes_log2, const global_loads& loads) const {
        const unsigned length = own.length <= longest_of(lanes_log2) ? own.length : 0;
        const unsigned longest = collective::warp_max(length);
        if (longest == 0) return;
        if constexpr (copies) {
          const values_type values(storage_.values, own.begin);
          if constexpr (may_exceed) {
            if (lanes_log2 == 0) return folded.set(0, fold_run(values, length, longest));
          }
          const auto get = [&](unsigned i) { return values.load(i); };
          folded.set(0, collective::fold_groups(values_, get, length, longest, lanes_log2));
        } else {
          folded.set(0, collective::fold_groups(
                            values_, values_from(first + own.begin - keys_before, longest, loads),
                            length, longest, lanes_log2));
        }
      }
      // Writes the results of a batch as those of `run`, and folds the runs that were too long.
      WARPFOLD_DEVICE void write_batch(const folded_type& folded, const batch_run& own,
                                       std::size_t first, std::size_t run, bool has_result,
                                       unsigned lanes_log2, const global_loads& loads) const {
        const bool writes = own.is_first_lane && has_result;
        const bool is_long = own.length > longest_of(lanes_log2);
        if (writes && !is_long) write(run, folded.elements[0]);
        unsigned left = __ballot_sync(collective::full_warp, writes && is_long);
        WARPFOLD_NO_UNROLL
        while (left != 0) {
          const unsigned of = collective::highest_lane(left);
          left ^= 1u << of;
          write_by_warp(collective::shuffle_from(run, of),
                        first + collective::shuffle_from(own.begin, of) - keys_before,
                        collective::shuffle_from(own.length, of), loads);
        }
      }

      // Folds the run that begins before the tile, or enters it in the list.
      WARPFOLD_DEVICE bool write_open(std::size_t run, std::size_t begin, std::size_t length,
                                      const global_loads& loads) const {
        if (length <= longest_of_warp) {
          if (threadIdx.x / collective::warp_size == warps - 1) {
            write_by_warp(run, begin, length, loads);
          }
          return false;
        }
        if (length > b_.how.division.longest_of_block) {
          if (threadIdx.x != 0) return false;
          groups_.enter(run, begin, length, b_.how.division.part_log2);
          return true;
        }
        fold_by_block(begin, 0, length, loads, [&](const accumulator& a) { write(run, a); });
        return false;
      }

      WARPFOLD_DEVICE void end_of_tile(bool has_entered) const {
        groups_.end_of_looks(has_entered);
      }

      // Folds parts of the long runs of all tiles.
      WARPFOLD_DEVICE void help() const {
        WARPFOLD_SHARED typename groups_type::helper_storage found;
        const global_loads loads(caching::keep);
        const unsigned parts = groups_.await_parts(static_cast<unsigned>(b_.tiles()), found);
        unsigned turn = 0;
        WARPFOLD_NO_UNROLL
        for (auto part = static_cast<unsigned>(blockIdx.x - b_.tiles()); part < parts;
             part += b_.how.helpers) {
          const collective::grid_group g = groups_.group_of(part, turn++ & 1, found);
          const std::size_t first = std::size_t{part - g.first_part} << b_.how.division.part_log2;
          const std::size_t left = g.length - first,
                            most = std::size_t{1} << b_.how.division.part_log2;
          fold_by_block(g.begin, first, left < most ? left : most, loads,
                        [&](const accumulator& a) { groups_.store(part, a); });
          __syncthreads();  // others may still read `storage_`
        }
        if (parts == 0) return;  // the next launch clears the list
        groups_.finish(values_.fold(), b_.how.helpers, storage_.of_warps, found,
                       [&](std::size_t run, const accumulator& a) { write(run, a); });
      }

     private:
      WARPFOLD_DEVICE static unsigned longest_of(unsigned lanes_log2) {
        return collective::longest_of_lane << lanes_log2;
      }
      WARPFOLD_DEVICE void write(std::size_t run, const accumulator& a) const {
        values_.write(run, values_.result(values_.fold().state_of(a)), global_access{});
      }
      // A function that loads the values from number `from` on.
      WARPFOLD_DEVICE auto values_from(std::size_t from, std::size_t count,
                                       const global_loads& loads) const {
        return [own = warpfold::detail::part_in_kernel(values_.view, from, count),
                &loads](unsigned i) { return own.at(i, loads); };
      }
      // Folds a run of up to 64 values, the first of `values`.
      // @param longest the largest length of the warp's runs
      WARPFOLD_DEVICE accumulator fold_run(const values_type& values, unsigned length,
                                           unsigned longest) const {
        if (longest <= 2) return fold_few<2>(values, length);
        if (longest <= 4) return fold_few<4>(values, length);
        const accumulator node = fold_few<8>(values, length);
        if (longest <= 8) return node;
        collective::thread_nodes<accumulator, 3> nodes(node);
        WARPFOLD_NO_UNROLL
        for (unsigned k = 1; 8 * k < longest; ++k) {
          const unsigned left = length > 8 * k ? length - 8 * k : 0;
          nodes.add(values_.fold(), k, fold_few<8>(values.part(8 * k), left), left != 0);
        }
        return nodes.folded(values_.fold(), (length + 7) / 8);
      }
      // Folds the first of `Count` values, of which `there` are of the run.
      template <unsigned Count>
      WARPFOLD_DEVICE accumulator fold_few(const values_type& values, unsigned there) const {
        const auto fold = values_.fold();
        chunk<accumulator, int{Count}> own;
        WARPFOLD_UNROLL
        for (unsigned k = 0; k < Count; ++k) own.set(k, values_.lift(values.load(k), 0));
        WARPFOLD_UNROLL
        for (unsigned apart = 1; apart < Count; apart *= 2) {
          WARPFOLD_UNROLL
          for (unsigned k = 0; k < Count; k += 2 * apart) {
            if (k + apart < there) {
              own.set(k, fold.apply(own.elements[k], own.elements[k + apart]));
            }
          }
        }
        return own.elements[0];
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
            storage_.of_warps, use);
      }

      const body& b_;
      folds_type values_;
      groups_type groups_;
      storage_type& storage_;
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
    how.has_aligned_keys = collective::chunks_of<std::size_t>(work.keys).are_aligned;
    if constexpr (Work::has_values) {
      how.has_aligned_values = collective::chunks_of<std::size_t>(work.values).are_aligned;
    }
    // The posts of the list, its ticket, those of the tiles, and then the list.
    constexpr std::size_t of_list = 4,
                          list_posts = collective::partial_bytes / sizeof(collective::post);
    if constexpr (Work::has_values) {
      using accumulator = typename decltype(work.folds_of(own_bounds{}))::accumulator;
      using groups_type = collective::grid_groups<accumulator>;
      if (writes) set_helpers<groups_type>(n, launcher.gpu(), how);
    }
    const auto posts = launcher.template scratch<collective::post>(
        of_list + collective::tile_totals::posts_for(tiles) + (how.helpers == 0 ? 0 : list_posts));
    const std::size_t cleared = of_list + collective::tile_totals::posts_for(tiles);
    if (tiles > 1)
      launcher.launch("clear", clear{{posts.data, cleared}},
                      {grid_of((cleared - 1) / threads + 1), threads});
    const collective::grid_storage list{posts.data, posts.data + cleared,
                                        reinterpret_cast<unsigned*>(posts.data + 3)};
    launcher.launch(name(), body<Work, Out>{work, how, posts.data + of_list, list, sink},
                    {grid_of(tiles + how.helpers), threads});
  }

  // Who folds the longest runs, if there may be such.
  template <class Groups>
  static void set_helpers(std::size_t n, const device_info& gpu, plan& how) {
    if constexpr (Groups::exist) {
      // Helpers wait for all tiles: below 2^19 keys they take more time than they save. H200, 2^16
      // floats in runs of 10: without 8.6, with 9.8 us; one run: 19.3 and 17.8 us.
      if (n < std::size_t{1} << 19) return;
      how.division = Groups::division_of(n, 2);
      const std::size_t most_helpers = static_cast<std::size_t>(gpu.multiprocessors) * 4;
      const std::size_t helpers = (n >> how.division.part_log2) / 4 + 1;
      how.helpers = static_cast<unsigned>(helpers < most_helpers ? helpers : most_helpers);
    }
  }
};

}  // namespace warpfold::kernel
