/// @file
/// Folds of segments on host threads.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/host/interleaved_fold.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/work/segmented_reduction.hpp>

namespace warpfold::host {

/// Segments of fewer elements are folded one element after the other: they do not fill the
/// accumulators of interleaved_fold. Compilers vectorize such loops of integers. Two cores, 33 MB
/// in segments of 64 and 256 `int`s, interleaved -> one by one: 1.8 -> 0.8 ms, 0.9 -> 0.7 ms.
template <class Accumulator>
inline constexpr std::size_t min_interleaved_segment = std::is_integral_v<Accumulator> ? 512 : 64;

/// The folds of segments. Their bounds have been checked.
///
/// Order: strictly from the first element to the last if `Strict`; otherwise it depends on the
/// segment's length only.
template <class Work, bool Strict>
class host_segments {
  using accumulator = typename Work::accumulator;
  using result_type = typename Work::result_type;

 public:
  explicit host_segments(const Work& work) : work_(work) {}

  /// Elements and segments of segments `first` to `last - 1`. If their bounds must be added up,
  /// more than a few thousand segments count as very many.
  std::size_t weight(std::size_t first, std::size_t last) const {
    if (first == last) return 0;
    if constexpr (Work::segments_type::are_adjacent) {
      return end(last - 1) - begin(first) + (last - first);
    } else {
      constexpr std::size_t most = 4096, very_many = static_cast<std::size_t>(-1) / 2;
      if (last - first > most) return very_many;
      std::size_t total = last - first;
      for (std::size_t s = first; s < last && total < very_many; ++s) total += end(s) - begin(s);
      return total;
    }
  }
  /// The segment between `first` and `last`, both excluded, at which half of the weight begins.
  std::size_t middle(std::size_t first, std::size_t last) const {
    if constexpr (Work::segments_type::are_adjacent) {
      const std::size_t half = weight(first, last) / 2;
      std::size_t low = first + 1, high = last - 1;
      while (low < high) {
        const std::size_t at = low + (high - low) / 2;
        if (weight(first, at) < half) {
          low = at + 1;
        } else {
          high = at;
        }
      }
      return low;
    } else {
      return first + (last - first) / 2;
    }
  }

  /// The reduction of one segment.
  auto reduction_of(std::size_t s) const { return work_.reduction_of(begin(s), end(s)); }

  /// Folds segments `first` to `last - 1` and writes their results.
  WARPFOLD_ANY_SIDE
  void write(std::size_t first, std::size_t last) const {
    const Work own = work_;  // a copy: the compiler sees that stores cannot change it
    const host_stores stores;
    for (std::size_t s = first; s < last; ++s) {
      const auto from = static_cast<std::size_t>(own.segments.begin(s));
      const auto to = static_cast<std::size_t>(own.segments.end(s));
      if (from == to) {
        own.write_empty(s, stores);
      } else if (Strict || to - from < min_interleaved_segment<accumulator>) {
        own.write(s, in_order(own, from, to), stores);
      } else {
        own.write(s, interleaved(own, from, to), stores);
      }
    }
  }

 private:
  std::size_t begin(std::size_t s) const {
    return static_cast<std::size_t>(work_.segments.begin(s));
  }
  std::size_t end(std::size_t s) const { return static_cast<std::size_t>(work_.segments.end(s)); }

  WARPFOLD_ANY_SIDE
  static result_type in_order(const Work& own, std::size_t from, std::size_t to) {
    const auto f = own.fold();
    std::size_t i = from;
    accumulator total = [&]() -> accumulator {
      if constexpr (Work::has_init) {
        return own.template init_as<accumulator>();
      } else {
        return own.lift(own.view[i++], 0);
      }
    }();
    for (; i < to; ++i) total = f.apply(total, own.lift(own.view[i], i - from));
    return static_cast<result_type>(total);
  }

  WARPFOLD_ANY_SIDE
  static result_type interleaved(const Work& own, std::size_t from, std::size_t to) {
    const auto r = own.reduction_of(from, to);
    return r.result(r.fold().state_of(interleaved_fold(r, 0, to - from)));
  }

  Work work_;
};

/// A part of the segments for oneTBB's loops. It is divided where half of its elements and segments
/// begin.
template <class Segments>
class segments_part {
 public:
  segments_part(const Segments& segments, std::size_t first, std::size_t last, std::size_t least)
      : segments_(&segments), first_(first), last_(last), least_(least) {}

  /// Takes the second half of `whole`.
  template <class Split>
  segments_part(segments_part& whole, Split)
      : segments_(whole.segments_),
        first_(whole.segments_->middle(whole.first_, whole.last_)),
        last_(whole.last_),
        least_(whole.least_) {
    whole.last_ = first_;
  }

  bool empty() const { return first_ == last_; }
  /// True for several segments of more than `least` elements and segments.
  bool is_divisible() const { return size() > 1 && segments_->weight(first_, last_) > least_; }

  std::size_t begin() const { return first_; }
  std::size_t end() const { return last_; }
  std::size_t size() const { return last_ - first_; }

 private:
  const Segments* segments_;
  std::size_t first_;
  std::size_t last_;
  std::size_t least_;
};

}  // namespace warpfold::host
