/// @file
/// The accumulators of sums and extrema in a vector register, for each kind of number.
#pragma once

#include <cstddef>
#include <limits>
#include <type_traits>

#include <warpfold/host/vector_register.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/plus.hpp>

namespace warpfold::host {

namespace detail {

/// Several accumulators of the fold of `T`s by `Op`. The constructor takes the first vector, and
/// `take` each later one. Each `value(l)` is then a value of the accumulator's type, to be combined
/// by the op. If there is `settled(total, data, n)`, it corrects the fold of `n` elements, for
/// example the sign of a zero.
///
/// Only for exactly these ops, not for derived ones.
template <class Op, class T, int Bytes>
struct vector_accumulators;

/// A view of contiguous numbers.
template <class View>
concept has_numbers = requires(const View& view) {
  requires View::is_contiguous;
  requires std::is_same_v<decltype(view.data()), const typename View::value_type*>;
};

}  // namespace detail

/// True if `View` has contiguous numbers that an op folds in vectors, alone or with others.
template <class Op, class View>
concept folds_together_in_vectors = detail::has_numbers<View> && requires {
  requires sizeof(detail::vector_accumulators<Op, typename View::value_type, 16>) > 0;
};

#if defined(__GNUC__)

namespace detail {

// An integer type as unsigned, so that its sum may wrap.
template <class T>
struct wrapping {
  using type = T;
};
template <class T>
  requires std::is_integral_v<T>
struct wrapping<T> : std::make_unsigned<T> {};

template <class T, int Bytes>
  requires(warpfold::detail::is_ieee_v<T> || (std::is_integral_v<T> && sizeof(T) == 8))
struct vector_accumulators<plus, T, Bytes> {
  using addend = vector_t<typename wrapping<T>::type, Bytes>;
  addend total;

  WARPFOLD_HOST_INLINE void start(const T* from) { load(total, from); }
  WARPFOLD_HOST_INLINE void take(const T* from) {
    addend x;
    load(x, from);
    total += x;
  }
  WARPFOLD_HOST_INLINE void merge(const vector_accumulators& other) { total += other.total; }
  T value(int l) const { return static_cast<T>(total[l]); }
};

// A 64-bit sum from two 32-bit sums. The sum of the upper halves is exact for as many elements as
// fold_any_number takes at once. The sum of the whole elements wraps. Their difference is the sum
// of the lower halves modulo 2^32, which cannot reach 2^32.
template <class T, int Bytes>
  requires(std::is_same_v<T, int> || std::is_same_v<T, unsigned>)
struct vector_accumulators<plus, T, Bytes> {
  using vector = vector_t<T, Bytes>;
  vector_t<unsigned, Bytes> wrapped;
  vector upper;

  WARPFOLD_HOST_INLINE void start(const T* from) {
    vector x;
    load(x, from);
    start_with(x);
  }
  WARPFOLD_HOST_INLINE void take(const T* from) {
    vector x;
    load(x, from);
    take_vector(x);
  }
  WARPFOLD_HOST_INLINE void start_with(const vector& x) {
    wrapped = (vector_t<unsigned, Bytes>)x;
    upper = x >> 16;
  }
  WARPFOLD_HOST_INLINE void take_vector(const vector& x) {
    wrapped += (vector_t<unsigned, Bytes>)x;
    upper += x >> 16;
  }
  WARPFOLD_HOST_INLINE void merge(const vector_accumulators& other) {
    wrapped += other.wrapped;
    upper += other.upper;
  }
  plus::accumulator<T> value(int l) const {
    const unsigned lower = wrapped[l] - (static_cast<unsigned>(upper[l]) << 16);
    return plus::accumulator<T>{upper[l]} * 65536 + lower;
  }
};

template <class Op>
inline constexpr bool is_extremum = std::is_same_v<Op, minimum> || std::is_same_v<Op, maximum>;

// With AVX-512, GCC compares into masks: three instructions instead of one.
#if defined(__AVX512VL__) && !defined(__clang__)
#define WARPFOLD_HOST_USES_MASKS 1
#else
#define WARPFOLD_HOST_USES_MASKS 0
#endif

template <class Op, class Vector>
WARPFOLD_HOST_INLINE void keep_extremum(Vector& most, const Vector& x) {
#if WARPFOLD_HOST_USES_MASKS
  using element = std::remove_cvref_t<decltype(most[0])>;
  constexpr bool larger = std::is_same_v<Op, maximum>;
  // The second operand, `most`, if one is a NaN or both are zeros.
  if constexpr (std::is_same_v<element, float>) {
    if constexpr (larger) {
      asm("vmaxps %0, %1, %0" : "+x"(most) : "x"(x));
    } else {
      asm("vminps %0, %1, %0" : "+x"(most) : "x"(x));
    }
    return;
  } else if constexpr (std::is_same_v<element, double>) {
    if constexpr (larger) {
      asm("vmaxpd %0, %1, %0" : "+x"(most) : "x"(x));
    } else {
      asm("vminpd %0, %1, %0" : "+x"(most) : "x"(x));
    }
    return;
  }
#endif
  if constexpr (std::is_same_v<Op, maximum>) {
    most = x > most ? x : most;
  } else {
    most = x < most ? x : most;
  }
}

// An integer type of which compilers have vectors: not of bool, and not of wchar_t.
template <class T>
concept lane_integer = std::is_integral_v<T> && !std::is_same_v<T, bool> &&
                       (std::is_same_v<T, char> || std::is_same_v<T, std::make_signed_t<T>> ||
                        std::is_same_v<T, std::make_unsigned_t<T>>);

template <class Op, class T, int Bytes>
  requires(is_extremum<Op> && lane_integer<T>)
struct vector_accumulators<Op, T, Bytes> {
  vector_t<T, Bytes> most;

