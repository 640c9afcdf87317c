/// @file
/// Folds along axes on host threads.
#pragma once

#include <cstddef>
#include <iterator>
#include <new>
#include <type_traits>
#include <utility>

#include <warpfold/host/interleaved_fold.hpp>
#include <warpfold/host/loops.hpp>
#include <warpfold/host/partial_results.hpp>
#include <warpfold/op/lift.hpp>
#include <warpfold/view/contiguous.hpp>
#include <warpfold/view/layout.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/work/kinds.hpp>

namespace warpfold::host {

/// A fold along axes as independent units. A unit is one result, or a few kilobytes of neighboring
/// results that walk down the axes together: element by element, or four elements at a time along
/// one dimension, which compilers vectorize.
///
/// Order: strictly from the first index to the last if `Strict`; otherwise that of the memory, and
/// long contiguous rows of one array are folded as by interleaved_fold.
template <class Work, bool Strict>
class host_axis {
  using accumulator = typename Work::accumulator;

 public:
  /// The folds of the pieces of the axis, for each result.
  using partials = partial_results<accumulator>;

  /// The layout is one of layout_of: the step of an axis of one element is 0.
  explicit host_axis(const Work& work) : work_(work), folded_(work.folded()) {
    if constexpr (Strict) {
      // The dimension whose index varies fastest first.
      warpfold::detail::sort_dimensions(
          folded_.dims, folded_.count,
          [](const auto& x, const auto& y) { return x.stride[arrays] < y.stride[arrays]; });
    }
    const std::size_t inner = across().extent;
    width_ = by_rows() ? 1 : inner < max_columns ? inner : max_columns;
    in_inner_ = width_ == 0 ? 0 : (inner + width_ - 1) / width_;
  }

  /// True if a unit is one result, false if it is several.
  bool by_rows() const { return work_.by_rows(); }
  std::size_t units() const {
    return work_.layout.outputs == 0 ? 0 : in_inner_ * work_.layout.kept.size(1);
  }

  /// Folds a unit and writes its results.
  WARPFOLD_ANY_SIDE
  void write(std::size_t unit) const {
    auto results = results_of(unit);
    fold(results, 0, work_.layout.length, [&](const accumulator& a) {
      work_.write(results.at.of, a, host_stores{});
      for (int k = 0; k < places_of_result; ++k) results.at.of[k] += across().stride[k];
    });
  }
  /// Folds one piece of a unit's axis.
  WARPFOLD_ANY_SIDE
  void write_partials(std::size_t unit, std::size_t piece, const partials& to) const {
    const std::size_t length = work_.layout.length;
    const std::size_t first = length / to.pieces() * piece;
    const std::size_t last = piece + 1 == to.pieces() ? length : first + length / to.pieces();
    const auto results = results_of(unit);
    std::size_t result = results.first;
    fold(results, first, last, [&](const accumulator& a) {
      ::new (static_cast<void*>(to.at(result++, piece))) accumulator(a);
    });
  }
  /// Writes all results after all pieces are folded.
  WARPFOLD_ANY_SIDE
  void write_all(const partials& from) const {
    const auto f = work_.fold();
    for (std::size_t r = 0; r < work_.layout.outputs; ++r) {
      accumulator total = *from.at(r, 0);
      for (std::size_t p = 1; p < from.pieces(); ++p) total = f.apply(total, *from.at(r, p));
      work_.write(work_.layout.kept.place(r).of, total, host_stores{});
    }
  }

 private:
  static constexpr int arrays = Work::arrays;
  static constexpr int places_of_result = Work::arrays + Work::outs;
  static constexpr std::size_t max_columns =
      sizeof(accumulator) < 16384 ? 16384 / sizeof(accumulator) : 1;
  using value_type = typename Work::value_type;
  using slot = typename partials::slot;
  using places = array_offsets<arrays + 1>;

  const auto& across() const { return work_.layout.kept.dims[0]; }

  // The results of a unit: their number, the number of the first one, and its offsets.
  struct unit_results {
    std::size_t count, first;
    array_offsets<places_of_result> at;
  };
  unit_results results_of(std::size_t unit) const {
    const std::size_t outer = unit / in_inner_;
    const std::size_t inner = (unit - outer * in_inner_) * width_;
    const std::size_t left = across().extent - inner;
    unit_results r{left < width_ ? left : width_, outer * across().extent + inner,
                   work_.layout.kept.place(outer, 1)};
    for (int k = 0; k < places_of_result; ++k) r.at.of[k] += inner * across().stride[k];
    return r;
  }

