/// @file
/// Folds each row by its terms (collective/term_group.hpp), and writes a function of its elements
/// and of the fold, in one launch: a softmax, a normalization.
///
/// Source: the row-wise softmax and layer norm kernels of libraries for neural networks.
///
/// - Idea: some lanes of a warp, or the threads of a block, hold a whole row in registers, up to
///   eight words each, fold it, and write it from the registers. Other blocks of the multiprocessor
///   load meanwhile: persistent blocks that copy their next row ahead to shared memory have more
///   registers, fewer warps, and 0.83 of the speed (8192 x 1024, H200).
/// - Cost: one launch, no scratch; every element is read and written once. Rows of more than one
///   warp have two barriers.
/// - Needs: an op with terms (op/group_terms.hpp), and rows of whole 16-byte words, also in the
///   output: at most 8192 words, 32 768 elements.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/term_group.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/axis/held_row_plan.hpp>
#include <warpfold/kernel/axis/loads.hpp>
#include <warpfold/work/axis_transformation.hpp>

namespace warpfold::kernel {

/// One launch with a row per warp, part of a warp, or block; see the top of this file.
struct transformed_terms {
  static constexpr const char* name() { return "transformed_terms"; }

  /// @tparam Held chunks that a thread holds
  /// @tparam MaxBlock 128 for rows of up to a warp, otherwise a row per block
  template <class Work, int Size, int Held, int MaxBlock>
  struct body {
    static constexpr bool is_row_per_block = MaxBlock > 128;
    static constexpr int arrays = Work::arrays;

    using group_type = collective::term_group<Work, Size, Held, is_row_per_block>;
    using loaded_chunk = typename group_type::loaded_chunk;

    static constexpr int max_block = MaxBlock;
    static constexpr int min_blocks_per_multiprocessor = is_row_per_block ? 1
                                                         : Held < 8       ? 8
                                                         : sizeof(typename group_type::node) <= 8
                                                             ? 6
                                                             : 5;
    static constexpr bool waits_for_launch_before = true;

    Work rows;
    array_loads<Work::arrays> how;
    unsigned chunks;      ///< per row
    unsigned lanes_log2;  ///< log2 of the lanes per row
    caching cache;

    WARPFOLD_HD const Work& work() const { return rows; }
    WARPFOLD_DEVICE void operator()() const {
      WARPFOLD_SHARED collective::shared_array<std::uint32_t, most_warps> references;
      WARPFOLD_SHARED collective::shared_array<typename group_type::node, most_warps> nodes;
      WARPFOLD_SHARED collective::shared_array<typename group_type::accumulator, most_warps> values;
      WARPFOLD_SHARED collective::shared_array<typename group_type::result, 1> result;
      const typename group_type::storage_type storage{references, nodes, values, result};
      if (first_row() >= results_of(rows)) return;
      const group_type group(rows, threads(), storage);
      const place own = place_of_row();
      collective::wait_for_launch_before();
      loaded_chunk loaded[std::size_t{Held}];
      {
        // A missing chunk loads the thread's first one again, or that of the first thread.
        array_offsets<arrays> from[std::size_t{Held}];
        const unsigned first = group.has(0) ? group.number(0) : 0;
        WARPFOLD_UNROLL
        for (int u = 0; u < Held; ++u)
          from[u] = offsets(own, group.has(u) ? group.number(u) : first);
        load_from<Held>(loaded, from);
      }
      collective::let_next_launch_start();
      const bool has_written = group.write(
          loaded, [&](int u) { return load_one(group, own, u); },
          [&](int u, const auto& results) { put(group, own, u, results); });
      if (!has_written) [[unlikely]] {
        write_by_op(storage);
      }
    }

   private:
    static constexpr unsigned most_warps = is_row_per_block ? MaxBlock / collective::warp_size : 1;

    // The place of a row in each array, and in the output.
    struct place {
      array_offsets<arrays + 1> at;
      bool is_inside;
    };
    // Lanes behind the last row compute it once more, and write nothing.
    WARPFOLD_DEVICE place place_of_row() const {
      const std::size_t row =
          is_row_per_block
              ? std::size_t{blockIdx.x}
              : std::size_t{blockIdx.x} * (blockDim.x >> lanes_log2) + (threadIdx.x >> lanes_log2);
      const auto& results = results_of(rows);
      const bool is_inside = row < results;
      return {rows.layout.kept.place(is_inside ? row : results - 1), is_inside};
    }
    // The first row of this warp.
    WARPFOLD_DEVICE std::size_t first_row() const {
      const unsigned thread = threadIdx.x / collective::warp_size * collective::warp_size;
      return is_row_per_block
                 ? std::size_t{blockIdx.x}
                 : std::size_t{blockIdx.x} * (blockDim.x >> lanes_log2) + (thread >> lanes_log2);
    }
    WARPFOLD_DEVICE collective::group_threads threads() const {
      if constexpr (is_row_per_block) {
        return {threadIdx.x % collective::warp_size, 5, threadIdx.x / collective::warp_size,
                blockDim.x / collective::warp_size, chunks};
      } else {
        return {threadIdx.x & ((1u << lanes_log2) - 1), lanes_log2, 0, 1, chunks};
      }
    }

