/// @file
/// The tables of a block in shared memory: a state of each class for each thread or each warp.
///
/// - Tables of threads are interleaved, so that the lanes of a warp use different banks, for any
///   labels. Values that are left out have a row of their own: no branch.
/// - Tables of warps: lanes with the same class combine first, and one of them writes.
/// - Order: fixed by the numbers of values, rows and threads.
#pragma once

#include <cstddef>
#include <new>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/matching_lanes.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/kernel/classes/finish.hpp>
#include <warpfold/view/chunk.hpp>

namespace warpfold::kernel::detail {

/// The number of states of the tables of a block: of its threads, or of its warps.
template <bool PerThread>
WARPFOLD_HD constexpr std::size_t states_of_block(std::size_t threads, std::size_t rows) {
  return PerThread ? threads * (rows + 1) : threads / collective::warp_size * rows;
}

/// The dynamic shared memory of the launch holds the tables. All threads of the block call each
/// function.
/// @tparam PerThread true if each thread has a table; then blocks have a power of two of threads
template <class Fold, bool PerThread>
class block_tables {
  using state = typename Fold::state;

 public:
  /// The maximum number of threads that fold the states of one class.
  static constexpr unsigned most_slices = 8;

  /// @param rows classes of the block, the rows of a table
  /// @param bits of the numbers from 0 to `rows`
  WARPFOLD_DEVICE block_tables(const Fold& fold, unsigned rows, unsigned bits)
      : fold_(fold),
        table_(collective::dynamic_shared<state>(
            static_cast<unsigned>(states_of_block<PerThread>(blockDim.x, rows)))),
        rows_(rows),
        bits_(bits) {}

  /// Makes the tables, without values. A barrier before `fold_values`.
  WARPFOLD_DEVICE void clear() const {
    for (unsigned i = threadIdx.x; i < table_.size(); i += blockDim.x) {
      table_.store(i, fold_.start());
    }
  }

  /// Folds the values from number `begin` to `end` - 1. A thread has `Unroll` in flight; with
  /// tables of threads twice as many, because few threads are resident then. Sums of 2^24 floats,
  /// 256 classes, H200: 130 -> 81 us. Four times as many: 79 us, but 8 classes 49 -> 52.
  /// @param values.label(i) the label of a value
  /// @param values.row(label) its row, or `rows` to leave the value out
  /// @param values.state(i) the state of a value
  template <int Unroll, class Values>
  WARPFOLD_DEVICE void fold_values(const Values& values, std::size_t begin, std::size_t end) const {
    constexpr std::size_t round = std::size_t{Unroll} * collective::warp_size;
    const unsigned lane = threadIdx.x % collective::warp_size;
    const std::size_t step = blockDim.x / collective::warp_size * round;
    const auto all = [](int) { return true; };
    std::size_t i = begin + threadIdx.x / collective::warp_size * round;
    const auto is_whole = [&](std::size_t from) { return from + round <= end; };
    if constexpr (PerThread && Unroll > 1) {
      // The next round is loaded before this one is folded.
      loaded_values<Unroll, Values> now, next;
      const auto load = [&](auto& to, std::size_t from) {
        if (is_whole(from)) load_round<Unroll>(to, values, from + lane, end, all);
      };
      load(now, i);
      WARPFOLD_NO_UNROLL
      while (is_whole(i)) {
        load(next, i + step);
        fold_loaded<Unroll>(now, values, all);
        i += step;
        if (!is_whole(i)) break;
        load(now, i + step);
        fold_loaded<Unroll>(next, values, all);
        i += step;
      }
    } else {
      WARPFOLD_NO_UNROLL
      for (; is_whole(i); i += step) fold_round<Unroll>(values, i + lane, end, all);
    }
    if (i < end) {
      fold_round<Unroll>(values, i + lane, end, [&](int u) {
        return i + lane + static_cast<unsigned>(u) * collective::warp_size < end;
      });
    }
  }

  /// Folds the tables: calls `finish(c, state)` in one thread for each class.
  template <class Finish>
  WARPFOLD_DEVICE void finish(const Finish& finish) const {
    if constexpr (PerThread) {
      __syncthreads();
      fold_threads(finish);
    } else {
      fold_slices(blockDim.x / collective::warp_size, finish);
    }
  }

  /// Folds tables in global memory, in a fixed order, and calls `finish(c, state)` as above. Call
  /// it after `finish` and a barrier.
  /// @param tables `parts` of them, with `rows` states each
  template <class Finish>
  WARPFOLD_DEVICE void finish_all(const collective::global_array<state>& tables, std::size_t parts,
                                  const Finish& finish) const {
    const unsigned fit = blockDim.x / rows_;
    const unsigned most = PerThread ? most_slices : blockDim.x / collective::warp_size;
    const unsigned slices = fit < 1 ? 1 : fit < most ? fit : most;
    for (unsigned i = threadIdx.x; i < rows_ * slices; i += blockDim.x) {
      const state all = fold_tables(fold_, tables, parts, rows_, i % rows_, i / rows_, slices,
                                    [](const state& own) -> const state& { return own; });
      table_.store(i, all);
    }
    fold_slices(slices, finish);
  }

