/// @file
/// Folds rows of at most 8192 elements by their terms (op/group_terms.hpp), and writes a function
/// of each element and of the fold, in one launch. Also for rows that do not start at 16-byte
/// words.
///
/// Source: the row-wise softmax and layer norm kernels of libraries for neural networks.
///
/// - Idea: rows that follow each other in memory are one piece of it. A warp, or a block for long
///   rows, loads its rows as 16-byte words to shared memory, wherever they begin. There each lane
///   has a run of neighbors of one row: a node of the declared order (op/fold_order.hpp). As many
///   lanes as a row has runs fold it, not only powers of two. The results replace the elements, and
///   are stored as words.
/// - Cost: one launch, no scratch; every element is read and written once. In shared memory an
///   element is stored twice and loaded twice; padding avoids bank conflicts. A warp waits for no
///   other one, unless a block has a row.
/// - Needs: an op with terms, and one array of `float` or 16-bit floats. Results have the same
///   size. Rows have at most 8192 elements and no gaps between them, also in the output. Input and
///   output start at the same byte of a word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <warpfold/collective/block_fold.hpp>
#include <warpfold/collective/group_fold.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/row_fold.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/shuffle.hpp>
#include <warpfold/collective/thread_nodes.hpp>
#include <warpfold/collective/warp_sum.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/axis/loads.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/op/group_terms.hpp>
#include <warpfold/view/chunk.hpp>
#include <warpfold/view/global_access.hpp>
#include <warpfold/work/axis_transformation.hpp>

namespace warpfold::kernel {

/// One launch with some rows for each warp, or one for each block; see the top of this file.
struct transformed_tiles {
  static constexpr const char* name() { return "transformed_tiles"; }

  /// Elements that a lane folds at once.
  static constexpr int few = 8;

  /// @tparam Run elements of a lane: `few` times a power of two
  template <class Work, int Run, bool IsBlock>
  struct body {
    using value_type = typename Work::value_type;
    using out_type = typename Work::out_type;
    using accumulator = typename Work::accumulator;
    using state = typename Work::state;
    using result = std::remove_cvref_t<decltype(std::declval<const Work&>().result(
        std::declval<const state&>()))>;
    using terms = typename Work::op_type::template group_terms<value_type>;
    using node = typename terms::node;

    static constexpr unsigned warps = 8;
    static constexpr int max_block = warps * collective::warp_size;
    static constexpr int min_blocks_per_multiprocessor = Run <= 8 ? 5 : Run <= 16 ? 4 : 3;
    static constexpr bool waits_for_launch_before = true;
    static constexpr bool keeps =
        warpfold::detail::keeps_terms<typename Work::op_type, value_type, state,
                                      typename Work::function_type>;
    static constexpr int parts = Run / few;
    /// Threads that share a tile.
    static constexpr unsigned threads = IsBlock ? unsigned{max_block} : collective::warp_size;
    static constexpr unsigned capacity = threads * Run;
    // Elements are kept as `float`s, or results in their place. One more place for each row of the
    // 32 banks: lanes at distances of 2^k then use other banks. A tile may begin within a word.
    static constexpr unsigned word_of_halves = 8;
    WARPFOLD_DEVICE static constexpr unsigned padded(unsigned i) { return i + i / 32; }
    static constexpr unsigned places = padded(capacity + word_of_halves) + 1;

    Work rows;
    unsigned width;         ///< elements of a row
    unsigned lanes;         ///< runs of a row; of a warp, if a block has the row
    unsigned rows_of_tile;  ///< 1 if a block has a row
    caching cache;

