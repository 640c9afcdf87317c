/// @file
/// Tables of words in shared memory, one for each thread, and the sums of their words over threads
/// (op/exact_table.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/collective/lane_set.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/shuffle.hpp>
#include <warpfold/collective/warp_sum.hpp>

namespace warpfold::collective {

/// The words of a thread's table: a warp apart, so that there are no bank conflicts.
class table_column {
 public:
  WARPFOLD_DEVICE explicit table_column(const shared_part<std::int64_t>& from) : from_(from) {}

  WARPFOLD_DEVICE std::int64_t load(unsigned i) const { return from_.load(i * warp_size); }
  WARPFOLD_DEVICE void store(unsigned i, std::int64_t word) const {
    from_.store(i * warp_size, word);
  }
  WARPFOLD_DEVICE table_column part(unsigned first) const {
    return table_column(from_.part(first * warp_size));
  }

 private:
  shared_part<std::int64_t> from_;
};

/// Adds up the words of the tables of some warps. All threads of these warps call it. Then
/// `Table::total(t, low, high, marks)` returns word `t` of the sum.
///
/// The caller clears the first `Table::words` of `low` and `high`. They are complete after the next
/// barrier.
/// @param own the table of this thread
/// @param memory the tables of the block, warp after warp
/// @param first,warps the warps
/// @param marks receives the marks of all tables
/// @param barrier waits for these warps
template <class Table, class Barrier>
WARPFOLD_DEVICE void add_up_tables(Table& own, const shared_span<std::int64_t>& memory,
                                   unsigned first, unsigned warps,
                                   const shared_span<std::int64_t>& low,
                                   const shared_span<std::int64_t>& high,
                                   typename Table::marks_type (&marks)[std::size_t{Table::tables}],
                                   const Barrier& barrier) {
  using marks_type = typename Table::marks_type;
  const unsigned lane = threadIdx.x % warp_size;
  const auto word = [&](unsigned w, unsigned i) {
    return memory.load(((first + w) * Table::words + i) * warp_size + lane);
  };
  WARPFOLD_UNROLL
  for (unsigned k = 0; k < Table::tables; ++k) {
    marks[k] = 0;
    WARPFOLD_UNROLL_4
    for (unsigned w = 0; w < warps; ++w) {
      marks[k] |= static_cast<marks_type>(word(w, Table::marks_at(k)));
    }
    for (unsigned apart = warp_size / 2; apart != 0; apart /= 2) {
      marks[k] |= shuffle_xor(marks[k], apart);
    }
  }
  own.join(marks);
  barrier();
  // Words that are used, one after the other, for the warps in turn.
  unsigned turn = threadIdx.x / warp_size - first;
  WARPFOLD_NO_UNROLL
  for (unsigned begin = 0; begin < Table::words; begin += warp_size) {
    const bool is_used = begin + lane < Table::words && Table::is_used(begin + lane, marks);
    unsigned used = __ballot_sync(full_warp, is_used ? 1 : 0);
    WARPFOLD_NO_UNROLL
    for (; used != 0; used &= used - 1) {
      if (turn != 0) {
        --turn;
        continue;
      }
      turn = warps - 1;
      const unsigned i = begin + lowest_lane(used);
      typename Table::parts sum;
      WARPFOLD_UNROLL_4
      for (unsigned w = 0; w < warps; ++w) Table::split(i, word(w, i), sum);
      sum.low = warp_sum(sum.low);
      sum.high = warp_sum(sum.high);
      if (lane == 0) {
        low.store(i, sum.low);
        high.store(i, sum.high);
      }
    }
  }
}

}  // namespace warpfold::collective
