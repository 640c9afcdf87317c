/// @file
/// Folds of loaded elements in the kernels that fold along axes.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/collective/loaded_batch.hpp>
#include <warpfold/op/fold.hpp>
#include <warpfold/op/fold_tree.hpp>
#include <warpfold/op/lift.hpp>
#include <warpfold/op/packed.hpp>
#include <warpfold/op/traits.hpp>
#include <warpfold/view/chunk.hpp>
#include <warpfold/view/expression.hpp>
#include <warpfold/work/recipe.hpp>

namespace warpfold::collective {

/// Elements of type `T` in a 16-byte word; 1 if they do not fill one.
template <class T>
inline constexpr int elements_of_word = sizeof(T) <= word_bytes && word_bytes % sizeof(T) == 0
                                            ? static_cast<int>(word_bytes / sizeof(T))
                                            : 1;

/// True if elements of type `T` fill words of 16 bytes.
template <class T>
inline constexpr bool fills_words = sizeof(T) * elements_of_word<T> == word_bytes;

namespace detail {

// True if the op of an axis folds `Count` elements as neighbors (op/lift.hpp).
template <class Work, int Count, class Element>
inline constexpr bool folds_neighbors_of =
    Count > 1 && (Count & (Count - 1)) == 0 &&
    folds_neighbors<typename Work::op_type, Element, typename Work::accumulator (*)(int)>;

}  // namespace detail

/// True if a thread folds what it has loaded of a row as batches (op/lift.hpp): the order does not
/// matter, and the elements are neighbors in one array.
template <class Work>
inline constexpr bool folds_row_batches = [] {
  using op_type = typename Work::op_type;
  using accumulator = typename Work::accumulator;
  using own_accumulator = warpfold::detail::accumulator_t<op_type, typename Work::value_type>;
  return Work::is_one_line && same_in_any_order<op_type, accumulator> &&
         std::is_same_v<accumulator, own_accumulator> && !has_marks<typename Work::fold_type> &&
         warpfold::detail::names_fold_batch<op_type>;
}();

/// True if the op's batches are so much cheaper than its other folds that a thread makes one of
/// whatever it has loaded.
template <class Work>
inline constexpr bool prefers_batches = [] {
  using op_type = typename Work::op_type;
  if constexpr (requires { requires op_type::prefers_batches; }) {
    return warpfold::detail::names_fold_batch<op_type>;
  } else {
    return false;
  }
}();

/// The least number of blocks of 256 threads of a multiprocessor. Batches of small states have
/// four: their loads hide the second read of the registers.
template <class Work>
inline constexpr int blocks_of_rows =
    folds_row_batches<Work> && sizeof(typename Work::accumulator) <= 16 ? 4 : 1;

/// Folds `Count` elements: `element(k)` returns one, and `index_of(k)` its index among those of its
/// result. Short integers are folded in half the accumulator's width if the op allows it.
template <int Count, class Work, class Element, class Index>
WARPFOLD_DEVICE typename Work::accumulator fold_few(const Work& work, const Element& element,
                                                    const Index& index_of) {
  using op_type = typename Work::op_type;
  using T = typename Work::value_type;
  using accumulator = typename Work::accumulator;
  if constexpr (!Work::is_lifted && folds_partially<op_type, T, accumulator>) {
    using partial = typename op_type::template partial<T>;
    return static_cast<accumulator>(fold_tree<0, Count>(
        [&](partial a, partial b) { return static_cast<partial>(work.op(a, b)); },
        [&](int k) { return static_cast<partial>(element(k)); }));
  } else if constexpr (detail::folds_neighbors_of<Work, Count, Element>) {
    return work.op.template fold_neighbors<Count>(
        element, [&](int k) { return work.lift(element(k), index_of(k)); });
  } else {
    return fold_tree<0, Count>(
        [f = work.fold()](const accumulator& a, const accumulator& b) { return f.apply(a, b); },
        [&](int k) { return work.lift(element(k), index_of(k)); });
  }
}
/// Folds only the first elements; see fold_tree_of_first.
template <int Count, class Work, class Element, class Index, class Has>
WARPFOLD_DEVICE typename Work::accumulator fold_first(const Work& work, const Element& element,
                                                      const Index& index_of, const Has& has) {
  using accumulator = typename Work::accumulator;
  if constexpr (detail::folds_neighbors_of<Work, Count, Element>) {
    if (has(Count - 1)) return fold_few<Count>(work, element, index_of);
  }
  return fold_tree_of_first<0, Count>(
      [f = work.fold()](const accumulator& a, const accumulator& b) { return f.apply(a, b); },
      [&](int k) { return work.lift(element(k), index_of(k)); }, has);
}

/// The fold of a chunk of each array of `source`. The first elements have index `i` among those of
/// their result, and each next one an index greater by `step`. Short integers of one array are
/// folded packed if the op supports it.
template <int Size, class Work, class Source>
WARPFOLD_DEVICE typename Work::accumulator fold_chunk(
    const Work& work, const Source& source, const typename Source::template chunk_type<Size>& c,
    std::size_t i, std::size_t step = 1) {
  using T = typename Work::value_type;
  if constexpr (std::is_same_v<typename Source::function_type, warpfold::detail::array_value> &&
                !Work::is_lifted && sizeof(T) * Size == word_bytes &&
                folds_packed<typename Work::op_type, T>) {
    return static_cast<typename Work::accumulator>(
        work.op.template fold_packed<T>(warpfold::get<0>(c).as_words[0].part));
  } else {
    return fold_few<Size>(
        work, [&](int k) -> decltype(auto) { return source.template get<Size>(c, k); },
        [&](int k) { return i + static_cast<unsigned>(k) * step; });
  }
}

/// Adds up to `Unroll` loaded chunks of a row to `seen`, in batches; see `folds_row_batches`.
/// @param at the indices of the chunks in the row; those beyond the end are copies of the last one
template <int Unroll, int Size, class Work, class Source>
WARPFOLD_DEVICE typename Work::accumulator add_batches(
    const Work& work, const typename Work::accumulator& seen, const Source& source,
    const typename Source::template chunk_type<Size>* loaded,
    const positions_for<typename Work::op_type>& at) {
  // Of a block with 256 threads more registers are free than fold_round has.
  return fold_batches<128, Unroll, Size>(
      work.op, seen, [&](int u, int k) { return source.template get<Size>(loaded[u], k); }, at,
      work.keep);
}

/// The same as `fold_chunk`, of the first `here` elements, at least one.
template <int Size, class Work, class Source>
WARPFOLD_DEVICE typename Work::accumulator fold_first_of_chunk(
    const Work& work, const Source& source, const typename Source::template chunk_type<Size>& c,
    std::size_t i, std::size_t step, unsigned here) {
  return fold_first<Size>(
      work, [&](int k) -> decltype(auto) { return source.template get<Size>(c, k); },
      [&](int k) {
        return i + (static_cast<unsigned>(k) < here ? static_cast<unsigned>(k) : here - 1) * step;
      },
      [&](int k) { return static_cast<unsigned>(k) < here; });
}

}  // namespace warpfold::collective
