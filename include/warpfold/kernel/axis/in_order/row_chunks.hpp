/// @file
/// The chunks of a row in the declared order (op/fold_order.hpp), and how they are loaded.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/kernel/axis/loads.hpp>
#include <warpfold/op/group_terms.hpp>
#include <warpfold/work/recipe.hpp>

namespace warpfold::kernel {

struct row_chunks {
  std::size_t count;
  std::size_t of_line;  ///< in each of its lines
  unsigned last;        ///< elements of the last chunk if they are fewer, otherwise 0
};

/// Calls `f(size, how, chunks)` with the elements of a chunk of a row, an integral constant, the
/// loads of each array, and the chunks of a row. Chunks of several elements start at multiples of
/// their size, counted from the row's first element: they are nodes of the declared order.
template <class Work, class F>
void with_ordered_chunks(const Work& work, const F& f) {
  constexpr int size = Work::source_type::chunk_size;
  const auto& folded = work.folded();
  const auto& along = folded.dims[0];
  const std::size_t lines = folded.size(1);
  const auto how = loads_of(work, chunks_along::folded);
  if constexpr (size > 1) {
    const bool are_whole = along.extent % size == 0;
    // Neighbors in memory share sectors, also if they are loaded one by one.
    bool are_neighbors = true;
    for (int a = 0; a < Work::arrays; ++a) are_neighbors = are_neighbors && along.stride[a] <= 1;
    if (along.extent >= size && (are_whole || lines == 1) && (how.any_words() || are_neighbors)) {
      const std::size_t of_line = along.extent / size + (are_whole ? 0 : 1);
      return f(std::integral_constant<int, size>{}, how,
               row_chunks{of_line * lines, of_line, static_cast<unsigned>(along.extent % size)});
    }
  }
  f(std::integral_constant<int, 1>{}, how, row_chunks{along.extent * lines, along.extent, 0});
}

/// True if `Size` is the number of elements of some chunks of more than 32 elements. Of one array,
/// only rows shorter than a chunk have chunks of single elements.
template <class Work, int Size>
inline constexpr bool may_be_long = !Work::is_one_line || Size == Work::source_type::chunk_size;

/// The terms that fold chunks of `Size` elements of a row (op/group_terms.hpp).
template <class Work, int Size>
using row_terms = typename std::conditional_t<
    (Size > 1), warpfold::detail::terms_of_fold<typename Work::op_type, typename Work::value_type>,
    std::type_identity<void*>>::type;

/// Element `k` of a chunk that `source` has loaded.
template <int Size, class Work, class Source>
WARPFOLD_DEVICE auto element_for_terms(const Work& work, const Source& source,
                                       const typename Source::template chunk_type<Size>& c, int k) {
  constexpr bool computes = Source::function_type::computes;
  return warpfold::detail::guarded_for<computes, typename Work::op_type>(
      work.keep, source.template get<Size>(c, k));
}

}  // namespace warpfold::kernel
