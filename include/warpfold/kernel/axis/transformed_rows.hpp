/// @file
/// Folds each row in the declared order (op/fold_order.hpp) and writes a function of its elements
/// and of the fold, in one launch: a softmax, a normalization.
///
/// Source: the row-wise softmax and layer norm kernels of libraries for neural networks.
///
/// - Idea: the lanes of a warp, or the threads of a block, load a whole row into registers, up to
///   eight words each, fold it, and write it from the registers. Every element is read once; two
///   launches read it twice.
/// - Cost: one launch, no scratch. Rows above 256 chunks have two barriers.
/// - Needs: one folded dimension along which neighbors in memory lie, and rows of at most 8192
///   chunks: 16 bytes each if rows are whole words, otherwise one element. Fewer for several arrays
///   and for states of more than 32 bytes.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/collective/axis_loads.hpp>
#include <warpfold/collective/block_fold.hpp>
#include <warpfold/collective/block_reduce.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/row_fold.hpp>
#include <warpfold/collective/shuffle.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/axis/held_row_plan.hpp>
#include <warpfold/kernel/axis/loads.hpp>
#include <warpfold/work/axis_transformation.hpp>

namespace warpfold::kernel {

/// One launch with a row per warp, part of a warp, or block; see the top of this file.
struct transformed_rows {
  static constexpr const char* name() { return "transformed_rows"; }

  /// @tparam Held chunks that a thread holds
  /// @tparam MaxBlock 256 for rows of up to a warp, 1024 for a row per block
  template <class Work, int Size, int Held, int MaxBlock>
  struct body {
    using source = typename Work::source_type;
    using accumulator = typename Work::accumulator;
    using state = typename Work::state;
    using out_type = typename Work::out_type;
    using result = std::remove_cvref_t<decltype(std::declval<const Work&>().result(
        std::declval<const state&>()))>;

    static constexpr int max_block = MaxBlock;
    static constexpr bool waits_for_launch_before = true;
    static constexpr bool is_row_per_block = MaxBlock == 1024;
    static constexpr int arrays = Work::arrays;

    Work rows;
    array_loads<Work::arrays> how;
    std::size_t chunks;   ///< per row
    unsigned lanes_log2;  ///< log2 of the lanes per row, unless a block has a row
    bool stores_words;
    caching cache;

    WARPFOLD_HD const Work& work() const { return rows; }
    WARPFOLD_DEVICE void operator()() const {
      const unsigned lanes = is_row_per_block ? blockDim.x : 1u << lanes_log2;
      const unsigned lane = is_row_per_block ? threadIdx.x : threadIdx.x & (lanes - 1);
      const std::size_t row =
          is_row_per_block
              ? std::size_t{blockIdx.x}
              : std::size_t{blockIdx.x} * (blockDim.x >> lanes_log2) + (threadIdx.x >> lanes_log2);
      const auto fold = rows.fold();
      const global_loads loads(cache);
      const auto& along = rows.layout.folded.dims[0];
      const bool inside = row < results_of(rows);
      const auto at = rows.layout.kept.place(inside ? row : 0);
      // The chunks of a warp are neighbors, and a warp has a power of two of them.
      const unsigned first =
          is_row_per_block ? threadIdx.x / collective::warp_size * Held * collective::warp_size +
                                 threadIdx.x % collective::warp_size
                           : lane;
      const unsigned apart = is_row_per_block ? unsigned{collective::warp_size} : lanes;
      const auto has = [&](int u) { return first + static_cast<unsigned>(u) * apart < chunks; };
      // Missing chunks load the thread's first one again, and the result is discarded. Another
      // thread's chunk might be overwritten: the output may be the input.
      const auto chunk_of = [&](int u) -> std::size_t {
        return first + (has(u) ? static_cast<unsigned>(u) * apart : 0);
      };
      collective::wait_for_launch_before();
      typename source::template chunk_type<Size> loaded[std::size_t{Held}];
      chunk<accumulator, Held> values;  // of the chunks
      // GCC does not see that missing ones are not combined.
      if constexpr (is_in_order) __builtin_memset(static_cast<void*>(&values), 0, sizeof values);
      state seen = fold.start();
      if (inside && has(0)) {
        array_offsets<arrays> from[std::size_t{Held}];
        WARPFOLD_UNROLL
        for (int u = 0; u < Held; ++u) {
          WARPFOLD_UNROLL
          for (int a = 0; a < arrays; ++a) {
            from[u].of[a] = at.of[a] + chunk_of(u) * Size * along.stride[a];
          }
        }
        rows.source.template load<Size>(loaded, from, along.stride, how.of, Size, loads);
        if constexpr (is_in_order) {
          WARPFOLD_UNROLL
          for (int u = 0; u < Held; ++u) values.set(u, fold_of_chunk(fold, loaded[u], chunk_of(u)));
        } else {
          seen = fold.combine(
              seen, fold.state_of(fold_tree_of_first<0, Held>(
                        [&](const auto& a, const auto& b) { return fold.apply(a, b); },
                        [&](int u) { return fold_of_chunk(fold, loaded[u], chunk_of(u)); }, has)));
        }
      }
      collective::let_next_launch_start();
      const result folded = [&] {
        if constexpr (is_in_order) {
          return result_in_order(fold, values, lanes);
        } else {
          return shared_result(fold, seen, lanes);
        }
      }();

      if (!inside) return;
      WARPFOLD_UNROLL
      for (int u = 0; u < Held; ++u) {
        if (!has(u)) continue;
        chunk<out_type, Size> results;
        WARPFOLD_UNROLL
        for (int k = 0; k < Size; ++k) {
          results.set(k,
                      out_type(rows.apply(rows.source.template get<Size>(loaded[u], k), folded)));
        }
        store_chunk_of_row<Size>(rows, results,
                                 rows.out + at.of[arrays] + chunk_of(u) * Size * rows.out_step,
                                 stores_words);
      }
    }

