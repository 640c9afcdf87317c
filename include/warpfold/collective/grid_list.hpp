/// @file
/// A list of long groups. The first blocks of a launch enter the groups. The last blocks, the
/// helpers, divide them evenly. The host does not know the lengths.
///
/// - Each helper waits until all first blocks have read their sizes, adds the lengths, and divides
///   the groups into parts of one size, a power of two. All helpers compute the same parts, so they
///   exchange nothing.
/// - Helpers rely on blocks starting in the order of their numbers, as posted nodes do
///   (node_finish.hpp).
/// - Cost for a helper: four loads of a thread for 1024 groups, and three barriers. grid_groups.hpp
///   is for segments, whose elements are counted before: a helper needs no sum there.
#pragma once

#include <cstddef>

#include <warpfold/collective/block_fold.hpp>
#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/collective/last_block.hpp>
#include <warpfold/collective/memory_order.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/shuffle.hpp>
#include <warpfold/collective/tile_fold.hpp>

namespace warpfold::collective {

/// The list of one launch, and the folds of the parts, of type `A`.
template <class A>
class grid_list {
  struct entry {
    std::size_t group, length;
  };
  static constexpr std::size_t entries = 1024;
  static constexpr std::size_t entry_bytes = entries * sizeof(entry);

 public:
  /// The maximum number of the parts of all groups, and of groups.
  static constexpr unsigned most_parts =
      static_cast<unsigned>((partial_bytes - entry_bytes) / sizeof(A));
  static constexpr unsigned most_groups = most_parts / 2 < entries ? most_parts / 2 : entries;
  static_assert(most_groups > 0);

  WARPFOLD_DEVICE explicit grid_list(const grid_storage& grid) : grid_(grid) {}

  // --- for the first blocks ---

  /// One thread enters a group. Returns false if the list is full.
  WARPFOLD_DEVICE bool enter(std::size_t group, std::size_t length) const {
    const unsigned at = atomicAdd(entered(), 1u);
    if (at >= most_groups) return false;
    list().store(at, {group, length});
    return true;
  }
  /// Reports that this block has looked at its groups. All of its threads call it; one barrier.
  /// @param has_entered whether this thread has entered a group
  WARPFOLD_DEVICE void end_of_looks(bool has_entered) const {
    const bool has_none = __syncthreads_and(has_entered ? 0 : 1) != 0;
    if (threadIdx.x != 0) return;
    if (has_none) {
      atomicAdd(looked(), 1u);
    } else {
      (void)draw_ticket(looked(), ~0u);
    }
  }

  // --- for helpers; all threads of the block call these functions ---

  /// In shared memory: the first part of each group, and a number for each of up to 32 warps.
  using part_storage = shared_array<unsigned, most_groups>;
  using number_storage = shared_array<unsigned, 32>;

  struct division {
    unsigned groups, parts;
    unsigned part_log2;  ///< log2 of the elements of a part
  };
  /// A part: of which group, and which of its parts.
  struct part {
    std::size_t group, length;
    unsigned entry;  ///< the number of the group in the list
    unsigned number, of_group, first;
  };

  /// Waits for `lookers` blocks, and divides the groups that they have entered into about `useful`
  /// parts of at least `1 << least_log2` elements.
  WARPFOLD_DEVICE division divide(unsigned lookers, unsigned least_log2, unsigned useful,
                                  shared_span<unsigned> firsts,
                                  shared_span<unsigned> numbers) const {
    if (threadIdx.x == 0) {
      await_count(looked(), lookers);
      numbers.store(0, atomicAdd(entered(), 0u));
    }
    __syncthreads();
    const unsigned found = numbers.load(0);
    const unsigned groups = found < most_groups ? found : most_groups;
    if (groups == 0) return {0, 0, least_log2};
    const unsigned each = (groups - 1) / blockDim.x + 1;
    const unsigned from = threadIdx.x * each;
    const auto sum_of_own = [&](const auto& of) {
      unsigned sum = 0;
      WARPFOLD_NO_UNROLL
      for (unsigned k = from; k < from + each && k < groups; ++k) sum += of(k);
      return sum;
    };
    const auto parts_of = [&](unsigned k, unsigned log2) {
      return static_cast<unsigned>((list().load(k).length - 1) >> log2) + 1;
    };
    unsigned all = 0;
    __syncthreads();  // others may still read `numbers`
    (void)sum_before(sum_of_own([&](unsigned k) { return parts_of(k, least_log2); }), all, numbers);
    // Each group has at most one part more than its share.
    const unsigned room = most_parts - groups, most = useful < room ? useful : room;
    unsigned log2 = least_log2;
    while (all >> (log2 - least_log2) > most) ++log2;
    unsigned parts = 0;
    unsigned first =
        sum_before(sum_of_own([&](unsigned k) { return parts_of(k, log2); }), parts, numbers);
    WARPFOLD_NO_UNROLL
    for (unsigned k = from; k < from + each && k < groups; ++k) {
      firsts.store(k, first);
      first += parts_of(k, log2);
    }
    __syncthreads();
    return {groups, parts, log2};
  }

