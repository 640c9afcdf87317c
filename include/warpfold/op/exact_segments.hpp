/// @file
/// Exact sums of short segments: many are added in double before the processor's flag says if an
/// addition rounded (op/inexact_flag.hpp).
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/core/config.hpp>
#include <warpfold/op/double_bits.hpp>
#include <warpfold/op/double_vectors.hpp>
#include <warpfold/op/inexact_flag.hpp>

namespace warpfold::detail {

// The places of some short segments, each of one element or more.
struct exact_segments {
  static constexpr std::size_t most = 64, longest = 128;
  std::size_t count = 0;
  std::size_t begins[most], lengths[most];
};

// True if `sum_segments` rounds sums of `T` to `To` once.
template <class To, class T>
inline constexpr bool sums_segments =
    (std::is_same_v<T, float> && (std::is_same_v<To, float> || std::is_same_v<To, double>)) ||
    (std::is_same_v<T, double> && std::is_same_v<To, double>);

#if WARPFOLD_HAS_INEXACT_FLAG

// Writes the sums of segments, each rounded once.
// @return false if one is not exact in double; then `sums` is undefined
template <class To, class T>
bool sum_segments(const exact_segments& segments, const T* data, To* sums) {
#if defined(__clang__)
#pragma clang fp reassociate(off)  // which starts lanes from 0, and not from -0
#endif
  if (!default_fp_environment::has_inexact_flag()) return false;
  double upper[exact_segments::most], lower[exact_segments::most];
  const default_fp_environment own;
  for (std::size_t s = 0; s < segments.count; ++s) {
    const T* const from = data + segments.begins[s];
    double u = -0.0, l = -0.0;
    keep_here(u);
    keep_here(l);
    for (std::size_t i = 0; i < segments.lengths[s]; ++i) {
      const double x = from[i];
      if constexpr (std::is_same_v<T, float>) {
        u += x;
      } else {
        const double own_upper = upper_digits<27>(x);
        u += own_upper;
        l += x - own_upper;
      }
    }
    keep_here(u);
    keep_here(l);
    upper[s] = u;
    lower[s] = l;
  }
  if (own.is_inexact()) return false;
  for (std::size_t s = 0; s < segments.count; ++s) {
    if (!is_finite(upper[s])) return false;
    const bool is_whole = std::is_same_v<T, float> || is_zero(lower[s]);  // -0 is
    sums[s] = static_cast<To>(is_whole ? upper[s] : upper[s] + lower[s]);
  }
  return true;
}

#else

template <class To, class T>
bool sum_segments(const exact_segments&, const T*, To*) {
  return false;
}

#endif

}  // namespace warpfold::detail
