/// @file
/// Folds groups of elements with an op whose states do not fit registers, such as an exact sum: by
/// another kernel with small states, and then those groups for which these were too few.
///
/// - Idea: the trial of the op (op/exact_trial.hpp) has states of 16 to 56 bytes, which the kernels
///   of groups fold as fast as those of other ops. A state knows if it lost something; then its
///   group is entered in a list (collective/marked_groups.hpp). The next launch takes the groups
///   of the list, in tables of its threads (op/exact_table.hpp): a warp each if they are short, a
///   block if they are longer. All blocks share the longest groups.
/// - Cost: two launches. Every element is read once, and those of marked groups once more. If
///   there are too many for the list, the second launch folds all groups. Scratch: 64 KB.
/// - Order: none, as the op's.
/// - Needs: an op with `trial`, `thread_table` and `table_room`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/memory_order.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/table_sums.hpp>
#include <warpfold/core/device_info.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/choice.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/view/global_access.hpp>
#include <warpfold/work/tried_groups.hpp>

namespace warpfold::kernel {

/// Folds the groups that tried work has marked.
struct marked_groups {
  static constexpr const char* name() { return "marked_groups"; }

  template <class Tried>
  struct body {
    using work_type = typename Tried::exact_work;
    using value_type = typename work_type::value_type;
    using accumulator = typename work_type::accumulator;
    using op_type = typename work_type::op_type;
    using table = typename op_type::template thread_table<accumulator, value_type,
                                                          collective::table_column>;
    using place_type = typename Tried::place_type;
    using extent = typename Tried::extent;
    using word = std::int64_t;

    /// The most words of the table of a thread, and those of the sums of a warp: two for each word
    /// of a table, and the state, with a number in front of it.
    static constexpr unsigned room = op_type::template table_room<accumulator, value_type>;
    static constexpr unsigned words_of_sums = 2 * room + table::totals + 1;
    static constexpr std::size_t bytes_of_warp =
        (std::size_t{collective::warp_size} * room + words_of_sums) * sizeof(word);
    static constexpr int warps = bytes_of_warp > 64 * 1024   ? 1
                                 : bytes_of_warp > 24 * 1024 ? 2
                                 : bytes_of_warp > 12 * 1024 ? 4
                                                             : 8;
    static constexpr int max_block = warps * int{collective::warp_size};
    static constexpr bool waits_for_launch_before = true;
    static_assert(sizeof(accumulator) ==
                  (table::totals + (table::counts ? 1 : 0)) * sizeof(word));

    /// Up to so many elements, a warp folds a group. From so many for each block on, all blocks do.
    static constexpr std::size_t longest_of_warp = 2048;
    static constexpr std::size_t part = 32768;
    /// Elements that a thread loads at once.
    static constexpr unsigned unroll = 8;

    work_type exact;
    collective::grid_storage grid;
    caching cache;

    WARPFOLD_HD const work_type& work() const { return exact; }
    WARPFOLD_DEVICE void operator()() const {
      collective::wait_for_launch_before();
      const collective::marked_groups<place_type> marked(grid);
      const unsigned found = marked.size();
      if (found == 0) return;
      if constexpr (requires { requires work_type::has_size_in_memory; }) {
        body settled = *this;
        settled.exact.read_size(global_access{});
        settled.fold_all(marked, found);
      } else {
        fold_all(marked, found);
      }
    }

   private:
    // The sums of a warp, or of the block, in shared memory behind the tables.
    struct sums {
      collective::shared_span<word> low, high, state;
    };

    WARPFOLD_DEVICE static collective::shared_span<word> memory() {
      return collective::dynamic_shared<word>(
          static_cast<unsigned>(warps * bytes_of_warp / sizeof(word)));
    }
    WARPFOLD_DEVICE static sums sums_of(unsigned warp) {
      word* const from =
          memory().data() + warps * collective::warp_size * room + warp * words_of_sums;
      return {{from, room}, {from + room, room}, {from + 2 * room, table::totals + 1}};
    }
    WARPFOLD_DEVICE static unsigned warp() { return threadIdx.x / collective::warp_size; }