    WARPFOLD_HD const Work& work() const { return rows; }
    WARPFOLD_DEVICE void operator()() const {
      WARPFOLD_SHARED collective::shared_array<float, IsBlock ? places : warps * places> memory;
      WARPFOLD_SHARED collective::shared_array<std::uint32_t, warps> references;
      WARPFOLD_SHARED collective::shared_array<node, warps> nodes;
      WARPFOLD_SHARED collective::shared_array<accumulator, warps> values;
      WARPFOLD_SHARED collective::shared_array<result, 1> of_block;
      const unsigned warp = threadIdx.x / collective::warp_size;
      const std::size_t first =
          (IsBlock ? std::size_t{blockIdx.x} : std::size_t{blockIdx.x} * warps + warp) *
          rows_of_tile;
      const auto& results = results_of(rows);
      if (first >= results) return;
      const std::size_t left = results - first;
      const unsigned here = left < rows_of_tile ? static_cast<unsigned>(left) : rows_of_tile;
      const shared_tile tile{{memory, IsBlock ? 0 : warp * places}};
      const value_type* const from = warpfold::get<0>(rows.source.data) + first * width;
      const words_of_tile words(from, here * width);
      collective::wait_for_launch_before();
      load(tile, words, from);
      collective::let_next_launch_start();
      wait();
      const own_run own = run_of_thread(here, words.before);
      if (!write(tile, own, {references, nodes})) [[unlikely]] {
        write_by_op(tile, own, {values, of_block});
      }
      wait();
      store(tile, words, rows.out + first * width);
    }

   private:
    static constexpr unsigned size = word_bytes / sizeof(value_type);  // elements of a word
    static constexpr unsigned rounds = Run / size == 0 ? 1 : Run / size;

    struct shared_tile {
      collective::shared_part<float> of;

      WARPFOLD_DEVICE float load(unsigned i) const { return of.load(padded(i)); }
      WARPFOLD_DEVICE void put_result(unsigned i, const out_type& x) const {
        float bits = 0;
        __builtin_memcpy(&bits, &x, sizeof x);
        of.store(padded(i), bits);
      }
      WARPFOLD_DEVICE static out_type result_in(float bits) {
        out_type x{};
        __builtin_memcpy(static_cast<void*>(&x), &bits, sizeof x);
        return x;
      }
    };
    // The words of the elements of a tile. Element `i` has place `before + i` in shared memory, so
    // that words have places at multiples of their size.
    struct words_of_tile {
      unsigned count, head, words, before;

      WARPFOLD_DEVICE words_of_tile(const value_type* from, unsigned elements) : count(elements) {
        before = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) / sizeof(value_type) %
                                       size);
        head = (size - before) % size < count ? (size - before) % size : count;
        words = (count - head) / size;
      }
      // Calls `whole(u, i)` for the words of this thread, of which `i` is the first element, and
      // `single(i)` for an element before or after all words.
      inline WARPFOLD_DEVICE void for_each(const auto& whole, const auto& single) const {
        WARPFOLD_UNROLL
        for (unsigned u = 0; u < rounds; ++u) {
          const unsigned w = u * threads + thread();
          if (w < words) whole(u, head + w * size);
        }
        const unsigned own = thread(), behind = head + words * size + own - size;
        if (own < head) single(own);
        if (own >= size && own < 2 * size && behind < count) single(behind);
      }
    };
    struct storage_type {
      collective::shared_span<std::uint32_t> references;  // one for each warp
      collective::shared_span<node> nodes;
    };
    struct storage_of_op {
      collective::shared_span<accumulator> values;  // one for each warp
      collective::shared_span<result> of_block;
    };
    struct own_run {
      unsigned at;          // the place of the first element
      unsigned there;       // elements; 0 if this thread has no run
      unsigned lane;        // the number of the run in its row, or in its warp's part of it
      unsigned runs;        // of the row, or of the warp's part
      unsigned behind;      // elements of the row, or of its part, from this run's warp on
      unsigned first_lane;  // of the row

      WARPFOLD_DEVICE unsigned in_part(int p) const {
        const unsigned first = static_cast<unsigned>(p) * few;
        return there < first ? 0 : there - first < few ? there - first : unsigned{few};
      }
    };

