/// @file
/// Folds of segments on host threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <warpfold/host/loops.hpp>
#include <warpfold/host/ordered_fold.hpp>
#include <warpfold/host/vector_segments.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/op/trial_backoff.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/work/segmented_reduction.hpp>

namespace warpfold::host {

/// Segments of fewer elements are folded one element after the other, if the op gives the same
/// result in any order: they do not fill the accumulators of interleaved_fold. Compilers vectorize
/// such loops of integers. Two cores, 33 MB in segments of 64 and 256 `int`s, interleaved -> one by
/// one: 1.8 -> 0.8 ms, 0.9 -> 0.7 ms.
template <class Accumulator>
inline constexpr std::size_t min_interleaved_segment = std::is_integral_v<Accumulator> ? 512 : 64;

namespace detail {

// True if a short segment may be padded: a sum with zeros, an extremum with its own first element.
template <class Work>
inline constexpr bool pads_segments = requires(const typename Work::view_type& view) {
  requires Work::view_type::is_contiguous;
  requires std::is_same_v<decltype(view.data()), const typename Work::value_type*>;
  requires std::is_arithmetic_v<typename Work::value_type> &&
               !std::is_same_v<typename Work::value_type, bool> && Work::writes_identity;
  requires std::is_same_v<typename Work::op_type, plus> ||
               std::is_same_v<typename Work::op_type, minimum> ||
               std::is_same_v<typename Work::op_type, maximum>;
  requires std::is_same_v<
      typename Work::accumulator,
      typename op_traits<typename Work::op_type, typename Work::value_type>::accumulator>;
};

// True if short segments are added in vector registers (vector_segments.hpp).
template <class Work>
inline constexpr bool adds_segments_in_vectors =
#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
    pads_segments<Work> && std::is_same_v<typename Work::op_type, plus> &&
    std::is_same_v<typename Work::accumulator, typename Work::value_type> &&
    warpfold::detail::is_ieee_v<typename Work::value_type>;
#else
    false;
#endif

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
    if constexpr (detail::adds_segments_in_vectors<Work>) {
      write_sums(own, first, last);
    } else if constexpr (detail::folds_segments_itself<Work>) {
      write_short(own, first, last);
    } else if constexpr (detail::pads_segments<Work>) {
      constexpr std::size_t some = 32;  // whose lengths are compared at once
      for (std::size_t from = first; from < last; from += some) {
        const std::size_t to = last - from < some ? last : from + some;
        const std::size_t longest = longest_of_uneven(own, from, to);
        if (longest == 0 || longest > 8) {
          write_each(own, from, to);
        } else if (longest > 4) {
          write_padded<8>(own, from, to);
        } else {
          write_padded<4>(own, from, to);
        }
      }
    } else {
      write_each(own, first, last);
    }
  }

 private:
  // Sums of floating-point numbers. Short segments are added together, unless they are equally
  // long, so that branches on the length are predicted. 64 MB of floats, one core, each by itself
  // -> together: exponential lengths of mean 3 / 8 / 32 / 100: 0.9 -> 1.3, 1.8 -> 3.3, 4.6 -> 7.4,
  // 10 -> 11.4 GB/s; equal lengths of 3 and 8: 2.1 -> 2.4, 4.2 -> 6.2 GB/s.
  static void write_sums(const Work& own, std::size_t first, std::size_t last) {
    using T = typename Work::value_type;
    using batch_type = detail::segment_batch<T>;
    const host_stores stores;
    batch_type batch;
    while (first < last) {
      std::size_t s = first, rows = 0;
      bool are_equal = true;
      batch.count = batch.elements = 0;
      for (; s < last; ++s) {
        const auto from = static_cast<std::size_t>(own.segments.begin(s));
        const std::size_t length = static_cast<std::size_t>(own.segments.end(s)) - from;
        rows += batch_type::most_rows_of(length);
        if (rows > batch_type::most_rows || length >= batch_type::longest) break;
        batch.begins[batch.count] = from;
        batch.lengths[batch.count++] = length;
        batch.elements += length;
        are_equal &= length == batch.lengths[0];
      }
      if (batch.count == 0) ++s;  // the first one is long
      if (are_equal && batch.elements >= 16 * batch.count) {
        // Only segments that vector_tree.hpp reads with masked loads.
        if (batch.lengths[0] * sizeof(T) <= 128) {
          prefetch(own.view.data(), static_cast<std::size_t>(own.segments.end(s - 1)),
                   batch.elements);
        }
        write_each(own, first, s);
        first = s;
        continue;
      }
      detail::add_segments(batch, own.view.data(), own.view.size());
      for (std::size_t j = 0; j < batch.count; ++j) {
        own.write(first + j, static_cast<result_type>(batch.sums[j]), stores);
      }
      first = s;
    }
  }

