/// @file
/// Folds the nodes of the declared order (op/fold_order.hpp) that a rank's elements consist of, in
/// one launch: a block for each part of a node (op/node_parts.hpp).
///
/// - Idea: a part is a range, which a block folds as those of kernel/in_order.hpp do. Its fold goes
///   to memory of the host, which combines the parts.
/// - Cost: every byte is read once. As many parts as kernel/in_order.hpp has blocks, and at most
///   two more for each power of two up to their length. If the first element that is a multiple of
///   16 bytes from the beginning of the whole is not aligned to 16 bytes, loads are narrower.
/// - Needs: compute capability 7.0.
#pragma once

#include <bit>
#include <cstddef>

#include <warpfold/collective/block_fold.hpp>
#include <warpfold/collective/computed_fold.hpp>
#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/tile_fold.hpp>
#include <warpfold/core/device_info.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/in_order.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/op/node_parts.hpp>

namespace warpfold::kernel {

/// Consecutive elements of a reduction as the range that `collective::fold_tile` folds.
template <class Reduction>
struct part_of_reduction {
  using accumulator = typename Reduction::accumulator;

  struct view_type {
    using base = typename Reduction::view_type;
    static constexpr int chunk_size = base::chunk_size;
    using chunk_type = typename base::chunk_type;

    const base& whole;
    std::size_t first;

    inline WARPFOLD_DEVICE void load(chunk_type& c, std::size_t i, const auto& loads) const {
      whole.load(c, first + i, loads);
    }
    inline WARPFOLD_DEVICE void load_anywhere(chunk_type& c, std::size_t i,
                                              const auto& loads) const {
      whole.load_anywhere(c, first + i, loads);
    }
    inline WARPFOLD_DEVICE typename base::value_type at(std::size_t i, const auto& loads) const {
      return whole.at(first + i, loads);
    }
  };

  const Reduction& whole;
  view_type view;

  WARPFOLD_DEVICE part_of_reduction(const Reduction& r, std::size_t first)
      : whole(r), view{r.view, first} {}

  WARPFOLD_DEVICE auto fold() const { return whole.fold(); }
  WARPFOLD_DEVICE accumulator lift(const typename Reduction::value_type& x) const {
    return whole.lift(x);
  }
  WARPFOLD_DEVICE accumulator fold_chunk(const typename view_type::chunk_type& c) const {
    return collective::detail::fold_chunk(whole, c);
  }
};

/// See the top of this file.
struct nodes {
  using node_parts = warpfold::detail::node_parts;

  static constexpr const char* name() { return "nodes"; }

  static constexpr unsigned warps = 8;
  static constexpr unsigned threads = warps * collective::warp_size;

  /// How a block folds a part of the elements of a reduction.
  template <class Reduction>
  struct part_fold {
    using accumulator = typename Reduction::accumulator;
    using storage_type = collective::shared_array<accumulator, warps>;
    static constexpr int unroll = detail::rows_in_flight<Reduction>(64);
    static constexpr unsigned unroll_shift = std::bit_width(unsigned{unroll}) - 1;

    node_parts parts;
    std::size_t head;  ///< of the view
    caching cache;

    part_fold(const Reduction& r, const node_parts& p, const device_info& gpu)
        : parts(p), head(r.view.head()), cache(tuning::row_for(loaded_bytes(r.view), gpu).cache) {}

    /// Folds part `p`. Thread 0 calls `use(value)`.
    inline WARPFOLD_DEVICE void operator()(const Reduction& reduction, std::size_t p,
                                           collective::shared_span<accumulator> storage,
                                           const auto& use) const {
      const node_parts::part own = parts.at(p);
      const part_of_reduction<Reduction> r(reduction, own.first);
      const auto chunks = chunks_of(own);
      unsigned shift = 5;  // log2 of the chunks of a warp
      while (std::size_t{warps} << shift < chunks.count) ++shift;
      const std::size_t each = std::size_t{1} << shift;
      const std::size_t first = threadIdx.x / collective::warp_size * each;
      if (first < chunks.count) {
        const std::size_t left = chunks.count - first;
        collective::store_of_warp(storage,
                                  fold_chunks(r, chunks, first, left < each ? left : each, shift));
      }
      const auto fold = r.fold();
      collective::fold_block(fold, storage, static_cast<unsigned>((chunks.count - 1) / each + 1),
                             use);
    }

