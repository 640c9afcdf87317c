/// @file
/// Long groups that several blocks of a launch fold together, each a part at a time.
///
/// - The first blocks of the grid enter groups that are too long for one block in a list in global
///   memory. The last blocks, the helpers, fold them in parts of a power of two of elements. The
///   helper that is done last combines the parts. Parts are nodes of the declared order, so the
///   result does not depend on who folds them.
/// - Helpers wait until all first blocks have looked. They rely on blocks starting in the order of
///   their numbers, as posted nodes do (node_finish.hpp).
/// - Helpers that need the fold of a group for its elements take the next part when they are done
///   with one. A helper then waits only for parts that others have taken, not for blocks that may
///   not have started.
#pragma once

#include <cstddef>

#include <warpfold/collective/block_fold.hpp>
#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/collective/group_fold.hpp>
#include <warpfold/collective/memory_order.hpp>
#include <warpfold/collective/tile_fold.hpp>

namespace warpfold::collective {

struct grid_group {
  std::size_t group;  ///< its number
  std::size_t begin;  ///< its first element
  std::size_t length;
  unsigned first_part;  ///< the number of its first part, among those of all groups
  unsigned parts;
};

/// Which groups enter the list, and how they are divided.
struct grid_division {
  unsigned part_log2 = 12;  ///< log2 of the elements of a part
  /// The elements of the longest group that does not enter the list.
  std::size_t longest_of_block = static_cast<std::size_t>(-1);
};

/// The list of one launch, and the folds of the parts. Accumulators are `A`.
template <class A>
class grid_groups {
 public:
  static constexpr std::size_t partials =
      partial_bytes / (sizeof(A) > alignof(grid_group) ? sizeof(A) : alignof(grid_group));
  /// The maximum number of groups, and of the parts of all groups.
  static constexpr unsigned most_groups = partials < 8192 ? partials / 8 : 1024;
  static constexpr unsigned most_parts =
      static_cast<unsigned>((partial_bytes - most_groups * sizeof(grid_group)) / sizeof(A));
  /// True if there is a list: accumulators are not too large for it.
  static constexpr bool exist = most_groups > 0 && alignof(A) <= 16;

  /// The division for `elements` in all groups. If groups do not overlap, the list has room for all
  /// that are longer than `longest_of_block`.
  /// @param least_parts the fewest parts of a group in the list, at least 2
  static grid_division division_of(std::size_t elements, std::size_t least_parts) {
    constexpr std::size_t parts = most_parts / 2 < 2048 ? most_parts / 2 : 2048;
    constexpr std::size_t most = parts < 2 * most_groups ? parts : 2 * most_groups;
    constexpr std::size_t some = 65536;
    grid_division d;
    while (elements >> d.part_log2 > most) ++d.part_log2;
    const std::size_t least = least_parts << d.part_log2,
                      share = elements / 64 < some ? elements / 64 : some;
    d.longest_of_block = share < least ? least : share;
    return d;
  }

  WARPFOLD_DEVICE explicit grid_groups(const grid_storage& grid) : grid_(grid) {}

  /// One thread enters a group of `length` elements, at least one, in parts of `1 << part_log2`.
  /// Returns false if the list has no room for it.
  WARPFOLD_DEVICE bool enter(std::size_t group, std::size_t begin, std::size_t length,
                             unsigned part_log2) const {
    const std::size_t parts = ((length - 1) >> part_log2) + 1;
    const auto has_room = [&](unsigned long long drawn) {
      return drawn >> parts_bits < most_groups && (drawn & (one_group - 1)) + parts <= most_parts;
    };
    // Without the first test, groups without room would add up to more than the counter holds.
    if (!has_room(atomicAdd(drawn_parts(), 0ull))) return false;
    const unsigned long long drawn =
        atomicAdd(drawn_parts(), static_cast<unsigned long long>(parts) | one_group);
    if (!has_room(drawn)) return false;
    const std::size_t at = drawn >> parts_bits, first = drawn & (one_group - 1);
    groups().store(
        at, {group, begin, length, static_cast<unsigned>(first), static_cast<unsigned>(parts)});
    atomicAdd(entered(), 1u);
    return true;
  }