    WARPFOLD_DEVICE void fold_all(const collective::marked_groups<place_type>& marked,
                                  unsigned found) const {
      const bool is_list = found <= marked.most;
      const std::size_t all = is_list ? found : exact.size();
      const global_loads loads(cache);
      const auto group = [&](std::size_t k) {
        return is_list ? marked[static_cast<unsigned>(k)] : Tried::place_of(exact, k);
      };
      const std::size_t first = std::size_t{blockIdx.x} * warps + warp();
      bool are_long = false;
      WARPFOLD_NO_UNROLL
      for (std::size_t k = first; k < all; k += std::size_t{gridDim.x} * warps) {
        const place_type place = group(k);
        const extent of = Tried::extent_of(exact, place, loads);
        if (of.length > longest_of_warp) {
          are_long = true;
          continue;
        }
        if (of.length == 0) continue;
        fold_by<1>(place, of, 0, of.length, loads, [&](const sums& own, unsigned lane) { write(place, own, lane); });
      }
      // Blocks look at all groups, because they share the longest.
      const bool are_shared = all <= slots;
      if (are_shared || __syncthreads_and(are_long ? 0 : 1) == 0) {
        __syncthreads();
        const std::size_t from = are_shared ? 0 : std::size_t{blockIdx.x} * warps;
        const std::size_t step = are_shared ? 1 : std::size_t{gridDim.x} * warps;
        WARPFOLD_NO_UNROLL
        for (std::size_t k = from; k < all; k += step) {
          WARPFOLD_NO_UNROLL
          for (std::size_t i = k; i < all && i < k + (are_shared ? 1 : warps); ++i) {
            const place_type place = group(i);
            const extent of = Tried::extent_of(exact, place, loads);
            if (of.length > longest_of_warp) fold_long(i, are_shared, place, of, loads);
          }
        }
      }
      __syncthreads();
      if (threadIdx.x == 0 &&
          collective::draw_ticket(grid.ticket, gridDim.x - 1) == gridDim.x - 1) {
        marked.clear();
      }
    }

    // The memory through which blocks add up the words of a long group: a counter, and the words.
    static constexpr unsigned slot_words = 1 + table::totals;
    static constexpr unsigned slots =
        static_cast<unsigned>(collective::post_bytes / sizeof(word) / slot_words);

    // Folds a long group, or this block's part of it.
    WARPFOLD_DEVICE void fold_long(std::size_t k, bool is_shared, const place_type& place,
                                   const extent& of, const global_loads& loads) const {
      const std::size_t parts = is_shared ? (of.length - 1) / part + 1 : 1;
      const unsigned sharing =
          parts < gridDim.x ? static_cast<unsigned>(parts) : static_cast<unsigned>(gridDim.x);
      // Other groups begin at other blocks.
      const auto number =
          static_cast<unsigned>((blockIdx.x + k * (gridDim.x / 4 + 1)) % gridDim.x);
      if (is_shared && number >= sharing) return;
      const std::size_t own = (of.length - 1) / sharing + 1;
      const std::size_t begin = is_shared ? number * own : 0;
      const std::size_t end = is_shared && begin + own < of.length ? begin + own : of.length;
      fold_by<warps>(place, of, begin, end, loads, [&](const sums& all, unsigned thread) {
        if (sharing == 1 || !is_shared) return write(place, all, thread);
        using total = unsigned long long;
        const collective::global_array<total> slot{
            reinterpret_cast<total*>(grid.posts) + k * slot_words, slot_words};
        for (unsigned t = thread; t < table::totals; t += max_block) {
          const word sum = all.state.load(t + 1);
          if (sum != 0) atomicAdd(slot.data + 1 + t, static_cast<total>(sum));
        }
        WARPFOLD_SHARED collective::shared_array<bool, 1> is_last;
        __syncthreads();
        if (thread == 0) {
          auto* const counter = reinterpret_cast<unsigned*>(slot.data);
          is_last.store(0, collective::draw_ticket(counter, sharing - 1) == sharing - 1);
        }
        __syncthreads();
        if (!is_last.load(0)) return;
        for (unsigned t = thread; t < table::totals; t += max_block) {
          all.state.store(t + 1,
                          static_cast<word>(collective::load_word(slot.data + 1 + t)));
          slot.store(1 + t, 0);
        }
        __syncthreads();
        write(place, all, thread);
      });
    }