    WARPFOLD_DEVICE static void wait() {
      if constexpr (IsBlock) {
        __syncthreads();
      } else {
        __syncwarp();
      }
    }
    WARPFOLD_DEVICE static unsigned thread() {
      return IsBlock ? threadIdx.x : threadIdx.x % collective::warp_size;
    }

    // The elements of the run that begins with element `first` of a row.
    WARPFOLD_DEVICE unsigned elements_from(unsigned first) const {
      return width < first ? 0 : width - first < Run ? width - first : unsigned{Run};
    }
    WARPFOLD_DEVICE own_run run_of_thread(unsigned here, unsigned before) const {
      const unsigned lane = threadIdx.x % collective::warp_size;
      if constexpr (IsBlock) {
        constexpr unsigned of_warp = Run * collective::warp_size;
        const unsigned begin = threadIdx.x / collective::warp_size * of_warp;
        const unsigned behind = begin < width ? width - begin : 0;
        const unsigned first = threadIdx.x * Run;
        return {before + first,
                elements_from(first),
                lane,
                behind < of_warp ? (behind + Run - 1) / Run : unsigned{collective::warp_size},
                behind,
                0};
      } else {
        const unsigned row = lane / lanes, own = lane - row * lanes;
        return {before + row * width + own * Run,
                row < here ? elements_from(own * Run) : 0,
                own,
                lanes,
                width,
                row * lanes};
      }
    }

    inline WARPFOLD_DEVICE void load(const shared_tile& tile, const words_of_tile& words,
                                     const value_type* from) const {
      const global_loads loads(cache);
      chunk<value_type, int{size}> loaded[std::size_t{rounds}];
      words.for_each(
          [&](unsigned u, unsigned i) { warpfold::detail::load_words(loaded[u], from + i, loads); },
          [&](unsigned i) {
            tile.of.store(padded(words.before + i), static_cast<float>(loads.load(from + i)));
          });
      words.for_each(
          [&](unsigned u, unsigned i) {
            const unsigned at = padded(words.before + i);
            WARPFOLD_UNROLL
            for (unsigned k = 0; k < size; ++k) {
              tile.of.store(at + k, static_cast<float>(loaded[u].elements[k]));
            }
          },
          [](unsigned) {});
    }
    inline WARPFOLD_DEVICE void store(const shared_tile& tile, const words_of_tile& words,
                                      out_type* to) const {
      const global_access stores;
      words.for_each(
          [&](unsigned, unsigned i) {
            const unsigned at = padded(words.before + i);
            chunk<out_type, int{size}> c;
            WARPFOLD_UNROLL
            for (unsigned k = 0; k < size; ++k) c.set(k, tile.result_in(tile.of.load(at + k)));
            warpfold::detail::store_words(to + i, c, stores);
          },
          [&](unsigned i) { stores.store(to + i, tile.result_in(tile.load(words.before + i))); });
    }