   private:
    inline WARPFOLD_DEVICE auto fold_of_chunk(const auto& fold, const auto& c,
                                              std::size_t number) const {
      const auto element = [&](int k) { return rows.source.template get<Size>(c, k); };
      const auto lifted = [&](int k) {
        return rows.lift(element(k), number * Size + static_cast<unsigned>(k));
      };
      if constexpr (collective::detail::folds_neighbors_of<Work, Size, decltype(element)>) {
        return rows.op.template fold_neighbors<Size>(element, lifted);
      } else {
        return fold_tree<0, Size>([&](const auto& a, const auto& b) { return fold.apply(a, b); },
                                  lifted);
      }
    }

    static constexpr bool is_in_order =
        !same_in_any_order<typename Work::op_type, typename Work::accumulator>;

    /// The result of all chunks of a row in the declared order, in each of its threads.
    template <class Fold>
    WARPFOLD_DEVICE result result_in_order(const Fold& fold, const chunk<accumulator, Held>& values,
                                           unsigned lanes) const {
      const auto count = static_cast<unsigned>(chunks);
      if constexpr (is_row_per_block) {
        WARPFOLD_SHARED collective::shared_array<accumulator, 32> storage;
        WARPFOLD_SHARED collective::shared_array<result, 1> of_block;
        constexpr unsigned each = Held * collective::warp_size;
        const unsigned first = threadIdx.x / collective::warp_size * each;
        collective::store_of_warp(
            storage, collective::fold_rows<Held>(
                         fold, values, count - first < each ? count - first : unsigned{each}));
        collective::fold_block(
            fold, storage, blockDim.x / collective::warp_size,
            [&](const accumulator& a) { of_block.store(0, rows.result(fold.state_of(a))); });
        __syncthreads();
        return of_block.load(0);
      } else {
        const unsigned lane = threadIdx.x & (lanes - 1);
        accumulator a = values.elements[0];
        if constexpr (Held == 1) {
          WARPFOLD_NO_UNROLL
          for (unsigned apart = 1; apart < lanes; apart *= 2) {
            const accumulator right = collective::shuffle_down(a, apart);
            if (lane + apart < count) a = fold.apply(a, right);
          }
        } else {
          a = collective::fold_rows<Held>(fold, values, count);
        }
        const unsigned first = threadIdx.x % collective::warp_size & ~(lanes - 1);
        return rows.result(fold.state_of(collective::shuffle_from(a, first)));
      }
    }

