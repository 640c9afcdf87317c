/// @file
/// Ops with `lift` (op/lift.hpp), on one host thread: batch by batch, each short enough to be read
/// again from the first-level cache.
///
/// Folded element by element, such an op is a chain of comparisons or divisions. For a batch, an op
/// with `fold_batch` needs a few plain folds, which are vector instructions. The index of the least
/// element, for example, is searched only in the batch that contains it. If other ops fold the same
/// batches, it is searched in each batch that improves the minimum. By elements, argmin of 128 MB
/// of floats reaches 1.2 GB/s (two cores).
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/op/lift.hpp>
#include <warpfold/work/reduction.hpp>

namespace warpfold::host {

/// Elements of a batch that is read several times: 32 KB of doubles. Shorter batches pay for the
/// start of each fold (variance of 128 MB of doubles, two cores, two passes: 1024 elements 13.1
/// GB/s, 4096 20.8 GB/s).
inline constexpr std::size_t batch_length = 4096;

/// Elements of a batch that is read once, at memory bandwidth; shorter batches limit prefetching.
/// Variance of 256 MB, two cores, 4096 elements -> 65536: doubles 25 -> 30 GB/s, floats 14 -> 17
/// GB/s.
inline constexpr std::size_t long_batch_length = std::size_t{1} << 16;

/// Elements of a batch that is read once by an op whose accumulator takes long to set up: the bins
/// of an exact sum of doubles 4 us (EPYC 9004), 6 % of the time for 65536 elements.
inline constexpr std::size_t longest_batch_length = std::size_t{1} << 18;

/// The number of elements of a batch for an op that searches the batch with the result. Longer ones
/// take longer to search, and shorter ones pay for the start of each fold.
inline constexpr std::size_t searched_length = std::size_t{1} << 14;

/// True if a reduction folds batches: its op lifts the elements and chooses the accumulator.
template <class Reduction>
inline constexpr bool folds_batches =
    lifted_by<typename Reduction::view_type, typename Reduction::op_type> &&
    warpfold::detail::folds_in_own_accumulator<Reduction>;

/// The elements `first` to `last - 1` of a view as a batch (op/lift.hpp).
/// @tparam Fold `fold(op, view, first, last)` is their fold by an op
template <class View, class Fold>
class host_batch {
 public:
  static constexpr std::size_t most = longest_batch_length;

  host_batch(const View& view, std::size_t first, std::size_t last, const Fold& fold)
      : view_(view), first_(first), last_(last), fold_(fold) {}

  std::size_t size() const { return last_ - first_; }
  auto first() const { return static_cast<typename View::value_type>(view_[first_]); }

  template <class Op>
  auto fold(const Op& op) const {
    return fold_(op, lifted(view_, op), first_, last_);
  }

  /// True if an op's fold can share a pass with others.
  template <class Op>
  static constexpr bool folds_together = Fold::template folds_together<View, Op>;

  /// The folds by several such ops, as a tuple, in one pass.
  template <class Ops>
  auto fold_together(const Ops& ops) const {
    return fold_.together(ops, view_, first_, last_);
  }

  template <class F>
  auto projected(const F& f) const {
    return host_batch<transform_view<View, F>, Fold>({view_, f}, first_, last_, fold_);
  }

  /// Elements `first` to `last - 1` of the batch.
  host_batch part(std::size_t first, std::size_t last) const {
    return {view_, first_ + first, first_ + last, fold_};
  }

  const View& view() const { return view_; }
  /// The place of the first element in the view.
  std::size_t begin() const { return first_; }

  template <class F>
  void each(const F& f) const {
    for (std::size_t i = first_; i < last_; ++i) f(view_[i]);
  }

  /// The index of the first element that is bitwise `x`, or is also NaN, if `Fold` searches faster
  /// than `index_of`.
  template <class T>
    requires requires(const View& view, const T& x) { Fold::find(view, 0, 0, x); }
  std::size_t index_of_same(const T& x) const {
    return Fold::find(view_, first_, last_, x);
  }

  template <class Is>
  std::size_t index_of(const Is& is) const {
    constexpr std::size_t some = 32;  // at a time: one comparison of vectors
    std::size_t i = first_;
    for (bool here = false; i + some < last_; i += some) {
      for (std::size_t k = 0; k < some; ++k) here |= is(view_[i + k]);
      if (here) break;
    }
    while (i + 1 < last_ && !is(view_[i])) ++i;
    return i;
  }

