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

/// As for one array: a unit is one result, or a few kilobytes of neighboring results, which walk
/// down the axis together.
///
/// Order: strictly from the first index to the last if `Strict`; otherwise that of the memory.
template <expression_reduction_work Work, bool Strict>
class host_axis<Work, Strict> {
  using accumulator = typename Work::accumulator;

 public:
  /// The folds of the pieces of the axis, for each result.
  using partials = partial_results<accumulator>;
  using slot = typename partials::slot;

  explicit host_axis(const Work& work) : work_(work), folded_(work.layout.folded) {
    if constexpr (Strict) {
      // The dimension whose index varies fastest first.
      for (int i = 1; i < folded_.count; ++i) {
        const auto own = folded_.dims[i];
        int at = i;
        for (; at > 0 && own.stride[arrays] < folded_.dims[at - 1].stride[arrays]; --at) {
          folded_.dims[at] = folded_.dims[at - 1];
        }
        folded_.dims[at] = own;
      }
    }
    const std::size_t inner = work.layout.kept.dims[0].extent;
    width_ = by_rows() ? 1 : inner < max_columns ? inner : max_columns;
    in_inner_ = width_ == 0 ? 0 : (inner + width_ - 1) / width_;
  }

  /// True if a unit is one result, false if it is several.
  bool by_rows() const { return work_.layout.by_rows; }
  std::size_t units() const {
    return work_.layout.outputs == 0 ? 0 : in_inner_ * work_.layout.kept.size(1);
  }

  /// Folds a unit and writes its results.
  WARPFOLD_ANY_SIDE
  void write(std::size_t unit) const {
    const host_stores stores;
    fold(unit, 0, work_.layout.length, [&](std::size_t result, const accumulator& a) {
      work_.write(work_.layout.kept.place(result).of, a, stores);
    });
  }
  /// Folds one piece of a unit's axis.
  WARPFOLD_ANY_SIDE
  void write_partials(std::size_t unit, std::size_t piece, const partials& to) const {
    const std::size_t length = work_.layout.length;
    const std::size_t first = length / to.pieces() * piece;
    const std::size_t last = piece + 1 == to.pieces() ? length : first + length / to.pieces();
    fold(unit, first, last, [&](std::size_t result, const accumulator& a) {
      ::new (static_cast<void*>(to.at(result, piece))) accumulator(a);
    });
  }
  /// Writes all results after all pieces are folded.
  WARPFOLD_ANY_SIDE
  void write_all(const partials& from) const {
    const auto f = work_.fold();
    const host_stores stores;
    for (std::size_t r = 0; r < work_.layout.outputs; ++r) {
      accumulator total = *from.at(r, 0);
      for (std::size_t p = 1; p < from.pieces(); ++p) total = f.apply(total, *from.at(r, p));
      work_.write(work_.layout.kept.place(r).of, total, stores);
    }
  }

 private:
  static constexpr int arrays = Work::arrays;
  static constexpr std::size_t max_columns =
      sizeof(accumulator) < 8192 ? 8192 / sizeof(accumulator) : 1;

  // Calls `take(result, fold)` for the results of a unit; each folds the elements `first` to
  // `last - 1`.
  WARPFOLD_ANY_SIDE
  template <class Take>
  void fold(std::size_t unit, std::size_t first, std::size_t last, const Take& take) const {
    const auto& across = work_.layout.kept.dims[0];
    const std::size_t outer = unit / in_inner_, column = unit % in_inner_ * width_;
    const std::size_t count = across.extent - column < width_ ? across.extent - column : width_;
    const std::size_t result = outer * across.extent + column;
    if (first == last) {
      if constexpr (Work::has_identity) {
        for (std::size_t c = 0; c < count; ++c) take(result + c, work_.fold().start());
      }
      return;
    }
    const auto start = work_.layout.kept.place(result);
    if (width_ == 1) {
      take(result, fold_one(start.of, first, last));
      return;
    }
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
    for (std::size_t c = 0; c < count; ++c) take(result + c, sums[c].value);
  }

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
  std::size_t width_;
  std::size_t in_inner_;
};

}  // namespace warpfold::host
