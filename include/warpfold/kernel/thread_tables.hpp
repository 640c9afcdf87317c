/// @file
/// Ops whose states do not fit registers: each thread has a table of words in shared memory and
/// adds its elements there. Exact sums have such tables (op/exact_table.hpp).
///
/// Source: histograms with privatized tables (C. Nugteren and others, "High Performance Predictable
/// Histogramming on GPUs"), with integers that any order adds up to the same sum.
///
/// - Idea: a state of 128 to 2224 bytes would be read and written as a whole for each element. In a
///   table an element changes one or two words. The word of a lane is next to that of the lane
///   before, so there are no bank conflicts. Tiles of the range are taken by the blocks in turn; a
///   thread loads its next chunks while it adds those before.
/// - End: warps add up the words of all threads, blocks by atomics of 64-bit integers, and the last
///   block makes the state.
/// - Order: none. The words are integers, and so the result does not depend on it.
/// - Cost: every byte is read once. An element of 4 bytes takes 4 wavefronts of shared memory for
///   32 lanes, one of 8 bytes that leaves the registers 8. Scratch: the words of one state, which
///   are zero between launches.
/// - Needs: compute capability 7.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <warpfold/collective/final_result.hpp>
#include <warpfold/collective/last_block.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/table_sums.hpp>
#include <warpfold/collective/thread_fold.hpp>
#include <warpfold/core/device_info.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/concept.hpp>
#include <warpfold/kernel/tuning.hpp>

namespace warpfold::kernel {

namespace detail {

// The elements of a range before the op lifts them.
template <class Reduction>
using element_of = typename Reduction::view_type::elements_view::value_type;

// An op that derives from one with tables, or that folds other elements, such as those behind a
// mask, does not fold them in place.
template <class Reduction>
concept has_thread_tables =
    warpfold::detail::folds_elements_of<typename Reduction::view_type, typename Reduction::op_type,
                                        typename Reduction::accumulator> &&
    requires {
      Reduction::op_type::template table_room<typename Reduction::accumulator,
                                              element_of<Reduction>>;
    };

}  // namespace detail

/// True if the op of a reduction has tables: `Op::thread_table<A, T, Column>`, for accumulators `A`
/// and elements `T`, and `Op::table_room<A, T>`, the most words of such a table.
template <class Reduction>
inline constexpr bool has_thread_tables = detail::has_thread_tables<Reduction>;

/// See the top of this file.
struct thread_tables {
  static constexpr const char* name() { return "thread_tables"; }
  static constexpr bool is_listed = false;  // for ops with tables
  static constexpr bool reads_size = true;  // of a view/counted.hpp
  static constexpr bool takes_tables = true;

  /// The chunks of a range for some threads: `rounds` for each, and one more for the first ones.
  struct share {
    std::size_t head, tail;  ///< elements before and after the chunks
    std::size_t rounds;
    unsigned rest;
  };
  static WARPFOLD_HD share share_of(const partition& parts, unsigned threads) {
    return {parts.head, parts.tail, parts.chunks / threads,
            static_cast<unsigned>(parts.chunks % threads)};
  }

  /// True if the result is a function of the state, without an init, and nothing is done after it.
  template <class Reduction>
  static consteval bool finishes_states() {
    if constexpr (has_finish<Reduction> && !Reduction::has_init) {
      using state = typename Reduction::state;
      using result = decltype(std::declval<const Reduction&>().result_for(
          std::declval<const typename Reduction::unfinished_type::result_type&>()));
      return std::is_same_v<state, typename Reduction::unfinished_type::result_type> &&
             std::is_same_v<result, typename Reduction::result_type>;
    } else {
      return false;
    }
  }

  template <class Reduction, class Out>
  struct body {
    using table = typename Reduction::op_type::template thread_table<
        typename Reduction::accumulator, detail::element_of<Reduction>, collective::table_column>;
    using state = typename Reduction::state;
    static constexpr unsigned room =
        Reduction::op_type::template table_room<typename Reduction::accumulator,
                                                detail::element_of<Reduction>>;
    static constexpr std::size_t thread_bytes = room * sizeof(std::int64_t);

