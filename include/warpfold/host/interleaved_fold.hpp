/// @file
/// Folds consecutive elements on one host thread, several at a time.
#pragma once

#include <cstddef>
#include <new>

#include <warpfold/core/config.hpp>
#include <warpfold/host/batch_fold.hpp>
#include <warpfold/host/vector_find.hpp>
#include <warpfold/host/vector_fold.hpp>
#include <warpfold/op/fold_order.hpp>
#include <warpfold/work/reduction.hpp>

namespace warpfold::host {

namespace detail {

// 256 bytes of accumulators fill sixteen SSE registers: enough independent operations to hide the
// latency of an addition, and only a few cache lines.
template <class A>
inline constexpr int interleaved_count = sizeof(A) <= 4    ? 64
                                         : sizeof(A) <= 8  ? 32
                                         : sizeof(A) <= 16 ? 8
                                                           : 4;

// A core reads faster from several addresses at once than from one: it prefetches each, and no
// prefetcher looks beyond the end of a page. Four streams are 1.5 times as fast.
inline constexpr int streams = 4;

// Accumulators of a type that need not have a default constructor.
template <class A>
union accumulators {
  static constexpr int count = interleaved_count<A>;
  A at[std::size_t{count}];
  WARPFOLD_HD accumulators() {}
};

// The fold in type `A`, which may be narrower than the accumulator.
WARPFOLD_ANY_SIDE
template <class A, class Op, class View>
A fold_interleaved(const Op& op, const View& view, std::size_t first, std::size_t last) {
  constexpr std::size_t count = accumulators<A>::count;
  const auto element = [&view](std::size_t i) {
    return static_cast<A>(static_cast<typename View::value_type>(view[i]));
  };
  const auto apply = [&op](const A& a, const A& b) {
    if constexpr (requires {
                    requires std::is_same_v<typename Op::exactly, Op>;
                    op.without_branches(a, b);
                  }) {
      return static_cast<A>(op.without_branches(a, b));
    } else {
      return static_cast<A>(warpfold::detail::call(op, a, b));
    }
  };

  if (last - first < count) {
    A total = element(first);
    for (std::size_t i = first + 1; i < last; ++i) total = apply(total, element(i));
    return total;
  }

  accumulators<A> held;
  for (std::size_t l = 0; l < count; ++l) {
    ::new (static_cast<void*>(&held.at[l])) A(element(first + l));
  }
  const auto take = [&](std::size_t from) {
    for (std::size_t l = 0; l < count; ++l) held.at[l] = apply(held.at[l], element(from + l));
  };
  std::size_t i = first + count;
  const std::size_t length = (last - i) / (streams * count) * count;  // of a stream, in elements
  for (const std::size_t end = i + length; i < end; i += count) {
    for (std::size_t s = 0; s < streams; ++s) take(i + s * length);
  }
  i += (streams - 1) * length;
  for (; last - i >= count; i += count) take(i);
  for (std::size_t l = 0; i + l < last; ++l) held.at[l] = apply(held.at[l], element(i + l));
  for (std::size_t half = count / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) held.at[l] = apply(held.at[l], held.at[l + half]);
  }
  return held.at[0];
}

}  // namespace detail

WARPFOLD_ANY_SIDE
template <class Reduction>
typename Reduction::accumulator interleaved_fold(const Reduction& r, std::size_t first,
                                                 std::size_t last);