  // Calls `take(fold)` for results in order; each folds the elements `first` to `last - 1`.
  WARPFOLD_ANY_SIDE
  template <class Take>
  void fold(const unit_results& results, std::size_t first, std::size_t last,
            const Take& take) const {
    const std::size_t count = results.count;
    if (first == last) {
      if constexpr (Work::has_identity) {
        for (std::size_t c = 0; c < count; ++c) take(work_.fold().start());
      }
    } else if (count == 1) {
      take(fold_one(results.at.of, first, last));
    } else {
      const auto start = results.at;  // `take` may move it
      if (is_side_by_side()) {
        fold_columns<true>(start.of, count, first, last, take);
      } else {
        fold_columns<false>(start.of, count, first, last, take);
      }
    }
  }

  // True if neighboring results fold neighboring elements of each array.
  bool is_side_by_side() const {
    for (int a = 0; a < arrays; ++a) {
      if (across().stride[a] != 1) return false;
    }
    return true;
  }

  // Folds the elements of one result.
  WARPFOLD_ANY_SIDE
  accumulator fold_one(const std::size_t* start, std::size_t first, std::size_t last) const {
    if constexpr (Work::is_one_line && !Strict) {
      // Shorter rows do not fill the accumulators of interleaved_fold.
      if (work_.layout.step == 1 && last - first >= 64) return fold_row(start[0], first, last);
    }
    const auto f = work_.fold();
    const auto from = work_.input();
    const auto step = folded_.dims[0];
    const places at = place_of(start, first);
    accumulator total = work_.lift(from.value(at.of), at.of[arrays]);
    for_lines(start, first + 1, last, [&](std::size_t, places p, std::size_t n) {
      for (; n != 0; --n, move(p, step)) {
        const value_type x = from.value(p.of);
        warpfold::detail::fold_element(f, total, x, [&] { return work_.lift(x, p.of[arrays]); });
      }
    });
    return total;
  }

  // Folds elements of a contiguous row.
  WARPFOLD_ANY_SIDE
  accumulator fold_row(std::size_t start, std::size_t first, std::size_t last) const {
    const contiguous_view<value_type> row(work_.in + start, work_.layout.length);
    const auto view = lifted(row, work_.op);
    using view_type = std::remove_const_t<decltype(view)>;
    return interleaved_fold(reduction<view_type, typename Work::op_type>{view, work_.op, {}}, first,
                            last);
  }

  // Folds the elements of `count` results, and calls `take` for each in order. Four elements at a
  // time: each accumulator is loaded and stored once for all four.
  // @tparam SideBySide is_side_by_side()
  WARPFOLD_ANY_SIDE
  template <bool SideBySide, class Take>
  void fold_columns(const std::size_t* start, std::size_t count, std::size_t first,
                    std::size_t last, const Take& take) const {
    alignas(64) slot sums[max_columns];
    add_rows<SideBySide>(&sums[0].value, start, count, first, last);
    for (std::size_t c = 0; c < count; ++c) take(sums[c].value);
  }
  WARPFOLD_ANY_SIDE
  template <bool SideBySide>
  void add_rows(accumulator* __restrict sums, const std::size_t* start, std::size_t count,
                std::size_t first, std::size_t last) const {
    const Work own = work_;  // a copy, which stores cannot alias
    const auto f = own.fold();
    const auto from = own.input();
    const auto apart = across();
    const auto value = [&](const places& row, std::size_t c) {
      std::size_t at[std::size_t{arrays}];
      for (int a = 0; a < arrays; ++a) at[a] = row.of[a] + (SideBySide ? c : c * apart.stride[a]);
      return from.value(at);
    };
    const auto lift = [&](const places& row, std::size_t c) {
      return own.lift(value(row, c), row.of[arrays]);
    };
    for_lines(start, first, last, [&](std::size_t i, places row, std::size_t n) {
      const auto step = folded_.dims[0];
      if (i == first) {
        for (std::size_t c = 0; c < count; ++c) {
          ::new (static_cast<void*>(sums + c)) accumulator(lift(row, c));
        }
        move(row, step);
        --n;
      }
      constexpr bool in_place =
          warpfold::detail::folds_element<typename Work::op_type, accumulator, value_type>;
      for (; !in_place && n >= 4; n -= 4) {
        places r1 = row;
        move(r1, step);
        places r2 = r1;
        move(r2, step);
        places r3 = r2;
        move(r3, step);
        for (std::size_t c = 0; c < count; ++c) {
          accumulator sum = f.apply(sums[c], lift(row, c));
          sum = f.apply(sum, lift(r1, c));
          sum = f.apply(sum, lift(r2, c));
          sums[c] = f.apply(sum, lift(r3, c));
        }
        row = r3;
        move(row, step);
      }
      for (; n != 0; --n, move(row, step)) {
        for (std::size_t c = 0; c < count; ++c) {
          const value_type x = value(row, c);
          warpfold::detail::fold_element(f, sums[c], x,
                                         [&] { return own.lift(x, row.of[arrays]); });
        }
      }
    });
  }

