/// @file
/// Folds along axes on host threads.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include <warpfold/host/loops.hpp>
#include <warpfold/host/ordered_fold.hpp>
#include <warpfold/host/partial_results.hpp>
#include <warpfold/op/fold_order.hpp>
#include <warpfold/op/lift.hpp>
#include <warpfold/view/contiguous.hpp>
#include <warpfold/view/layout.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/work/kinds.hpp>

namespace warpfold::host {

/// A fold along axes as independent units. A unit is one result, or a few kilobytes of neighboring
/// results. Neighboring results are folded together, several elements at a time, in loops that
/// compilers vectorize.
///
/// Order: the declared one (op/fold_order.hpp) of the indices of the folded elements. So a row or a
/// column of one array has the bits of `reduce` of its elements.
template <class Work>
class host_axis {
  using accumulator = typename Work::accumulator;
  using value_type = typename Work::value_type;
  using row_view = decltype(lifted(std::declval<const contiguous_view<value_type>&>(),
                                   std::declval<const typename Work::op_type&>()));
  using row_reduction = reduction<std::remove_cv_t<row_view>, typename Work::op_type>;

 public:
  /// The folds of the pieces of the axis, for each result.
  using partials = partial_results<accumulator>;

  /// The layout is one of layout_of: the step of an axis of one element is 0.
  explicit host_axis(const Work& work) : work_(work), folded_(work.folded()) {
    // The dimension whose index varies fastest first.
    warpfold::detail::sort_dimensions(
        folded_.dims, folded_.count,
        [](const auto& x, const auto& y) { return x.stride[arrays] < y.stride[arrays]; });
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
  /// Folds the elements `first` to `last - 1` of a unit: a node of its tree, which is piece
  /// `piece`.
  WARPFOLD_ANY_SIDE
  void write_partials(std::size_t unit, std::size_t piece, std::size_t first, std::size_t last,
                      const partials& to) const {
    const auto results = results_of(unit);
    std::size_t result = results.first;
    fold(results, first, last, [&](const accumulator& a) {
      ::new (static_cast<void*>(to.at(result++, piece))) accumulator(a);
    });
  }
  /// Writes all results after all pieces are folded.
  WARPFOLD_ANY_SIDE
  void write_all(const partials& from) const {
    const auto combine = combining();
    for (std::size_t r = 0; r < work_.layout.outputs; ++r) {
      const accumulator total = fold_in_order<accumulator>(
          combine, [&](std::size_t p) { return *from.at(r, p); }, 0, from.pieces());
      work_.write(work_.layout.kept.place(r).of, total, host_stores{});
    }
  }

 private:
  static constexpr int arrays = Work::arrays;
  static constexpr int places_of_result = Work::arrays + Work::outs;
  // True if the op adds rows of neighboring elements, each to the accumulator of its column.
  static constexpr bool adds_rows_itself =
      warpfold::detail::folds_batch_itself<typename Work::op_type> &&
      requires(const Work& w, accumulator* a) { w.op.add_rows(a, 0, w.in, 0, 0); };
  static constexpr std::size_t max_columns = adds_rows_itself ? 64
                                             : sizeof(accumulator) < 8192
                                                 ? 8192 / sizeof(accumulator)
                                                 : 1;
  static constexpr bool folds_as_neighbors =
      folds_neighbors<typename Work::op_type, value_type (*)(int), accumulator (*)(int)>;
  static constexpr bool any_order = same_in_any_order<typename Work::op_type, accumulator>;
  using places = array_offsets<arrays + 1>;

  const auto& across() const { return work_.layout.kept.dims[0]; }
  auto combining() const {
    return [f = work_.fold()](const accumulator& x, const accumulator& y) { return f.apply(x, y); };
  }

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
    if constexpr (Work::is_one_line) {
      if (work_.layout.step == 1) return fold_row(start[0], first, last);
    }
    if (Work::is_one_line || folded_.count == 1) {
      const auto step = folded_.dims[0];
      return fold_places(
          [&](std::size_t i) {
            places at;
            for (int a = 0; a < arrays; ++a) at.of[a] = start[a] + i * step.stride[a];
            at.of[arrays] = i * step.stride[arrays];
            return at;
          },
          first, last);
    }
    lines_of_places lines(*this, start);
    return fold_places([&](std::size_t i) { return lines.place(i); }, first, last);
  }
  WARPFOLD_ANY_SIDE
  template <class Place>
  accumulator fold_places(const Place& place, std::size_t first, std::size_t last) const {
    const auto from = work_.input();
    const auto element = [&](std::size_t i) {
      const places at = place(i);
      return work_.lift(from.value(at.of), at.of[arrays]);
    };
    if constexpr (any_order) {
      const auto f = work_.fold();
      accumulator total = element(first);
      for (std::size_t i = first + 1; i < last; ++i) {
        const places at = place(i);
        const value_type x = from.value(at.of);
        warpfold::detail::fold_element(f, total, x, [&] { return work_.lift(x, at.of[arrays]); });
      }
      return total;
    } else {
      return fold_in_order<accumulator>(combining(), element, first, last);
    }
  }

