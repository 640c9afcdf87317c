/// @file
/// How kernels see the arrays that a fold along axes reads: how many results exist, and how
/// elements are loaded. Words are loaded, single elements, or an element once per chunk, for an
/// array that repeats along the chunk.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <warpfold/collective/axis_loads.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/view/expression.hpp>
#include <warpfold/view/global_access.hpp>
#include <warpfold/work/axis_reduction.hpp>
#include <warpfold/work/expression_reduction.hpp>

namespace warpfold::kernel {

/// The number of results that exist. Of counted rows (work/counted_rows.hpp) it waits for the
/// launch before, and reads the count; a block that has none of them ends. Otherwise it is a
/// reference, because a copy changes the order of the instructions.
template <class Work>
WARPFOLD_DEVICE decltype(auto) results_of(const Work& work) {
  if constexpr (sized_in_memory<Work>) {
    collective::wait_for_launch_before();
    return work.read_results(global_access{});
  } else {
    return (work.layout.outputs);
  }
}
/// The same of those of line `line` of the kept dimensions, which has `all`.
template <class Work>
WARPFOLD_DEVICE decltype(auto) results_in_line(const Work& work, std::size_t line,
                                               const std::size_t& all) {
  if constexpr (sized_in_memory<Work>) {
    const std::size_t results = results_of(work), before = line * all;
    return results < before ? 0 : results - before < all ? results - before : std::size_t{all};
  } else {
    return (all);
  }
}

template <int Arrays>
struct array_loads {
  array_load of[std::size_t{Arrays}];

