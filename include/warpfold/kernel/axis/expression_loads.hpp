/// @file
/// How kernels load the arrays of an expression: in words, single elements, or once per chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <warpfold/view/expression.hpp>
#include <warpfold/work/expression_reduction.hpp>

namespace warpfold::kernel {

/// The loads of each array.
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

namespace detail {

// Words need a stride of 1 along the chunk, and every other stride and the first address at a
// multiple of 16 bytes.
template <class T, class Work>
array_load load_of(const T* first, const Work& work, int array, const std::size_t* along,
                   std::size_t extent) {
  constexpr std::size_t size = word_bytes / sizeof(T);
  if (word_bytes % sizeof(T) != 0 || along[array] != 1 || extent < size ||
      !warpfold::detail::at_word(first)) {
    return array_load::elements;
  }
  const auto aligned = [&](const auto& dims) {
    for (int d = 0; d < dims.count; ++d) {
      if (dims.dims[d].stride == along || dims.dims[d].extent == 1) continue;
      if (dims.dims[d].stride[array] % size != 0) return false;
    }
    return true;
  };
  return aligned(work.layout.kept) && aligned(work.layout.folded) ? array_load::words
                                                                  : array_load::elements;
}

template <class Work, std::size_t... At>
array_loads<Work::arrays> loads_of(const Work& work, const std::size_t* along, std::size_t extent,
                                   std::index_sequence<At...>) {
  return {
      {load_of(warpfold::get<At>(work.source.data), work, static_cast<int>(At), along, extent)...}};
}

}  // namespace detail

/// The loads of chunks along one dimension of `work.layout`: `along` are its strides, `extent` its
/// elements.
template <class Work>
array_loads<Work::arrays> loads_of(const Work& work, const std::size_t* along, std::size_t extent) {
  return detail::loads_of(work, along, extent,
                          std::make_index_sequence<static_cast<std::size_t>(Work::arrays)>{});
}

}  // namespace warpfold::kernel
