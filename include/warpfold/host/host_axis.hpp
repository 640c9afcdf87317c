/// @file
/// Folds along an axis on host threads.
#pragma once

#include <cstddef>
#include <new>

#include <warpfold/host/interleaved_fold.hpp>
#include <warpfold/host/loops.hpp>
#include <warpfold/host/partial_results.hpp>
#include <warpfold/op/lift.hpp>
#include <warpfold/view/contiguous.hpp>
#include <warpfold/work/axis_reduction.hpp>

namespace warpfold::host {

/// A fold along an axis as independent units. A unit is a row with contiguous elements, or a few
/// kilobytes of neighboring columns. Columns take a few rows at a time, which compilers vectorize.
///
/// Order: strictly from the first element to the last if `Strict`; otherwise rows are folded as by
/// interleaved_fold.
template <class AxisReduction, bool Strict>
class host_axis {
  using value_type = typename AxisReduction::value_type;
  using accumulator = typename AxisReduction::accumulator;

 public:
  /// The folds of the pieces of the axis, for each result.
  using partials = partial_results<accumulator>;

  /// The layout is one of layout_of: the step of an axis of one element is 0.
  explicit host_axis(const AxisReduction& axis) : axis_(axis), by_rows_(axis.layout.step == 1) {
    const std::size_t inner = axis.layout.dims[0].extent;
    width_ = by_rows_ ? 1 : inner < max_columns ? inner : max_columns;
    in_inner_ = width_ == 0 ? 0 : (inner + width_ - 1) / width_;
  }

  /// True if a unit is a row, false if it is some columns.
  bool by_rows() const { return by_rows_; }
  std::size_t units() const {
    return by_rows_ ? axis_.layout.outputs : axis_.layout.outers() * in_inner_;
  }

  /// Folds a unit and writes its results.
  WARPFOLD_ANY_SIDE
  void write(std::size_t unit) const {
    fold(unit, 0, axis_.layout.length, [&](std::size_t, std::size_t out, const accumulator& a) {
      auto* const to = axis_.out + out;
      ::new (static_cast<void*>(to)) typename AxisReduction::out_type(axis_.result(a, to));
    });
  }
  /// Folds one piece of a unit's axis.
  WARPFOLD_ANY_SIDE
  void write_partials(std::size_t unit, std::size_t piece, const partials& to) const {
    const std::size_t length = axis_.layout.length;
    const std::size_t first = length / to.pieces() * piece;
    const std::size_t last = piece + 1 == to.pieces() ? length : first + length / to.pieces();
    fold(unit, first, last, [&](std::size_t output, std::size_t, const accumulator& a) {
      ::new (static_cast<void*>(to.at(output, piece))) accumulator(a);
    });
  }
  /// Writes all results after all pieces are folded.
  WARPFOLD_ANY_SIDE
  void write_all(const partials& from) const {
    const auto f = axis_.fold();
    for (std::size_t o = 0; o < axis_.layout.outputs; ++o) {
      accumulator total = *from.at(o, 0);
      for (std::size_t p = 1; p < from.pieces(); ++p) total = f.apply(total, *from.at(o, p));
      auto* const to = axis_.out + axis_.layout.place(o).out;
      ::new (static_cast<void*>(to)) typename AxisReduction::out_type(axis_.result(total, to));
    }
  }

 private:
  static constexpr std::size_t max_columns =
      sizeof(accumulator) < 16384 ? 16384 / sizeof(accumulator) : 1;

  // Calls `take(result, place, fold)` for the results of a unit; each folds the elements `first` to
  // `last - 1`.
  WARPFOLD_ANY_SIDE
  template <class Take>
  void fold(std::size_t unit, std::size_t first, std::size_t last, const Take& take) const {
    if (first == last) {
      fold_nothing(unit, take);
    } else if (by_rows_) {
      const axis_place at = axis_.layout.place(unit);
      take(unit, at.out, fold_row(axis_.in + at.in, first, last));
    } else {
      fold_columns(unit, first, last, take);
    }
  }