namespace detail {

// The fold in the declared order, in type `A`.
WARPFOLD_ANY_SIDE
template <class A, class Op, class View>
A fold_values_in_order(const Op& op, const View& view, std::size_t first, std::size_t last) {
  return fold_in_order<A>(
      [&op](const A& a, const A& b) { return static_cast<A>(warpfold::detail::call(op, a, b)); },
      [&view](std::size_t i) {
        return static_cast<A>(static_cast<typename View::value_type>(view[i]));
      },
      first, last);
}

// The fold in accumulators if `op` is commutative as far as the library knows, otherwise in the
// declared order.
WARPFOLD_ANY_SIDE
template <class A, class Op, class View>
A fold_values(const Op& op, const View& view, std::size_t first, std::size_t last) {
  if constexpr (same_in_any_order<Op, A> ||
                requires { requires std::is_same_v<typename Op::exactly, Op>; }) {
    return fold_interleaved<A>(op, view, first, last);
  } else {
    return fold_values_in_order<A>(op, view, first, last);
  }
}

// The fold of a batch by `op`: of values that `op` itself has lifted, the fallback of a batch's
// fold.
WARPFOLD_ANY_SIDE
template <class Op, class View>
auto fold_of_batch(const Op& op, const View& view, std::size_t first, std::size_t last) {
  using reduction_type = reduction<View, Op>;
  if constexpr (folds_batches<reduction_type>) {
    return fold_values<typename reduction_type::accumulator>(op, view, first, last);
  } else {
    return interleaved_fold(reduction_type{view, op, {}}, first, last);
  }
}

struct batch_folder {
  /// True if an op's fold uses vector registers, and if it can share a pass with others. (False for
  /// another accumulator, which `op_traits` may state.)
  template <class View, class Op>
  static constexpr bool in_vectors =
      folds_in_vectors<Op, View, typename reduction<View, Op>::accumulator>;
  template <class View, class Op>
  static constexpr bool folds_together = [] {
    if constexpr (folds_together_in_vectors<Op, View>) {
      return in_vectors<View, Op>;
    } else {
      return false;  // and in_vectors may have no accumulator
    }
  }();

  template <class Ops, class View>
  static auto together(const Ops& ops, const View& view, std::size_t first, std::size_t last) {
    return vector_fold_each(ops, view, first, last);
  }

  template <searched_in_vectors View>
  static std::size_t find(const View& view, std::size_t first, std::size_t last,
                          const typename View::value_type& value) {
    return vector_find(view, first, last, value);
  }

  WARPFOLD_ANY_SIDE
  template <class Op, class View>
  auto operator()(const Op& op, const View& view, std::size_t first, std::size_t last) const {
    return fold_of_batch(op, view, first, last);
  }
};

}  // namespace detail

/// The search for the batch with the result; batches are folded in interleaved accumulators.
template <has_search Reduction>
auto search_of(const Reduction& r) {
  return search_of(r, detail::batch_folder{});
}

/// The fold of elements `first` to `last - 1`, at least one.
///
/// It reads a few addresses at once, several neighbors from each, into interleaved accumulators,
/// and combines these as a tree at the end. The accumulators are independent, so a compiler
/// combines several in one vector instruction, even if it may not reorder floating-point
/// operations. Sums and extrema of common number types use vector registers explicitly
/// (vector_fold.hpp), and ops with `lift` fold batches (batch_fold.hpp).
///
/// Order: fixed by `last - first`; the declared one if the op may not be commutative.
WARPFOLD_ANY_SIDE
template <class Reduction>
typename Reduction::accumulator interleaved_fold(const Reduction& r, std::size_t first,
                                                 std::size_t last) {
  using accumulator = typename Reduction::accumulator;
  using element = typename Reduction::value_type;
  using op_type = typename Reduction::op_type;
  // Copies: the compiler sees that stores to an accumulator do not change them.
  const auto view = r.view;
  const auto op = r.op;
  if constexpr (folds_batches<Reduction>) {
    return batch_fold(r, first, last, detail::batch_folder{});
  } else if constexpr (folds_in_vectors<op_type, typename Reduction::view_type, accumulator>) {
    return vector_fold<accumulator>(op, view, first, last);
  } else if constexpr (folds_partially<op_type, element, accumulator>) {
    using partial = typename op_type::template partial<element>;
    accumulator total{};
    for (std::size_t i = first; i < last;) {
      const std::size_t run = last - i < op_type::partial_batch ? last - i : op_type::partial_batch;
      total = static_cast<accumulator>(
          op(total,
             static_cast<accumulator>(detail::fold_interleaved<partial>(op, view, i, i + run))));
      i += run;
    }
    return total;
  } else {
    return detail::fold_values<accumulator>(op, view, first, last);
  }
}

}  // namespace warpfold::host