  /// Returns part `p` of a division.
  WARPFOLD_DEVICE part part_of(unsigned p, const division& d, shared_span<unsigned> firsts) const {
    unsigned k = 0, end = d.groups;  // the last group whose first part is at most `p`
    WARPFOLD_NO_UNROLL
    while (end - k > 1) {
      const unsigned middle = (k + end) / 2;
      (firsts.load(middle) <= p ? k : end) = middle;
    }
    const entry own = list().load(k);
    const unsigned first = firsts.load(k);
    return {own.group,
            own.length,
            k,
            p - first,
            static_cast<unsigned>((own.length - 1) >> d.part_log2) + 1,
            first};
  }

  /// Stores the fold of a part. One thread calls it.
  WARPFOLD_DEVICE void store(const part& p, const A& a) const {
    folded().store(p.first + p.number, a);
  }
  /// Called after `store`. The block whose part is the last of a group combines all, and one of its
  /// threads calls `use(value)`.
  /// @param storage one value for each warp; may have been used before by `fold_block`
  template <class Fold>
  WARPFOLD_DEVICE void complete(const Fold& fold, const part& p, shared_span<A> storage,
                                const auto& use) const {
    if (!is_last_block(grid_, first_counter + p.entry, p.of_group)) return;
    fold_values_of_block(
        fold, storage, p.of_group, [&](unsigned i) { return folded().load(p.first + i); }, use);
  }
  /// Called at the end by each of the `helpers`. The last one clears the counters.
  WARPFOLD_DEVICE void end_of_help(unsigned helpers) const {
    if (threadIdx.x != 0 || draw_ticket(grid_.ticket, helpers - 1) != helpers - 1) return;
    (void)atomicExch(entered(), 0u);
    (void)atomicExch(looked(), 0u);
  }

 private:
  // The sum of `own` of the threads before this one; `all` is that of all. Two barriers.
  WARPFOLD_DEVICE static unsigned sum_before(unsigned own, unsigned& all,
                                             shared_span<unsigned> numbers) {
    const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    unsigned sum = own;
    WARPFOLD_NO_UNROLL
    for (unsigned apart = 1; apart < warp_size; apart *= 2) {
      const unsigned before = shuffle_from(sum, lane < apart ? lane : lane - apart);
      if (lane >= apart) sum += before;
    }
    if (lane == warp_size - 1) numbers.store(warp, sum);
    __syncthreads();
    sum -= own;
    all = 0;
    WARPFOLD_NO_UNROLL
    for (unsigned w = 0; w < blockDim.x / warp_size; ++w) {
      const unsigned of_warp = numbers.load(w);
      all += of_warp;
      if (w < warp) sum += of_warp;
    }
    __syncthreads();
    return sum;
  }

  // Counters, in posts: these are zero before a launch. Those of `is_last_block` follow.
  static constexpr std::size_t first_counter = 8;
  static_assert(first_counter + most_groups <= max_shared_results);
  WARPFOLD_DEVICE unsigned* entered() const {
    return reinterpret_cast<unsigned*>(&grid_.posts[0].low);
  }
  WARPFOLD_DEVICE unsigned* looked() const {
    return reinterpret_cast<unsigned*>(&grid_.posts[1].low);
  }
  WARPFOLD_DEVICE global_array<entry> list() const {
    return {static_cast<entry*>(grid_.partials), entries};
  }
  WARPFOLD_DEVICE global_array<A> folded() const {
    return {reinterpret_cast<A*>(static_cast<unsigned char*>(grid_.partials) + entry_bytes),
            most_parts};
  }

  const grid_storage& grid_;
};

}  // namespace warpfold::collective