    inline WARPFOLD_DEVICE result shared_result(const auto& fold, state seen,
                                                unsigned lanes) const {
      if constexpr (is_row_per_block) {
        WARPFOLD_SHARED collective::block_storage<state> storage;
        WARPFOLD_SHARED collective::shared_array<result, 1> of_block;
        seen = collective::block_reduce(fold, seen, storage);
        if (threadIdx.x == 0) of_block.store(0, rows.result(seen));
        __syncthreads();
        return of_block.load(0);
      } else {
        seen = collective::reduce_lanes(fold, seen, lanes);
        const unsigned first = threadIdx.x % collective::warp_size & ~(lanes - 1);
        return rows.result(collective::shuffle_from(seen, first));
      }
    }
  };

  /// Launches once, unless the rows are too long or not contiguous.
  /// @return true if it has launched
  template <class AxisTransformation, class Launcher>
  bool enqueue(const AxisTransformation& t, Launcher& launcher) const {
    if (!t.rows.layout.by_rows || t.rows.layout.folded.count != 1) return false;
    constexpr int size = plan<AxisTransformation>::size;
    const plan<AxisTransformation> p(t, launcher.gpu());
    if (p.chunks > (p.words ? capacity<AxisTransformation, size> : capacity<AxisTransformation, 1>))
      return false;
    if constexpr (size > 1) {
      if (p.words) enqueue_as<size>(t, p, launcher);
    }
    if (!p.words) enqueue_as<1>(t, p, launcher);
    return true;
  }

 private:
  template <class AxisTransformation>
  using rows_of = typename AxisTransformation::rows_type;
  template <class AxisTransformation>
  using plan = held_row_plan<AxisTransformation>;

  template <class AxisTransformation, int Size>
  static constexpr int max_held =
      chunks_in_flight<typename rows_of<AxisTransformation>::source_type,
                       typename AxisTransformation::state, Size>;
  template <class AxisTransformation, int Size>
  static constexpr std::size_t capacity = std::size_t{1024} * max_held<AxisTransformation, Size>;

  template <int Size, class AxisTransformation, class Launcher>
  static void enqueue_as(const AxisTransformation& t, const plan<AxisTransformation>& p,
                         Launcher& launcher) {
    constexpr int most = max_held<AxisTransformation, Size>;
    constexpr std::size_t warp = collective::warp_size;
    if (p.chunks > warp * most) return launch_blocks<Size, most>(t, p, launcher);
    unsigned lanes_log2 = 0;
    while (lanes_log2 < 5 && (std::size_t{1} << lanes_log2) < p.chunks) ++lanes_log2;
    if constexpr (most > 4) {
      if (p.chunks > 4 * warp) return launch_lanes<Size, 8>(t, p, lanes_log2, launcher);
    }
    if constexpr (most > 2) {
      if (p.chunks > 2 * warp) return launch_lanes<Size, 4>(t, p, lanes_log2, launcher);
    }
    if constexpr (most > 1) {
      if (p.chunks > warp) return launch_lanes<Size, 2>(t, p, lanes_log2, launcher);
    }
    launch_lanes<Size, 1>(t, p, lanes_log2, launcher);
  }

  template <int Size, int Held, class AxisTransformation, class Launcher>
  static void launch_lanes(const AxisTransformation& t, const plan<AxisTransformation>& p,
                           unsigned lanes_log2, Launcher& launcher) {
    constexpr std::size_t block = 256;
    const std::size_t groups = block >> lanes_log2;
    launcher.launch(name(),
                    body<rows_of<AxisTransformation>, Size, Held, 256>{
                        t.rows, p.how, p.chunks, lanes_log2, p.stores_words, p.cache},
                    {grid_of((t.size() + groups - 1) / groups), static_cast<unsigned>(block)});
  }

  template <int Size, int Held, class AxisTransformation, class Launcher>
  static void launch_blocks(const AxisTransformation& t, const plan<AxisTransformation>& p,
                            Launcher& launcher) {
    constexpr std::size_t warp = collective::warp_size;
    const std::size_t warps = (p.chunks + Held * warp - 1) / (Held * warp);
    launcher.launch(name(),
                    body<rows_of<AxisTransformation>, Size, Held, 1024>{t.rows, p.how, p.chunks, 5,
                                                                        p.stores_words, p.cache},
                    {grid_of(t.size()), static_cast<unsigned>(warps * warp)});
  }
};

}  // namespace warpfold::kernel
