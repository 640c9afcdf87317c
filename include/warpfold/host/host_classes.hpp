/// @file
/// Folds of classes on host threads: each part of the values has a table with a state of each
/// class.
#pragma once

#include <cstddef>
#include <new>

#include <warpfold/host/loops.hpp>
#include <warpfold/host/partial_results.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/work/class_reduction.hpp>

namespace warpfold::host {

/// The tables of all parts. Order: part after part.
template <class Work>
class host_classes {
  using state = typename Work::state;

 public:
  host_classes(const Work& work, std::size_t parts) : work_(work), tables_(work.classes, parts) {}

  /// Folds values `first` to `last - 1` into the table of a part. Returns the index of the first
  /// wrong label, or `last`.
  WARPFOLD_ANY_SIDE
  std::size_t fold(std::size_t part, std::size_t first, std::size_t last) const {
    const Work own = work_;  // a copy, which stores cannot alias
    const auto f = own.fold();
    if (own.classes == 0) return first;
    state* const table = tables_.at(0, part);
    for (std::size_t c = 0; c < own.classes; ++c) {
      ::new (static_cast<void*>(tables_.at(c, part))) state(f.start());
    }
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t c = own.class_of(i);
      if (c >= own.classes) return i;
      table[c] = f.combine(table[c], f.state_of(own.lift(i)));
    }
    return last;
  }

  /// Writes the results after all parts are folded.
  /// @throws empty_range if a class has no values and the op no identity; nothing is written then
  WARPFOLD_ANY_SIDE
  void write_all() const {
    const auto f = work_.fold();
    for (std::size_t c = 0; c < work_.classes; ++c) {
      state& total = *tables_.at(c, 0);
      for (std::size_t p = 1; p < tables_.pieces(); ++p) {
        total = f.combine(total, *tables_.at(c, p));
      }
      if constexpr (!Work::has_identity) {
        if (!total.engaged()) Work::refuse_empty(c);
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

/// The loop of folds of classes. Allocates a state for each class and part of the values; a strict
/// thread has one part.
struct class_loop {
  WARPFOLD_ANY_SIDE
  template <class ClassReduction, class Threads>
  static void run(const ClassReduction& c, const Threads& threads) {
    // At least as many values as the combination of the tables has states.
    constexpr std::size_t most = 64;
    const std::size_t n = c.size(), least = c.classes > min_part / 4 ? 4 * c.classes : min_part;
    const std::size_t enough = Threads::is_strict || n / least < 1 ? 1 : n / least;
    const std::size_t parts = enough > most ? most : enough;
    const std::size_t length = n / parts;
    const host_classes<ClassReduction> classes(c, parts);
    const std::size_t wrong = threads.first_of(
        parts, length,
        [&](std::size_t p) {
          const std::size_t last = p + 1 == parts ? n : (p + 1) * length;
          const std::size_t found = classes.fold(p, p * length, last);
          return found == last ? n : found;
        },
        n);
    if (wrong != n) c.refuse_label(wrong);
    classes.write_all();
  }
};

}  // namespace warpfold::host
