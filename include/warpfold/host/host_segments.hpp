/// @file
/// Folds of segments on host threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <warpfold/host/loops.hpp>
#include <warpfold/host/ordered_fold.hpp>
#include <warpfold/host/segment_nodes.hpp>
#include <warpfold/op/trial_backoff.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/work/segmented_reduction.hpp>

namespace warpfold::host {

/// Segments of fewer elements are folded one element after the other, if the op gives the same
/// result in any order and vectors do not fold them together: they do not fill the accumulators of
/// interleaved_fold.
inline constexpr std::size_t min_interleaved_segment = 64;

/// Fewer segments are folded one by one: vectors would be mostly empty.
inline constexpr std::size_t few_segments = 6;

namespace detail {

// The op without `with_finish`.
template <class Op>
struct unfinished_op {
  using type = Op;
};
template <class Op>
  requires requires(const Op& op) { op.unfinished(); }
struct unfinished_op<Op>
    : unfinished_op<std::remove_cvref_t<decltype(std::declval<const Op&>().unfinished())>> {};

// How short segments are folded in vectors (vector_segments.hpp).
template <class Work>
using short_segments_of =
    short_segments<typename unfinished_op<typename Work::op_type>::type, typename Work::view_type>;

template <class Work>
concept folds_segments_in_vectors =
    Work::writes_identity &&
    folds_short_segments<typename unfinished_op<typename Work::op_type>::type,
                         typename Work::view_type> &&
    std::is_same_v<
        typename Work::accumulator,
        typename op_traits<typename Work::op_type, typename Work::lifted_type>::accumulator>;

// What a fold's result is after `finish`, if it is a number that one output of numbers takes; void
// otherwise.
template <class Work>
struct number_of_fold {
  using type = void;
};
template <class View, class Segments, class Op, class Init, class Out>
struct number_of_fold<segmented_reduction<View, Segments, Op, Init, Out>> {
  using work = segmented_reduction<View, Segments, Op, Init, Out>;
  using result = decltype(finished(std::declval<const Op&>(),
                                   std::declval<const typename work::accumulator&>()));
  using type = std::conditional_t<std::is_arithmetic_v<typename Out::value_type> &&
                                      std::is_arithmetic_v<result> && !work::has_init,
                                  result, void>;
};

// True if the op folds short segments of numbers in memory itself, many at a time.
template <class Work>
concept folds_segments_itself =
    requires(const Work& work, typename Work::op_type::short_segments& some,
             typename number_of_fold<Work>::type* results) {
      requires warpfold::detail::folds_batch_itself<typename Work::op_type>;
      requires Work::view_type::is_contiguous;
      requires std::is_same_v<decltype(work.view.data()), const typename Work::value_type*>;
      work.op.fold_segments(some, work.view.data(), results);
    };

}  // namespace detail

/// The weight of segments, by which threads divide them: the number of elements plus the number of
/// segments.
template <class Segments>
class segment_weights {
 public:
  explicit segment_weights(const Segments& segments) : segments_(segments) {}

  std::size_t begin(std::size_t s) const { return static_cast<std::size_t>(segments_.begin(s)); }
  std::size_t end(std::size_t s) const { return static_cast<std::size_t>(segments_.end(s)); }