  /// Reports that this block has looked. Called by all of its threads.
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

  /// What the helpers need; in shared memory: see `slot`.
  using helper_storage = shared_array<unsigned, 6>;

  /// Waits for `lookers` blocks. Returns the parts of all groups. All threads of a helper call it.
  WARPFOLD_DEVICE unsigned await_parts(unsigned lookers, shared_span<unsigned> found) const {
    if (threadIdx.x == 0) {
      await_count(looked(), lookers);
      found.store(groups_found, atomicAdd(entered(), 0u));
    }
    __syncthreads();
    const unsigned count = found.load(groups_found);
    if (count == 0) return 0;
    const grid_group last = groups().load(count - 1);
    return last.first_part + last.parts;
  }

  /// Returns the group that has part `p`. Called by all threads of a helper; one barrier.
  /// @param turn 0 and 1 in turns
  WARPFOLD_DEVICE grid_group group_of(unsigned p, unsigned turn,
                                      shared_span<unsigned> found) const {
    const unsigned count = found.load(groups_found);
    WARPFOLD_NO_UNROLL
    for (unsigned g = threadIdx.x; g < count; g += blockDim.x) {
      const grid_group own = groups().load(g);
      if (p - own.first_part < own.parts) found.store(of_turn + turn, g);
    }
    __syncthreads();
    return groups().load(found.load(of_turn + turn));
  }

  /// Called by all threads of every helper at its end, after a barrier. True in the last helper,
  /// which clears the counters for the next launch.
  WARPFOLD_DEVICE bool end_of_help(unsigned helpers, shared_span<unsigned> found) const {
    if (threadIdx.x == 0) {
      found.store(of_turn, draw_ticket(grid_.ticket, helpers - 1) == helpers - 1);
    }
    __syncthreads();
    if (found.load(of_turn) == 0) return false;
    if (threadIdx.x == 0) {
      (void)atomicExch(drawn_parts(), 0ull);
      (void)atomicExch(looked(), 0u);
      (void)atomicExch(entered(), 0u);
    }
    return true;
  }

  WARPFOLD_DEVICE void store(unsigned p, const A& node) const { folded().store(p, node); }

  /// What helpers take parts for.
  enum class pass : unsigned { fold = 3, write = 4 };

  /// Returns the next part that no helper has taken for this pass. All threads of a helper call it;
  /// one barrier. `group_of` separates two calls.
  WARPFOLD_DEVICE unsigned take(pass which, shared_span<unsigned> found) const {
    const auto place = static_cast<unsigned>(which);
    if (threadIdx.x == 0) found.store(place, atomicAdd(taken(which), 1u));
    __syncthreads();
    return found.load(place);
  }

  /// Called by all threads of a helper after thread 0 has called `store` for a part of the group
  /// that `group_of(..., turn, ...)` returned. The helper whose part is the last combines all.
  /// @param storage as for `finish`
  template <class Fold>
  WARPFOLD_DEVICE void complete(const Fold& fold, const grid_group& own, unsigned turn,
                                shared_span<A> storage, shared_span<unsigned> found) const {
    const unsigned g = found.load(of_turn + turn);
    if (threadIdx.x == 0) {
      found.store(is_last, draw_ticket(folded_parts(g), own.parts - 1) == own.parts - 1);
    }
    __syncthreads();
    if (found.load(is_last) == 0) return;
    fold_values_of_block(
        fold, storage, own.parts, [&](unsigned i) { return folded().load(own.first_part + i); },
        [&](const A& a) {
          folded().store(own.first_part, a);
          (void)draw_ticket(is_folded(g), ~0u);
        });
  }

  /// Waits for the fold of the group that `group_of(..., turn, ...)` returned. All threads of a
  /// helper call it; one barrier.
  WARPFOLD_DEVICE A await_fold(const grid_group& own, unsigned turn,
                               shared_span<unsigned> found) const {
    if (threadIdx.x == 0) await_count(is_folded(found.load(of_turn + turn)), 1);
    __syncthreads();
    return folded().load(own.first_part);
  }