 private:
  template <int Unroll, class Values>
  struct loaded_values {
    typename Values::label_type labels[std::size_t{Unroll}];
    chunk<state, Unroll> states;  // states need no default constructor
  };

  /// Folds the values number `i`, `i + 32`, and so on, of each lane: those of up to `Unroll` for
  /// which `is_there(u)`. All loads start before the first one is used.
  template <int Unroll, class Values, class IsThere>
  WARPFOLD_DEVICE void fold_round(const Values& values, std::size_t i, std::size_t end,
                                  const IsThere& is_there) const {
    loaded_values<Unroll, Values> own;
    load_round<Unroll>(own, values, i, end, is_there);
    fold_loaded<Unroll>(own, values, is_there);
  }
  template <int Unroll, class Values, class IsThere>
  WARPFOLD_DEVICE void load_round(loaded_values<Unroll, Values>& own, const Values& values,
                                  std::size_t i, std::size_t end, const IsThere& is_there) const {
    WARPFOLD_UNROLL
    for (int u = 0; u < Unroll; ++u) {
      // A lane without a value loads one that another lane has, and leaves it out.
      const std::size_t from =
          is_there(u) ? i + static_cast<unsigned>(u) * collective::warp_size : end - 1;
      own.labels[u] = values.label(from);
      own.states.set(u, values.state(from));
    }
  }
  template <int Unroll, class Values, class IsThere>
  WARPFOLD_DEVICE void fold_loaded(const loaded_values<Unroll, Values>& own, const Values& values,
                                   const IsThere& is_there) const {
    unsigned row[std::size_t{Unroll}];
    WARPFOLD_UNROLL
    for (int u = 0; u < Unroll; ++u) row[u] = is_there(u) ? values.row(own.labels[u]) : rows_;
    const auto add = [&](unsigned at, const state& more) {
      table_.store(at, fold_.combine(table_.load(at), more));
    };
    WARPFOLD_UNROLL
    for (int u = 0; u < Unroll; ++u) {
      if constexpr (PerThread) {
        add(row[u] * blockDim.x + threadIdx.x, own.states.elements[u]);  // without a branch
      } else {
        const collective::matching_lanes same(row[u], bits_);
        const state all = same.reduce(fold_, own.states.elements[u]);
        if (row[u] != rows_ && same.is_first()) {
          add(threadIdx.x / collective::warp_size * rows_ + row[u], all);
        }
        __syncwarp();
      }
    }
  }

  /// Folds the states of all threads: up to eight threads for each class, each of which folds a
  /// part of the columns.
  template <class Finish>
  WARPFOLD_DEVICE void fold_threads(const Finish& finish) const {
    unsigned slices = 1;
    while (slices < most_slices && 2 * slices * rows_ <= blockDim.x) slices *= 2;
    const unsigned columns = blockDim.x / slices;  // a power of two
    // Neighboring threads begin at different columns, and so in different banks.
    const auto fold_columns = [&](unsigned i) {
      const unsigned first = i % rows_ * blockDim.x + i / rows_ * columns;
      state all = table_.load(first + (i & (columns - 1)));
      for (unsigned k = 1; k < columns; ++k) {
        all = fold_.combine(all, table_.load(first + ((i + k) & (columns - 1))));
      }
      return all;
    };
    if (slices == 1) {
      for (unsigned c = threadIdx.x; c < rows_; c += blockDim.x) finish(c, fold_columns(c));
      return;
    }
    const unsigned i = threadIdx.x;
    const bool has_part = i < rows_ * slices;
    const state part = has_part ? fold_columns(i) : fold_.start();
    __syncthreads();
    if (has_part) table_.store(i, part);
    fold_slices(slices, finish);
  }

  /// Folds the states of `slices` rows of the table, which the block has just stored.
  template <class Finish>
  WARPFOLD_DEVICE void fold_slices(unsigned slices, const Finish& finish) const {
    __syncthreads();
    for (unsigned c = threadIdx.x; c < rows_; c += blockDim.x) {
      state all = table_.load(c);
      for (unsigned s = 1; s < slices; ++s) {
        all = fold_.combine(all, table_.load(s * rows_ + c));
      }
      finish(c, all);
    }
  }

  const Fold& fold_;
  collective::shared_span<state> table_;
  unsigned rows_;
  unsigned bits_;
};

}  // namespace warpfold::kernel::detail