    WARPFOLD_DEVICE array_offsets<arrays> offsets(const place& p, unsigned chunk) const {
      array_offsets<arrays> from;
      WARPFOLD_UNROLL
      for (int a = 0; a < arrays; ++a) {
        from.of[a] = p.at.of[a] + std::size_t{chunk} * Size *
                                      (arrays == 1 ? 1 : rows.layout.folded.dims[0].stride[a]);
      }
      return from;
    }
    template <int Count>
    inline WARPFOLD_DEVICE void load_from(
        loaded_chunk (&loaded)[std::size_t{Count}],
        const array_offsets<arrays> (&from)[std::size_t{Count}]) const {
      const global_loads loads(cache);
      if constexpr (arrays == 1) {  // it is loaded in words
        constexpr std::size_t next[] = {1};
        constexpr array_load words[] = {array_load::words};
        rows.source.template load<Size>(loaded, from, next, words, Size, loads);
      } else {
        rows.source.template load<Size>(loaded, from, rows.layout.folded.dims[0].stride, how.of,
                                        Size, loads);
      }
    }
    inline WARPFOLD_DEVICE loaded_chunk load_one(const group_type& group, const place& p,
                                                 int u) const {
      const array_offsets<arrays> from[1] = {offsets(p, group.number(u))};
      loaded_chunk c[1];
      load_from<1>(c, from);
      return c[0];
    }
    inline WARPFOLD_DEVICE void put(const group_type& group, const place& p, int u,
                                    const auto& results) const {
      if (!p.is_inside) return;
      warpfold::detail::store_words(
          rows.out + p.at.of[arrays] + std::size_t{group.number(u)} * Size, results,
          global_access{});
    }
    // Not inlined: the usual case then needs fewer registers.
    WARPFOLD_NOINLINE WARPFOLD_DEVICE void write_by_op(
        typename group_type::storage_type storage) const {
      const group_type group(rows, threads(), storage);
      const place own = place_of_row();
      group.write_by_op([&](int u) { return load_one(group, own, u); },
                        [&](int u, const auto& results) { put(group, own, u, results); });
    }
  };

  /// Launches once, unless rows are too long, not contiguous or not whole words.
  /// @tparam AxisTransformation its op has terms
  /// @return true if it has launched
  template <class AxisTransformation, class Launcher>
  bool enqueue(const AxisTransformation& t, Launcher& launcher) const {
    using plan = held_row_plan<AxisTransformation>;
    if constexpr (plan::size == 1) {
      return false;
    } else {
      if (!t.rows.layout.by_rows || t.rows.layout.folded.count != 1) return false;
      const plan p(t, launcher.gpu());
      constexpr int most = most_held<plan>;
      if (!p.stores_words || p.chunks > std::size_t{1024} * most) return false;
      launch_held<most>(t, p, launcher);
      return true;
    }
  }

 private:
  // 32 elements a thread.
  template <class Plan>
  static constexpr int most_held = Plan::size >= 32      ? 1
                                   : 32 / Plan::size > 8 ? 8
                                                         : 32 / Plan::size;

  template <int Held, class AxisTransformation, class Plan, class Launcher>
  static void launch_held(const AxisTransformation& t, const Plan& p, Launcher& launcher) {
    constexpr std::size_t warp = collective::warp_size;
    if constexpr (Held == most_held<Plan>) {
      if (p.chunks > warp * Held) {
        const std::size_t threads = divided_up(p.chunks, Held * warp) * warp;
        if (threads <= 512) return launch<Held, 512>(t, p, t.size(), threads, 5, launcher);
        return launch<Held, 1024>(t, p, t.size(), threads, 5, launcher);
      }
    }
    // As few lanes as hold a row; at least as many as chunks of each, for the exchange of nodes.
    if constexpr (Held > 1) {
      const std::size_t least = Held > 4 ? warp / 2 * Held : std::size_t{Held} * Held / 2;
      if (p.chunks <= least) return launch_held<Held / 2>(t, p, launcher);
    }
    unsigned lanes_log2 = 0;
    while (lanes_log2 < 5 && (std::size_t{Held} << lanes_log2) < p.chunks) ++lanes_log2;
    while ((1u << lanes_log2) < Held) ++lanes_log2;
    constexpr std::size_t block = 128;
    launch<Held, 128>(t, p, divided_up(t.size(), block >> lanes_log2), block, lanes_log2, launcher);
  }

  template <int Held, int MaxBlock, class AxisTransformation, class Plan, class Launcher>
  static void launch(const AxisTransformation& t, const Plan& p, std::size_t blocks,
                     std::size_t threads, unsigned lanes_log2, Launcher& launcher) {
    using body_type = body<typename AxisTransformation::rows_type, Plan::size, Held, MaxBlock>;
    launcher.launch(name(),
                    body_type{t.rows, p.how, static_cast<unsigned>(p.chunks), lanes_log2, p.cache},
                    {grid_of(blocks), static_cast<unsigned>(threads)});
  }
};

}  // namespace warpfold::kernel