  // Folds elements of a contiguous row.
  WARPFOLD_ANY_SIDE
  accumulator fold_row(std::size_t start, std::size_t first, std::size_t last) const {
    const contiguous_view<value_type> row(work_.in + start, work_.layout.length);
    return ordered_fold(row_reduction{lifted(row, work_.op), work_.op, {}}, first, last);
  }

  // Folds the elements of `count` results, and calls `take` for each in order.
  // @tparam SideBySide is_side_by_side()
  WARPFOLD_ANY_SIDE
  template <bool SideBySide, class Take>
  void fold_columns(const std::size_t* start, std::size_t count, std::size_t first,
                    std::size_t last, const Take& take) const {
    // As fold_in_order, with a row of nodes, one for each result, in place of a node. Narrow rows
    // take more elements at once, because a row of nodes costs as much as a few additions.
    constexpr std::size_t many = std::is_arithmetic_v<accumulator> ? 64
                                 : folds_as_neighbors              ? 8
                                 : sizeof(accumulator) <= 16       ? 8
                                 : sizeof(accumulator) <= 64       ? 2
                                                                   : 1;
    constexpr std::size_t narrow_row = 16;
    const std::size_t at_once = count < narrow_row || many < 8 ? many : 8;
    std::size_t levels = any_order ? 1 : 8;
    for (std::size_t n = any_order ? 0 : (last - first) / at_once; n != 0; n /= 2) ++levels;
    constexpr std::size_t few = (any_order ? 1 : 2) * max_columns;
    typename partials::slot own[few];
    const partials more(count * levels <= few ? 0 : count, levels);
    accumulator* const nodes = count * levels <= few ? &own[0].value : more.at(0, 0);
    lines_of_places lines(*this, start);
    if constexpr (any_order) {
      fold_rows<SideBySide, 1>(nodes, lines, first, count);
      add_rows<SideBySide>(nodes, lines, first + 1, last, count);
    } else {
      std::size_t waiting = 0, pushed = 0;
      const auto push = [&](std::size_t n) {
        fold_rows_of<SideBySide, many>(n, nodes + waiting++ * count, lines, first, count);
        first += n;
      };
      const auto join = [&] {
        --waiting;
        combine_rows(nodes + (waiting - 1) * count, nodes + waiting * count, count);
      };
      while (last - first >= at_once) {
        push(at_once);
        for (std::size_t pairs = pushed++; (pairs & 1) != 0; pairs /= 2) join();
      }
      for (std::size_t n = at_once / 2; n != 0; n /= 2) {
        if (last - first >= n) push(n);
      }
      while (waiting > 1) join();
    }
    for (std::size_t c = 0; c < count; ++c) take(nodes[c]);
  }

  WARPFOLD_ANY_SIDE
  void combine_rows(accumulator* __restrict to, const accumulator* __restrict right,
                    std::size_t count) const {
    const auto combine = combining();
    for (std::size_t c = 0; c < count; ++c) to[c] = combine(to[c], right[c]);
  }

  // The value at `row` for result `c` of a unit.
  WARPFOLD_ANY_SIDE
  template <bool SideBySide, class Source, class Dimension>
  static value_type value_in(const Source& from, const places& row, const Dimension& across,
                             std::size_t c) {
    std::size_t at[std::size_t{arrays}];
    for (int a = 0; a < arrays; ++a) at[a] = row.of[a] + (SideBySide ? c : c * across.stride[a]);
    return from.value(at);
  }