  WARPFOLD_ANY_SIDE
  accumulator fold_row(const value_type* row, std::size_t first, std::size_t last) const {
    // Short rows do not fill the accumulators of interleaved_fold.
    if (Strict || last - first < 64) {
      const auto f = axis_.fold();
      accumulator total = axis_.lift(row[first], first);
      for (std::size_t i = first + 1; i < last; ++i) {
        warpfold::detail::fold_element(f, total, row[i], [&] { return axis_.lift(row[i], i); });
      }
      return total;
    }
    const auto view = lifted(contiguous_view<value_type>(row, axis_.layout.length), axis_.op);
    using view_type = std::remove_const_t<decltype(view)>;
    return interleaved_fold(
        reduction<view_type, typename AxisReduction::op_type>{view, axis_.op, {}}, first, last);
  }

  struct columns {
    std::size_t outer, first, count;
  };
  columns columns_of(std::size_t unit) const {
    const std::size_t inner = axis_.layout.dims[0].extent;
    const std::size_t first = unit % in_inner_ * width_;
    return {unit / in_inner_, first, inner - first < width_ ? inner - first : width_};
  }
  template <class Take>
  void take_column(const columns& own, std::size_t c, const Take& take,
                   const accumulator& a) const {
    const axis_layout& l = axis_.layout;
    const std::size_t out = l.place(own.outer, 1).out + (own.first + c) * l.dims[0].out;
    take(own.outer * l.dims[0].extent + own.first + c, out, a);
  }

  WARPFOLD_ANY_SIDE
  template <class Take>
  void fold_columns(std::size_t unit, std::size_t first, std::size_t last, const Take& take) const {
    const columns own = columns_of(unit);
    const axis_layout& l = axis_.layout;
    const value_type* const data = axis_.in + l.place(own.outer, 1).in + own.first * l.dims[0].in;
    alignas(64) alignas(accumulator) unsigned char bytes[max_columns * sizeof(accumulator)];
    auto* const sums = reinterpret_cast<accumulator*>(bytes);
    for (std::size_t c = 0; c < own.count; ++c) {
      ::new (static_cast<void*>(sums + c))
          accumulator(axis_.lift(data[first * l.step + c * l.dims[0].in], first));
    }
    if (l.dims[0].in == 1) {
      add_rows<true>(sums, data, own.count, first + 1, last);
    } else {
      add_rows<false>(sums, data, own.count, first + 1, last);
    }
    for (std::size_t c = 0; c < own.count; ++c) take_column(own, c, take, sums[c]);
  }

  // Four rows at a time: each sum is loaded and stored once for all four. Compilers vectorize
  // contiguous elements.
  WARPFOLD_ANY_SIDE
  template <bool SideBySide>
  void add_rows(accumulator* __restrict sums, const value_type* data, std::size_t count,
                std::size_t first, std::size_t last) const {
    const auto own = axis_;  // a copy, which stores cannot alias
    const auto f = own.fold();
    const std::size_t step = own.layout.step;
    const std::size_t apart = own.layout.dims[0].in;
    const auto at = [=](const value_type* row, std::size_t c) -> const value_type& {
      if constexpr (SideBySide) {
        return row[c];
      } else {
        return row[c * apart];
      }
    };
    std::size_t i = first;
    constexpr bool in_place =
        folds_element<typename AxisReduction::op_type, accumulator, value_type>;
    for (; !in_place && i + 4 <= last; i += 4) {
      const value_type* const r0 = data + i * step;
      const value_type* const r1 = r0 + step;
      const value_type* const r2 = r1 + step;
      const value_type* const r3 = r2 + step;
      for (std::size_t c = 0; c < count; ++c) {
        accumulator sum = f.apply(sums[c], own.lift(at(r0, c), i));
        sum = f.apply(sum, own.lift(at(r1, c), i + 1));
        sum = f.apply(sum, own.lift(at(r2, c), i + 2));
        sums[c] = f.apply(sum, own.lift(at(r3, c), i + 3));
      }
    }
    for (; i < last; ++i) {
      const value_type* const row = data + i * step;
      for (std::size_t c = 0; c < count; ++c) {
        const value_type& x = at(row, c);
        warpfold::detail::fold_element(f, sums[c], x, [&] { return own.lift(x, i); });
      }
    }
  }

  WARPFOLD_ANY_SIDE
  template <class Take>
  void fold_nothing(std::size_t unit, const Take& take) const {
    if constexpr (AxisReduction::has_identity) {
      const columns own = columns_of(unit);
      for (std::size_t c = 0; c < own.count; ++c) take_column(own, c, take, axis_.fold().start());
    }
  }

  AxisReduction axis_;
  bool by_rows_;
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