    // Replaces the elements of the rows by their results. Returns false, and has replaced nothing,
    // if the terms refuse a row of the warp.
    inline WARPFOLD_DEVICE bool write(const shared_tile& tile, const own_run& own,
                                      const storage_type& storage) const {
      float x[std::size_t{Run}];
      WARPFOLD_UNROLL
      for (unsigned k = 0; k < Run; ++k) {
        x[k] = k == 0 ? 0 : x[0];
        if (k < own.there) x[k] = tile.load(own.at + k);
      }
      std::uint32_t most = 0;
      if constexpr (terms::has_reference) {
        const std::uint32_t of_run = terms::template reference_of<Run>([&](int k) { return x[k]; });
        most = greatest(own.there != 0 ? of_run : 0, own, storage);
        if (any_of_row(own, !terms::admits(most))) return false;
      }
      bool is_lost = false;
      chunk<node, parts> nodes;
      WARPFOLD_UNROLL
      for (int p = 0; p < parts; ++p) {
        const auto element = [&](int k) { return static_cast<value_type>(x[p * few + k]); };
        if constexpr (terms::has_reference) {
          nodes.set(p, terms::template fold<few>(
                           element, own.in_part(p), most,
                           [&](int k, [[maybe_unused]] float term) {
                             if constexpr (keeps) x[p * few + k] = term;
                           },
                           [&] { is_lost = true; }));
        } else {
          nodes.set(p, terms::template fold<few>(element, own.in_part(p)));
        }
      }
      state folded = rows.fold().start();
      const bool is_right = terms::set_state(
          folded, fold_row(fold_parts(nodes, own.there), own, storage), width, most);
      if (any_of_row(own, !is_right)) return false;

      if constexpr (keeps) {
        if (is_lost) [[unlikely]] {
          write_elements(tile, own, rows.result(folded));
          return true;
        }
        const auto function = Work::op_type::kept_function(folded);
        WARPFOLD_UNROLL
        for (unsigned k = 0; k < Run; ++k) {
          if (k < own.there) {
            tile.put_result(own.at + k, static_cast<out_type>(function(x[k])));
          }
        }
      } else {
        const result of_row = rows.result(folded);
        WARPFOLD_UNROLL
        for (unsigned k = 0; k < Run; ++k) {
          if (k < own.there) {
            tile.put_result(own.at + k, rows.apply(static_cast<value_type>(x[k]), of_row));
          }
        }
      }
      return true;
    }
    WARPFOLD_DEVICE void write_elements(const shared_tile& tile, const own_run& own,
                                        const result& of_row) const {
      WARPFOLD_NO_UNROLL
      for (unsigned k = 0; k < own.there; ++k) {
        tile.put_result(own.at + k,
                        rows.apply(static_cast<value_type>(tile.load(own.at + k)), of_row));
      }
    }

    // Whether it is true of any row of the warp. In a block, all threads know the same.
    WARPFOLD_DEVICE static bool any_of_row(const own_run& own, bool of_thread) {
      if constexpr (IsBlock) {
        return of_thread;
      } else {
        return __any_sync(collective::full_warp, own.there != 0 && of_thread) != 0;
      }
    }

    // The greatest reference of a row.
    WARPFOLD_DEVICE std::uint32_t greatest(std::uint32_t most, const own_run& own,
                                           const storage_type& storage) const {
      if (IsBlock || lanes > collective::warp_size / 2) {
        most = collective::warp_max(most);
      } else {
        WARPFOLD_NO_UNROLL
        for (unsigned apart = 1; apart < lanes; apart *= 2) {
          const std::uint32_t other = collective::shuffle_down(most, apart);
          if (own.lane + apart < own.runs && most < other) most = other;
        }
        most = collective::shuffle_from(most, own.first_lane);
      }
      if constexpr (IsBlock) {
        const unsigned lane = threadIdx.x % collective::warp_size;
        if (lane == 0) storage.references.store(threadIdx.x / collective::warp_size, most);
        __syncthreads();
        most = collective::warp_max(lane < warps ? storage.references.load(lane) : 0);
      }
      return most;
    }