 private:
  View view_;
  std::size_t first_, last_;
  Fold fold_;
};

/// For an op whose result is in one of several batches: the best value and its batch. The index is
/// searched once, after all batches. Searching at every improvement would double the time.
template <class Best>
struct best_batch {
  Best best;
  std::size_t first;
  std::size_t last;
};
template <class Best>
best_batch(Best, std::size_t, std::size_t) -> best_batch<Best>;

/// The search of such an op (`arg`) over a view.
/// @tparam Op has `finds_best_batch`
/// @tparam View the elements before the op lifts them
/// @tparam Fold as in host_batch
template <class Op, class View, class Fold>
class best_batch_search {
 public:
  best_batch_search(const Op& op, const View& view, const Fold& fold)
      : op_(op), view_(view), fold_(fold) {}

  /// Reads elements `first` to `last - 1`, at least one, as one batch.
  auto look_at(std::size_t first, std::size_t last) const {
    return best_batch{op_.best_of_batch(batch(first, last)), first, last};
  }
  /// Reads them in batches that are short enough to be searched quickly.
  auto look_through(std::size_t first, std::size_t last) const {
    const auto end_of = [last](std::size_t from) {
      return last - from < searched_length ? last : from + searched_length;
    };
    auto best = look_at(first, end_of(first));
    for (std::size_t from = end_of(first); from < last; from = end_of(from)) {
      best = better(best, look_at(from, end_of(from)));
    }
    return best;
  }
  /// The better of two; `a`, whose elements come first, if both are equal.
  template <class Best>
  best_batch<Best> better(const best_batch<Best>& a, const best_batch<Best>& b) const {
    return op_.is_better(b.best, a.best) ? b : a;
  }
  template <class Best>
  auto place(const best_batch<Best>& in) const {
    return op_.index_of_best(in.best, batch(in.first, in.last));
  }

 private:
  auto batch(std::size_t first, std::size_t last) const {
    return host_batch(view_, first, last, fold_);
  }

  Op op_;
  View view_;
  Fold fold_;
};

/// True if the result of a reduction's op is in one of several batches, as the op declares with
/// `finds_best_batch`.
template <class Reduction>
concept has_search = folds_batches<Reduction> && requires {
  requires Reduction::op_type::template finds_best_batch<
      typename Reduction::view_type::elements_view::value_type>;
};

/// The search for that batch.
template <has_search Reduction, class Fold>
auto search_of(const Reduction& r, const Fold& fold) {
  return best_batch_search(r.op, r.view.elements(), fold);
}

namespace detail {

template <class Op, class Batch>
inline constexpr bool reads_batch_once = false;
template <class Op, class Batch>
  requires(warpfold::detail::folds_batch_itself<Op> && Op::template reads_batch_once<Batch>)
inline constexpr bool reads_batch_once<Op, Batch> = true;

}  // namespace detail

/// The length of a reduction's batches.
template <class Reduction, class Fold>
inline constexpr std::size_t batch_length_of =
    !detail::reads_batch_once<typename Reduction::op_type,
                              host_batch<typename Reduction::view_type::elements_view, Fold>>
        ? batch_length
    : sizeof(typename Reduction::accumulator) < 128 ? long_batch_length
                                                    : longest_batch_length;

/// The fold of elements `first` to `last - 1`, at least one. `fold(op, view, from, to)` returns the
/// fold of a batch by another op.
///
/// Order: batch after batch.
WARPFOLD_ANY_SIDE
template <class Reduction, class Fold>
typename Reduction::accumulator batch_fold(const Reduction& r, std::size_t first, std::size_t last,
                                           const Fold& fold) {
  using accumulator = typename Reduction::accumulator;
  const auto end_of = [&](std::size_t from, std::size_t length) {
    return last - from < length ? last : from + length;
  };
  if constexpr (has_search<Reduction>) {
    const auto search = search_of(r, fold);
    return search.place(search.look_through(first, last));
  } else {
    const auto op = r.op;
    const auto elements = r.view.elements();
    using batch = host_batch<std::remove_const_t<decltype(elements)>, Fold>;
    constexpr std::size_t length = batch_length_of<Reduction, Fold>;
    auto total = static_cast<accumulator>(r.view[first]);
    for (std::size_t from = first + 1; from < last;) {
      const std::size_t end = end_of(from, length);
      total = fold_batch(op, total, batch(elements, from, end, fold));
      from = end;
    }
    return total;
  }
}

}  // namespace warpfold::host
