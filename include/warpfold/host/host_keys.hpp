/// @file
/// Runs of equal keys on host threads.
#pragma once

#include <cstddef>

#include <warpfold/host/host_segments.hpp>
#include <warpfold/host/loops.hpp>
#include <warpfold/host/partial_results.hpp>
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
    while (last < n && own.continues_run(last)) ++last;
    if constexpr (Work::has_values) {
      const auto folds = own.folds_of(some_runs{});
      folds.write(r, ordered_result(folds.reduction_of(first, last)), stores);
    } else {
      own.write_length(r, last - first, stores);
    }
    first = last;
  }
  return r;
}

/// The loop of runs of equal keys. Returns the number of runs.
///
/// - One thread reads the keys twice if an output has fewer elements than there are keys, or
///   if that many elements would overlap other memory.
/// - Several threads read the keys twice: they count the runs of their keys first. Several threads
///   fold a long run. They allocate 16 bytes for each part of the keys.
struct key_loop {
  WARPFOLD_ANY_SIDE
  template <class KeyReduction, class Threads>
  static std::size_t run(const KeyReduction& k, const Threads& threads) {
    if constexpr (sized_in_memory<KeyReduction>) {
      return run_all(k.settled(), threads);
    } else {
      return run_all(k, threads);
    }
  }

 private:
  WARPFOLD_ANY_SIDE
  template <class KeyReduction, class Threads>
  static std::size_t run_all(const KeyReduction& k, const Threads& threads) {
    if constexpr (Threads::is_one_thread) {
      k.require_room([&] { return count_runs(k, 0, k.size()).count; });
      return write_runs_in_order(k);
    } else {
      return run_in_parts(k, threads);
    }
  }
  WARPFOLD_ANY_SIDE
  template <class KeyReduction, class Threads>
  static std::size_t run_in_parts(const KeyReduction& k, const Threads& threads) {
    const std::size_t n = k.size();
    if (n == 0) return 0;
    const std::size_t length = n / max_parts > min_part ? n / max_parts : min_part;
    const std::size_t parts = (n + length - 1) / length;
    const auto last_of = [=](std::size_t p) { return p + 1 == parts ? n : (p + 1) * length; };

    // For each part, the number of runs before it and where the runs of the following parts begin.
    const partial_results<runs_of_part> found(parts, 1);
    threads.for_each(parts, length, [&](std::size_t p) {
      *found.at(p, 0) = count_runs(k, p * length, last_of(p));
    });
    std::size_t runs = 0;
    for (std::size_t p = 0; p < parts; ++p) {
      const std::size_t count = found.at(p, 0)->count;
      found.at(p, 0)->count = runs;
      runs += count;
    }
    k.require_room(runs);
    std::size_t begin = n;
    for (std::size_t p = parts; p-- > 0;) {
      const std::size_t own = found.at(p, 0)->first;
      found.at(p, 0)->first = begin;
      if (own != last_of(p)) begin = own;
    }

    threads.for_each(parts, length, [&](std::size_t p) {
      const runs_of_part own = *found.at(p, 0);
      for_runs(k, p * length, last_of(p), own.count, own.first,
               [&](const some_runs& some, std::size_t count) { write(k, some, count, threads); });
    });
    return runs;
  }

  // Writes the keys and the results of some runs.
  WARPFOLD_ANY_SIDE
  template <class KeyReduction, class Threads>
  static void write(const KeyReduction& k, const some_runs& runs, std::size_t count,
                    const Threads& threads) {
    const std::size_t first = runs.number, last = first + count;
    const host_stores stores;
    for (std::size_t r = first; r < last; ++r) k.write_key(r, runs.begin(r), stores);
    if constexpr (KeyReduction::has_values) {
      const auto folds = k.folds_of(runs);
      const host_segments<std::remove_const_t<decltype(folds)>> work(folds);
      if (work.weight(first, last) <= min_part) return work.write(first, last);
      for (std::size_t r = first; r < last; ++r) write_segments(folds, work, r, r + 1, threads);
    } else {
      for (std::size_t r = first; r < last; ++r) {
        k.write_length(r, runs.end(r) - runs.begin(r), stores);
      }
    }
  }
};

}  // namespace warpfold::host
