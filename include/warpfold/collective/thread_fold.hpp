/// @file
/// Folds the elements of one thread.
#pragma once

#include <new>

#include <warpfold/collective/loaded_batch.hpp>
#include <warpfold/emulation/execution_model.hpp>
#include <warpfold/op/fold_tree.hpp>
#include <warpfold/op/packed.hpp>
#include <warpfold/work/reduction.hpp>

namespace warpfold::collective {

namespace detail {

// True if a chunk is one word that holds the elements as in memory.
template <class View>
inline constexpr bool is_packed = requires {
  requires View::is_contiguous;
  requires std::is_same_v<typename View::chunk_type,
                          chunk<typename View::value_type, View::chunk_size>>;
  requires sizeof(typename View::chunk_type) == word_bytes;
};

// True if elements may be folded before they are converted to the accumulator: the op's own, or a
// number that keeps order and sign. A -1 that becomes unsigned would be the largest number.
template <class Op, class T, class A>
inline constexpr bool folds_before_lift =
    std::is_same_v<A, typename op_traits<Op, T>::accumulator> ||
    (std::is_arithmetic_v<A> && sizeof(A) >= 4 && !(std::is_signed_v<T> && std::is_unsigned_v<A>));

}  // namespace detail

/// True if a chunk of this reduction is folded as the words it is loaded in.
template <class Reduction>
inline constexpr bool folds_chunks_packed =
    folds_packed<typename Reduction::op_type, typename Reduction::value_type> &&
    detail::folds_before_lift<typename Reduction::op_type, typename Reduction::value_type,
                              typename Reduction::accumulator> &&
    detail::is_packed<typename Reduction::view_type>;

/// True if a chunk has so many elements (16 chars) that folding it takes longer than loading it.
template <class Reduction>
inline constexpr bool chunks_are_long = Reduction::view_type::chunk_size >= 16;

/// True if folding dominates, because the elements are folded one by one.
template <class Reduction>
inline constexpr bool folds_one_by_one =
    chunks_are_long<Reduction> && !folds_chunks_packed<Reduction>;

namespace detail {

// True if a thread folds its elements as a batch (op/lift.hpp). Then no state may be empty.
template <class Reduction>
inline constexpr bool folds_loaded_batches =
    lifted_by<typename Reduction::view_type, typename Reduction::op_type> &&
    warpfold::detail::folds_in_own_accumulator<Reduction> &&
    !has_marks<typename Reduction::fold_type>;

// The number of elements of a chunk that an op with groups folds at once. A chunk can be smaller
// than a group: a projection may convert two doubles to chars.
WARPFOLD_HD constexpr int group_length(int in_group, int size) {
  int length = 1;
  while (2 * length <= in_group && 2 * length <= size) length *= 2;
  return length;
}

// The number of elements that the op may fold in a type narrower than the accumulator; 0 for none.
template <class Op, class T, class A>
inline constexpr std::size_t partial_batch_of = 0;
template <class Op, class T, class A>
  requires folds_partially<Op, T, A>
inline constexpr std::size_t partial_batch_of<Op, T, A> = Op::partial_batch;

// True if the op folds the elements of a chunk as neighbors (op/lift.hpp).
template <class Reduction, class View = typename Reduction::view_type>
inline constexpr bool folds_lifted_neighbors = false;
template <class Reduction, class View>
  requires lifted_by<View, typename Reduction::op_type>
inline constexpr bool folds_lifted_neighbors<Reduction, View> =
    View::chunk_size > 1 && (View::chunk_size & (View::chunk_size - 1)) == 0 &&
    warpfold::detail::folds_in_own_accumulator<Reduction>&& folds_neighbors<
        typename Reduction::op_type, typename View::elements_view::value_type (*)(int),
        typename Reduction::accumulator (*)(int)>;

// Folds the elements of one chunk. All of them exist, so no identity is needed. If the op allows
// it, 16 chars are folded in 32 bits instead of by 16 additions of two words each.
template <class Reduction, class Chunk>
WARPFOLD_DEVICE typename Reduction::accumulator fold_chunk(const Reduction& r, const Chunk& chunk) {
  using op_type = typename Reduction::op_type;
  using value_type = typename Reduction::value_type;
  using accumulator = typename Reduction::accumulator;
  constexpr int size = Reduction::view_type::chunk_size;
  if constexpr (folds_chunks_packed<Reduction>) {
    return static_cast<accumulator>(r.op.template fold_packed<value_type>(chunk.as_words[0].part));
  } else if constexpr (folds_groups<op_type, value_type, accumulator>) {
    using group = typename op_type::template group<value_type>;
    constexpr int in_group = group_length(op_type::template in_group<value_type>, size);
    return fold_tree<0, size / in_group>(
        [f = r.fold()](const auto& a, const auto& b) { return f.apply(a, b); },
        [&](int g) {
          group folded = fold_tree<0, in_group>(
              [&](group a, group b) { return static_cast<group>(r.op(a, b)); },
              [&](int k) { return static_cast<group>(r.view.get(chunk, g * in_group + k)); });
#if defined(__CUDA_ARCH__)
          // Hides that nothing can overflow: the compiler would use the wider type anyway.
          asm("" : "+r"(folded));
#endif
          return static_cast<accumulator>(folded);
        });
  } else if constexpr (partial_batch_of<op_type, value_type, accumulator> >= size) {
    using partial = typename op_type::template partial<value_type>;
    return static_cast<accumulator>(
        fold_tree<0, size>([&](partial a, partial b) { return static_cast<partial>(r.op(a, b)); },
                           [&](int k) { return static_cast<partial>(r.view.get(chunk, k)); }));
  } else if constexpr (folds_lifted_neighbors<Reduction>) {
    return r.op.template fold_neighbors<size>([&](int k) { return r.view.get_element(chunk, k); },
                                              [&](int k) { return r.lift(r.view.get(chunk, k)); });
  } else {
    return fold_tree<0, size>(
        [f = r.fold()](const auto& a, const auto& b) { return f.apply(a, b); },
        [&](int k) { return r.lift(r.view.get(chunk, k)); });
  }
}

}  // namespace detail

/// The maximum threads of a block: half if a batch into a large state takes over 64 registers.
template <class Reduction>
inline constexpr int max_threads =
    detail::folds_loaded_batches<Reduction> && sizeof(typename Reduction::state) > 16 ? 512 : 1024;

/// True if such a state also takes several posts.
template <class Reduction>
inline constexpr bool folds_much =
    max_threads<Reduction> < 1024 && sizeof(typename Reduction::state) > 32;

/// The number of chunks that a thread loads at once to have about `bytes` bytes in flight: 1 to 8;
/// for chars, which take longer to fold than to load, 1 to 4.
template <class Reduction>
constexpr int loads_in_flight(int bytes) {
  using view_type = typename Reduction::view_type;
  constexpr int most = chunks_are_long<Reduction> ? 4 : 8;
  constexpr std::size_t loaded =
      warpfold::detail::array_bytes_of<view_type>() * view_type::chunk_size;
  constexpr std::size_t each = loaded != 0 ? loaded : sizeof(typename view_type::chunk_type);
  const int loads = bytes / static_cast<int>(each);
  return loads < 1 ? 1 : loads > most ? most : loads;
}

struct thread_position {
  unsigned block;    ///< index in the grid
  unsigned blocks;   ///< number in the grid
  unsigned thread;   ///< index in the block
  unsigned threads;  ///< number in the block
};

/// The elements before the first aligned chunk and after the last whole one: the first threads take
/// one of each. They are loaded first and used last; one branch skips them in most ranges.
template <class Reduction>
class edges {
 public:
  inline WARPFOLD_DEVICE edges(const Reduction& r, const partition& parts, unsigned thread,
                               const auto& loads)
      : head_(static_cast<unsigned>(parts.head)), tail_(static_cast<unsigned>(parts.tail)) {
    if (none()) [[likely]]
      return;
    if (thread < head_) ::new (&elements_[0].elements[0]) held_type(load(r, thread, loads));
    if (thread < tail_) {
      ::new (&elements_[1].elements[0]) held_type(load(r, place_in_tail(r, thread), loads));
    }
  }

