/// @file
/// The library's choice of kernel, from the size, the type and the GPU.
#pragma once

#include <warpfold/kernel/bulk_copy.hpp>
#include <warpfold/kernel/concept.hpp>
#include <warpfold/kernel/single_block.hpp>
#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/kernel/staged.hpp>
#include <warpfold/kernel/tuning.hpp>

namespace warpfold::kernel {

namespace detail {

// From how many bytes on elements are reduced through shared memory; 0: never. On an H100, cold, that is
// - 1 of those which a thread cannot load as whole words of its own, 20, 28, 36, 50 bytes: as fast as directly from 64 KB
//   on, and faster where they are many (50 bytes, 100 MB: 46.2 us, directly 379; 36 bytes: 43.3, 50.3; 3 GB: 1046,
//   1072);
// - 2 MB of those of which several words are a chunk, float3 above all (1 MB: 6.0 us, directly 5.8; 4 MB: 7.8, 8.3;
//   32 MB: 19.4, 20.5; 100 MB: 42.8, 45.4; 3 GB: both 1046). Their words lie a chunk apart from lane to lane.
template <class View, class Chunk = warpfold::detail::array_chunk_of_t<View>>
inline constexpr std::size_t staged_from_bytes =
    sizeof(typename Chunk::element) > 64 || !std::is_same_v<typename View::chunk_type, Chunk> ? 0
    : !Chunk::fills_words                                                                     ? 1
    : sizeof(Chunk) > word_bytes ? std::size_t{2} << 20
                                 : 0;
template <class View>
inline constexpr std::size_t staged_from_bytes<View, void> = 0;

// Whether the memory of a view is one array that bulk_copy copies whole.
template <class Chunk>
inline constexpr bool is_copied_whole = Chunk::fills_words;
template <>
inline constexpr bool is_copied_whole<void> = false;

// Whether copies that run ahead of the threads are faster where the data is much larger than the cache: an H100, 512 MB and
// 4 GB of floats 184 us, 1372, of single_pass 186, 1381; minima of doubles 185, 1377 and 188, 1391; places of the least float
// 191 and 196; 3 GB of float3 1031, staged 1047; 192 MB of floats 78.4 and 77.3. Five ops at once, 2 GB, 698 and 721, in
// stages twice as large: in two of 48 KB 705. Not where the arithmetic is the work: chars one by one, each multiplied in 64
// bits, 920 us, 784.
template <class Reduction>
inline constexpr bool may_copy_ahead =
    is_copied_whole<warpfold::detail::array_chunk_of_t<typename Reduction::view_type>> &&
    (sizeof(typename Reduction::state) <= 32 ||
     (collective::folds_much<Reduction> && sizeof(typename Reduction::state) <= 64)) &&
    (!collective::folds_one_by_one<Reduction> ||
     folds_groups<typename Reduction::op_type, typename Reduction::value_type,
                  typename Reduction::accumulator>);

// Whether half the bytes in flight are faster where the data fits the cache: 16 MB of doubles, five ops at once, H100: 15.9
// us, with all 16.4, and 4.3 MB of them are in flight then; 64 MB 36.1 and 34.9. Of floats they are the same.
template <class Reduction>
inline constexpr bool may_halve_loads =
    collective::folds_much<Reduction> &&
    warpfold::detail::array_bytes_of<typename Reduction::view_type>() >= 8;

}  // namespace detail

/// Chooses the first that serves:
/// 1. copies through shared memory where `wf::staged` asks for them;
/// 2. one block for what it can hold;
/// 3. bulk copies that run ahead, for one array, where the size's row of the tuning says so (the library's own from five
///    times the L2 cache on) and the GPU has the shared memory for them;
/// 4. copies through shared memory for elements that are loaded faster so;
/// 5. a single pass of many blocks.
struct automatic {
  static constexpr const char* name() { return "automatic"; }

  /// Launches once.
  template <class Reduction, class Out, class Launcher>
  void enqueue(const Reduction& r, const collective::result_sink<Out>& sink, Launcher& on) const {
    enqueue_as(tuning::row_for(loaded_bytes(r.view), on.gpu()), r, sink, on);
  }

  /// The same, as a row of a tuning says.
  template <class Reduction, class Out, class Launcher>
  static void enqueue_as(const tuning::row& row, const Reduction& r,
                         const collective::result_sink<Out>& sink, Launcher& on) {
    using view_type = typename Reduction::view_type;
    constexpr std::size_t staged_from = detail::staged_from_bytes<view_type>;
    if constexpr (warpfold::detail::prefers_staging<view_type>()) {
      staged<>{}.enqueue_as(row, r, sink, on);
    } else if (single_block::fits(r)) {
      single_block{}.enqueue(r, sink, on);
    } else if (copies_ahead(row, r, on.gpu())) {
      if constexpr (detail::may_copy_ahead<Reduction>) copies_of(row, r).enqueue(r, sink, on);
    } else if constexpr (staged_from == 1) {
      staged<>{}.enqueue_as(row, r, sink, on);
    } else if (staged_from != 0 && loaded_bytes(r.view) >= staged_from) {
      if constexpr (staged_from != 0) staged<>{}.enqueue_as(row, r, sink, on);
    } else {
      if constexpr (detail::may_halve_loads<Reduction>) {
        if (loaded_bytes(r.view) <= on.gpu().l2_bytes) {
          single_pass<64>{}.enqueue_as(row, r, sink, on);
          return;
        }
      }
      single_pass<>{}.enqueue_as(row, r, sink, on);
    }
  }

 private:
  template <class Reduction>
  static constexpr bulk_copy copies_of(const tuning::row& row, const Reduction&) {
    constexpr unsigned most = collective::most_threads<Reduction>;
    bulk_copy copies{.block = row.block < most ? row.block : most, .cache = row.cache};
    // Five ops at once, 2 GB of doubles, H200: 520 us; as three stages of 64 KB 544, four of 48 KB 710. (H100: 715, 714,
    // 725.)
    if (collective::folds_much<Reduction>) copies.stage_bytes = 96 * 1024;
    return copies;
  }
  template <class Reduction>
  static constexpr bool copies_ahead(const tuning::row& row, const Reduction& r,
                                     const device_info& gpu) {
    return detail::may_copy_ahead<Reduction> && row.loads == loading::ahead &&
           copies_of(row, r).template fits<Reduction>(gpu);
  }
};

static_assert(reduction_kernel<automatic>);

}  // namespace warpfold::kernel
