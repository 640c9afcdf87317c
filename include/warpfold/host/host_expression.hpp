/// @file
/// Folds of expressions of several arrays on host threads.
#pragma once

#include <cstddef>
#include <new>

#include <warpfold/host/host_axis.hpp>
#include <warpfold/host/partial_results.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/work/expression_reduction.hpp>

namespace warpfold::host {

/// As for one array. Neighboring results are folded together, row by row.
///
/// Order: strictly from the first index to the last if `Strict`; otherwise that of the memory.
template <expression_reduction_work Work, bool Strict>
class axis_folds<Work, Strict> {
  using accumulator = typename Work::accumulator;
  using slot = typename partial_results<accumulator>::slot;
  using place = array_offsets<Work::arrays + Work::outs>;

 public:
  static constexpr std::size_t max_columns =
      sizeof(accumulator) < 8192 ? 8192 / sizeof(accumulator) : 1;

  explicit axis_folds(const Work& work) : work_(work), folded_(work.layout.folded) {
    if constexpr (Strict) {
      // The dimension whose index varies fastest first.
      warpfold::detail::sort_dimensions(
          folded_.dims, folded_.count,
          [](const auto& x, const auto& y) { return x.stride[arrays] < y.stride[arrays]; });
    }
  }

  const Work& work() const { return work_; }
  bool by_rows() const { return work_.layout.by_rows; }

  WARPFOLD_ANY_SIDE
  template <class Take>
  void fold(const place& start, std::size_t count, std::size_t first, std::size_t last,
            const Take& take) const {
    if (count == 1) {
      take(fold_one(start.of, first, last));
      return;
    }
    const auto& across = work_.layout.kept.dims[0];
    const auto f = work_.fold();
    slot sums[max_columns];
    visit_places(start.of, first, last, [&](std::size_t i, const places& at) {
      auto element = at;
      for (std::size_t c = 0; c < count; ++c) {
        const accumulator x = work_.lift(work_.source.value(element.of), at.of[arrays]);
        if (i == first) {
          ::new (static_cast<void*>(&sums[c].value)) accumulator(x);
        } else {
          sums[c].value = f.apply(sums[c].value, x);
        }
        for (int a = 0; a < arrays; ++a) element.of[a] += across.stride[a];
      }
    });
    for (std::size_t c = 0; c < count; ++c) take(sums[c].value);
  }
  /// Writes a result.
  WARPFOLD_ANY_SIDE
  void write(const place& at, const accumulator& a) const { work_.write(at.of, a, host_stores{}); }

 private:
  static constexpr int arrays = Work::arrays;
  using places = array_offsets<arrays + 1>;

  // Folds the elements of one result.
  WARPFOLD_ANY_SIDE
  accumulator fold_one(const std::size_t* start, std::size_t first, std::size_t last) const {
    const Work own = work_;  // a copy, which stores cannot alias
    const auto f = own.fold();
    const auto value = [&](const places& at) {
      return own.lift(own.source.value(at.of), at.of[arrays]);
    };
    places at = folded_.place(first);
    for (int a = 0; a < arrays; ++a) at.of[a] += start[a];
    accumulator total = value(at);
    visit_places(start, first + 1, last,
                 [&](std::size_t, const places& p) { total = f.apply(total, value(p)); });
    return total;
  }

  // Calls `f(i, places)` for the folded elements `first` to `last - 1` of the result at `start`.
  // Elements of one line are one stride apart, so a line's place is computed once.
  WARPFOLD_ANY_SIDE
  template <class F>
  void visit_places(const std::size_t* start, std::size_t first, std::size_t last,
                    const F& f) const {
    const auto along = folded_.dims[0];
    for (std::size_t i = first; i < last;) {
      const std::size_t own = i % along.extent;
      const std::size_t next = last - i < along.extent - own ? last : i + (along.extent - own);
      places at = folded_.place(i);
      for (int a = 0; a < arrays; ++a) at.of[a] += start[a];
      for (; i < next; ++i) {
        f(i, at);
        for (int a = 0; a <= arrays; ++a) at.of[a] += along.stride[a];
      }
    }
  }

  Work work_;
  array_dimensions<arrays + 1> folded_;
};

}  // namespace warpfold::host
