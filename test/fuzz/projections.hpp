/// @file
/// Projections of the fuzzer, each one struct. `takes(x)` says whether the projection of the number
/// is defined: the fuzzer draws another value where it is not. Of a structure or a complex number,
/// all but `identity` take the first number.
#pragma once

#include <cmath>

#include "fuzz/elements.hpp"

namespace fuzz {

/// The number that a projection works on.
struct number_of {
  template <class T>
  WARPFOLD_HD auto operator()(const T& x) const {
    if constexpr (requires { x.head; }) {
      return x.head;
    } else if constexpr (requires { x.imag(); }) {
      return x.real();
    } else {
      return x;
    }
  }
};

/// Halves are computed in `float` and rounded once.
struct computed {
  template <class T, class F>
  static WARPFOLD_HD auto of(const T& x, const F& f) {
    const auto n = number_of{}(x);
    if constexpr (wf::is_half_v<std::remove_cv_t<decltype(n)>>) {
      return static_cast<std::remove_cv_t<decltype(n)>>(f(static_cast<float>(n)));
    } else {
      return f(n);
    }
  }
};

struct any_number {
  template <class N>
  static bool takes(const N&) {
    return true;
  }
};

/// Signed integers that are not promoted can overflow.
template <class N>
inline constexpr bool can_overflow = std::is_integral_v<N> && std::is_signed_v<N> && sizeof(N) >= 4;

struct identity : any_number {
  template <class T>
  WARPFOLD_HD T operator()(const T& x) const {
    return x;
  }
};

struct negate {
  template <class N>
  static bool takes(const N& x) {
    if constexpr (can_overflow<N>) return x != (std::numeric_limits<N>::min)();
    return true;
  }
  template <class T>
  WARPFOLD_HD auto operator()(const T& x) const {
    return computed::of(x, [](const auto& n) { return -n; });
  }
};

struct zero_minus : negate {
  template <class T>
  WARPFOLD_HD auto operator()(const T& x) const {
    return computed::of(x, [](const auto& n) { return 0 - n; });
  }
};

struct absolute : negate {
  template <class T>
  WARPFOLD_HD auto operator()(const T& x) const {
    return computed::of(x, [](const auto& n) { return n < 0 ? -n : n; });
  }
};

struct complement : any_number {
  template <class T>
  WARPFOLD_HD auto operator()(const T& x) const {
    return computed::of(x, [](const auto& n) { return ~n; });
  }
};

/// Three times an integer; of floating point four times, which rounds nothing, so that a
/// multiplication that the GPU fuses with an addition gives the same.
struct scaled {
  template <class N>
  static bool takes(const N& x) {
    if constexpr (can_overflow<N>) {
      return x <= (std::numeric_limits<N>::max)() / 3 && x >= (std::numeric_limits<N>::min)() / 3;
    } else if constexpr (std::is_floating_point_v<N>) {
      // A product that overflows is infinite, but not where it is fused.
      return !(std::fabs(x) > (std::numeric_limits<N>::max)() / 4) || std::isinf(x);
    }
    return true;
  }
  template <class T>
  WARPFOLD_HD auto operator()(const T& x) const {
    return computed::of(x, [](const auto& n) {
      return n * (std::is_integral_v<std::remove_cvref_t<decltype(n)>> ? 3 : 4);
    });
  }
};

struct hundred_minus {
  template <class N>
  static bool takes(const N& x) {
    if constexpr (can_overflow<N>) return x >= 101 - (std::numeric_limits<N>::max)();
    return true;
  }
  template <class T>
  WARPFOLD_HD auto operator()(const T& x) const {
    return computed::of(x, [](const auto& n) { return 100 - n; });
  }
};

struct clamp : any_number {
  template <class T>
  WARPFOLD_HD auto operator()(const T& x) const {
    return computed::of(x, [](auto n) {
      using N = decltype(n);
      return n < N(5) ? N(5) : n > N(50) ? N(50) : n;
    });
  }
};

struct to_bool : any_number {
  template <class T>
  WARPFOLD_HD bool operator()(const T& x) const {
    const auto n = number_of{}(x);
    if constexpr (wf::is_half_v<std::remove_cv_t<decltype(n)>>) {
      return static_cast<float>(n) != 0;
    } else {
      return n != 0;
    }
  }
};

/// To another number; of floating point only where the integer has room.
template <class To>
struct convert {
  template <class N>
  static bool takes(const N& x) {
    if constexpr (std::is_integral_v<To> && !std::is_integral_v<N>) {
      const long double value = exactly(x);
      return value >= exactly((std::numeric_limits<To>::min)()) &&
             value <= exactly((std::numeric_limits<To>::max)());
    } else if constexpr (std::is_same_v<N, double> && std::is_same_v<To, float>) {
      return !(std::fabs(x) > 1e38);
    }
    return true;
  }
  template <class T>
  WARPFOLD_HD To operator()(const T& x) const {
    const auto n = number_of{}(x);
    if constexpr (wf::is_half_v<std::remove_cv_t<decltype(n)>>) {
      return static_cast<To>(static_cast<float>(n));
    } else {
      return static_cast<To>(n);
    }
  }
};

/// Minus the number as an `int`.
struct negated_int : convert<int> {
  template <class N>
  static bool takes(const N& x) {
    return convert<int>::takes(x) && convert<int>{}(x) != (std::numeric_limits<int>::min)();
  }
  template <class T>
  WARPFOLD_HD int operator()(const T& x) const {
    return -convert<int>::operator()(x);
  }
};

/// Its call operator is not const: each call gets a copy.
struct not_const : any_number {
  int calls = 0;
  template <class T>
  WARPFOLD_HD auto operator()(const T& x) {
    using N = decltype(number_of{}(x));
    return ++calls == 1 ? number_of{}(x) : N{};
  }
};

/// The projection of an element that two arrays hold beside a mark; of another element if a load
/// goes wrong.
template <class Projection>
struct same_in_both {
  static constexpr unsigned char mark = 0xa7;
  template <class T>
  WARPFOLD_HD auto operator()(const T& x, const T& y, unsigned char z) const {
    const auto* const a = reinterpret_cast<const unsigned char*>(&x);
    const auto* const b = reinterpret_cast<const unsigned char*>(&y);
    bool same = z == mark;
    for (unsigned i = 0; i < sizeof(T); ++i) same = same && a[i] == b[i];
    T wrong = x;
    auto* const bytes = reinterpret_cast<unsigned char*>(&wrong);
    for (unsigned i = 0; i < sizeof(T) && !same; ++i) bytes[i] = static_cast<unsigned char>(i % 2);
    return Projection{}(wrong);
  }
};

}  // namespace fuzz