  WARPFOLD_HOST_INLINE void start(const T* from) { load(most, from); }
  WARPFOLD_HOST_INLINE void take(const T* from) {
    vector_t<T, Bytes> x;
    load(x, from);
    keep_extremum<Op>(most, x);
  }
  WARPFOLD_HOST_INLINE void merge(const vector_accumulators& other) {
    keep_extremum<Op>(most, other.most);
  }
  T value(int l) const { return most[l]; }
};

#if defined(__clang__) || __GNUC__ >= 12
#define WARPFOLD_HOST_HAS_SHUFFLES 1
// The second half of a vector of 16 bytes, and the second quarter, in place of the first.
template <int Part, class Vector>
WARPFOLD_HOST_INLINE void move_down(Vector& to, const Vector& x) {
  const auto words = (vector_t<int, narrow>)x;
  to = Part == 2 ? (Vector)__builtin_shufflevector(words, words, 2, 3, 2, 3)
                 : (Vector)__builtin_shufflevector(words, words, 1, 1, 1, 1);
}
#else
#define WARPFOLD_HOST_HAS_SHUFFLES 0
#endif

// Sets the lanes of `nan` in which `x` or `y` is a NaN.
template <class Mask, class Vector>
WARPFOLD_HOST_INLINE void add_nan(Mask& nan, const Vector& x, const Vector& y) {
#if WARPFOLD_HOST_USES_MASKS
  Mask own;
  if constexpr (sizeof(x[0]) == sizeof(float)) {
    asm("vcmpunordps %1, %2, %0" : "=x"(own) : "x"(x), "x"(y));
  } else {
    asm("vcmpunordpd %1, %2, %0" : "=x"(own) : "x"(x), "x"(y));
  }
  nan |= own;
#else
  nan |= (Mask)(x != x) | (Mask)(y != y);
#endif
}

// One comparison (maxps), which ignores NaNs and the sign of zeros. NaNs are recorded separately,
// those of two vectors by one comparison (cmpunordps). Signs matter only if the result is zero; a
// second pass then reads them, also in vectors, because zeros are common. 48 KB of floats that are
// 0 or more, scalar -> vector pass: 6.5 -> 36 GB/s.
template <class Op, class T, int Bytes>
  requires(is_extremum<Op> && warpfold::detail::is_ieee_v<T>)
struct vector_accumulators<Op, T, Bytes> {
  using bits = warpfold::detail::bits_of<T>;
  using mask = vector_t<std::make_signed_t<bits>, Bytes>;
  vector_t<T, Bytes> most;
  mask nan;

  WARPFOLD_HOST_INLINE void start(const T* from) {
    load(most, from);
    nan = (mask)(most != most);
  }
  WARPFOLD_HOST_INLINE void take(const T* from) {
    vector_t<T, Bytes> x;
    load(x, from);
    keep_extremum<Op>(most, x);
    add_nan(nan, x, x);
  }
  // Takes a vector here and the next one in another; both NaNs are recorded here.
  WARPFOLD_HOST_INLINE void take_two(vector_accumulators& other, const T* from) {
    vector_t<T, Bytes> x, y;
    load(x, from);
    load(y, from + Bytes / sizeof(T));
    keep_extremum<Op>(most, x);
    keep_extremum<Op>(other.most, y);
    add_nan(nan, x, y);
  }
  WARPFOLD_HOST_INLINE void merge(const vector_accumulators& other) {
    keep_extremum<Op>(most, other.most);
    nan |= other.nan;
  }
  T value(int l) const { return nan[l] != 0 ? std::numeric_limits<T>::quiet_NaN() : most[l]; }
#if WARPFOLD_HOST_HAS_SHUFFLES
  // The extremum of all lanes.
  T folded() const
    requires(Bytes == narrow)
  {
    vector_accumulators all = *this, other;
    move_down<2>(other.most, all.most);
    move_down<2>(other.nan, all.nan);
    all.merge(other);
    if constexpr (sizeof(T) == 4) {
      move_down<1>(other.most, all.most);
      move_down<1>(other.nan, all.nan);
      all.merge(other);
    }
    return all.value(0);
  }
#endif

  // If the maximum is a zero, no element is positive: a cleared sign means +0.
  static T settled(T total, const T* data, std::size_t n) {
    if (total != 0) return total;
    constexpr bool larger = std::is_same_v<Op, maximum>;
    using words = vector_t<bits, narrow>;
    constexpr std::size_t count = narrow / sizeof(T), line = 4 * count;
    const words start = words{} + (larger ? ~bits{} : bits{});
    words of[4] = {start, start, start, start};
    std::size_t i = 0;
    for (; n - i >= line; i += line) {
      for (std::size_t r = 0; r < 4; ++r) {
        words x;
        load(x, data + i + r * count);
        of[r] = larger ? of[r] & x : of[r] | x;
      }
    }
    bits signs = start[0];
    const auto add = [&signs](bits x) { signs = larger ? signs & x : signs | x; };
    for (const words& own : of) {
      for (std::size_t l = 0; l < count; ++l) add(own[l]);
    }
    for (; i < n; ++i) add(__builtin_bit_cast(bits, data[i]));
    return signs >> (sizeof(T) * 8 - 1) != 0 ? -T{0} : T{0};
  }
};

#undef WARPFOLD_HOST_USES_MASKS
#undef WARPFOLD_HOST_HAS_SHUFFLES

}  // namespace detail

#endif

}  // namespace warpfold::host
