/// @file
/// Folds groups of elements with an op whose states do not fit registers, such as an exact sum.
/// Another kernel folds all groups with small states first; groups that need more digits are folded
/// again.
///
/// - Idea: the trial of the op (op/exact_trial.hpp) has states of 16 to 48 bytes, which the kernels
///   of groups fold as fast as those of other ops. A state knows if it lost something; then its
///   group is entered in a list (collective/marked_groups.hpp). The next launch takes the groups
///   of the list, in tables of its threads (op/exact_table.hpp): a lane each if they are short, a
///   warp or a block if they are longer. All blocks share the longest groups.
/// - Classes and lists: if a group is marked, the next launches fold all groups by the op's own
///   states (kernel/launches_if_marked.hpp); otherwise they do nothing.
/// - Cost: the launches of the other kernel and one more; for classes and lists twice as many and
///   one more. Every element is read once, and those of marked groups twice. If there are too many
///   for the list, the second launch folds all groups. Scratch: that of the other kernel, 64 KB for
///   the list, and the posts.
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
#include <warpfold/kernel/launches_if_marked.hpp>
#include <warpfold/kernel/tried_work.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/view/global_access.hpp>

namespace warpfold::kernel {

/// Folds the groups that tried work has marked.
struct fold_marked {
  static constexpr const char* name() { return "fold_marked"; }

  template <class Tried>
  struct body {
    using work_type = typename Tried::exact_work;
    using value_type = typename work_type::value_type;
    using accumulator = typename work_type::accumulator;
    using op_type = typename work_type::op_type;
    using table =
        typename op_type::template thread_table<accumulator, value_type, collective::table_column>;
    using place_type = typename Tried::place_type;
    using extent = typename Tried::extent;
    using word = std::int64_t;

    /// The most words of the table of a thread, and those of the sums of a warp: two for each word
    /// of a table, and the state, with a number in front of it.
    static constexpr unsigned room = op_type::template table_room<accumulator, value_type>;
    static constexpr unsigned words_of_sums = 2 * room + table::totals + 1;
    static constexpr std::size_t bytes_of_warp =
        (std::size_t{collective::warp_size} * room + words_of_sums) * sizeof(word);
    static constexpr int warps = bytes_of_warp > 32 * 1024 ? 1 : bytes_of_warp > 12 * 1024 ? 2 : 8;
    static constexpr int max_block = warps * int{collective::warp_size};
    static constexpr int min_blocks_per_multiprocessor = warps == 8 ? 4 : 1;
    static constexpr bool waits_for_launch_before = true;
    static_assert(sizeof(accumulator) == (table::totals + (table::counts ? 1 : 0)) * sizeof(word));

    /// A warp folds groups of up to so many elements. Blocks share longer ones in parts of at least
    /// `part`.
    static constexpr std::size_t longest_of_warp = 2048;
    static constexpr std::size_t part = 32768;
    /// Elements that a thread loads at once.
    static constexpr unsigned unroll = 8;

