/// @file
/// The kernel of transformations: one launch, every element is read once and written once.
///
/// Source: tiles of several 16-byte loads per thread, as in CUB's DeviceTransform.
///
/// - Idea: a block takes a tile of contiguous chunks. Each thread starts its loads, chunks of 16
///   bytes one block width apart, then applies the function in registers and stores 16 bytes at a
///   time. A chunk has as many elements as the larger of the input's and output's chunks (chars to
///   doubles: 16, one load and eight stores).
/// - Align: fewer elements than a chunk at either end are processed one by one. Chunks start where
///   the output is aligned. If the input is not aligned there too, it is loaded element by element:
///   neighboring loads hit the L1 cache, while neighboring stores would each go to L2.
/// - Count: if the number of elements lies in memory, the grid is that of the limit. Each thread
///   reads the number and places the chunks before its first load.
/// - Cost: one launch; no scratch, shared memory or barriers.
/// - Needs: compute capability 7.0.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/work/transformation.hpp>

namespace warpfold::kernel {

/// Sets `parts` to chunks of `Size` elements of a view and an output: they start where stores are
/// aligned, and loads too if possible. Returns true if loads are aligned there.
WARPFOLD_ANY_SIDE
template <int Size>
WARPFOLD_HD bool set_common_chunks(const auto& in, const auto& out, std::size_t n,
                                   partition& parts) {
  constexpr std::size_t in_size = std::remove_cvref_t<decltype(in)>::chunk_size;
  constexpr std::size_t out_size = std::remove_cvref_t<decltype(out)>::chunk_size;
  const std::size_t in_head = in.head(), out_head = out.head();
  bool loads_aligned = true;
  std::size_t head = out_head;
  if (out_head == any_head) {
    head = in_head == any_head ? 0 : in_head;
  } else if (in_head != any_head) {
    const std::size_t apart = in_head > out_head ? in_head - out_head : out_head - in_head;
    loads_aligned = apart % (in_size < out_size ? in_size : out_size) == 0;
    if (loads_aligned && in_size > out_size) head = in_head;
  }
  if (head > n) head = n;
  const std::size_t chunks = (n - head) / Size;
  parts = {head, chunks, n - head - chunks * Size};
  return loads_aligned;
}

/// A chunk of elements as a thread has loaded them: as many as the larger of the chunks of the view
/// and of the output has.
template <class In, class Out>
struct common_chunk {
  static constexpr int in_size = In::chunk_size;
  static constexpr int out_size = Out::chunk_size;
  static constexpr int size = in_size > out_size ? in_size : out_size;

  typename In::chunk_type parts[std::size_t{size / in_size}];

  /// Loads the elements from `at` on.
  template <bool IsAligned>
  WARPFOLD_DEVICE void load(const In& in, std::size_t at, const global_access& loads) {
    WARPFOLD_UNROLL
    for (int j = 0; j < size / in_size; ++j) {
      if constexpr (IsAligned) {
        in.load(parts[j], at + static_cast<std::size_t>(j * in_size), loads);
      } else {
        in.load_anywhere(parts[j], at + static_cast<std::size_t>(j * in_size), loads);
      }
    }
  }
  WARPFOLD_DEVICE decltype(auto) get(const In& in, int i) const {
    return in.get(parts[i / in_size], i % in_size);
  }
  /// Stores `result(i)` to the elements `at + i`.
  WARPFOLD_ANY_SIDE
  template <class Result>
  WARPFOLD_DEVICE static void store(const Out& out, std::size_t at, const Result& result,
                                    const global_access& stores) {
    WARPFOLD_UNROLL
    for (int j = 0; j < size / out_size; ++j) {
      typename Out::chunk_type results;
      WARPFOLD_UNROLL
      for (int k = 0; k < out_size; ++k) out.set(results, k, result(j * out_size + k));
      out.store(results, at + static_cast<std::size_t>(j * out_size), stores);
    }
  }
};

/// One launch with one block per tile; see the top of this file.
/// @tparam LoadBytes bytes that each thread has in flight; 64 is four 16-byte loads
template <int LoadBytes = 64>
struct elementwise {
  static_assert(LoadBytes > 0, "warpfold: a thread needs at least one load; use LoadBytes > 0");

  static constexpr const char* name() { return "elementwise"; }

  /// Threads per block, a multiple of 32 up to 1024.
  unsigned block = 256;

  template <class Transformation>
  struct body {
    using in_view = typename Transformation::in_view;
    using out_view = typename Transformation::out_view;
    using in_type = typename Transformation::in_type;

    using loaded_chunk = common_chunk<in_view, out_view>;
    static constexpr int chunk_size = loaded_chunk::size;