    /// Blocks of 512 threads, if their tables fit the shared memory of compute capability 9.0;
    /// otherwise as many as fit. Two of them for each multiprocessor if tables are small, as those
    /// of floats: threads with larger ones need 128 registers.
    static constexpr std::size_t most_shared = 216 * 1024;
    static constexpr int min_blocks_per_multiprocessor = thread_bytes <= 160 ? 2 : 1;
    static constexpr int max_block = 512 * thread_bytes <= most_shared
                                         ? 512
                                         : static_cast<int>(most_shared / thread_bytes / 32 * 32);
    static constexpr bool waits_for_launch_before = true;
    static constexpr unsigned chunk_size = Reduction::view_type::chunk_size;
    /// Chunks of a thread in flight: more in few threads, and with up to 16 elements if those stay
    /// in registers.
    static constexpr unsigned unroll = [] {
      unsigned chunks = collective::loads_in_flight<Reduction>(max_block < 512 ? 128 : 64);
      while (table::keeps_groups && chunks > 1 && chunks * chunk_size > 16) chunks /= 2;
      return chunks;
    }();

    Reduction reduction;
    share all;
    caching cache;
    collective::grid_storage grid;
    collective::result_sink<Out> sink;

    WARPFOLD_HD const Reduction& work() const { return reduction; }
    WARPFOLD_DEVICE void operator()() const {
      constexpr unsigned own_words = collective::warp_size * table::words;
      const unsigned warp = threadIdx.x / collective::warp_size;
      const unsigned lane = threadIdx.x % collective::warp_size;
      const auto memory =
          collective::dynamic_shared<std::int64_t>(blockDim.x / collective::warp_size * own_words);
      const collective::table_column column(
          collective::shared_part<std::int64_t>(memory, warp * own_words + lane));
      table own(column);
      const global_loads loads(cache);
      collective::wait_for_launch_before();
      const collective::final_result<Reduction> result(reduction, threadIdx.x == 0);
      std::size_t n = reduction.view.size();
      if constexpr (warpfold::detail::has_size_in_memory<typename Reduction::view_type>) {
        Reduction counted = reduction;
        counted.view.read_size(global_loads(caching::keep));
        n = counted.view.size();
        add_all(counted, share_of(partition_of(counted.view), gridDim.x * blockDim.x), loads, own);
      } else {
        add_all(reduction, all, loads, own);
      }
      collective::let_next_launch_start();
      own.finish();
      finish(own, memory, n, result);
    }