  // Constructs the nodes of `Count` elements from `first` on, of `count` results.
  class lines_of_places;
  WARPFOLD_ANY_SIDE
  template <bool SideBySide, std::size_t Count>
  void fold_rows(accumulator* __restrict to, lines_of_places& lines, std::size_t first,
                 std::size_t count) const {
    const Work own = work_;  // a copy, which stores cannot alias
    const auto from = own.input();
    const auto apart = across();
    const auto combine = combining();
    const auto row = lines.template places_from<Count>(first);
    for (std::size_t c = 0; c < count; ++c) {
      // By any integer: `fold_neighbors` counts in `int`, `fold_node` in `std::size_t`.
      const auto element = [&](auto k) {
        return value_in<SideBySide>(from, row[static_cast<std::size_t>(k)], apart, c);
      };
      const auto lifted = [&](auto k) {
        return own.lift(element(k), row[static_cast<std::size_t>(k)].of[arrays]);
      };
      ::new (static_cast<void*>(to + c)) accumulator([&] {
        if constexpr (folds_as_neighbors && Count > 1) {
          return own.op.template fold_neighbors<static_cast<int>(Count)>(element, lifted);
        } else {
          return warpfold::detail::fold_node<static_cast<int>(Count)>(combine, lifted, 0);
        }
      }());
    }
  }
  // The same for `n` elements, a power of two up to `Most`.
  WARPFOLD_ANY_SIDE
  template <bool SideBySide, std::size_t Most>
  void fold_rows_of(std::size_t n, accumulator* to, lines_of_places& lines, std::size_t first,
                    std::size_t count) const {
    if constexpr (Most > 1) {
      if (n < Most) {
        return fold_rows_of<SideBySide, Most / 2>(n, to, lines, first, count);
      }
    }
    fold_rows<SideBySide, Most>(to, lines, first, count);
  }

  // Adds the elements `first` to `last - 1` of `count` results in any order, four at a time: each
  // accumulator is loaded and stored once for all four.
  WARPFOLD_ANY_SIDE
  template <bool SideBySide>
  void add_rows(accumulator* __restrict sums, lines_of_places& lines, std::size_t first,
                std::size_t last, std::size_t count) const {
    const Work own = work_;  // a copy, which stores cannot alias
    const auto f = own.fold();
    const auto from = own.input();
    const auto apart = across();
    const auto lift = [&](const places& row, std::size_t c) {
      return own.lift(value_in<SideBySide>(from, row, apart, c), row.of[arrays]);
    };
    constexpr bool in_place =
        warpfold::detail::folds_element<typename Work::op_type, accumulator, value_type>;
    const auto step = folded_.dims[0];
    while (first < last) {
      places row = lines.place(first);
      std::size_t n = lines.rest_of_line(first, last);
      first += n;
      if constexpr (SideBySide && adds_rows_itself) {
        own.op.add_rows(sums, count, own.in + row.of[0], step.stride[0], n);
      } else {
        for (; !in_place && n >= 4; n -= 4) {
          const places r1 = after(row, step), r2 = after(r1, step), r3 = after(r2, step);
          for (std::size_t c = 0; c < count; ++c) {
            accumulator sum = f.apply(sums[c], lift(row, c));
            sum = f.apply(sum, lift(r1, c));
            sum = f.apply(sum, lift(r2, c));
            sums[c] = f.apply(sum, lift(r3, c));
          }
          row = after(r3, step);
        }
        for (; n != 0; --n, row = after(row, step)) {
          for (std::size_t c = 0; c < count; ++c) {
            const value_type x = value_in<SideBySide>(from, row, apart, c);
            warpfold::detail::fold_element(f, sums[c], x,
                                           [&] { return own.lift(x, row.of[arrays]); });
          }
        }
      }
    }
  }

  template <class Dimension>
  static places after(places at, const Dimension& step) {
    for (int a = 0; a <= arrays; ++a) at.of[a] += step.stride[a];
    return at;
  }

  // The places of the folded elements of one result. It remembers a line, whose elements are one
  // stride apart, so that few places need a division.
  class lines_of_places {
   public:
    lines_of_places(const host_axis& axis, const std::size_t* start) : axis_(axis) {
      for (int a = 0; a < arrays; ++a) start_.of[a] = start[a];
      start_.of[arrays] = 0;
      if (Work::is_one_line || axis.folded_.count == 1) {
        line_ = start_;
        end_ = ~std::size_t{0};
      }
    }