    work_type exact;
    collective::grid_storage grid;
    caching cache;
    /// A lane folds groups of up to so many elements, if there are `many` groups to fold.
    std::size_t longest_of_lane, many;

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
      const std::size_t longest_alone = all >= many ? longest_of_lane : 64;
      const std::size_t own_warp = std::size_t{blockIdx.x} * warps + warp();
      const std::size_t all_warps = std::size_t{gridDim.x} * warps;
      WARPFOLD_NO_UNROLL
      for (std::size_t k = own_warp * collective::warp_size + threadIdx.x % collective::warp_size;
           k < all; k += all_warps * collective::warp_size) {
        const place_type place = group(k);
        const extent of = Tried::extent_of(exact, place, loads);
        if (of.length != 0 && of.length <= longest_alone) fold_by_lane(place, of, loads);
      }
      bool are_long = false;
      WARPFOLD_NO_UNROLL
      for (std::size_t k = own_warp; k < all; k += all_warps) {
        const place_type place = group(k);
        const extent of = Tried::extent_of(exact, place, loads);
        if (of.length <= longest_alone) continue;
        if (of.length > longest_of_warp) {
          are_long = true;
          continue;
        }
        fold_by(1, place, of, 0, of.length, loads);
        write_sums(place, sums_of(warp()), threadIdx.x % collective::warp_size);
      }
      // Blocks look at all groups, because they share the longest.
      const bool are_shared = all <= slots;
      if (are_shared || __syncthreads_and(are_long ? 0 : 1) == 0) {
        __syncthreads();
        const std::size_t step = are_shared ? 1 : all_warps, at_once = are_shared ? 1 : warps;
        WARPFOLD_NO_UNROLL
        for (std::size_t from = are_shared ? 0 : std::size_t{blockIdx.x} * warps; from < all;
             from += step) {
          WARPFOLD_NO_UNROLL
          for (std::size_t k = from; k < all && k < from + at_once; ++k) {
            const place_type place = group(k);
            const extent of = Tried::extent_of(exact, place, loads);
            if (of.length > longest_alone && of.length > longest_of_warp) {
              fold_long(k, are_shared, place, of, loads);
            }
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
      const unsigned sharing = parts < gridDim.x ? static_cast<unsigned>(parts) : gridDim.x;
      // Other groups begin at other blocks.
      const auto number = static_cast<unsigned>((blockIdx.x + k * (gridDim.x / 4 + 1)) % gridDim.x);
      if (is_shared && number >= sharing) return;
      const std::size_t own = (of.length - 1) / sharing + 1;
      const std::size_t begin = is_shared ? number * own : 0;
      const std::size_t end = is_shared && begin + own < of.length ? begin + own : of.length;
      const sums all = sums_of(0);
      fold_by(warps, place, of, begin, end, loads);
      if (sharing == 1 || !is_shared) return write_sums(place, all, threadIdx.x);
      using total = unsigned long long;
      const collective::global_array<total> slot{
          reinterpret_cast<total*>(grid.posts) + k * slot_words, slot_words};
      for (unsigned t = threadIdx.x; t < table::totals; t += max_block) {
        const word sum = all.state.load(t + 1);
        if (sum != 0) atomicAdd(slot.data + 1 + t, static_cast<total>(sum));
      }
      WARPFOLD_SHARED collective::shared_array<bool, 1> is_last;
      __syncthreads();
      if (threadIdx.x == 0) {
        auto* const counter = reinterpret_cast<unsigned*>(slot.data);
        is_last.store(0, collective::draw_ticket(counter, sharing - 1) == sharing - 1);
      }
      __syncthreads();
      if (!is_last.load(0)) return;
      for (unsigned t = threadIdx.x; t < table::totals; t += max_block) {
        all.state.store(t + 1, static_cast<word>(collective::load_word(slot.data + 1 + t)));
        slot.store(1 + t, 0);
      }
      __syncthreads();
      write_sums(place, all, threadIdx.x);
    }

    // The words of this thread's table.
    WARPFOLD_DEVICE static collective::table_column own_column() {
      return collective::table_column(collective::shared_part<word>(
          memory(),
          warp() * collective::warp_size * table::words + threadIdx.x % collective::warp_size));
    }

    // Adds the elements from `begin` to `end` of a group in the tables of one warp, this one, or of
    // all. Their sums are then in the `state` of the first.
    WARPFOLD_NOINLINE WARPFOLD_DEVICE void fold_by(unsigned count, const place_type& place,
                                                   const extent& of, std::size_t begin,
                                                   std::size_t end,
                                                   const global_loads& loads) const {
      const auto barrier = [count] {
        if (count == 1) {
          __syncwarp();
        } else {
          __syncthreads();
        }
      };
      const unsigned first_warp = count == 1 ? warp() : 0;
      const unsigned thread = threadIdx.x - first_warp * collective::warp_size;
      const unsigned threads = count * collective::warp_size;
      const sums all = sums_of(first_warp);
      barrier();  // others may still read the sums of the group before
      for (unsigned i = thread; i < table::words; i += threads) {
        all.low.store(i, 0);
        all.high.store(i, 0);
      }
      table own(own_column());
      WARPFOLD_NO_UNROLL
      for (std::size_t i = begin + thread; i < end; i += std::size_t{threads} * unroll) {
        add(own, place, of, i, threads, end, loads);
      }
      own.finish();
      barrier();
      typename table::marks_type marks[table::tables];
      collective::add_up_tables(own, memory(), first_warp, count, all.low, all.high, marks,
                                barrier);
      barrier();
      WARPFOLD_NO_UNROLL
      for (unsigned t = thread; t < table::totals; t += threads) {
        all.state.store(t + 1, table::total(
                                   t, [&](unsigned i) { return all.low.load(i); },
                                   [&](unsigned i) { return all.high.load(i); }, marks));
      }
      if (thread == 0) all.state.store(0, static_cast<word>(of.length));
      barrier();
    }

    // Folds a group by this thread alone.
    WARPFOLD_DEVICE void fold_by_lane(const place_type& place, const extent& of,
                                      const global_loads& loads) const {
      const collective::table_column column = own_column();
      table own(column);
      WARPFOLD_NO_UNROLL
      for (std::size_t i = 0; i < of.length; i += unroll) {
        add(own, place, of, i, 1, of.length, loads);
      }
      own.finish();
      typename table::marks_type marks[table::tables];
      WARPFOLD_UNROLL
      for (unsigned k = 0; k < table::tables; ++k) {
        marks[k] = static_cast<typename table::marks_type>(column.load(table::marks_at(k)));
      }
      const auto part_of = [&](unsigned i) {
        typename table::parts parts;
        if (table::is_used(i, marks)) table::split(i, column.load(i), parts);
        return parts;
      };
      const auto total = [&](unsigned t) {
        return table::total(
            t, [&](unsigned i) { return part_of(i).low; },
            [&](unsigned i) { return part_of(i).high; }, marks);
      };
      word words[std::size_t{table::totals} + 1] = {static_cast<word>(of.length)};
      // Unrolled, each word is divided into parts once.
      if constexpr (table::totals <= 80) {
        WARPFOLD_UNROLL
        for (unsigned t = 0; t < table::totals; ++t) words[t + 1] = total(t);
      } else {
        WARPFOLD_NO_UNROLL
        for (unsigned t = 0; t < table::totals; ++t) words[t + 1] = total(t);
      }
      write(place, words);
    }

    // Adds elements i, i + step, ... below `end`.
    WARPFOLD_DEVICE void add(table& own, const place_type& place, const extent& of, std::size_t i,
                             unsigned step, std::size_t end, const global_loads& loads) const {
      const auto is_there = [&](unsigned u) { return i + std::size_t{u} * step < end; };
      chunk<value_type, int{unroll}> loaded;
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < unroll; ++u) {
        const std::size_t at = is_there(u) ? i + std::size_t{u} * step : end - 1;
        loaded.set(static_cast<int>(u), Tried::element(exact, place, of, at, loads));
      }
      typename table::template group<unroll, false> group(own);
      [&]<unsigned... At>(std::integer_sequence<unsigned, At...>) {
        const auto fold = [&](auto&& slot, unsigned u) {
          exact.op.fold_element(slot, loaded.elements[u]);
        };
        (fold(group.template slot<At>(is_there(At)), At), ...);
      }(std::make_integer_sequence<unsigned, unroll>{});
      group.finish();
    }

    // Thread 0 writes the result of a group.
    WARPFOLD_DEVICE void write_sums(const place_type& place, const sums& own,
                                    unsigned thread) const {
      if (thread == 0) write(place, own.state.data());
    }
    // @param words those of the state, behind the number of elements
    WARPFOLD_NOINLINE WARPFOLD_DEVICE void write(const place_type& place, word* words) const {
      table::settle(words + 1, static_cast<std::size_t>(words[0]));
      Tried::write(exact, place,
                   *reinterpret_cast<const accumulator*>(words + (table::counts ? 0 : 1)),
                   global_access{});
    }
  };