    WARPFOLD_DEVICE static node merged(const node& a, unsigned of_a, const node& b, unsigned of_b) {
      if constexpr (terms::is_sum) {
        return a + b;
      } else {
        return terms::merge(a, of_a, b, of_b < of_a ? of_b : of_a);
      }
    }
    // The node of the parts of a run of `there` elements.
    template <int Parts>
    WARPFOLD_DEVICE static node fold_parts(const chunk<node, Parts>& nodes, unsigned there) {
      if constexpr (Parts == 1) {
        return nodes.elements[0];
      } else {
        constexpr unsigned of_each = parts / Parts * few;
        chunk<node, Parts / 2> pairs;
        WARPFOLD_UNROLL
        for (int p = 0; p < Parts / 2; ++p) {
          const unsigned right = static_cast<unsigned>(2 * p + 1) * of_each;
          pairs.set(p, nodes.elements[2 * p]);
          if (terms::is_sum || there > right) {
            pairs.set(p, merged(nodes.elements[2 * p], of_each, nodes.elements[2 * p + 1],
                                there - right));
          }
        }
        return fold_parts<Parts / 2>(pairs, there);
      }
    }
    // The node of a row, in each of its threads.
    WARPFOLD_DEVICE node fold_row(node of_run, const own_run& own,
                                  const storage_type& storage) const {
      // Of `runs` lanes, each with a node of `each` elements, `behind` in all.
      const auto fold_lanes = [&](unsigned lane, unsigned runs, unsigned most, unsigned each,
                                  unsigned behind) {
        WARPFOLD_NO_UNROLL
        for (unsigned apart = 1; apart < most; apart *= 2) {
          const node right = collective::shuffle_down(of_run, apart);
          if (lane + apart < runs) {
            of_run = merged(of_run, apart * each, right, behind - (lane + apart) * each);
          }
        }
      };
      fold_lanes(own.lane, own.runs, lanes, Run, own.behind);
      if constexpr (IsBlock) {
        constexpr unsigned of_warp = Run * collective::warp_size;
        const unsigned lane = threadIdx.x % collective::warp_size;
        const unsigned there = (width - 1) / of_warp + 1;
        if (lane == 0) storage.nodes.store(threadIdx.x / collective::warp_size, of_run);
        __syncthreads();
        of_run = storage.nodes.load(lane < there ? lane : there - 1);
        fold_lanes(lane, there, there, of_warp, width);
      }
      return collective::shuffle_from(of_run, own.first_lane);
    }