    places place(std::size_t i) {
      const auto& step = axis_.folded_.dims[0];
      if (i < begin_ || i >= end_) {
        begin_ = i - i % step.extent;
        end_ = begin_ + step.extent;
        line_ = axis_.folded_.place(begin_);
        for (int a = 0; a <= arrays; ++a) line_.of[a] += start_.of[a];
      }
      places at = line_;
      for (int a = 0; a <= arrays; ++a) at.of[a] += (i - begin_) * step.stride[a];
      return at;
    }

    // How many elements from `first` on, below `last`, are in the line of the last `place`.
    std::size_t rest_of_line(std::size_t first, std::size_t last) const {
      return last < end_ ? last - first : end_ - first;
    }

    // The places of elements from `first` on.
    template <std::size_t Count>
    auto places_from(std::size_t first) {
      struct {
        places of[Count];
        const places& operator[](std::size_t k) const { return of[k]; }
      } rows;
      rows.of[0] = place(first);
      if (end_ - first < Count) {
        for (std::size_t k = 1; k < Count; ++k) rows.of[k] = place(first + k);
        return rows;
      }
      const auto& step = axis_.folded_.dims[0];
      for (std::size_t k = 1; k < Count; ++k) rows.of[k] = after(rows.of[k - 1], step);
      return rows;
    }

   private:
    const host_axis& axis_;
    places start_;
    places line_{};
    std::size_t begin_ = 0, end_ = 0;
  };

  Work work_;
  std::remove_cvref_t<decltype(std::declval<const Work&>().folded())> folded_;
  std::size_t width_;
  std::size_t in_inner_;
};

/// How threads divide a fold along an axis: `count` parts, each about `elements` elements. A unit
/// has `pieces` parts; a part is a node of `length` elements of each result.
struct axis_parts {
  std::size_t count;
  std::size_t elements;
  std::size_t pieces;
  std::size_t length;

  template <class Threads, class AxisReduction>
  static axis_parts of(const AxisReduction& a, std::size_t units) {
    constexpr std::size_t enough_units = 256;  // keep hundreds of threads busy
    if (units == 0) return {0, 0, 1, 0};
    const std::size_t length = a.layout.length;
    const std::size_t unit = a.layout.outputs * length / units;  // elements
    std::size_t pieces = Threads::is_one_thread ? 1 : enough_units / units;
    if (pieces > unit / min_part) pieces = unit / min_part;
    if (pieces < 2) return {units, unit, 1, length};
    std::size_t node = 64;
    while (node < (length + pieces - 1) / pieces) node *= 2;
    pieces = (length + node - 1) / node;
    return {units * pieces, unit / pieces, pieces, node};
  }
};

/// The loop of a fold along an axis. Each thread computes its own results; if there are few
/// results, threads share the axis.
struct axis_loop {
  WARPFOLD_ANY_SIDE
  template <class AxisReduction, class Threads>
  static void run(const AxisReduction& a, const Threads& threads) {
    if constexpr (sized_in_memory<AxisReduction>) {
      run_all(a.settled(), threads);
    } else {
      run_all(a, threads);
    }
  }

  WARPFOLD_ANY_SIDE
  template <class AxisReduction, class Threads>
  static void run_all(const AxisReduction& a, const Threads& threads) {
    using folds = host_axis<AxisReduction>;
    const folds work(a);
    const auto parts = axis_parts::of<Threads>(a, work.units());
    if (parts.count == 0) return;
    if (parts.pieces == 1) {
      return threads.for_each(parts.count, parts.elements, [&](std::size_t u) { work.write(u); });
    }
    const typename folds::partials partials(a.layout.outputs, parts.pieces);
    threads.for_each(parts.count, parts.elements, [&](std::size_t i) {
      const std::size_t piece = i % parts.pieces, first = piece * parts.length;
      const std::size_t left = a.layout.length - first;
      work.write_partials(i / parts.pieces, piece, first,
                          first + (left < parts.length ? left : parts.length), partials);
    });
    work.write_all(partials);
  }

  template <class AxisReduction, class Threads, class Plan>
  static void describe(const AxisReduction& a, const Threads& threads, Plan& plan) {
    const host_axis<AxisReduction> work(a);
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
