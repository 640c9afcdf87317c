/// @file
/// Folds of classes on host threads: each part of the values has a table with a state of each
/// class.
#pragma once

#include <cstddef>
#include <new>

#include <warpfold/host/loops.hpp>
#include <warpfold/host/partial_results.hpp>
#include <warpfold/op/lift.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/work/class_reduction.hpp>

namespace warpfold::host {

/// The tables of parts.
template <class Work>
class host_classes {
  using state = typename Work::state;

 public:
  host_classes(const Work& work, std::size_t tables) : work_(work), tables_(work.classes, tables) {}

  /// Folds values `first` to `last - 1` into a table of their own. Returns the index of the first
  /// wrong label, or `last`.
  WARPFOLD_ANY_SIDE
  std::size_t fold(std::size_t number, std::size_t first, std::size_t last) const {
    const Work own = work_;  // a copy, which stores cannot alias
    const auto f = own.fold();
    if (own.classes == 0) return first;
    state* const table = tables_.at(0, number);
    for (std::size_t c = 0; c < own.classes; ++c) {
      ::new (static_cast<void*>(table + c)) state(f.start());
    }
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t c = own.class_of(i);
      if (c >= own.classes) return i;
      const auto x = own.value(i);
      const auto lift = [&] { return own.lift(x, i); };
      if constexpr (Work::has_identity) {
        warpfold::detail::fold_element(f, table[c], x, lift);
      } else {
        table[c] = f.combine(table[c], f.state_of(lift()));
      }
    }
    return last;
  }

  /// Combines the first table with another one, whose values come later.
  WARPFOLD_ANY_SIDE
  void add(std::size_t number) const {
    const auto f = work_.fold();
    for (std::size_t c = 0; c < work_.classes; ++c) {
      *tables_.at(c, 0) = f.combine(*tables_.at(c, 0), *tables_.at(c, number));
    }
  }

  /// Writes the results, which the first table has.
  /// @throws empty_range if a class has no values and the op no identity; nothing is written then
  WARPFOLD_ANY_SIDE
  void write_all() const {
    const auto f = work_.fold();
    for (std::size_t c = 0; c < work_.classes; ++c) {
      if constexpr (!Work::has_identity) {
        if (!tables_.at(c, 0)->engaged()) Work::refuse_empty(c);
      }
    }
    const host_stores stores;
    for (std::size_t c = 0; c < work_.classes; ++c) {
      work_.write(c, f.value(*tables_.at(c, 0)), stores);
    }
  }

 private:
  Work work_;
  partial_results<state> tables_;
};

/// The loop of folds of classes.
///
/// Order: the range is divided into parts, whose number depends on the numbers of values and
/// classes only. The values of a class are folded from the first to the last of each part, and then
/// part after part. One thread allocates a state of each class twice, several threads one for each
/// part.
struct class_loop {
  WARPFOLD_ANY_SIDE
  template <class ClassReduction, class Threads>
  static void run(const ClassReduction& c, const Threads& threads) {
    if constexpr (sized_in_memory<ClassReduction>) {
      run_all(c.settled(), threads);
    } else {
      run_all(c, threads);
    }
  }

 private:
  WARPFOLD_ANY_SIDE
  template <class ClassReduction, class Threads>
  static void run_all(const ClassReduction& c, const Threads& threads) {
    // At least as many values as the combination of the tables has states.
    constexpr std::size_t most = 64;
    const std::size_t n = c.size(), least = c.classes > min_part / 4 ? 4 * c.classes : min_part;
    const std::size_t enough = n / least < 1 ? 1 : n / least;
    const std::size_t parts = enough > most ? most : enough;
    const std::size_t length = n / parts;
    const bool reuses_table = Threads::is_one_thread && parts > 2;
    const host_classes<ClassReduction> classes(c, reuses_table ? 2 : parts);
    const std::size_t wrong = threads.first_of(
        parts, length,
        [&](std::size_t p) {
          const std::size_t last = p + 1 == parts ? n : (p + 1) * length;
          const std::size_t table = reuses_table && p > 1 ? 1 : p;
          const std::size_t found = classes.fold(table, p * length, last);
          if (reuses_table && p > 0 && found == last) classes.add(1);
          return found == last ? n : found;
        },
        n);
    if (wrong != n) c.refuse_label(wrong);
    for (std::size_t p = 1; p < parts && !reuses_table; ++p) classes.add(p);
    classes.write_all();
  }
};

}  // namespace warpfold::host