  constexpr bool any_words() const {
    for (const array_load a : of) {
      if (a == array_load::words) return true;
    }
    return false;
  }
};

/// The number of chunks that a thread has in flight: eight words if the states leave room.
template <class Source, class State, int Size>
inline constexpr int chunks_in_flight = [] {
  const int words = Source::template words<Size>;
  const int most = sizeof(State) > 64 ? 1 : sizeof(State) > 32 ? 4 : 8;
  const int fit = words >= 8 ? 1 : 8 / words;
  return fit < most ? fit : most;
}();

enum class chunks_along { kept, folded };

/// The loads of chunks along the first kept or the first folded dimension. Words need a stride of 1
/// along the chunk, and all other strides and the first address at multiples of 16 bytes.
template <class Work>
auto loads_of(const Work& work, chunks_along where) {
  const bool is_kept = where == chunks_along::kept;
  const auto& kept = work.layout.kept;
  const auto& folded = work.folded();
  const std::size_t* const along = is_kept ? kept.dims[0].stride : folded.dims[0].stride;
  const std::size_t extent = is_kept ? kept.dims[0].extent : folded.dims[0].extent;
  const auto load_of = [&]<class T>(const T* first, int array) {
    constexpr std::size_t size = sizeof(T) < word_bytes ? word_bytes / sizeof(T) : 1;
    const auto aligned = [&](const auto& dims, bool has_chunks) {
      for (int d = has_chunks ? 1 : 0; d < dims.count; ++d) {
        if (dims.dims[d].extent != 1 && dims.dims[d].stride[array] % size != 0) return false;
      }
      return true;
    };
    const bool words = word_bytes % sizeof(T) == 0 && along[array] == 1 && extent >= size &&
                       warpfold::detail::at_word(first) && aligned(kept, is_kept) &&
                       aligned(folded, !is_kept);
    return words ? array_load::words : array_load::elements;
  };
  return [&]<std::size_t... At>(const auto& source, std::index_sequence<At...>) {
    return array_loads<Work::arrays>{
        {load_of(warpfold::get<At>(source.data), static_cast<int>(At))...}};
  }(work.input(), std::make_index_sequence<std::size_t{Work::arrays}>{});
}

/// True if a thread can keep a value of type `Value` for each column of a chunk in registers.
template <class Work, class Value>
inline constexpr bool holds_chunk_of_columns = [] {
  constexpr int size = Work::source_type::chunk_size;
  constexpr bool fills =
      Work::arrays == 1 ? collective::fills_words<typename Work::value_type> : size > 1;
  return fills && sizeof(Value) * size <= 256;
}();

constexpr std::size_t divided_up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

/// True if chunks of `Size` results can be stored as words. Types with padding are stored member by
/// member: their bytes would differ from run to run.
template <class Work, int Size>
inline constexpr bool can_store_words = [] {
  if constexpr (requires { requires !Work::stores_words; }) {
    return false;
  } else if constexpr (requires { typename Work::out_type; }) {
    using out_type = typename Work::out_type;
    return Size > 1 &&
           (is_number_v<out_type> || std::has_unique_object_representations_v<out_type>) &&
           sizeof(out_type) * Size % word_bytes == 0 && sizeof(out_type) * Size <= 64;
  } else {
    return false;
  }
}();
template <class Work>
bool starts_results_at_words(const Work& work) {
  constexpr std::size_t bytes = sizeof(typename Work::out_type);
  const auto& kept = work.layout.kept;
  bool words = kept.dims[0].stride[axis_layout::out] == 1 && warpfold::detail::at_word(work.out);
  for (int d = 1; d < kept.count; ++d) {
    words = words && kept.dims[d].stride[axis_layout::out] * bytes % word_bytes == 0;
  }
  return words;
}

/// Writes the first `here` results of a chunk along the first kept dimension, `Apart` apart, the
/// first one at the offsets `at`: `value(k)` is the value of result `k`. As words if `words` and
/// all exist; words need neighbors.
template <int Size, unsigned Apart = 1, class Work, int Places>
WARPFOLD_DEVICE void write_chunk(const Work& work, array_offsets<Places> at, int here, bool words,
                                 const auto& value) {
  const global_access stores;
  if constexpr (Apart == 1 && can_store_words<Work, Size>) {
    using out_type = typename Work::out_type;
    if (words && here == Size) {
      auto* const to = work.out + at.of[axis_layout::out];
      chunk<out_type, Size> results;
      WARPFOLD_UNROLL
      for (int k = 0; k < Size; ++k) results.set(k, out_type(work.result(value(k), to + k)));
      warpfold::detail::store_words(to, results, stores);
      return;
    }
  }
  WARPFOLD_UNROLL
  for (int k = 0; k < Size; ++k) {
    if (k >= here) break;
    work.write(at.of, value(k), stores);
    WARPFOLD_UNROLL
    for (int a = 0; a < Places; ++a) at.of[a] += work.layout.kept.dims[0].stride[a] * Apart;
  }
}

/// Calls `f(size, how)` with the elements of a chunk of a row, an integral constant, and the loads
/// of each array. The words of the only array need none: see loads_words.
template <class Work, class F>
void with_row_chunks(const Work& work, const F& f) {
  constexpr int size = Work::source_type::chunk_size;
  array_loads<Work::arrays> how{};
  if constexpr (!Work::is_one_line && size > 1) {
    const auto& along = work.folded().dims[0];
    how = loads_of(work, chunks_along::folded);
    // Chunks may be longer than a word's elements: theirs are the smallest elements.
    if (!how.any_words() || along.extent < size) return f(std::integral_constant<int, 1>{}, how);
  }
  f(std::integral_constant<int, size>{}, how);
}

/// True if chunks of `Size` elements are words of the only array.
template <class Work, int Size>
inline constexpr bool loads_words =
    Work::is_one_line && std::size_t{Size} * sizeof(typename Work::value_type) == word_bytes;

/// The offsets and the index of the first element of chunk `c` of a row. Each line of the folded
/// elements has `line_chunks` whole chunks. The elements of the only array are contiguous.
template <int Size, class Work>
WARPFOLD_HD auto place_of_chunk(const Work& work, std::size_t c, std::size_t line_chunks) {
  if constexpr (Work::is_one_line) {
    return array_offsets<2>{{c * Size, c * Size}};
  } else {
    const auto& folded = work.folded();
    array_offsets<Work::arrays + 1> at{};
    if (folded.count > 1) {
      const std::size_t line = warpfold::detail::divided_down(c, line_chunks);
      at = folded.place(line, 1);
      c -= line * line_chunks;
    }
    WARPFOLD_UNROLL
    for (int a = 0; a <= Work::arrays; ++a) at.of[a] += c * Size * folded.dims[0].stride[a];
    return at;
  }
}

/// Combines `seen` with the elements after the whole chunks of each line of the row at `first`.
/// Lane `lane` of `lanes` folds every `lanes`-th of them.
template <int Size, class Work, class Loads>
WARPFOLD_DEVICE typename Work::state fold_rest(const Work& work, const std::size_t* first,
                                               std::size_t line_chunks, unsigned lane,
                                               unsigned lanes, const Loads& loads,
                                               typename Work::state seen) {
  using source = typename Work::source_type;
  const auto fold = work.fold();
  const auto& folded = work.folded();
  const auto& along = folded.dims[0];
  const std::size_t rest = along.extent - line_chunks * Size;
  const std::size_t all = rest * folded.size(1);
  WARPFOLD_NO_UNROLL
  for (std::size_t i = lane; i < all; i += lanes) {
    const std::size_t line = warpfold::detail::divided_down(i, rest);
    auto at = folded.place(line, 1);
    const std::size_t own = line_chunks * Size + (i - line * rest);
    WARPFOLD_UNROLL
    for (int a = 0; a < Work::arrays; ++a) at.of[a] += first[a] + own * along.stride[a];
    typename source::template chunk_type<1> one;
    const source from = work.input();
    from.load_one(one, at.of, loads);
    seen = fold.combine(
        seen, fold.state_of(work.lift(from.template get<1>(one, 0),
                                      at.of[Work::arrays] + own * along.stride[Work::arrays])));
  }
  return seen;
}

}  // namespace warpfold::kernel
