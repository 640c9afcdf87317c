/// @file
/// Elements of the fuzzer, how their values are drawn, and their text in a program.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <warpfold/op/traits.hpp>

namespace wf = warpfold;

namespace fuzz {

/// A structure of `Count` numbers and no padding.
template <class N, int Count>
struct record {
  N head;
  N rest[Count - 1];

  static WARPFOLD_HD N sum(N a, N b) {
    if constexpr (std::is_integral_v<N>) {  // Unsigned: an overflow wraps.
      return static_cast<N>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    } else {
      return a + b;
    }
  }
  friend WARPFOLD_HD record operator+(const record& a, const record& b) {
    record r{sum(a.head, b.head), {}};
    for (int i = 0; i < Count - 1; ++i) r.rest[i] = sum(a.rest[i], b.rest[i]);
    return r;
  }
  friend WARPFOLD_HD bool operator<(const record& a, const record& b) {
    if (a.head != b.head) return a.head < b.head;
    for (int i = 0; i < Count - 1; ++i) {
      if (a.rest[i] != b.rest[i]) return a.rest[i] < b.rest[i];
    }
    return false;
  }
};

/// A complex number, as the library knows one by its members.
template <class R>
struct complex {
  R re;
  R im;

  WARPFOLD_HD complex(R x = R{}, R y = R{}) : re(x), im(y) {}
  WARPFOLD_HD R real() const { return re; }
  WARPFOLD_HD R imag() const { return im; }
  friend WARPFOLD_HD complex operator+(const complex& a, const complex& b) {
    return {a.re + b.re, a.im + b.im};
  }
  friend WARPFOLD_HD complex operator*(const complex& a, const complex& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
};

// --- elements as lists of numbers ----------------------------------------------------------------

/// How a type is made of `count` numbers.
template <class T>
struct parts {
  using number = T;
  static constexpr int count = 1;
};
template <class N, int Count>
struct parts<record<N, Count>> {
  using number = N;
  static constexpr int count = Count;
};
template <class T>
  requires requires(const T& z) { z.imag(); }
struct parts<T> {
  using number = decltype(std::declval<const T&>().imag());
  static constexpr int count = 2;
};

template <class T>
using number_t = std::remove_cvref_t<typename parts<T>::number>;

template <class T>
number_t<T> part(const T& x, int k) {
  number_t<T> n;
  std::memcpy(static_cast<void*>(&n), reinterpret_cast<const char*>(&x) + k * sizeof n, sizeof n);
  return n;
}
template <class T>
void set_part(T& x, int k, const number_t<T>& n) {
  std::memcpy(reinterpret_cast<char*>(&x) + k * sizeof n, static_cast<const void*>(&n), sizeof n);
}

/// The number as a long double: exact for every type here.
template <class N>
long double exactly(const N& x) {
  if constexpr (wf::is_half_v<N>) {
    return static_cast<long double>(static_cast<float>(x));
  } else {
    return static_cast<long double>(x);
  }
}

// --- values --------------------------------------------------------------------------------------

/// The same numbers on every machine: splitmix64.
class random_bits {
 public:
  explicit random_bits(std::uint64_t seed) : state_(seed) {}

  std::uint64_t operator()() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// From 0 to `n - 1`.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>((*this)() % n); }

