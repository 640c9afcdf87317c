/// @file
/// The place of a number among consecutive ones, searched in vector registers.
#pragma once

#include <cstddef>

#include <warpfold/host/vector_accumulators.hpp>

namespace warpfold::host {

/// True if `View` has contiguous numbers that vectors search.
template <class View>
concept searched_in_vectors = folds_together_in_vectors<minimum, View>;

/// The first of elements `first` to `last - 1` that has the same bits as `value`, or is also NaN;
/// one of them must.
template <class View>
  requires searched_in_vectors<View>
std::size_t vector_find(const View& view, std::size_t first, std::size_t last,
                        const typename View::value_type& value);

#if defined(__GNUC__)

namespace detail {

// The first of elements `first` to `last - 1` with `is(x)`; one of them must have it. `may_be` is
// called with vectors and returns a mask: only elements in the mask are tested one by one.
template <class T, class MayBe, class Is>
std::size_t find_in_vectors(const T* data, std::size_t first, std::size_t last, const MayBe& may_be,
                            const Is& is) {
  using words = vector_t<long long, narrow>;
  constexpr std::size_t count = narrow / sizeof(T), some = 8 * count;
  std::size_t i = first;
  for (; last - i > some; i += some) {
    words found{};
    for (std::size_t l = 0; l < some; l += count) {
      vector_t<T, narrow> x;
      load(x, data + i + l);
      found |= (words)may_be(x);
    }
    if ((found[0] | found[1]) == 0) continue;
    for (std::size_t l = 0; l < some; ++l) {
      if (is(data[i + l])) return i + l;
    }
  }
  while (i + 1 < last && !is(data[i])) ++i;
  return i;
}

}  // namespace detail

template <class View>
  requires searched_in_vectors<View>
std::size_t vector_find(const View& view, std::size_t first, std::size_t last,
                        const typename View::value_type& value) {
  using T = typename View::value_type;
  const T* const data = view.data();
  if constexpr (warpfold::detail::is_ieee_v<T>) {
    const auto is_nan = [](const auto& x) { return x != x; };
    if (value != value) return detail::find_in_vectors(data, first, last, is_nan, is_nan);
    // Zeros of both signs are equal. SSE2 does not compare 64-bit integers.
    using bits = warpfold::detail::bits_of<T>;
    return detail::find_in_vectors(
        data, first, last, [=](const auto& x) { return x == value; },
        [=](T x) { return __builtin_bit_cast(bits, x) == __builtin_bit_cast(bits, value); });
  } else {
    const auto is = [=](const auto& x) { return x == value; };
    return detail::find_in_vectors(data, first, last, is, is);
  }
}

#endif

}  // namespace warpfold::host
