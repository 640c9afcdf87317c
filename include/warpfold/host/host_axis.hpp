/// @file
/// Folds along an axis on host threads.
#pragma once

#include <cstddef>
#include <iterator>
#include <new>

#include <warpfold/host/interleaved_fold.hpp>
#include <warpfold/host/loops.hpp>
#include <warpfold/host/partial_results.hpp>
#include <warpfold/op/lift.hpp>
#include <warpfold/view/contiguous.hpp>
#include <warpfold/view/layout.hpp>
#include <warpfold/work/axis_reduction.hpp>

namespace warpfold::host {

/// How the host folds the elements of results side by side: `fold(at, count, first, last, take)`
/// folds the elements `first` to `last - 1` of `count` results, from the one with the offsets `at`,
/// and calls `take(fold)` for each in order. At most `max_columns` results; one if `by_rows()`.
///
/// The elements of one array: a row with contiguous elements, or neighboring columns. Columns take
/// a few rows at a time, which compilers vectorize.
///
/// Order: strictly from the first element to the last if `Strict`; otherwise rows are folded as by
/// interleaved_fold.
template <class AxisReduction, bool Strict>
class axis_folds {
  using value_type = typename AxisReduction::value_type;
  using accumulator = typename AxisReduction::accumulator;

 public:
  static constexpr std::size_t max_columns =
      sizeof(accumulator) < 16384 ? 16384 / sizeof(accumulator) : 1;

  /// The layout is one of layout_of: the step of an axis of one element is 0.
  explicit axis_folds(const AxisReduction& axis) : axis_(axis) {}

  const AxisReduction& work() const { return axis_; }
  bool by_rows() const { return axis_.layout.step == 1; }

  WARPFOLD_ANY_SIDE
  template <class Take>
  void fold(const array_offsets<2>& at, std::size_t count, std::size_t first, std::size_t last,
            const Take& take) const {
    const value_type* const data = axis_.in + at.of[axis_layout::in];
    if (by_rows()) {
      take(fold_row(data, first, last));
    } else {
      fold_columns(data, count, first, last, take);
    }
  }
  /// Writes a result.
  WARPFOLD_ANY_SIDE
  void write(const array_offsets<2>& at, const accumulator& a) const {
    auto* const to = axis_.out + at.of[axis_layout::out];
    ::new (static_cast<void*>(to)) typename AxisReduction::out_type(axis_.result(a, to));
  }

 private:
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

  WARPFOLD_ANY_SIDE
  template <class Take>
  void fold_columns(const value_type* data, std::size_t count, std::size_t first, std::size_t last,
                    const Take& take) const {
    const std::size_t step = axis_.layout.step,
                      apart = axis_.layout.kept.dims[0].stride[axis_layout::in];
    alignas(64) alignas(accumulator) unsigned char bytes[max_columns * sizeof(accumulator)];
    auto* const sums = reinterpret_cast<accumulator*>(bytes);
    for (std::size_t c = 0; c < count; ++c) {
      ::new (static_cast<void*>(sums + c))
          accumulator(axis_.lift(data[first * step + c * apart], first));
    }
    if (apart == 1) {
      add_rows<true>(sums, data, count, first + 1, last);
    } else {
      add_rows<false>(sums, data, count, first + 1, last);
    }
    for (std::size_t c = 0; c < count; ++c) take(sums[c]);
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
    const std::size_t apart = own.layout.kept.dims[0].stride[axis_layout::in];
    const auto at = [=](const value_type* row, std::size_t c) -> const value_type& {
      if constexpr (SideBySide) {
        return row[c];
      } else {
        return row[c * apart];
      }
    };
    std::size_t i = first;
    constexpr bool in_place =
        warpfold::detail::folds_element<typename AxisReduction::op_type, accumulator, value_type>;
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

  AxisReduction axis_;
};

/// A fold along an axis as independent units. A unit is one result, or a few kilobytes of
/// neighboring results that walk down the axis together.
template <class Work, bool Strict>
class host_axis {
  using accumulator = typename Work::accumulator;

 public:
  /// The folds of the pieces of the axis, for each result.
  using partials = partial_results<accumulator>;

  explicit host_axis(const Work& work) : folds_(work) {
    constexpr std::size_t most = folds_type::max_columns;
    const std::size_t inner = across().extent;
    width_ = by_rows() ? 1 : inner < most ? inner : most;
    in_inner_ = width_ == 0 ? 0 : (inner + width_ - 1) / width_;
  }

  /// True if a unit is one result, false if it is several.
  bool by_rows() const { return folds_.by_rows(); }
  std::size_t units() const {
    return work().layout.outputs == 0 ? 0 : in_inner_ * work().layout.kept.size(1);
  }

  /// Folds a unit and writes its results.
  WARPFOLD_ANY_SIDE
  void write(std::size_t unit) const {
    auto at = work().layout.kept.place(first_of(unit));
    fold(unit, 0, work().layout.length, [&](const accumulator& a) {
      folds_.write(at, a);
      for (std::size_t k = 0; k < std::size(at.of); ++k) at.of[k] += across().stride[k];
    });
  }
  /// Folds one piece of a unit's axis.
  WARPFOLD_ANY_SIDE
  void write_partials(std::size_t unit, std::size_t piece, const partials& to) const {
    const std::size_t length = work().layout.length;
    const std::size_t first = length / to.pieces() * piece;
    const std::size_t last = piece + 1 == to.pieces() ? length : first + length / to.pieces();
    std::size_t result = first_of(unit);
    fold(unit, first, last, [&](const accumulator& a) {
      ::new (static_cast<void*>(to.at(result++, piece))) accumulator(a);
    });
  }
  /// Writes all results after all pieces are folded.
  WARPFOLD_ANY_SIDE
  void write_all(const partials& from) const {
    const auto f = work().fold();
    for (std::size_t r = 0; r < work().layout.outputs; ++r) {
      accumulator total = *from.at(r, 0);
      for (std::size_t p = 1; p < from.pieces(); ++p) total = f.apply(total, *from.at(r, p));
      folds_.write(work().layout.kept.place(r), total);
    }
  }

 private:
  using folds_type = axis_folds<Work, Strict>;

  const Work& work() const { return folds_.work(); }
  const auto& across() const { return work().layout.kept.dims[0]; }
  // The number of a unit's first result.
  std::size_t first_of(std::size_t unit) const {
    return unit / in_inner_ * across().extent + unit % in_inner_ * width_;
  }

  // Calls `take(fold)` for the results of a unit in order; each folds the elements `first` to
  // `last - 1`.
  WARPFOLD_ANY_SIDE
  template <class Take>
  void fold(std::size_t unit, std::size_t first, std::size_t last, const Take& take) const {
    const std::size_t left = across().extent - unit % in_inner_ * width_;
    const std::size_t count = left < width_ ? left : width_;
    if (first != last) {
      folds_.fold(work().layout.kept.place(first_of(unit)), count, first, last, take);
    } else if constexpr (Work::has_identity) {
      for (std::size_t c = 0; c < count; ++c) take(work().fold().start());
    }
  }

  folds_type folds_;
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