  /// Call it before the launches that mark groups.
  /// @throws unsupported_kernel if a block's shared memory does not hold the tables
  template <class Tried>
  static void check(const device_info& gpu) {
    using body_type = body<Tried>;
    constexpr std::size_t needed = bytes_of<body_type> + static_bytes;
    if (needed > gpu.shared_bytes_per_block) {
      throw_error<unsupported_kernel>("warpfold: kernel fold_marked needs ", needed,
                                      " bytes of shared memory for the tables of ",
                                      body_type::max_block, " threads, but this GPU gives a block ",
                                      gpu.shared_bytes_per_block);
    }
  }

  template <class Tried, class Launcher>
  void enqueue(const typename Tried::exact_work& work, Launcher& launcher) const {
    using body_type = body<Tried>;
    const device_info& gpu = launcher.gpu();
    constexpr std::size_t bytes = bytes_of<body_type>, most = 32 / body_type::warps;
    const std::size_t fit = gpu.shared_bytes_per_block / bytes;
    const std::size_t blocks =
        static_cast<std::size_t>(gpu.multiprocessors) * (fit < most ? fit : most);
    // Small work has no elements for more: most launches find nothing to do.
    const std::size_t useful = Tried::elements(work) / body_type::max_block + 1;
    launcher.launch(name(),
                    body_type{work, launcher.grid(), tuning::caching_of_reads(work, gpu),
                              longest_of_lane(work), many(work, blocks * body_type::max_block)},
                    {grid_of(blocks < useful ? blocks : useful),
                     static_cast<unsigned>(body_type::max_block), bytes});
  }