    static constexpr int max_block = 1024;
    static constexpr bool waits_for_launch_before = true;
    static constexpr int unroll = LoadBytes / static_cast<int>(sizeof(loaded_chunk)) < 1 ? 1
                                  : LoadBytes / static_cast<int>(sizeof(loaded_chunk)) > 8
                                      ? 8
                                      : LoadBytes / static_cast<int>(sizeof(loaded_chunk));

    Transformation transformation;
    partition parts;
    bool loads_aligned;  ///< true if loads are aligned where stores are

    WARPFOLD_HD const Transformation& work() const { return transformation; }
    WARPFOLD_DEVICE void operator()() const {
      collective::wait_for_launch_before();
      if constexpr (Transformation::has_size_in_memory) {
        // A copy: views behind the count, such as a reversed one, ask for the size.
        body settled = *this;
        warpfold::detail::read_size(settled.transformation.in, global_access{});
        const std::size_t size = settled.transformation.in.size();
        partition own{};
        const bool aligned =
            set_common_chunks<chunk_size>(settled.transformation.in, transformation.out, size, own);
        settled.run(own, aligned, [&] { return size; });
      } else {
        run(parts, loads_aligned, [&] { return transformation.size(); });
      }
    }

    WARPFOLD_HD void place_chunks() {
      const Transformation& t = transformation;
      loads_aligned = set_common_chunks<chunk_size>(t.in, t.out, t.size(), parts);
    }

   private:
    inline WARPFOLD_DEVICE void run(const partition& own, bool aligned, const auto& size) const {
      if (aligned) {
        run_tile<true>(own);
      } else {
        run_tile<false>(own);
      }
      // The last block, which has no tile, processes the elements at the ends.
      if (chunk_size == 1 || blockIdx.x != gridDim.x - 1) return;
      if (threadIdx.x < own.head) put(threadIdx.x);
      if (threadIdx.x < own.tail) put(size() - own.tail + threadIdx.x);
    }

    template <bool LoadsAligned>
    WARPFOLD_DEVICE void run_tile(const partition& own) const {
      const std::size_t tile = std::size_t{unroll} * blockDim.x;
      const std::size_t base = blockIdx.x * tile;
      if (base >= own.chunks) return;
      const std::size_t left = own.chunks - base;
      run_chunks<LoadsAligned>(own.head + base * chunk_size,
                               static_cast<unsigned>(left < tile ? left : tile));
    }

    /// Processes `here` chunks from element `from` on. All loads start before the first store.
    /// Beyond the end a thread loads its first chunk again; another's may already be overwritten.
    template <bool LoadsAligned>
    WARPFOLD_DEVICE void run_chunks(std::size_t from, unsigned here) const {
      const unsigned first = threadIdx.x;
      if (first >= here) return;
      const global_access loads;
      loaded_chunk loaded[std::size_t{unroll}];
      WARPFOLD_UNROLL
      for (int u = 0; u < unroll; ++u) {
        const unsigned own = first + static_cast<unsigned>(u) * blockDim.x;
        const std::size_t at = from + std::size_t{own < here ? own : first} * chunk_size;
        loaded[u].template load<LoadsAligned>(transformation.in, at, loads);
      }
      collective::let_next_launch_start();
      const global_access stores;
      WARPFOLD_UNROLL
      for (int u = 0; u < unroll; ++u) {
        const unsigned own = first + static_cast<unsigned>(u) * blockDim.x;
        if (own >= here) continue;
        loaded_chunk::store(
            transformation.out, from + std::size_t{own} * chunk_size,
            [&](int i) { return transformation.apply(loaded[u].get(transformation.in, i)); },
            stores);
      }
    }

    WARPFOLD_DEVICE void put(std::size_t at) const {
      const global_access memory;
      transformation.out.store_at(at, transformation.apply(transformation.in.at(at, memory)),
                                  memory);
    }
  };

  /// Launches once; not at all if there is nothing to do.
  /// @throws unsupported_kernel if `block` is not a multiple of 32 up to 1024
  template <class Transformation, class Launcher>
  void enqueue(const Transformation& t, Launcher& launcher) const {
    if (t.size() == 0) return;
    using body_type = body<Transformation>;
    body_type b{t, {}, true};
    b.place_chunks();
    const std::size_t tile = std::size_t{body_type::unroll} * (block != 0 ? block : 1);
    const std::size_t tiles = b.parts.chunks / tile + (b.parts.chunks % tile != 0 ? 1 : 0);
    // The block for the ends has room for one more chunk, if a count in memory moves the chunks.
    const std::size_t blocks = tiles + (b.parts.head + b.parts.tail != 0 ? 1 : 0);
    launcher.launch(name(), b, {static_cast<unsigned>(blocks), block});
  }
};

}  // namespace warpfold::kernel
