/// @file
/// Folds consecutive elements on one host thread in the declared order (op/fold_order.hpp).
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/host/interleaved_fold.hpp>
#include <warpfold/host/vector_tree.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/fold_order.hpp>
#include <warpfold/work/reduction.hpp>

namespace warpfold::host {

namespace detail {

// The reduction of elements by one part of an `all`.
template <class View, class Part>
auto reduction_by_part(const View& elements, const Part& part) {
  const auto by = [](const auto& view, const auto& op) {
    using op_type = std::remove_cvref_t<decltype(op)>;
    return reduction<std::remove_cvref_t<decltype(view)>, op_type>{view, op, {}};
  };
  if constexpr (warpfold::detail::is_projected<Part>) {
    return reduction_by_part(transform_view(elements, part.function), part.op);
  } else {
    return by(lifted(elements, part), part);
  }
}

// True for an `all`, which is folded part by part.
template <class View, class Op>
inline constexpr bool folds_parts = false;
template <class View, class... Parts>
inline constexpr bool folds_parts<lifted_view<View, all_op<Parts...>>, all_op<Parts...>> = true;

// True if the op of a reduction folds whole batches itself (op/lift.hpp).
template <class Reduction>
inline constexpr bool folds_own_batches = [] {
  using op = typename Reduction::op_type;
  if constexpr (folds_batches<Reduction>) {
    using batch = host_batch<typename Reduction::view_type::elements_view, batch_folder>;
    return warpfold::detail::folds_batch_itself<op> &&
           requires(const op& o, const typename Reduction::accumulator& a, const batch& b) {
             o.fold_batch(a, b);
           };
  } else {
    return false;
  }
}();

}  // namespace detail

/// True if a fold computes little for each element, so that it is as fast as memory: the library's
/// sums, extrema and their like of contiguous numbers.
template <class Reduction>
inline constexpr bool folds_at_memory_speed = [] {
  using op = typename Reduction::op_type;
  using view = typename Reduction::view_type;
  if constexpr (folds_batches<Reduction>) {
    return warpfold::detail::folds_batch_itself<op> &&
           detail::has_numbers<typename view::elements_view>;
  } else {
    using accumulator = typename Reduction::accumulator;
    return folds_in_vectors<op, view, accumulator> ||
           (std::is_same_v<op, plus> && folds_in_vector_tree<op, view, accumulator>) ||
           (detail::has_numbers<view> &&
            folds_partially<op, typename Reduction::value_type, accumulator>);
  }
}();

WARPFOLD_ANY_SIDE
template <class Reduction>
typename Reduction::accumulator ordered_fold(const Reduction& r, std::size_t first,
                                             std::size_t last);

namespace detail {

// The same fold by the op of an `op_with_finish`: the loops of this folder know ops by their types.
template <class Reduction>
auto without_finish(const Reduction& r) {
  using op_type = std::remove_cvref_t<decltype(r.op.unfinished())>;
  if constexpr (lifted_by<typename Reduction::view_type, typename Reduction::op_type>) {
    const lifted_view elements(r.view.elements(), r.op.unfinished());
    return reduction<std::remove_const_t<decltype(elements)>, op_type>{
        elements, r.op.unfinished(), {}};
  } else {
    return reduction<typename Reduction::view_type, op_type>{r.view, r.op.unfinished(), {}};
  }
}

// True if that fold has the accumulator of `Reduction`.
template <class Reduction>
concept has_other_finish = requires(const Reduction& r) {
  r.op.unfinished();
  requires std::is_same_v<typename decltype(without_finish(r))::accumulator,
                          typename Reduction::accumulator>;
};

// The fold by the parts of an `all`, one after the other, for as many elements as a cache holds.
template <class Reduction, class... Parts>
typename Reduction::accumulator fold_by_parts(const Reduction& r, std::size_t first,
                                              std::size_t last, const all_op<Parts...>& op) {
  using accumulator = typename Reduction::accumulator;
  return [&]<std::size_t... At>(std::index_sequence<At...>) {
    const auto parts =
        warpfold::detail::tuple_of(reduction_by_part(r.view.elements(), get<At>(op.parts))...);
    const auto node = [&](std::size_t from, std::size_t to) -> accumulator {
      return warpfold::detail::tuple_of(ordered_fold(get<At>(parts), from, to)...);
    };
    return warpfold::detail::fold_by_nodes<accumulator>(op, node, long_batch_length, first, last);
  }(std::index_sequence_for<Parts...>{});
}

// True if the op folds 2^k neighbors itself (op/lift.hpp).
template <class View, class Op, class A>
inline constexpr bool folds_own_neighbors = false;
template <class View, class Op, class A>
  requires lifted_by<View, Op>
inline constexpr bool folds_own_neighbors<View, Op, A> =
    folds_neighbors<Op, typename View::elements_view::value_type (*)(int), A (*)(int)>;

// The fold by nodes of some neighbors, which the op folds.
template <class Reduction>
typename Reduction::accumulator fold_by_neighbors(const Reduction& r, std::size_t first,
                                                  std::size_t last) {
  constexpr std::size_t some = 32;
  using accumulator = typename Reduction::accumulator;
  using value = typename Reduction::view_type::elements_view::value_type;
  const Reduction own = r;  // a copy, which stores cannot alias
  const auto elements = own.view.elements();
  const auto node = [&](std::size_t from, std::size_t to) {
    if (to - from < some) return fold_values_in_order<accumulator>(own.op, own.view, from, to);
    return own.op.template fold_neighbors<int{some}>(
        [&](int k) { return static_cast<value>(elements[from + static_cast<std::size_t>(k)]); },
        [&](int k) {
          return static_cast<accumulator>(own.view[from + static_cast<std::size_t>(k)]);
        });
  };
  return warpfold::detail::fold_by_nodes<accumulator>(own.op, node, some, first, last);
}

}  // namespace detail

/// The fold of elements `first` to `last - 1`, at least one, in the declared order. Positions count
/// from `first`: these elements are a whole range, or a node of it.
///
/// Sums of numbers, of squares, and compensated sums use vector registers (vector_tree.hpp). Folds
/// whose result does not depend on the order are those of interleaved_fold.
WARPFOLD_ANY_SIDE
template <class Reduction>
typename Reduction::accumulator ordered_fold(const Reduction& r, std::size_t first,
                                             std::size_t last) {
  using accumulator = typename Reduction::accumulator;
  using op_type = typename Reduction::op_type;
  using view_type = typename Reduction::view_type;
  if constexpr (detail::has_other_finish<Reduction>) {
    return ordered_fold(detail::without_finish(r), first, last);
  } else if constexpr (detail::folds_parts<view_type, op_type> &&
                       !same_in_any_order<op_type, accumulator>) {
    return detail::fold_by_parts(r, first, last, r.op);
  } else if constexpr (same_in_any_order<op_type, accumulator> &&
                       !detail::folds_own_batches<Reduction> &&
                       warpfold::detail::folds_elements_of<view_type, op_type, accumulator>) {
    accumulator total = r.lift(r.view[first]);
    for (std::size_t i = first + 1; i < last; ++i) r.op.fold_element(total, r.view.elements()[i]);
    return total;
  } else if constexpr (same_in_any_order<op_type, accumulator> || has_search<Reduction>) {
    return interleaved_fold(r, first, last);
  } else if constexpr (folds_in_vector_tree<op_type, view_type, accumulator>) {
    return vector_tree_fold(r.op, r.view, first, last);
  } else if constexpr (detail::folds_own_neighbors<view_type, op_type, accumulator>) {
    return detail::fold_by_neighbors(r, first, last);
  } else {
    // Copies: the compiler sees that stores to an accumulator do not change them.
    const auto view = r.view;
    const auto op = r.op;
    return detail::fold_values_in_order<accumulator>(op, view, first, last);
  }
}

/// The result of a reduction of at least one element, in the declared order.
WARPFOLD_ANY_SIDE
template <class Reduction>
auto ordered_result(const Reduction& r) {
  return r.result(r.fold().state_of(ordered_fold(r, 0, r.view.size())));
}

}  // namespace warpfold::host