  /// Elements and segments of segments `first` to `last - 1`. Above 4096 segments whose bounds must
  /// be added up, it is only `very_many`.
  std::size_t weight(std::size_t first, std::size_t last) const {
    if (first == last) return 0;
    if constexpr (Segments::are_adjacent) {
      return end(last - 1) - begin(first) + (last - first);
    } else {
      constexpr std::size_t most = 4096, very_many = static_cast<std::size_t>(-1) / 2;
      if (last - first > most) return very_many;
      std::size_t total = last - first;
      for (std::size_t s = first; s < last && total < very_many; ++s) total += end(s) - begin(s);
      return total;
    }
  }
  /// The segment between `first` and `last`, both excluded, where the second half of the weight
  /// begins.
  std::size_t middle(std::size_t first, std::size_t last) const {
    if constexpr (Segments::are_adjacent) {
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

 private:
  Segments segments_;
};

/// The folds of segments. Their bounds have been checked.
///
/// Order: the declared one (op/fold_order.hpp), so a segment has the bits of `reduce` of its
/// elements.
template <class Work>
class host_segments : public segment_weights<typename Work::segments_type> {
  using accumulator = typename Work::accumulator;
  using result_type = typename Work::result_type;

 public:
  explicit host_segments(const Work& work)
      : segment_weights<typename Work::segments_type>(work.segments), work_(work) {}

  /// The reduction of one segment.
  auto reduction_of(std::size_t s) const {
    return work_.reduction_of(this->begin(s), this->end(s));
  }

  /// Folds segments `first` to `last - 1` and writes their results.
  WARPFOLD_ANY_SIDE
  void write(std::size_t first, std::size_t last) const {
    const Work own = work_;  // a copy, which stores cannot alias
    if constexpr (detail::folds_segments_in_vectors<Work>) {
      write_in_vectors(own, first, last);
    } else if constexpr (detail::folds_segments_itself<Work>) {
      write_short(own, first, last);
    } else {
      write_each(own, first, last);
    }
  }

 private:
  // Folds short segments together, unless each alone is faster: a few segments, and doubles of
  // equal lengths of 512 bytes and more, whose branches the processor predicts.
  static void write_in_vectors(const Work& own, std::size_t first, std::size_t last) {
    using folds = detail::short_segments_of<Work>;
    using T = typename Work::value_type;
    using batch_type =
        detail::segment_batch<typename folds::node, decltype(folds::source(own.view))>;
    if (last - first < few_segments) return write_each(own, first, last);
    constexpr std::size_t some = 32768 / sizeof(T);  // elements: the first-level cache holds them
    constexpr std::size_t long_equal = sizeof(T) == 8 ? 64 : some;
    batch_type batch;
    batch.from = folds::source(own.view);
    batch.limit = own.view.size();
    std::size_t longest_folded = some;
    while (first < last) {
      std::size_t s = first, elements = 0, longest = 0, shortest = some;
      std::size_t from = begin_of(own, first);
      batch.size = 0;
      for (; s < last && batch.size < batch.most && elements < some; ++s) {
        const auto to = static_cast<std::size_t>(own.segments.end(s));
        const std::size_t length = to - from;
        batch.add(from, length < batch.long_length ? static_cast<std::uint32_t>(length)
                                                   : batch_type::long_length);
        elements += length;
        longest = length > longest ? length : longest;
        shortest = length < shortest ? length : shortest;
        from = Work::segments_type::are_adjacent ? to : s + 1 < last ? begin_of(own, s + 1) : 0;
      }
      if ((longest >= long_equal && longest == shortest) || shortest > longest_folded) {
        write_each(own, first, s);
      } else {
        set_prefetches(own, batch, elements, s);
        detail::fold_segments(batch);
        write_batch(own, batch, first, longest);
        longest_folded = batch.longest;
      }
      first = s;
    }
  }
  static std::size_t begin_of(const Work& own, std::size_t s) {
    return static_cast<std::size_t>(own.segments.begin(s));
  }
  template <class Batch>
  static void write_batch(const Work& own, const Batch& batch, std::size_t first,
                          std::size_t longest) {
    const host_stores stores;
    const auto write = [&](std::size_t j) {
      const auto folded = static_cast<accumulator>(batch.value(j));
      own.write(first + j, own.result(own.fold().state_of(folded)), stores);
    };
    if (longest <= batch.longest) {
      for (std::size_t j = 0; j < batch.size; ++j) write(j);
    } else {
      for (std::size_t j = 0; j < batch.size; ++j) {
        if (batch.lengths[j] <= batch.longest) {
          write(j);
        } else {
          write_each(own, first + j, first + j + 1);
        }
      }
    }
  }

  // Prefetches as many bytes behind the batch as the batch has. Processors do not prefetch well for
  // short loads of different lengths. 64 MB of floats in segments of mean 32, a Xeon with AVX-512:
  // 5.3 -> 11 GB/s.
  template <class Batch>
  static void set_prefetches(const Work& own, Batch& batch, std::size_t elements,
                             std::size_t next) {
    batch.lines = 0;
    if constexpr (Work::segments_type::are_adjacent &&
                  detail::has_numbers<typename Work::view_type>) {
      constexpr std::size_t size = sizeof(typename Work::value_type), line = 64, long_bytes = 512;
      if (elements * size > batch.size * long_bytes) return;
      batch.next_line = reinterpret_cast<const char*>(
          own.view.data() + static_cast<std::size_t>(own.segments.end(next - 1)));
      batch.lines = elements * size / line;
    }
  }

  // Folds short segments together if the op can. If it cannot, and for some time after that, folds
  // them one by one.
  static void write_short(const Work& own, std::size_t first, std::size_t last) {
    using some_segments = typename Work::op_type::short_segments;
    using output = typename std::remove_cvref_t<decltype(warpfold::get<0>(own.outs))>::value_type;
    const host_stores stores;
    some_segments some;
    typename detail::number_of_fold<Work>::type results[some_segments::most];
    warpfold::detail::trial_backoff trials;
    while (first < last) {
      std::size_t s = first;
      std::size_t n = 0;
      for (; s < last && n < some_segments::most; ++s) {
        const auto from = static_cast<std::size_t>(own.segments.begin(s));
        const std::size_t length = static_cast<std::size_t>(own.segments.end(s)) - from;
        if (length == 0 || length > some_segments::longest) break;
        some.begins[n] = from;
        some.lengths[n++] = length;
      }
      some.count = n;
      const bool is_tried = n != 0 && trials.may_try();
      if (is_tried && own.op.fold_segments(some, own.view.data(), results)) {
        trials.succeeded();
        for (std::size_t j = 0; j < n; ++j) {
          own.template store<0>(first + j, static_cast<output>(results[j]), stores);
        }
      } else {
        if (is_tried) trials.failed();
        if (n == 0) ++s;  // the first one is empty or long
        write_each(own, first, s);
      }
      first = s;
    }
  }

  WARPFOLD_ANY_SIDE
  static void write_each(const Work& own, std::size_t first, std::size_t last) {
    const host_stores stores;
    for (std::size_t s = first; s < last; ++s) {
      const auto from = static_cast<std::size_t>(own.segments.begin(s));
      const auto to = static_cast<std::size_t>(own.segments.end(s));
      if (from == to) {
        own.write_empty(s, stores);
      } else if (same_in_any_order<typename Work::op_type, accumulator> &&
                 to - from < min_interleaved_segment) {
        own.write(s, one_by_one(own, from, to), stores);
      } else {
        own.write(s, ordered_result(own.reduction_of(from, to)), stores);
      }
    }
  }

  WARPFOLD_ANY_SIDE
  static result_type one_by_one(const Work& own, std::size_t from, std::size_t to) {
    const auto f = own.fold();
    std::size_t i = from;
    accumulator total = [&]() -> accumulator {
      if constexpr (Work::has_init) {
        return own.template init_as<accumulator>();
      } else {
        return own.lift(own.view[i++], 0);
      }
    }();
    for (; i < to; ++i) {
      const auto& x = own.view[i];
      warpfold::detail::fold_element(f, total, x, [&] { return own.lift(x, i - from); });
    }
    return static_cast<result_type>(total);
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

/// Writes the results of one part of `for_segments`. Several threads fold a long segment.
WARPFOLD_ANY_SIDE
template <class Work, class Folds, class Threads>
void write_segments(const Work& work, const Folds& folds, std::size_t first, std::size_t last,
                    const Threads& threads) {
  if constexpr (!Threads::is_one_thread) {
    if (last - first == 1 && folds.weight(first, last) > min_part) {
      return work.write(first, threads.fold(folds.reduction_of(first)), host_stores{});
    }
  }
  folds.write(first, last);
}

namespace detail {

// @throws invalid_range,empty_range for the first segment with wrong bounds
template <bool TakesEmpty, class Segments, class Threads>
void require_segments(const Segments& segments, std::size_t elements, const Threads& threads) {
  constexpr std::size_t some = 65536;  // at a time
  const std::size_t n = segments.size();
  const std::size_t wrong = threads.first_of(
      (n + some - 1) / some, some,
      [&](std::size_t i) {
        const std::size_t first = i * some, last = n - first < some ? n : first + some;
        const std::size_t found =
            warpfold::detail::first_invalid_segment<TakesEmpty>(segments, elements, first, last);
        return found == last ? n : found;
      },
      n);
  if (wrong != n) warpfold::detail::refuse_segment(segments, elements, wrong);
}
// Checks the segments of a view, and calls `use` with those that exist, up to the elements that do.
// Then the view has its size in memory, too.
template <bool TakesEmpty, class View, class Segments, class Threads, class Use>
void with_segments(View& view, Segments segments, const Threads& threads, const Use& use) {
  const std::size_t elements = view.size();
  warpfold::detail::read_size_on_host(segments);
  require_segments<TakesEmpty>(segments, elements, threads);
  if constexpr (warpfold::detail::has_size_in_memory<View> ||
                warpfold::detail::has_size_in_memory<Segments>) {
    warpfold::detail::read_size_on_host(view);
    use(warpfold::detail::clamped_segments(segments, view.size()));
  } else {
    use(segments);
  }
}

}  // namespace detail

/// The loop of folds of segments. Threads share elements and segments evenly, and long segments are
/// folded by several threads.
struct segment_loop {
  WARPFOLD_ANY_SIDE
  template <class Work, class Threads>
  static void run(const Work& work, const Threads& threads) {
    if constexpr (sized_in_memory<Work>) {
      Work settled = work;
      detail::with_segments<Work::takes_empty_segments>(
          settled.view, work.segments, threads,
          [&](const auto& there) { fold(settled.with_segments(there), threads); });
    } else {
      detail::require_segments<Work::takes_empty_segments>(work.segments, work.elements(), threads);
      fold(work, threads);
    }
  }

  /// Assumes that all elements are in segments.
  template <class Work, class Threads, class Plan>
  static void describe(const Work& work, const Threads& threads, Plan& plan) {
    const bool alone = Threads::is_one_thread || work.view.size() + work.size() <= min_part;
    plan.kernel = alone ? "segments" : "segments on threads";
    plan.threads = alone ? 1 : threads.count();
  }

 private:
  WARPFOLD_ANY_SIDE
  template <class Work, class Threads>
  static void fold(const Work& work, const Threads& threads) {
    const host_segments<Work> folds(work);
    threads.for_segments(folds, work.size(), [&](std::size_t first, std::size_t last) {
      write_segments(work, folds, first, last, threads);
    });
  }
};

/// The same for a list of ranges.
struct many_loop {
  WARPFOLD_ANY_SIDE
  template <class Work, class Threads>
  static void run(const Work& work, const Threads& threads) {
    using folds = typename Work::folds_type;
    if constexpr (requires { work.require_valid_data(); }) work.require_valid_data();
    const segment_weights<typename Work::list_type> weights(work.list);
    threads.for_segments(weights, work.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t r = first; r < last; ++r) {
        const folds own = work.folds_of(r);
        write_segments(own, host_segments<folds>(own), r, r + 1, threads);
      }
    });
  }
};

/// The loop of a transformation of segments. Threads share elements and segments evenly.
struct segment_transformation_loop {
  WARPFOLD_ANY_SIDE
  template <class Work, class Threads>
  static void run(Work work, const Threads& threads) {
    detail::with_segments<true>(work.in, work.segments, threads, [&](const auto& segments) {
      const segment_weights at(segments);
      threads.for_segments(at, segments.size(), [&](std::size_t first, std::size_t last) {
        if (!Threads::is_one_thread && last - first == 1) {
          const std::size_t from = at.begin(first);
          threads.for_parts(at.end(first) - from, [&](std::size_t begin, std::size_t end) {
            work.run_on_host(first, from + begin, from + end);
          });
        } else {
          for (std::size_t s = first; s < last; ++s) work.run_on_host(s, at.begin(s), at.end(s));
        }
      });
    });
  }
};

/// The loop of a transformation of segments and their folds. A thread folds a segment and writes it
/// while its elements are in the cache; several threads fold a long one, and then write it.
struct segment_fold_transformation_loop {
  WARPFOLD_ANY_SIDE
  template <class Work, class Threads>
  static void run(Work work, const Threads& threads) {
    auto& folds = work.reduction;
    detail::with_segments<true>(folds.view, folds.segments, threads, [&](const auto& segments) {
      const segment_weights at(segments);
      threads.for_segments(at, segments.size(), [&](std::size_t first, std::size_t last) {
        for (std::size_t s = first; s < last; ++s) {
          const std::size_t from = at.begin(s), to = at.end(s);
          if (from == to) continue;
          const auto elements = folds.reduction_of(from, to);
          if constexpr (!Threads::is_one_thread) {
            if (last - first == 1 && to - from > min_part) {
              const auto folded = work.folded(threads.fold(elements));
              threads.for_parts(to - from, [&](std::size_t begin, std::size_t end) {
                work.run_on_host(folded, from + begin, from + end);
              });
              continue;
            }
          }
          work.run_on_host(work.folded(ordered_result(elements)), from, to);
        }
      });
    });
  }
};

}  // namespace warpfold::host