  /// In place of `end_of_help`, if helpers have taken parts.
  WARPFOLD_DEVICE void end_of_passes(unsigned helpers, shared_span<unsigned> found) const {
    if (!end_of_help(helpers, found)) return;
    WARPFOLD_NO_UNROLL
    for (unsigned g = threadIdx.x; g < found.load(groups_found); g += blockDim.x) {
      (void)atomicExch(folded_parts(g), 0u);
      (void)atomicExch(is_folded(g), 0u);
    }
    if (threadIdx.x != 0) return;
    (void)atomicExch(taken(pass::fold), 0u);
    (void)atomicExch(taken(pass::write), 0u);
  }

  /// The helper that is done last combines the parts. Called by all threads of every helper after
  /// their last `store`.
  /// @param storage one value for each warp
  /// @param write `write(group, value)` writes a result. Called by one thread
  template <class Fold, class Write>
  WARPFOLD_DEVICE void finish(const Fold& fold, unsigned helpers, shared_span<A> storage,
                              shared_span<unsigned> found, const Write& write) const {
    if (!end_of_help(helpers, found)) return;
    // A group for each warp, or for the block if there are few.
    const unsigned warps = blockDim.x / warp_size, warp = threadIdx.x / warp_size;
    const unsigned lane = threadIdx.x % warp_size, count = found.load(groups_found);
    const bool by_block = count < warps;
    WARPFOLD_NO_UNROLL
    for (unsigned g = by_block ? 0 : warp; g < count; g += by_block ? 1 : warps) {
      const grid_group own = groups().load(g);
      unsigned each = warp_size;
      while (each * (by_block ? warps : 1) < own.parts) each *= 2;
      const unsigned from = by_block ? warp * each : 0;
      if (from < own.parts) {
        const unsigned end = own.parts - from < each ? own.parts : from + each;
        const A a = fold_values(fold, from, end,
                                [&](unsigned i) { return folded().load(own.first_part + i); });
        if (by_block) {
          store_of_warp(storage, a);
        } else if (lane == 0) {
          write(own.group, a);
        }
      }
      if (!by_block) continue;
      fold_block(fold, storage, (own.parts - 1) / each + 1,
                 [&](const A& a) { write(own.group, a); });
      __syncthreads();
    }
  }

 private:
  static constexpr unsigned parts_bits = 40;
  static constexpr unsigned long long one_group = 1ull << parts_bits;

  // Elements of `helper_storage`: the number of groups, and the group that `group_of` found in each
  // of two turns. The parts taken in each pass follow, numbered as `pass`.
  enum slot : unsigned { groups_found = 0, of_turn = 1, is_last = 5 };

  // Counters, in posts: these are zero before a launch.
  WARPFOLD_DEVICE unsigned long long* drawn_parts() const { return &grid_.posts[0].low; }
  WARPFOLD_DEVICE unsigned* looked() const {
    return reinterpret_cast<unsigned*>(&grid_.posts[1].low);
  }
  WARPFOLD_DEVICE unsigned* entered() const {
    return reinterpret_cast<unsigned*>(&grid_.posts[2].low);
  }
  WARPFOLD_DEVICE unsigned* taken(pass which) const {
    return reinterpret_cast<unsigned*>(&grid_.posts[static_cast<unsigned>(which)].low);
  }
  // Of group `g` of the list.
  static constexpr unsigned first_of_groups = 8;
  static_assert((first_of_groups + most_groups) * sizeof(post) <= post_bytes);
  WARPFOLD_DEVICE unsigned* folded_parts(unsigned g) const {
    return reinterpret_cast<unsigned*>(&grid_.posts[first_of_groups + g].low);
  }
  WARPFOLD_DEVICE unsigned* is_folded(unsigned g) const {
    return reinterpret_cast<unsigned*>(&grid_.posts[first_of_groups + g].high);
  }
  WARPFOLD_DEVICE global_array<grid_group> groups() const {
    return {static_cast<grid_group*>(grid_.partials), most_groups};
  }
  WARPFOLD_DEVICE global_array<A> folded() const {
    return {reinterpret_cast<A*>(static_cast<unsigned char*>(grid_.partials) +
                                 most_groups * sizeof(grid_group)),
            most_parts};
  }

  const grid_storage& grid_;
};

}  // namespace warpfold::collective