  // Calls `f(i, places, n)` for each line of the folded elements `first` to `last - 1` of the
  // result at `start`: for its `n` elements from `i` on, which are one stride apart.
  WARPFOLD_ANY_SIDE
  template <class F>
  void for_lines(const std::size_t* start, std::size_t first, std::size_t last, const F& f) const {
    if (Work::is_one_line || folded_.count == 1) {
      if (first < last) f(first, place_of(start, first), last - first);
      return;
    }
    const std::size_t line = folded_.dims[0].extent;
    while (first < last) {
      const std::size_t rest = line - first % line;
      const std::size_t n = last - first < rest ? last - first : rest;
      f(first, place_of(start, first), n);
      first += n;
    }
  }
  places place_of(const std::size_t* start, std::size_t i) const {
    places at = folded_.place(i);
    for (int a = 0; a < arrays; ++a) at.of[a] += start[a];
    return at;
  }
  template <class Dimension>
  static void move(places& at, const Dimension& by) {
    for (int a = 0; a <= arrays; ++a) at.of[a] += by.stride[a];
  }

  Work work_;
  std::remove_cvref_t<decltype(std::declval<const Work&>().folded())> folded_;
  std::size_t width_;
  std::size_t in_inner_;
};

/// How threads divide a fold along an axis: `count` parts of `elements` elements; each unit of work
/// has `pieces` parts.
struct axis_parts {
  std::size_t count;
  std::size_t elements;
  std::size_t pieces;

  template <class Threads, class AxisReduction>
  static axis_parts of(const AxisReduction& a, std::size_t units) {
    constexpr std::size_t enough_units = 256;  // keep hundreds of threads busy
    if (units == 0) return {0, 0, 1};
    const std::size_t unit = a.layout.outputs * a.layout.length / units;  // elements
    std::size_t pieces = Threads::is_strict ? 1 : enough_units / units;
    if (pieces > unit / min_part) pieces = unit / min_part;
    if (pieces == 0) pieces = 1;
    return {units * pieces, unit / pieces, pieces};
  }
};

/// The loop of a fold along an axis. Each thread computes its own results; if there are few
/// results, threads share the axis. A strict thread folds each result from the first element to the
/// last.
struct axis_loop {
  WARPFOLD_ANY_SIDE
  template <class AxisReduction, class Threads>
  static void run(const AxisReduction& a, const Threads& threads) {
    using folds = host_axis<AxisReduction, Threads::is_strict>;
    const folds work(a);
    const auto parts = axis_parts::of<Threads>(a, work.units());
    if (parts.count == 0) return;
    if constexpr (!Threads::is_strict) {
      const std::size_t pieces = parts.pieces;
      if (pieces != 1) {
        const typename folds::partials partials(a.layout.outputs, pieces);
        threads.for_each(parts.count, parts.elements, [&](std::size_t i) {
          work.write_partials(i / pieces, i % pieces, partials);
        });
        return work.write_all(partials);
      }
    }
    threads.for_each(parts.count, parts.elements, [&](std::size_t u) { work.write(u); });
  }

  template <class AxisReduction, class Threads, class Plan>
  static void describe(const AxisReduction& a, const Threads& threads, Plan& plan) {
    const host_axis<AxisReduction, Threads::is_strict> work(a);
    const auto parts = axis_parts::of<Threads>(a, work.units());
    const bool alone = threads.run_alone(parts.count, parts.elements);
    static constexpr const char* names[2][3] = {
        {"columns", "columns on threads", "columns in pieces on threads"},
        {"rows", "rows on threads", "rows in pieces on threads"}};
    plan.kernel = names[work.by_rows()][alone ? 0 : parts.pieces > 1 ? 2 : 1];
    plan.threads = alone ? 1 : threads.count();
  }
};

}  // namespace warpfold::host