   private:
    /// Adds this thread's chunks, a grid apart. The next ones are on their way meanwhile.
    template <class Loads>
    static WARPFOLD_DEVICE void add_all(const Reduction& r, const share& all, const Loads& loads,
                                        table& own) {
      using view_type = typename Reduction::view_type;
      constexpr unsigned size = chunk_size;
      const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
      const std::size_t step = std::size_t{gridDim.x} * blockDim.x * size;
      std::size_t left = all.rounds + (thread < all.rest ? 1 : 0);
      std::size_t at = all.head + std::size_t{thread} * size;
      using chunks_type = typename view_type::chunk_type[std::size_t{unroll}];
      const auto load = [&](chunks_type& to) {
        WARPFOLD_UNROLL
        for (unsigned u = 0; u < unroll; ++u) r.view.load(to[u], at + u * step, loads);
        at += unroll * step;
      };
      const auto add = [&]<bool IsWhole>(const chunks_type& chunks, unsigned count,
                                         std::bool_constant<IsWhole>) {
        const auto element = [&](unsigned j) {
          return r.view.get_element(chunks[j / size], static_cast<int>(j % size));
        };
        if constexpr (table::keeps_groups) {
          add_group<unroll * size, IsWhole>(own, count * size, r.op, element);
        } else {
          WARPFOLD_UNROLL
          for (unsigned u = 0; u < unroll; ++u) {
            if (!IsWhole && u >= count) break;
            add_group<size, true>(own, size, r.op,
                                  [&](unsigned j) { return element(u * size + j); });
          }
        }
      };
      if (left >= unroll) {
        chunks_type now, next;
        load(next);
        WARPFOLD_NO_UNROLL
        for (;;) {
          WARPFOLD_UNROLL
          for (unsigned u = 0; u < unroll; ++u) now[u] = next[u];
          left -= unroll;
          if (left >= unroll) load(next);
          add(now, unroll, std::true_type{});
          if (left < unroll) break;
        }
      }
      if (left != 0) {
        const auto count = static_cast<unsigned>(left);
        chunks_type last;
        WARPFOLD_UNROLL
        for (unsigned u = 0; u < unroll; ++u) {
          r.view.load(last[u], at + (u < count ? u : count - 1) * step, loads);
        }
        add(last, count, std::false_type{});
      }
      if (blockIdx.x == 0) {
        WARPFOLD_NO_UNROLL
        for (int end = 0; end < 2; ++end) {
          if (threadIdx.x >= (end == 0 ? all.head : all.tail)) continue;
          const std::size_t i = end == 0 ? threadIdx.x : r.view.size() - all.tail + threadIdx.x;
          add_group<1, true>(own, 1, r.op,
                             [&](unsigned) { return r.view.elements().at(i, loads); });
        }
      }
    }

    /// Adds the first `count` of a group of elements: `element(j)` returns one.
    template <unsigned Size, bool IsWhole>
    static WARPFOLD_DEVICE void add_group(table& own, unsigned count,
                                          const typename Reduction::op_type& op,
                                          const auto& element) {
      typename table::template group<Size, IsWhole> group(own);
      const auto add = [&](auto&& slot, unsigned j) { op.fold_element(slot, element(j)); };
      [&]<unsigned... Place>(std::integer_sequence<unsigned, Place...>) {
        (add(group.template slot<Place>(IsWhole || Place < count), Place), ...);
      }(std::make_integer_sequence<unsigned, Size>{});
      group.finish();
    }

    /// Adds up the words of all threads of all blocks; one thread delivers the result.
    template <class Result>
    WARPFOLD_DEVICE void finish(table& own_table,
                                const collective::shared_span<std::int64_t>& memory, std::size_t n,
                                const Result& result) const {
      using total = unsigned long long;
      WARPFOLD_SHARED collective::shared_array<std::int64_t, table::words> low, high;
      // The words of the state: in front of them the number of elements, if the state has it.
      WARPFOLD_SHARED collective::shared_array<std::int64_t, table::totals + 1> totals;
      static_assert(sizeof(state) ==
                    (table::totals + (table::counts ? 1 : 0)) * sizeof(std::int64_t));
      for (unsigned i = threadIdx.x; i < table::words; i += blockDim.x) {
        low.store(i, 0);
        high.store(i, 0);
      }
      __syncthreads();
      typename table::marks_type marks[table::tables];
      collective::add_up_tables(own_table, memory, 0, blockDim.x / collective::warp_size, low, high,
                                marks, [] { __syncthreads(); });
      __syncthreads();
      const collective::global_array<total> of_grid{reinterpret_cast<total*>(grid.posts + 1),
                                                    table::totals};
      for (unsigned t = threadIdx.x; t < table::totals; t += blockDim.x) {
        const std::int64_t own = table::total(
            t, [&](unsigned i) { return low.load(i); }, [&](unsigned i) { return high.load(i); },
            marks);
        if (gridDim.x == 1) {
          totals.store(t + 1, own);
        } else if (own != 0) {
          atomicAdd(of_grid.data + t, static_cast<total>(own));
        }
      }
      if (gridDim.x == 1) {
        __syncthreads();
      } else {
        // The counter of blocks is in the first post, the totals in the others.
        if (!collective::is_last_block(grid, 0, gridDim.x)) return;
        for (unsigned t = threadIdx.x; t < table::totals; t += blockDim.x) {
          totals.store(t + 1, static_cast<std::int64_t>(collective::load_word(of_grid.data + t)));
          of_grid.store(t, 0);
        }
        __syncthreads();
      }
      if (threadIdx.x != 0) return;
      std::int64_t* const words = collective::shared_span<std::int64_t>(totals).data();
      words[0] = static_cast<std::int64_t>(n);
      table::settle(words + 1, n);
      const auto& all_words = *reinterpret_cast<const state*>(words + (table::counts ? 0 : 1));
      if constexpr (finishes_states<Reduction>()) {
        sink.deliver(reduction.result_for(all_words));  // the state stays in shared memory
      } else {
        sink.deliver(result(all_words));
      }
    }
  };

