/// @file
/// The library's choice of kernel, from the size, the type and the GPU.
#pragma once

#include <warpfold/kernel/concept.hpp>
#include <warpfold/kernel/single_block.hpp>
#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/kernel/staged.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/view/transform.hpp>

namespace warpfold::kernel {

namespace detail {

// Elements that a thread cannot load as whole words of its own: 20, 28, 36, 50 bytes, not 12. On an H100 they
// are reduced as fast through shared memory from 64 KB on, and faster where they are many (50 bytes, 100 MB:
// 55.8 us, directly 91.2; 20 bytes, 100 MB: 48.8, 51.7; 3 GB: 1053, 1069); float3, whose chunks are three words,
// is not (3 GB: 1050, 1038).
template <class View>
inline constexpr bool loads_in_pieces = false;
template <class T>
inline constexpr bool loads_in_pieces<contiguous_view<T>> =
    !contiguous_view<T>::chunk_type::fills_words && sizeof(T) <= 64;
template <class View, class F>
inline constexpr bool loads_in_pieces<transform_view<View, F>> = loads_in_pieces<View>;

}  // namespace detail

/// Chooses: copies through shared memory where `wf::staged` asks for them, and for elements that a thread could
/// only load in pieces; else one block for what it can hold, and a single pass of many for what it cannot.
struct automatic {
  static constexpr const char* name() { return "automatic"; }

  /// Launches once.
  template <class Reduction, class Out, class Launcher>
  void enqueue(const Reduction& r, const collective::result_sink<Out>& sink, Launcher& on) const {
    enqueue_as(tuning::row_for(loaded_bytes(r.view), on.gpu()), r, sink, on);
  }

  /// The same, as a row of a tuning says.
  template <class Reduction, class Out, class Launcher>
  static void enqueue_as(const tuning::row& row, const Reduction& r,
                         const collective::result_sink<Out>& sink, Launcher& on) {
    using view_type = typename Reduction::view_type;
    if constexpr (warpfold::detail::prefers_staging<view_type>()) {
      staged<>{}.enqueue_as(row, r, sink, on);
    } else if (single_block::fits(r)) {
      single_block{}.enqueue(r, sink, on);
    } else if constexpr (detail::loads_in_pieces<view_type>) {
      staged<>{}.enqueue_as(row, r, sink, on);
    } else {
      single_pass<>{}.enqueue_as(row, r, sink, on);
    }
  }
};

static_assert(reduction_kernel<automatic>);

}  // namespace warpfold::kernel
