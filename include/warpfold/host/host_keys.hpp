/// @file
/// Runs of equal keys on host threads.
#pragma once

#include <cstddef>

#include <warpfold/host/host_segments.hpp>
#include <warpfold/work/key_reduction.hpp>

namespace warpfold::host {

/// Uninitialized memory for offsets, on the host.
class host_offsets {
 public:
  explicit host_offsets(std::size_t size) : size_(size), data_(new std::size_t[size]) {}
  ~host_offsets() { delete[] data_; }
  host_offsets(const host_offsets&) = delete;  // it owns memory
  host_offsets& operator=(const host_offsets&) = delete;

  std::size_t& operator[](std::size_t i) const { return data_[i]; }
  contiguous_view<std::size_t> view() const { return {data_, size_}; }

 private:
  std::size_t size_;
  // Not a std::vector, which would write the memory first.
  std::size_t* data_;
};

/// The number of runs that begin at keys `first` to `last - 1`.
WARPFOLD_ANY_SIDE
template <class Work>
std::size_t count_runs(const Work& work, std::size_t first, std::size_t last) {
  if (first == last) return 0;
  const Work own = work;  // a copy: the compiler sees that nothing changes it
  std::size_t runs = own.begins_run(first) ? 1 : 0;
  for (std::size_t i = first + 1; i < last; ++i) {
    runs += static_cast<std::size_t>(!own.continues_run(i));
  }
  return runs;
}

/// Writes the keys of the runs that begin at keys `first` to `last - 1`, and where they begin. The
/// first of them is run `r`.
WARPFOLD_ANY_SIDE
template <class Work>
void write_runs(const Work& work, std::size_t first, std::size_t last, std::size_t r,
                const host_offsets& begins) {
  const Work own = work;  // a copy: the compiler sees that stores cannot change it
  const host_stores stores;
  for (std::size_t i = first; i < last; ++i) {
    if (!own.begins_run(i)) continue;
    own.write_key(r, i, stores);
    begins[r++] = i;
  }
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
    if constexpr (Work::has_values) {
      const auto folds = own.folds_of(segments_by_size(0, 0));
      const auto f = folds.fold();
      auto total = folds.lift(own.values[first], 0);
      for (; last < n && own.continues_run(last); ++last) {
        total = f.apply(total, folds.lift(own.values[last], last - first));
      }
      folds.write(r, static_cast<typename decltype(folds)::result_type>(total), stores);
    } else {
      while (last < n && own.continues_run(last)) ++last;
      own.write_length(r, last - first, stores);
    }
    first = last;
  }
  return r;
}

}  // namespace warpfold::host