  /// Launches once.
  /// @throws unsupported_kernel if a block's shared memory does not hold the tables of 32 threads
  template <class Out>
  void enqueue(const auto& r, const collective::result_sink<Out>& sink, auto& launcher) const {
    enqueue_as(tuning::row_for(loaded_bytes(r.view), launcher.gpu()), r, sink, launcher);
  }

  /// The same with a row of a tuning, of which it uses the cache only.
  template <class Reduction, class Out, class Launcher>
  void enqueue_as(const tuning::row& row, const Reduction& r,
                  const collective::result_sink<Out>& sink, Launcher& launcher) const {
    static_assert(
        has_thread_tables<Reduction>,
        "warpfold: kernel thread_tables runs ops with tables, such as plus{}.exact(); let "
        "wf::device choose the kernel");
    using body_type = body<Reduction, Out>;
    const device_info& gpu = launcher.gpu();
    const partition parts = partition_of(r.view);
    const launch_shape where = shape<body_type>(parts, gpu);
    launcher.launch(name(),
                    body_type{r, share_of(parts, static_cast<unsigned>(where.threads())), row.cache,
                              launcher.grid(), sink},
                    where);
  }

 private:
  template <class Body>
  static launch_shape shape(const partition& parts, const device_info& gpu) {
    // Of the shared memory of a block, the tables get all but the sums of their words.
    constexpr std::size_t own = 16 * Body::room + 8 * Body::table::totals + 256;
    const std::size_t shared = gpu.shared_bytes_per_block;
    const std::size_t fit =
        shared < own ? 0 : (shared - own) / Body::thread_bytes / collective::warp_size;
    if (fit == 0) {
      throw_error<unsupported_kernel>("warpfold: kernel thread_tables needs ",
                                      own + collective::warp_size * Body::thread_bytes,
                                      " bytes of shared memory for the tables of a warp, but this "
                                      "GPU gives a block ",
                                      shared);
    }
    constexpr std::size_t most = Body::max_block;
    const std::size_t threads =
        fit * collective::warp_size < most ? fit * collective::warp_size : most;
    // Few chunks: as many threads as give each a chunk, on all multiprocessors.
    const auto multiprocessors = static_cast<std::size_t>(gpu.multiprocessors);
    const std::size_t chunks = parts.chunks == 0 ? 1 : parts.chunks;
    std::size_t wanted = chunks <= one_block ? chunks : (chunks - 1) / multiprocessors + 1;
    wanted = (wanted + collective::warp_size - 1) / collective::warp_size * collective::warp_size;
    if (wanted < 4 * collective::warp_size && chunks > one_block)
      wanted = 4 * collective::warp_size;
    const std::size_t block = wanted < threads ? wanted : threads;
    const std::size_t most_blocks = multiprocessors * Body::min_blocks_per_multiprocessor;
    const std::size_t blocks = chunks <= one_block ? 1 : (chunks - 1) / block + 1;
    return {static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks),
            static_cast<unsigned>(block), block * Body::thread_bytes};
  }
  // Up to so many chunks, one block is faster than the exchange between blocks.
  static constexpr std::size_t one_block = 512;
};

static_assert(reduction_kernel<thread_tables>);

}  // namespace warpfold::kernel