   private:
    using chunks_type = collective::counted_chunks<std::size_t>;

    WARPFOLD_DEVICE chunks_type chunks_of(const node_parts::part& own) const {
      constexpr std::size_t size = elements_of_chunk<Reduction>;
      return {own.size / size + (own.size % size != 0), static_cast<unsigned>(own.size % size),
              head == any_head || (own.first - head) % size == 0};
    }
    // The fold of `here` chunks, from chunk `first` on, of a node of 2^`shift`. Valid in lane 0.
    WARPFOLD_DEVICE accumulator fold_chunks(const part_of_reduction<Reduction>& r,
                                            const chunks_type& chunks, std::size_t first,
                                            std::size_t here, unsigned shift) const {
      const global_loads loads(cache);
      if constexpr (is_computed<Reduction>) {
        return collective::fold_computed(r, first, first + here, shift, loads);
      } else {
        if (shift > 5 + unroll_shift) {
          return collective::fold_tiles<unroll>(r, chunks, first, first + here, loads);
        }
        return collective::fold_tile_of<unroll>(r, chunks, first, static_cast<unsigned>(here),
                                                1u << shift, loads);
      }
    }
  };

  template <class Reduction>
  struct body {
    using accumulator = typename Reduction::accumulator;
    static constexpr int max_block = threads;
    static constexpr int min_blocks_per_multiprocessor = sizeof(accumulator) <= 16 ? 4 : 1;
    static constexpr int unroll = part_fold<Reduction>::unroll;

    Reduction reduction;
    part_fold<Reduction> fold_part;
    collective::global_array<accumulator> folds;  ///< of the parts

    WARPFOLD_HD const Reduction& work() const { return reduction; }
    WARPFOLD_DEVICE void operator()() const {
      WARPFOLD_SHARED typename part_fold<Reduction>::storage_type storage;
      fold_part(reduction, blockIdx.x, storage,
                [&](const accumulator& a) { folds.store(blockIdx.x, a); });
    }
  };

  /// The parts of the elements of `r`: those from element `before` on of `whole` elements.
  template <class Reduction>
  static node_parts parts_of(const Reduction& r, std::size_t before, std::size_t whole,
                             const device_info& gpu) {
    constexpr std::size_t size = elements_of_chunk<Reduction>;
    const std::size_t n = r.view.size();
    if (n == 0) return {before, before, whole, 1};
    // As in_order does.
    const bool is_large =
        is_computed<Reduction> ? n >= std::size_t{1} << 23 : loaded_bytes(r.view) >= gpu.l2_bytes;
    std::size_t most =
        std::size_t{is_large ? 64u : 2u} * static_cast<std::size_t>(gpu.multiprocessors);
    const std::size_t nodes = collective::max_nodes<typename Reduction::accumulator>(threads);
    if (most > nodes) most = nodes;
    const auto divided = in_order<>::division::of((n - 1) / size + 1, warps, most,
                                                  is_large ? part_fold<Reduction>::unroll : 1);
    const std::size_t length = size * warps << divided.shift;
    return {before, before + n, whole, length < n ? length : std::bit_floor(n)};
  }

  /// Launches once.
  /// @param folds memory of the host for the fold of each part, which the GPU can write
  template <class Reduction, class Launcher>
  static void enqueue(const Reduction& r, const node_parts& parts,
                      typename Reduction::accumulator* folds, Launcher& launcher) {
    launcher.launch(
        name(),
        body<Reduction>{r, part_fold<Reduction>(r, parts, launcher.gpu()), {folds, parts.size()}},
        {grid_of(parts.size()), threads});
  }

  /// Notes the launch in a plan, for elements that are the whole.
  static void describe(const auto& r, const device_info& gpu, auto& plan) {
    plan.kernel = name();
    plan.bytes = bytes_of(r.view);
    const std::size_t n = r.view.size();
    auto launcher = plan.launcher(gpu);
    if (n != 0) enqueue(r, parts_of(r, 0, n, gpu), nullptr, launcher);
  }

 private:
  // True if the elements are computed from their indices.
  template <class Reduction>
  static constexpr bool is_computed =
      warpfold::detail::arrays_of<typename Reduction::view_type>() == 0;
  template <class Reduction>
  static constexpr std::size_t elements_of_chunk =
      is_computed<Reduction> ? 1 : Reduction::view_type::chunk_size;
};

}  // namespace warpfold::kernel