  WARPFOLD_DEVICE typename Reduction::state add_to(typename Reduction::state state,
                                                   const Reduction& r, unsigned thread) const {
    if (none()) [[likely]]
      return state;
    const auto fold = r.fold();
    if (thread < head_) state = fold.combine(state, fold.state_of(r.lift(value(r, 0, thread))));
    if (thread < tail_) {
      state = fold.combine(state, fold.state_of(r.lift(value(r, 1, place_in_tail(r, thread)))));
    }
    return state;
  }

 private:
  using view_type = typename Reduction::view_type;
  using value_type = typename Reduction::value_type;

  // True if the elements are held as in memory, before the op lifts them. An index beside a value
  // takes two registers, which code for compute capability 10.0 and later does not have (index of
  // the least float, nvcc 13.0: 24 to 28 bytes spilled). Older code stays as it was measured.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 1000
  static constexpr bool lifts_late = false;
#else
  static constexpr bool lifts_late = requires { typename view_type::lifting_op; };
#endif

  template <class R, bool LiftsLate>
  struct held {
    using type = typename R::value_type;
  };
  template <class R>
  struct held<R, true> {
    using type = typename R::view_type::elements_view::value_type;
  };
  using held_type = typename held<Reduction, lifts_late>::type;

  static inline WARPFOLD_DEVICE held_type load(const Reduction& r, std::size_t i,
                                               const auto& loads) {
    if constexpr (lifts_late) {
      return r.view.elements().at(i, loads);
    } else {
      return r.view.at(i, loads);
    }
  }
  WARPFOLD_DEVICE value_type value(const Reduction& r, int k,
                                   [[maybe_unused]] std::size_t i) const {
    if constexpr (lifts_late) {
      return r.view.lifted_value(elements_[k].elements[0], i);
    } else {
      return elements_[k].elements[0];
    }
  }
  WARPFOLD_DEVICE std::size_t place_in_tail(const Reduction& r, unsigned thread) const {
    return r.view.size() - tail_ + thread;
  }