    // Not inlined: the usual case then needs fewer registers.
    WARPFOLD_NOINLINE WARPFOLD_DEVICE void write_by_op(shared_tile tile, own_run own,
                                                       storage_of_op storage) const {
      const auto fold = rows.fold();
      constexpr int levels = parts >= 4 ? 2 : parts >= 2 ? 1 : 0;
      static_assert(parts <= 4);
      const unsigned first_of_run = own.lane * Run;
      collective::thread_nodes<accumulator, levels> nodes(accumulator{});
      WARPFOLD_NO_UNROLL
      for (int p = 0; p < parts; ++p) {
        const unsigned there = own.in_part(p), first = static_cast<unsigned>(p) * few;
        collective::detail::lane_run<few, Work> part;
        part.load(
            [&](unsigned i) {
              return static_cast<value_type>(i < own.there ? tile.load(own.at + i) : 0);
            },
            first, there);
        nodes.add(fold, static_cast<unsigned>(p), part.folded(rows, first_of_run + first, there),
                  there != 0);
      }
      accumulator a = collective::fold_lanes(
          fold, nodes.folded(fold, own.there == 0 ? 1 : (own.there - 1) / few + 1), own.runs, lanes,
          own.lane);
      if constexpr (IsBlock) {
        constexpr unsigned of_warp = Run * collective::warp_size;
        collective::store_of_warp(storage.values, a);
        collective::fold_block(fold, storage.values, (width - 1) / of_warp + 1,
                               [&](const accumulator& all) {
                                 storage.of_block.store(0, rows.result(fold.state_of(all)));
                               });
        __syncthreads();
        write_elements(tile, own, storage.of_block.load(0));
      } else {
        a = collective::shuffle_from(a, own.first_lane);
        write_elements(tile, own, rows.result(fold.state_of(a)));
      }
    }
  };

  /// Launches once, unless one of the needs above is not met.
  /// @tparam AxisTransformation its op has terms
  /// @return true if it has launched
  template <class AxisTransformation, class Launcher>
  bool enqueue(const AxisTransformation& t, Launcher& launcher) const {
    using rows_type = typename AxisTransformation::rows_type;
    if constexpr (!can_run<rows_type>) {
      return false;
    } else {
      const auto& rows = t.rows;
      const auto& layout = rows.layout;
      if (!layout.by_rows || layout.folded.count != 1 || layout.kept.count > 1) return false;
      const std::size_t width = layout.folded.dims[0].extent;
      if (layout.folded.dims[0].stride[0] != 1 || rows.out_step != 1 || width > 8192) return false;
      if (layout.kept.count == 1 && layout.kept.dims[0].extent != 1 &&
          (layout.kept.dims[0].stride[0] != width || layout.kept.dims[0].stride[1] != width)) {
        return false;
      }
      const auto in = reinterpret_cast<std::uintptr_t>(warpfold::get<0>(rows.source.data));
      if ((in - reinterpret_cast<std::uintptr_t>(rows.out)) % word_bytes != 0) return false;

      const bool by_warps = width <= 1024;
      const std::size_t run = by_warps        ? cheapest_run(width)
                              : width <= 2048 ? 8
                              : width <= 4096 ? 16
                                              : 32;
      if (run == 8) {
        launch_by<8>(by_warps, t, width, launcher);
      } else if (run == 16) {
        launch_by<16>(by_warps, t, width, launcher);
      } else {
        launch_by<32>(by_warps, t, width, launcher);
      }
      return true;
    }
  }

 private:
  // The run with the fewest instructions for each element of a warp's rows, by a model: those for
  // each place of a run, for each element that is copied, and for the warp.
  static std::size_t cheapest_run(std::size_t width) {
    constexpr std::size_t warp = collective::warp_size;
    std::size_t best = 32;
    double least = 0;
    for (std::size_t run = 8; run <= 32; run *= 2) {
      const std::size_t lanes = divided_up(width, run);
      if (lanes > warp) continue;
      const std::size_t elements = warp / lanes * width;
      const double cost = (34.0 * static_cast<double>(run) + 235) / static_cast<double>(elements);
      if (least == 0 || cost < least) {
        least = cost;
        best = run;
      }
    }
    return best;
  }

  // A function of one's own could see that 16-bit NaN have passed through a float.
  template <class Rows>
  static constexpr bool can_run = [] {
    using value_type = typename Rows::value_type;
    return std::is_same_v<typename Rows::source_type::function_type,
                          warpfold::detail::array_value> &&
           (std::is_same_v<value_type, float> ||
            (is_half_v<value_type> &&
             std::is_same_v<typename Rows::function_type, warpfold::detail::call_fold>)) &&
           sizeof(value_type) == sizeof(typename Rows::out_type) &&
           std::is_default_constructible_v<typename Rows::out_type>;
  }();

  template <int Run, class AxisTransformation, class Launcher>
  static void launch_by(bool by_warps, const AxisTransformation& t, std::size_t width,
                        Launcher& launcher) {
    by_warps ? launch<Run, false>(t, width, launcher) : launch<Run, true>(t, width, launcher);
  }
  template <int Run, bool IsBlock, class AxisTransformation, class Launcher>
  static void launch(const AxisTransformation& t, std::size_t width, Launcher& launcher) {
    using body_type = body<typename AxisTransformation::rows_type, Run, IsBlock>;
    constexpr unsigned warp = collective::warp_size;
    const unsigned lanes = IsBlock ? warp : static_cast<unsigned>((width - 1) / Run + 1);
    const unsigned rows_of_tile = IsBlock ? 1 : warp / lanes;
    const std::size_t tiles = divided_up(t.size(), rows_of_tile);
    const caching cache = tuning::row_for(t.reduction.bytes(), launcher.gpu()).cache;
    launcher.launch(name(),
                    body_type{t.rows, static_cast<unsigned>(width), lanes, rows_of_tile, cache},
                    {grid_of(IsBlock ? tiles : divided_up(tiles, body_type::warps)),
                     unsigned{body_type::max_block}});
  }
};

}  // namespace warpfold::kernel