  // Prefetches elements `first` to `first + n - 1`. The processor does not recognize masked loads
  // as one stream. 64 MB in segments of 32 floats, one core of an EPYC 9004: 4.7 -> 13 GB/s.
  template <class T>
  static void prefetch(const T* from, std::size_t first, std::size_t n) {
#if defined(__GNUC__)
    constexpr std::size_t line = 64 / sizeof(T);
    for (std::size_t i = 0; i < n; i += line) __builtin_prefetch(from + first + i);
#endif
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
                 to - from < min_interleaved_segment<accumulator>) {
        own.write(s, one_by_one(own, from, to), stores);
      } else {
        own.write(s, ordered_result(own.reduction_of(from, to)), stores);
      }
    }
  }

  // The length of the longest segment, or 0 if the first ones are equally long or not all short. A
  // branch that is mispredicted for a length takes as long as twenty additions, but equal lengths
  // are predicted.
  static std::size_t longest_of_uneven(const Work& own, std::size_t first, std::size_t last) {
    const auto segments = own.segments;
    const auto length = [&](std::size_t s) {
      return static_cast<std::size_t>(segments.end(s)) -
             static_cast<std::size_t>(segments.begin(s));
    };
    constexpr std::size_t few = 4;
    std::size_t all = length(first), differs = 0;
    for (std::size_t s = first + 1; s < last && s < first + few; ++s) {
      differs |= length(s) ^ length(first);
      all |= length(s);
    }
    if (differs == 0 || all > 15) return 0;
    std::size_t longest = 0;
    for (std::size_t s = first; s < last; ++s) {
      longest = length(s) > longest ? length(s) : longest;
    }
    return longest;
  }

  // Segments of up to `Most` elements without a branch on their length: further elements are read
  // from one that changes nothing. 8.4 million floats in segments of 0 to 2 and of 0 to 8, one
  // core, with branches -> without: 50 -> 29 ms, 20 -> 11 ms.
  template <std::size_t Most>
  static void write_padded(const Work& own, std::size_t first, std::size_t last) {
    using T = typename Work::value_type;
    const auto f = own.fold();
    const host_stores stores;
    const T nothing = std::is_floating_point_v<T> ? static_cast<T>(-0.0) : T{};
    const T identity = own.op.template identity<T>();
    for (std::size_t s = first; s < last; ++s) {
      const auto from = static_cast<std::size_t>(own.segments.begin(s));
      const std::size_t length = static_cast<std::size_t>(own.segments.end(s)) - from;
      const T* const p = own.view.data() + from;
      const T* const start = chosen(length != 0, p, 0, &identity);
      const T* const pad = std::is_same_v<typename Work::op_type, plus> ? &nothing : start;
      const auto element = [&](std::size_t k) {
        return static_cast<accumulator>(k == 0 ? *start : *chosen(k < length, p, k, pad));
      };
      const accumulator total = warpfold::detail::fold_node<int{Most}>(
          [&](const accumulator& a, const accumulator& b) { return f.apply(a, b); }, element, 0);
      own.write(s, static_cast<result_type>(total), stores);
    }
  }

  // `yes ? a + k : b`, for which GCC uses a branch.
  template <class T>
  static const T* chosen(bool yes, const T* a, std::size_t k, const T* b) {
    const auto x = reinterpret_cast<std::uintptr_t>(a) + k * sizeof(T);
    const auto y = reinterpret_cast<std::uintptr_t>(b);
    return reinterpret_cast<const T*>(y ^ ((x ^ y) & -static_cast<std::uintptr_t>(yes)));
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
// The same for the segments of work.
template <class Work, class Threads>
void require_segments(const Work& work, const Threads& threads) {
  require_segments<Work::takes_empty_segments>(work.segments, work.elements(), threads);
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
      warpfold::detail::read_size_on_host(settled.segments);
      detail::require_segments(settled, threads);
      warpfold::detail::read_size_on_host(settled.view);
      fold(settled.with_segments(
               warpfold::detail::clamped_segments(settled.segments, settled.view.size())),
           threads);
    } else {
      detail::require_segments(work, threads);
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
  static void run(const Work& work, const Threads& threads) {
    detail::require_segments(work, threads);
    const segment_weights at(work.segments);
    threads.for_segments(at, work.size(), [&](std::size_t first, std::size_t last) {
      if (!Threads::is_one_thread && last - first == 1) {
        const std::size_t from = at.begin(first);
        threads.for_parts(at.end(first) - from, [&](std::size_t begin, std::size_t end) {
          work.run_on_host(first, from + begin, from + end);
        });
      } else {
        for (std::size_t s = first; s < last; ++s) work.run_on_host(s, at.begin(s), at.end(s));
      }
    });
  }
};

/// The loop of a transformation of segments and their folds. A thread folds a segment and writes it
/// while its elements are in the cache; several threads fold a long one, and then write it.
struct segment_fold_transformation_loop {
  WARPFOLD_ANY_SIDE
  template <class Work, class Threads>
  static void run(const Work& work, const Threads& threads) {
    const auto& folds = work.reduction;
    detail::require_segments<true>(folds.segments, work.elements(), threads);
    const segment_weights at(folds.segments);
    threads.for_segments(at, work.size(), [&](std::size_t first, std::size_t last) {
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
  }
};

}  // namespace warpfold::host
