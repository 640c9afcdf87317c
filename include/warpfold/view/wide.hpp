/// @file
/// `wide(range)`: contiguous elements in 32-byte loads, which GPUs of compute capability 10.0 have.
#pragma once

#include <cstdint>
#include <new>
#include <type_traits>

#include <warpfold/view/as_view.hpp>
#include <warpfold/view/range_check.hpp>

namespace warpfold {

/// `size` elements of type `T`, starting at `data`, with two words per chunk; `wide` makes one.
template <class T>
class wide_view : public contiguous_view<T> {
  using base = contiguous_view<T>;

 public:
  using base::data, base::at;
  using typename base::value_type;

  static constexpr std::size_t chunk_bytes = 2 * word_bytes;
  static constexpr int chunk_size = static_cast<int>(chunk_bytes / sizeof(T));
  using chunk_type = chunk<value_type, chunk_size>;
  using array_chunk = void;  // its chunks are not copied ahead of the threads

  /// With CUDA 13.0 and later.
  static constexpr std::size_t widest_load(int architecture) {
    return architecture >= 100 ? chunk_bytes : word_bytes;
  }

  wide_view() = default;
  WARPFOLD_HD constexpr explicit wide_view(const base& elements) : base(elements) {}

  /// If the type is aligned to less than its size, perhaps no element is at a multiple of 32 bytes.
  WARPFOLD_HD std::size_t head() const {
    for (int i = 0; i < chunk_size; ++i) {
      if (is_aligned(data() + i)) return static_cast<std::size_t>(i);
    }
    return any_head;
  }

  inline WARPFOLD_HD void load(chunk_type& c, std::size_t i, const auto& loads) const {
    if constexpr (alignof(T) == sizeof(T)) {
      load_wide(c, i, loads);
    } else {
      load_anywhere(c, i, loads);
    }
  }
  inline WARPFOLD_HD void load_anywhere(chunk_type& c, std::size_t i, const auto& loads) const {
    // The same for every chunk and thread of a launch, so the branch never diverges.
    if (is_aligned(data() + i)) {
      load_wide(c, i, loads);
      return;
    }
    WARPFOLD_UNROLL
    for (int k = 0; k < chunk_size; ++k) {
      ::new (static_cast<void*>(&c.elements[k])) value_type(at(i + k, loads));
    }
  }

  WARPFOLD_HD const value_type& get(const chunk_type& c, int k) const { return c.elements[k]; }

 private:
  // Loads a chunk at a multiple of 32 bytes: in one load if the GPU has it, otherwise in two.
  template <class Loads>
  WARPFOLD_HD void load_wide(chunk_type& c, std::size_t i, const Loads& loads) const {
    const auto* const from = reinterpret_cast<const unsigned char*>(data() + i);
    auto& to = c.as_words;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000 && __CUDACC_VER_MAJOR__ >= 13
    // Only global memory has such loads; `loads` may read from shared memory.
    if constexpr (std::is_same_v<Loads, global_loads>) {
      asm volatile("ld.global.L2::cache_hint.v8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"
                   : "=r"(to[0].part[0]), "=r"(to[0].part[1]), "=r"(to[0].part[2]),
                     "=r"(to[0].part[3]), "=r"(to[1].part[0]), "=r"(to[1].part[1]),
                     "=r"(to[1].part[2]), "=r"(to[1].part[3])
                   : "l"(__cvta_generic_to_global(from)), "l"(loads.policy()));
      return;
    }
#endif
    to[0] = loads.load_word(from);
    to[1] = loads.load_word(from + word_bytes);
  }
  static WARPFOLD_HD bool is_aligned(const T* p) {
    return reinterpret_cast<std::uintptr_t>(p) % chunk_bytes == 0;
  }
};

/// Returns a view of `range` with 32-byte loads on GPUs that have them (compute capability 10.0,
/// CUDA 13.0 or later); elsewhere each is two 16-byte loads.
///
/// It has not been tested on such a GPU: only compilation for it, and the logic with two loads per
/// chunk. `wf::device` therefore never uses it automatically, and bulk copies do not support it;
/// measure before you use it. On older GPUs it is slower than `range` itself, because each load of
/// a warp is strided.
///
/// @param range contiguous elements of 4, 8 or 16 bytes; must outlive the view
/// @return the view; nothing is stored
template <class Range>
  requires reducible_range<Range>
auto wide(Range&& range) {
  WARPFOLD_REQUIRE_LASTING("wide", Range);
  using base = view_of_t<Range>;
  using T = typename base::value_type;
  constexpr bool side_by_side = requires { requires base::is_contiguous; };
  static_assert(side_by_side,
                "warpfold: wide takes elements that lie side by side in memory, such as a "
                "vector's or a span's; apply project to what it returns");
  constexpr bool has_size = sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16;
  static_assert(has_size,
                "warpfold: wide takes elements of 4, 8 or 16 bytes; leave it out for others");
  if constexpr (side_by_side && has_size) {
    const auto all = as_view(range);
    return wide_view<const T>(contiguous_view<const T>(all.data(), all.size()));
  } else {
    return as_view(range);
  }
}

// Misuse of the above is one error; see view/range_check.hpp.
template <class Range = detail::braces>
  requires(!reducible_range<Range>)
auto wide(const Range&) {
  return detail::refuse_ranges<Range>();
}

}  // namespace warpfold
