/// @file
/// Folds along axes of an array whose first dimension memory counts (view/counted.hpp).
#pragma once

#include <cstddef>

#include <warpfold/view/counted.hpp>
#include <warpfold/work/axis_reduction.hpp>
#include <warpfold/work/expression_reduction.hpp>

namespace warpfold {

/// `Work` of which the results of the first `*count` rows exist. Rows are the last dimension of the
/// layout, so these results are the first ones. Kernels read their number, see
/// kernel/axis/loads.hpp; until then `layout` is that of all rows.
template <class Work, class Count>
struct counted_rows : Work {
  static constexpr bool has_size_in_memory = true;

  // Not in the padding of the base: see finished_reduction.
  alignas(Work) detail::count_in_memory<Count> rows;
  std::size_t results_per_row;

  counted_rows(const Work& work, const Count* count, std::size_t limit)
      : Work(work),
        rows{count, limit},
        results_per_row(limit == 0 ? 0 : work.layout.outputs / limit) {}

  /// The number of results that exist; reads the count.
  WARPFOLD_HD std::size_t read_results(const auto& loads) const {
    return rows.read(loads) * results_per_row;
  }

  /// Returns the work on the rows that exist; reads the count on the host.
  /// @throws invalid_range if the count is negative or larger than the number of rows
  Work settled() const {
    Work own = *this;
    const std::size_t n = rows.read_on_host("rows");
    own.layout.outputs = n * results_per_row;
    auto& last = own.layout.kept.dims[own.layout.kept.count - 1];
    if (rows.limit > 1) last.extent = last.extent / rows.limit * n;
    return own;
  }
  void require_valid_data() const { (void)rows.read_on_host("rows"); }

  /// @throws invalid_range as `Work`, and if an output overlaps the count
  void require_valid() const {
    Work::require_valid();
    Work::visit_written([&](const void* to, std::size_t written, std::size_t) {
      detail::require_outside_input(to, written, rows.at, sizeof(Count));
    });
  }
  template <class Visit>
  void visit_read(const Visit& visit) const {
    Work::visit_read(visit);
    rows.visit(visit);
  }
};

namespace detail {

// `work` on the rows that exist of `limit`.
template <class Work, class Count>
counted_rows<Work, Count> of_counted_rows(const Work& work, const Count* count, std::size_t limit) {
  return {work, count, limit};
}

template <class Work, class Count>
auto accumulated(const counted_rows<Work, Count>& a) {
  return of_counted_rows(accumulated(static_cast<const Work&>(a)), a.rows.at, a.rows.limit);
}

}  // namespace detail

}  // namespace warpfold