  WARPFOLD_DEVICE bool none() const {
    return Reduction::view_type::chunk_size == 1 || (head_ | tail_) == 0;
  }

  unsigned head_;
  unsigned tail_;
  chunk<held_type, 1> elements_[2];
};

struct all_loaded {
  WARPFOLD_DEVICE unsigned operator()(unsigned loaded) const { return loaded; }
};

/// Folds one round: `seen`, and `Unroll` chunks per thread, with the indices `first`, `first +
/// step`, ... of the `here` chunks, at least one, from element `from` on. All loads start before
/// the first one is used.
///
/// Beyond the end a thread loads the last chunk again and discards it: ptxas may start a
/// conditional load only after the load before it. 2 KB of doubles, H100: 4.9 -> 3.9 us.
/// @tparam IsFirst true if `seen` is empty: saves one addition in the shortest launches
/// @tparam Index counts elements; `unsigned` if the range is known to be small
/// @param folded called after the loads; returns the number of chunks to fold, at most `here`
template <int Unroll, bool IsFirst = false, class Index, class Reduction, class Folded = all_loaded>
WARPFOLD_DEVICE auto fold_round(const Reduction& r, const typename Reduction::state& seen,
                                Index from, unsigned here, unsigned first, unsigned step,
                                const auto& loads, const Folded& folded = {}) {
  using view_type = typename Reduction::view_type;
  using state = typename Reduction::state;
  constexpr Index size = view_type::chunk_size;
  const auto fold = r.fold();
  typename view_type::chunk_type loaded[std::size_t{Unroll}];
  WARPFOLD_UNROLL
  for (int u = 0; u < Unroll; ++u) {
    const unsigned own = first + static_cast<unsigned>(u) * step;
    const unsigned last = here - 1;
    r.view.load(loaded[u], from + (own < last ? own : last) * size, loads);
  }
  here = folded(here);
  const auto has = [&](int u) { return first + static_cast<unsigned>(u) * step < here; };
  const auto with_seen = [&](const state& of_round) {
    if constexpr (IsFirst) {
      return of_round;
    } else {
      return fold.combine(seen, of_round);
    }
  };
  if constexpr (detail::folds_loaded_batches<Reduction>) {
    // More than 64 bytes do not fit the registers for a second pass. Moments of 2 GB of floats,
    // H100, batches of 32 -> 16 floats: 1632 -> 720 us.
    return fold_batches<64, Unroll, view_type::chunk_size>(
        r.op, seen, [&](int u, int k) { return r.view.get_element(loaded[u], k); },
        chunk_positions{from, here, first, step}, r.view.keep());
  } else if constexpr (has_marks<typename Reduction::fold_type>) {
    const auto value = fold_tree_of_first<0, Unroll>(
        [values = fold.of_values()](const auto& s, const auto& t) { return values.combine(s, t); },
        [&](int u) { return detail::fold_chunk(r, loaded[u]); }, has);
    return with_seen(has(0) ? fold.state_of(value) : fold.start());
  } else {
    return with_seen(fold_tree<0, Unroll>(
        [&](const auto& s, const auto& t) { return fold.combine(s, t); },
        [&](int u) {
          return has(u) ? fold.state_of(detail::fold_chunk(r, loaded[u])) : fold.start();
        }));
  }
}

/// The division of a range's chunks among the blocks of a launch: each block takes `rounds`
/// consecutive tiles; a tile is what its threads load at once. The rest is spread over all threads.
/// Each block reads contiguous memory; interleaved tiles are slower on fast memory. Minimum of 4 GB
/// of doubles, H200: 1145 -> 966 us (CUB 959).
struct shares {
  partition parts;
  std::size_t rounds;
};

/// The shares of a launch. Computed on the host if it knows the size: a 64-bit division.
template <int Unroll>
WARPFOLD_HD shares shares_of(const partition& parts, std::size_t threads) {
  return {parts, threads == 0
                     ? 0
                     : parts.chunks / (Unroll * threads)};  // 0 threads: the launch will be refused
}

/// Folds the elements of a range whose size lies in memory, if each thread of the launch has at
/// most `Unroll` chunks of the limit: loads them, then reads the size, and discards what lies
/// beyond it. The elements before the first chunk and after the last one are loaded after the size.
/// @param r the reduction; gets the size
/// @param limit the partition of the whole range; it has at least one chunk
template <int Unroll, class Reduction, class Loads>
WARPFOLD_DEVICE typename Reduction::state fold_before_size(Reduction& r, const partition& limit,
                                                           unsigned thread, unsigned threads,
                                                           const Loads& loads) {
  partition some;
  const auto read = [&](unsigned) {
    r.view.read_size(global_loads(caching::keep));
    // As partition_of, with the head that is known.
    constexpr std::size_t size = Reduction::view_type::chunk_size;
    const std::size_t n = r.view.size();
    const std::size_t head = limit.head < n ? limit.head : n;
    const std::size_t chunks = (n - head) / size;
    some = {head, chunks, n - head - chunks * size};
    return static_cast<unsigned>(chunks);
  };
  typename Reduction::state state =
      fold_round<Unroll, true>(r, r.fold().start(), limit.head, static_cast<unsigned>(limit.chunks),
                               thread, threads, loads, read);
  return edges<Reduction>(r, some, thread, loads).add_to(state, r, thread);
}

/// Starts to copy a thread's first chunks to the cache, while the size is read.
template <int Unroll, class Reduction, class Loads>
WARPFOLD_DEVICE void prefetch_first_round(const Reduction& r, const shares& limit,
                                          const Loads& loads, const thread_position& at) {
  constexpr std::size_t size = Reduction::view_type::chunk_size;
  const bool whole = limit.rounds != 0;
  const unsigned step = whole ? at.threads : at.blocks * at.threads;
  const std::size_t first = whole ? limit.rounds * at.block * Unroll * at.threads + at.thread
                                  : std::size_t{at.block} * at.threads + at.thread;
  WARPFOLD_UNROLL
  for (int u = 0; u < Unroll; ++u) {
    const std::size_t own = first + static_cast<unsigned>(u) * step;
    if (own < limit.parts.chunks) {
      warpfold::detail::prefetch(r.view, limit.parts.head + own * size, loads);
    }
  }
}

/// Folds one thread's elements, of its block's share and of the rest. Valid in every thread; a
/// thread with no elements holds `start()`. `Unroll` times the threads of the launch fit 32 bits.
template <int Unroll, class Reduction, class Loads>
WARPFOLD_DEVICE typename Reduction::state thread_fold(const Reduction& r, const shares& own,
                                                      const Loads& loads,
                                                      const thread_position& at) {
  constexpr std::size_t size = Reduction::view_type::chunk_size;
  const auto fold = r.fold();
  const unsigned thread = at.block * at.threads + at.thread;
  const unsigned threads = at.blocks * at.threads;
  const edges<Reduction> own_edges(r, own.parts, thread, loads);
  const unsigned tile = Unroll * at.threads;
  const std::size_t shared = own.rounds * Unroll * threads;
  const auto rest = static_cast<unsigned>(own.parts.chunks - shared);

  // Up to a megabyte no thread has more than one chunk, and none is loaded twice.
  if (own.rounds == 0 && rest <= threads) {
    typename Reduction::state state = fold.start();
    if (rest != 0) {
      state = fold_round<1, true>(r, state, own.parts.head, rest, thread, threads, loads);
    }
    return own_edges.add_to(state, r, thread);
  }

  // One loop: a round is long code, which a short launch must fetch.
  const std::size_t rounds = own.rounds + (rest != 0);
  std::size_t next = own.rounds * at.block * tile;
  typename Reduction::state state = fold.start();
  WARPFOLD_NO_UNROLL
  for (std::size_t round = 0; round < rounds; ++round) {
    const bool whole = round < own.rounds;
    const std::size_t base = whole ? next : shared;
    const unsigned here = whole ? tile : rest;
    const unsigned first = whole ? at.thread : thread;
    const unsigned step = whole ? at.threads : threads;
    state = fold_round<Unroll>(r, state, own.parts.head + base * size, here, first, step, loads);
    next += tile;
  }
  return own_edges.add_to(state, r, thread);
}

}  // namespace warpfold::collective