 private:
  std::uint64_t state_;
};

/// A sequence of `T`, of bools too.
template <class T>
using list = std::conditional_t<std::is_same_v<T, bool>, std::deque<T>, std::vector<T>>;

/// What the elements of one range are like.
enum class values_kind { whole, any, special, ties, alike };
inline constexpr values_kind all_kinds[] = {values_kind::whole, values_kind::any,
                                            values_kind::special, values_kind::ties,
                                            values_kind::alike};

/// One of a number type's special values. `mask` selects the ones that occur in this range: a NaN
/// in every range would hide all other results.
template <class N>
N special_number(random_bits& random, std::uint64_t mask) {
  if constexpr (std::is_same_v<N, bool>) {
    return random() % 2 == 0;
  } else if constexpr (std::is_integral_v<N>) {
    using limits = std::numeric_limits<N>;
    const N all[] = {(limits::min)(),
                     static_cast<N>((limits::min)() + 1),
                     static_cast<N>(-1),
                     N{0},
                     N{1},
                     static_cast<N>((limits::max)() - 1),
                     (limits::max)(),
                     static_cast<N>((limits::max)() / 2 + 1)};
    const std::size_t k = random.below(16);
    return k < 8 && (mask >> k) % 2 != 0 ? all[k] : static_cast<N>(random());
  } else {
    using F = std::conditional_t<wf::is_half_v<N>, float, N>;
    using limits = std::numeric_limits<F>;
    const F all[] = {limits::quiet_NaN(),  limits::infinity(), -limits::infinity(), F(0), -F(0),
                     limits::denorm_min(), (limits::max)(),    limits::lowest()};
    const std::size_t k = random.below(64);
    return static_cast<N>(k < 8 && (mask >> k) % 2 != 0
                              ? all[k]
                              : static_cast<F>(static_cast<int>(random() % 201) - 100));
  }
}

template <class N>
N draw_number(random_bits& random, values_kind kind, std::uint64_t mask) {
  if (kind == values_kind::special) return special_number<N>(random, mask);
  if constexpr (std::is_same_v<N, bool>) {
    return random() % 4 != 0;
  } else if constexpr (std::is_integral_v<N>) {
    if (kind == values_kind::any || kind == values_kind::alike) return static_cast<N>(random());
    const int most = kind == values_kind::whole ? 100 : 2;
    const int least = std::is_signed_v<N> ? -most : 0;
    return static_cast<N>(least + static_cast<int>(random.below(most - least + 1)));
  } else {
    using F = std::conditional_t<wf::is_half_v<N>, float, N>;
    if (kind == values_kind::any || kind == values_kind::alike) {
      const double fraction = 1 + static_cast<double>(random() >> 12) / 4503599627370496.0;
      const double x = std::ldexp(fraction, static_cast<int>(random.below(16)) - 8);
      return static_cast<N>(static_cast<F>(random() % 2 == 0 ? x : -x));
    }
    const int most = kind == values_kind::whole ? 8 : 1;
    return static_cast<N>(static_cast<F>(static_cast<int>(random.below(2 * most + 1)) - most));
  }
}

template <class T>
T draw(random_bits& random, values_kind kind, std::uint64_t mask) {
  // A class's own `<` is no order where there is a NaN: bit 0 of the mask.
  if constexpr (std::is_class_v<T> && !wf::is_half_v<T> && requires(const T& x) { x < x; }) {
    mask &= ~std::uint64_t{1};
  }
  T x{};
  for (int k = 0; k < parts<T>::count; ++k) {
    set_part(x, k, draw_number<number_t<T>>(random, kind, mask));
  }
  return x;
}

// --- text ----------------------------------------------------------------------------------------

template <class N>
std::string number_text(const N& x) {
  if constexpr (std::is_integral_v<N>) {
    return std::to_string(x);
  } else {
    const long double value = exactly(x);
    char text[64];
    std::snprintf(text, sizeof text, "%.21Lg", value);
    return text;
  }
}

/// A C++ expression of the number.
template <class N>
std::string number_literal(const N& x) {
  if constexpr (std::is_same_v<N, bool>) {
    return x ? "true" : "false";
  } else if constexpr (std::is_integral_v<N>) {
    if constexpr (std::is_unsigned_v<N>) return std::to_string(x) + "u";
    if (sizeof(N) >= 4 && x == (std::numeric_limits<N>::min)()) {
      return std::to_string(x + 1) + " - 1";
    }
    return std::to_string(x);
  } else {
    const auto value = static_cast<double>(exactly(x));
    const std::string sign = std::signbit(value) ? "-" : "";
    if (std::isnan(value)) return sign + "__builtin_nanf(\"\")";
    if (std::isinf(value)) return sign + "__builtin_inff()";
    char text[64];
    std::snprintf(text, sizeof text, "%a", value);
    return std::string(text) + (sizeof(N) <= 4 ? "f" : "");
  }
}
template <class T>
std::string literal(const T& x) {
  if constexpr (parts<T>::count == 1) {
    return number_literal(x);
  } else {
    std::string text;
    for (int k = 0; k < parts<T>::count; ++k) {
      text += (k == 0                              ? ""
               : k == 1 && !requires { x.imag(); } ? ", {"
                                                   : ", ") +
              number_literal(part(x, k));
    }
    return "{" + text + (requires { x.imag(); } ? "}" : "}}");
  }
}

/// For messages: numbers, tuples of results, and anything else as its bytes.
template <class T>
std::string show(const T& x) {
  if constexpr (wf::is_number_v<T>) {
    return number_text(x);
  } else if constexpr (requires { x.value, x.index; }) {
    return show(x.value) + " at " + std::to_string(x.index);
  } else if constexpr (requires { x.squares; }) {
    return "count " + show(x.count) + " mean " + show(x.mean()) + " variance " + show(x.variance());
  } else if constexpr (requires { x.mean, x.m2; }) {
    return "count " + show(x.count) + " mean " + show(x.mean) + " m2 " + show(x.m2);
  } else if constexpr (requires { x.root(); }) {
    return "root " + show(x.root());
  } else if constexpr (requires { x.head, x.tail; }) {
    return show(x.head) + "; " + show(x.tail);
  } else if constexpr (requires { x.dropped; }) {
    return show(x.sum) + " + " + show(x.dropped);
  } else if constexpr (parts<T>::count > 1) {
    std::string text = "(";
    for (int k = 0; k < parts<T>::count; ++k) text += (k == 0 ? "" : " ") + show(part(x, k));
    return text + ")";
  } else if constexpr (requires { x.head; }) {
    return show(x.head);
  } else {
    return "?";
  }
}

}  // namespace fuzz
