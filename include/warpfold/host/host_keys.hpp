/// @file
/// Runs of equal keys on host threads.
#pragma once

#include <cstddef>

#include <warpfold/host/host_segments.hpp>
#include <warpfold/work/key_reduction.hpp>

namespace warpfold::host {

/// Adjacent runs as segments, numbered from `number` on. Run `number + j` is from `begins[j]` up to
/// `begins[j + 1]`.
struct some_runs {
  static constexpr bool are_adjacent = true;

  const std::size_t* begins;
  std::size_t number;

  std::size_t begin(std::size_t r) const { return begins[r - number]; }
  std::size_t end(std::size_t r) const { return begins[r - number + 1]; }
};

/// The runs that begin in one part of the keys.
struct runs_of_part {
  std::size_t count;  ///< runs that begin in the part
  std::size_t first;  ///< where the first of them begins; the end of the part if there is none
};

/// Counts the runs that begin at keys `first` to `last - 1`.
WARPFOLD_ANY_SIDE
template <class Work>
runs_of_part count_runs(const Work& work, std::size_t first, std::size_t last) {
  const Work own = work;  // a copy, which stores cannot alias
  std::size_t from = first;
  while (from < last && !own.begins_run(from)) ++from;
  if (from == last) return {0, last};
  std::size_t runs = 1;
  for (std::size_t i = from + 1; i < last; ++i) {
    runs += static_cast<std::size_t>(!own.continues_run(i));
  }
  return {runs, from};
}

/// Calls `take(runs, count)` for the runs that begin at keys `first` to `last - 1`, some at a time.
/// @param number of the first of them
/// @param end where the last of them ends
WARPFOLD_ANY_SIDE
template <class Work, class Take>
void for_runs(const Work& work, std::size_t first, std::size_t last, std::size_t number,
              std::size_t end, const Take& take) {
  constexpr std::size_t some = 512;
  std::size_t begins[some + 2];
  std::size_t count = 0;
  const Work own = work;
  for (std::size_t from = first; from < last;) {
    const std::size_t to = last - from < some ? last : from + some;
    // Without a branch: begins of random runs would be mispredicted.
    for (; from < to; ++from) {
      begins[count] = from;
      count += static_cast<std::size_t>(own.begins_run(from));
    }
    if (count < 2) continue;
    take(some_runs{begins, number}, count - 1);
    number += count - 1;
    begins[0] = begins[count - 1];
    count = 1;
  }
  if (count == 0) return;
  begins[1] = end;
  take(some_runs{begins, number}, std::size_t{1});
}

/// Folds the runs of at least one key in order, and writes their keys and results. Returns the
/// number of runs.
WARPFOLD_ANY_SIDE
template <class Work>
std::size_t write_runs_in_order(const Work& work) {
  const Work own = work;
  const host_stores stores;
  const std::size_t n = own.size();
  std::size_t r = 0;
  for (std::size_t first = 0; first < n; ++r) {
    std::size_t last = first + 1;
    own.write_key(r, first, stores);
    if constexpr (Work::has_values) {
      const auto folds = own.folds_of(some_runs{});
      const auto f = folds.fold();
      auto total = folds.lift(own.values[first], 0);
      for (; last < n && own.continues_run(last); ++last) {
        const auto& x = own.values[last];
        warpfold::detail::fold_element(f, total, x, [&] { return folds.lift(x, last - first); });
      }
      folds.write(r, static_cast<typename decltype(folds)::result_type>(total), stores);
    } else {
      while (last < n && own.continues_run(last)) ++last;
      own.write_length(r, last - first, stores);
    }
    first = last;
  }
  return r;
}

}  // namespace warpfold::host
