/// @file
/// Word loads and folds of the kernels that fold along an axis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include <warpfold/op/packed.hpp>
#include <warpfold/view/chunk.hpp>
#include <warpfold/view/global_access.hpp>

namespace warpfold::collective {

/// Elements of type `T` in a 16-byte word; 1 if they do not fill one.
template <class T>
inline constexpr int elements_of_word = sizeof(T) <= word_bytes && word_bytes % sizeof(T) == 0
                                            ? static_cast<int>(word_bytes / sizeof(T))
                                            : 1;

/// True if elements of type `T` fill words of 16 bytes.
template <class T>
inline constexpr bool fills_words = sizeof(T) * elements_of_word<T> == word_bytes;

/// Loads `Count` elements at `from`: as one word if `Words`, which needs `from` at a multiple of 16
/// bytes.
template <bool Words, int Count, class T, class Loads>
WARPFOLD_HD void load_axis_chunk(chunk<T, Count>& c, const T* from, const Loads& loads) {
  if constexpr (Words) {
    static_assert(sizeof(T) * Count == word_bytes);
    c.as_words[0] = loads.load_word(from);
  } else {
    WARPFOLD_UNROLL
    for (int k = 0; k < Count; ++k) {
      ::new (static_cast<void*>(&c.elements[k])) T(loads.load(from + k));
    }
  }
}

/// The fold of a word's elements; the first has index `i` in its row. Short integers are folded
/// packed if the op supports it.
template <class AxisReduction, int Count>
WARPFOLD_DEVICE typename AxisReduction::accumulator fold_axis_word(
    const AxisReduction& axis, const chunk<typename AxisReduction::value_type, Count>& c,
    std::size_t i) {
  using T = typename AxisReduction::value_type;
  using op_type = typename AxisReduction::op_type;
  if constexpr (!AxisReduction::is_lifted && sizeof(T) * Count == word_bytes &&
                folds_packed<op_type, T>) {
    return static_cast<typename AxisReduction::accumulator>(
        axis.op.template fold_packed<T>(c.as_words[0].part));
  } else {
    return axis.template fold_few<Count>([&](int k) -> const T& { return c.elements[k]; },
                                         [&](int k) { return i + static_cast<unsigned>(k); });
  }
}

}  // namespace warpfold::collective