 private:
  template <class Body>
  static constexpr std::size_t bytes_of = Body::warps * Body::bytes_of_warp;
  static constexpr std::size_t static_bytes = 64;

  // A lane each takes the least time for many groups. The neighbors of columns load neighbors.
  template <class Work>
  static bool by_columns(const Work& work) {
    if constexpr (requires { work.by_rows(); }) {
      return !work.by_rows();
    } else {
      return false;
    }
  }
  template <class Work>
  static std::size_t longest_of_lane(const Work& work) {
    if (by_columns(work)) return static_cast<std::size_t>(-1);
    return sizeof(typename Work::value_type) >= 8 ? 1024 : 256;
  }
  template <class Work>
  static std::size_t many(const Work& work, std::size_t threads) {
    return by_columns(work) ? 8192 : threads;
  }
};

/// See the top of this file.
template <class Kernel>
struct tried_groups {
  static constexpr const char* name() { return "tried_groups"; }

  /// Launches `Kernel`, and `fold_marked`; nothing if there are no groups.
  /// @throws unsupported_kernel as `fold_marked`, before the first launch
  template <class Work, class Launcher>
  void enqueue(const Work& work, Launcher& launcher) const {
    if (is_empty(work)) return;
    const auto tried = with_trial(work, launcher.grid());
    if constexpr (!detail::folds_all_again<typename Work::kind>) {
      fold_marked::check<std::remove_const_t<decltype(tried)>>(launcher.gpu());
    }
    Kernel{}.enqueue(tried, launcher);
    if constexpr (detail::folds_all_again<typename Work::kind>) {
      const clearing<Launcher> at_end{launcher};
      launcher_if_marked<Launcher> again(launcher);
      Kernel{}.enqueue(work, again);
    } else {
      fold_marked{}.template enqueue<std::remove_const_t<decltype(tried)>>(work, launcher);
    }
  }

 private:
  // Empties the list at the end, also after an error: the next call needs an empty one.
  template <class Launcher>
  struct clearing {
    Launcher& launcher;
    ~clearing() noexcept(false) { clear_marks{}.enqueue(launcher); }
  };

  static bool is_empty(const auto& work) {
    if constexpr (requires { work.classes; }) {
      return work.classes == 0;
    } else {
      return work.size() == 0;
    }
  }
  template <class Work>
  static auto with_trial(const Work& work, const collective::grid_storage& grid) {
    using kind = typename Work::kind;
    if constexpr (std::is_same_v<kind, kinds::axis_reduction>) {
      return detail::tried_axis<Work>(work, grid);
    } else if constexpr (std::is_same_v<kind, kinds::segmented_reduction>) {
      return detail::tried_segments<Work>(work, grid);
    } else if constexpr (std::is_same_v<kind, kinds::class_reduction>) {
      return detail::tried_classes<Work>(work, grid);
    } else {
      using folds = detail::tried_segments<typename Work::folds_type>;
      return many_reduction<typename Work::list_type, folds>{work.list, folds(work.folds, grid)};
    }
  }
};

}  // namespace warpfold::kernel