    // Adds the elements from `begin` to `end` of a group in the tables of `Warps` warps: this one,
    // or all of the block. Calls `use` with their sums, and with the
    // number of the thread among these, in all of them.
    template <int Warps>
    WARPFOLD_DEVICE void fold_by(const place_type& place, const extent& of, std::size_t begin,
                                 std::size_t end, const global_loads& loads,
                                 const auto& use) const {
      constexpr unsigned threads = Warps * collective::warp_size;
      const auto barrier = [] {
        if constexpr (Warps == 1) {
          __syncwarp();
        } else {
          __syncthreads();
        }
      };
      const unsigned first_warp = Warps == 1 ? warp() : 0;
      const unsigned thread = Warps == 1 ? threadIdx.x % collective::warp_size : threadIdx.x;
      const sums all = sums_of(first_warp);
      const auto tables = memory();
      barrier();  // others may still read the sums of the group before
      for (unsigned i = thread; i < table::words; i += threads) {
        all.low.store(i, 0);
        all.high.store(i, 0);
      }
      table own(collective::table_column(collective::shared_part<word>(
          tables, warp() * collective::warp_size * table::words +
                      threadIdx.x % collective::warp_size)));
      WARPFOLD_NO_UNROLL
      for (std::size_t i = begin + thread; i < end; i += std::size_t{threads} * unroll) {
        add<threads>(own, place, of, i, end, loads);
      }
      own.finish();
      barrier();
      typename table::marks_type marks[table::tables];
      collective::add_up_tables(own, tables, first_warp, Warps, all.low, all.high, marks, barrier);
      barrier();
      for (unsigned t = thread; t < table::totals; t += threads) {
        all.state.store(t + 1,
                        table::total(
                            t, [&](unsigned i) { return all.low.load(i); },
                            [&](unsigned i) { return all.high.load(i); }, marks));
      }
      if (thread == 0) all.state.store(0, static_cast<word>(of.length));
      barrier();
      use(all, thread);
    }

    // Adds elements i, i + Step, ... below `end`.
    template <unsigned Step>
    WARPFOLD_DEVICE void add(table& own, const place_type& place, const extent& of, std::size_t i,
                             std::size_t end, const global_loads& loads) const {
      const std::size_t last = end - 1;
      const auto place_of = [&](unsigned u) {
        const std::size_t at = i + u * Step;
        return at < end ? at : last;
      };
      chunk<value_type, int{unroll}> loaded;
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < unroll; ++u) {
        loaded.set(static_cast<int>(u), Tried::element(exact, place, of, place_of(u), loads));
      }
      typename table::template group<unroll, false> group(own);
      [&]<unsigned... U>(std::integer_sequence<unsigned, U...>) {
        const auto fold = [&](auto&& slot, unsigned u) {
          exact.op.fold_element(slot, loaded.elements[u]);
        };
        (fold(group.template slot<U>(i + U * Step < end), U), ...);
      }(std::make_integer_sequence<unsigned, unroll>{});
      group.finish();
    }

    // One thread writes the result of a group, whose words are in `own.state`.
    WARPFOLD_DEVICE void write(const place_type& place, const sums& own, unsigned thread) const {
      if (thread != 0) return;
      word* const words = own.state.data();
      table::settle(words + 1, static_cast<std::size_t>(words[0]));
      Tried::write(exact, place,
                   *reinterpret_cast<const accumulator*>(words + (table::counts ? 0 : 1)),
                   global_access{});
    }
  };

  template <class Tried, class Launcher>
  void enqueue(const typename Tried::exact_work& work, Launcher& launcher) const {
    using body_type = body<Tried>;
    const device_info& gpu = launcher.gpu();
    constexpr std::size_t bytes = body_type::warps * body_type::bytes_of_warp;
    if (bytes + 64 > gpu.shared_bytes_per_block) {
      throw_error<unsupported_kernel>("warpfold: kernel marked_groups needs ", bytes + 64,
                                      " bytes of shared memory for the tables of ",
                                      body_type::max_block,
                                      " threads, but this GPU gives a block ",
                                      gpu.shared_bytes_per_block);
    }
    const std::size_t in_multiprocessor = gpu.shared_bytes_per_block / bytes;
    const std::size_t blocks = static_cast<std::size_t>(gpu.multiprocessors) *
                               (in_multiprocessor < 4 ? in_multiprocessor : 4);
    launcher.launch(name(),
                    body_type{work, launcher.grid(), tuning::caching_of_reads(work, gpu)},
                    {grid_of(blocks), static_cast<unsigned>(body_type::max_block), bytes});
  }
};

namespace detail {

template <class Work>
struct tried_work;
template <class Work>
  requires std::is_same_v<typename Work::kind, kinds::segmented_reduction>
struct tried_work<Work> : std::type_identity<tried_segments<Work>> {};
template <class Work>
  requires std::is_same_v<typename Work::kind, kinds::axis_reduction>
struct tried_work<Work> : std::type_identity<tried_axis<Work>> {};

}  // namespace detail

/// See the top of this file.
template <class Kernel>
struct tried_groups {
  static constexpr const char* name() { return "tried_groups"; }

  /// Launches `Kernel` and `marked_groups`; nothing if there are no groups.
  /// @throws unsupported_kernel if a block's shared memory does not hold the tables of a warp
  template <class Work, class Launcher>
  void enqueue(const Work& work, Launcher& launcher) const {
    using tried = typename detail::tried_work<Work>::type;
    if (work.size() == 0) return;
    Kernel{}.enqueue(tried(work, launcher.grid()), launcher);
    marked_groups{}.template enqueue<tried>(work, launcher);
  }
};

}  // namespace warpfold::kernel
