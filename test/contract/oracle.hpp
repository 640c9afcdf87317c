/// @file
/// The oracle: test data and the expected results, computed without the library's ops.
///
/// Integers are exact: sums and products modulo 2^64, as the library defines them.
///
/// Floating point comes in two kinds of data.
/// - Whole data: small integers for sums; plus and minus one and a few powers of two for products.
///   Every partial result is exact, so the result is the same in every order. The comparison is for
///   equality and detects a single lost or doubled element.
/// - Real data: the reference is a compensated sum in long double. Whatever the order of its n - 1
///   roundings, a sum in a type with unit roundoff u is off by at most (n - 1) u sum|x| to first
///   order (N. Higham, "Accuracy and Stability of Numerical Algorithms", 4.2), and a product by (n
///   - 1) u |product|. The bounds here are that and 1 % for the higher orders.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <warpfold/reduce.hpp>

namespace wf = warpfold;

namespace test {

// --- random numbers ------------------------------------------------------------------------------

/// The same numbers on every run and machine: splitmix64.
class random_bits {
 public:
  explicit random_bits(std::uint64_t seed = 20) : state_(seed) {}

  std::uint64_t operator()() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

// --- element types as lists of numbers -----------------------------------------------------------

/// A type as `count` components of type `number`. Scalars have one.
template <class T>
struct parts {
  using number = T;
  static constexpr int count = 1;
  static number get(const T& x, int) { return x; }
  static T make(const number* n) { return n[0]; }
};
template <wf::vector_element T>
struct parts<T> {
  using number = wf::vector_component_t<T>;
  static constexpr int count = wf::vector_components_v<T>;
  static number get(const T& x, int i) {
    number n[count];
    std::memcpy(n, &x, sizeof n);
    return n[i];
  }
  static T make(const number* n) {
    T x;
    std::memcpy(&x, n, sizeof(number) * count);
    return x;
  }
};
template <class T>
concept complex_element = requires(const T& x) {
  x.real();
  x.imag();
};
template <complex_element T>
struct parts<T> {
  using number = typename T::value_type;
  static constexpr int count = 2;
  static number get(const T& x, int i) { return i == 0 ? x.real() : x.imag(); }
  static T make(const number* n) { return T(n[0], n[1]); }
};

/// The number as a long double: exact for every type here.
template <class N>
long double exactly(const N& x) {
  if constexpr (wf::is_half_v<N>) {
    return static_cast<long double>(static_cast<float>(x));
  } else {
    return static_cast<long double>(x);
  }
}
/// The inverse.
template <class N>
N number_from(long double x) {
  if constexpr (wf::is_half_v<N>) {
    return static_cast<N>(static_cast<float>(x));
  } else {
    return static_cast<N>(x);
  }
}

/// Equal in value; a NaN equals a NaN.
template <class T>
bool same(const T& a, const T& b) {
  if constexpr (wf::is_number_v<T> || wf::vector_element<T> || complex_element<T>) {
    for (int i = 0; i < parts<T>::count; ++i) {
      const auto x = parts<T>::get(a, i);
      const auto y = parts<T>::get(b, i);
      if constexpr (std::is_integral_v<decltype(x)>) {
        if (x != y) return false;
      } else {
        const long double p = exactly(x), q = exactly(y);
        if (!(p == q || (std::isnan(p) && std::isnan(q)))) return false;
      }
    }
    return true;
  } else {
    return a == b;
  }
}

/// Equal in every bit of the value (not of padding).
template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// For messages.
template <class T>
std::string show(const T& x) {
  if constexpr (wf::is_number_v<T> || wf::vector_element<T> || complex_element<T>) {
    std::string text;
    for (int i = 0; i < parts<T>::count; ++i) {
      const auto n = parts<T>::get(x, i);
      if (i > 0) text += ' ';
      if constexpr (std::is_integral_v<decltype(n)>) {
        text += std::to_string(n);
      } else {
        char digits[64];
        std::snprintf(digits, sizeof digits, "%.21Lg", exactly(n));
        text += digits;
      }
    }
    return text;
  } else {
    return "(a struct)";
  }
}

// --- whole data ----------------------------------------------------------------------------------

template <class Op>
inline constexpr bool is_product = std::is_same_v<Op, wf::multiplies>;
template <class Op>
inline constexpr bool is_extremum =
    std::is_same_v<Op, wf::minimum> || std::is_same_v<Op, wf::maximum>;
template <class Op>
inline constexpr bool is_logical =
    std::is_same_v<Op, wf::logical_and> || std::is_same_v<Op, wf::logical_or>;

/// Element `i` of the data for `Op`. It is not zero if the op would not detect its loss.
template <class Op, class N>
N whole_number(random_bits& random, std::size_t i) {
  const std::uint64_t r = random();
  // One bit of 8, 16, ... at random, the higher the rarer: some stay unset up to a million
  // elements.
  [[maybe_unused]] const auto rare_bit = [&] {
    const int bits = static_cast<int>(sizeof(N) * 8);
    const int place = std::countr_zero(r | (std::uint64_t{1} << 23)) * bits / 24;
    return std::uint64_t{1} << place;
  };
  if constexpr (std::is_same_v<Op, wf::bit_and>) {
    return static_cast<N>(~rare_bit());
  } else if constexpr (std::is_same_v<Op, wf::bit_or>) {
    return static_cast<N>(rare_bit());
  } else if constexpr (is_logical<Op>) {
    // The one element that decides the result; some ranges contain it and some do not.
    const bool decides = i == 1001;
    const bool value = std::is_same_v<Op, wf::logical_and> ? !decides : decides;
    return number_from<N>(value ? static_cast<long double>(r % 100 + 1) : 0);
  } else if constexpr (std::is_integral_v<N>) {
    const N x = static_cast<N>(r);
    if constexpr (is_product<Op>) return static_cast<N>(x | 1);  // odd: no factor is ever lost
    return x == 0 ? N{1} : x;
  } else if constexpr (is_product<Op>) {
    // Both powers of two as often, and rare: no partial product overflows.
    const long double sign = r & 1 ? 1 : -1;
    if (i % 8192 < 4) return number_from<N>(sign * (i % 2 == 0 ? 2 : 0.5L));
    return number_from<N>(sign);
  } else if constexpr (is_extremum<Op>) {
    return number_from<N>((static_cast<long double>(r % 60000) - 29999.5L));
  } else {
    const long double size = static_cast<long double>(r % 8 + 1);
    return number_from<N>(r & 1024 ? size : -size);
  }
}

/// `n` elements of whole data for `Op`.
template <class Op, class T>
std::vector<T> whole_data(std::size_t n) {
  using number = typename parts<T>::number;
  random_bits random;
  std::vector<T> values;
  values.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    number numbers[parts<T>::count];
    for (number& x : numbers) x = whole_number<Op, number>(random, i);
    if constexpr (complex_element<T> && is_product<Op>)
      numbers[i % 2] = number{};  // 1, i, -1 or -i
    values.push_back(parts<T>::make(numbers));
  }
  return values;
}

/// Folds numbers in order, exactly, into an `R`.
template <class Op, class N, class R>
class reference {
  static constexpr bool wraps = std::is_integral_v<N> && !is_logical<Op>;
  using state = std::conditional_t<wraps && !is_extremum<Op>, std::uint64_t,
                                   std::conditional_t<is_logical<Op>, bool, long double>>;

 public:
  void add(const N& x) {
    const state s = lift(x);
    value_ = any_ ? combine(value_, s) : s;
    any_ = true;
  }
  R result() const {
    if constexpr (wraps || is_logical<Op>) {
      return static_cast<R>(value_);
    } else {
      return number_from<R>(value_);
    }
  }

 private:
  static state lift(const N& x) {
    if constexpr (is_logical<Op>) {
      return exactly(x) != 0;
    } else if constexpr (wraps && !is_extremum<Op>) {
      return static_cast<std::uint64_t>(x);
    } else {
      return exactly(x);  // a long double holds all 64 bits of an integer
    }
  }
  static state combine(state a, state b) {
    if constexpr (std::is_same_v<Op, wf::plus>) return a + b;
    if constexpr (is_product<Op>) return a * b;
    if constexpr (std::is_same_v<Op, wf::minimum>) return b < a ? b : a;
    if constexpr (std::is_same_v<Op, wf::maximum>) return a < b ? b : a;
    if constexpr (std::is_same_v<Op, wf::logical_and>) return a && b;
    if constexpr (std::is_same_v<Op, wf::logical_or>) return a || b;
    if constexpr (std::is_same_v<state, std::uint64_t>) {
      if constexpr (std::is_same_v<Op, wf::bit_and>) return a & b;
      if constexpr (std::is_same_v<Op, wf::bit_or>) return a | b;
      if constexpr (std::is_same_v<Op, wf::bit_xor>) return a ^ b;
    }
  }

  state value_{};
  bool any_ = false;
};

/// The expected results of `Op` for the first `sizes[k]` of `values`, for each `k`. `sizes`
/// ascends.
template <class Op, class R, class T>
std::vector<R> expected_of_prefixes(const std::vector<T>& values,
                                    const std::vector<std::size_t>& sizes) {
  std::vector<R> expected;
  std::size_t i = 0;
  if constexpr (complex_element<T> && is_product<Op>) {
    long double re = 1, im = 0;
    for (const std::size_t n : sizes) {
      for (; i < n; ++i) {
        const long double x = exactly(values[i].real()), y = exactly(values[i].imag());
        const long double next = re * x - im * y;
        im = re * y + im * x;
        re = next;
      }
      const typename parts<R>::number numbers[] = {number_from<typename parts<R>::number>(re),
                                                   number_from<typename parts<R>::number>(im)};
      expected.push_back(parts<R>::make(numbers));
    }
  } else {
    using result_number = typename parts<R>::number;
    reference<Op, typename parts<T>::number, result_number> folds[parts<T>::count];
    for (const std::size_t n : sizes) {
      for (; i < n; ++i) {
        for (int c = 0; c < parts<T>::count; ++c) folds[c].add(parts<T>::get(values[i], c));
      }
      result_number numbers[parts<R>::count];
      for (int c = 0; c < parts<R>::count; ++c) numbers[c] = folds[c].result();
      expected.push_back(parts<R>::make(numbers));
    }
  }
  return expected;
}

// --- real data -----------------------------------------------------------------------------------

/// `n` numbers of both signs and many magnitudes; no zeros and no integers.
template <class T>
std::vector<T> real_data(std::size_t n) {
  random_bits random(7);
  std::vector<T> values;
  values.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t r = random();
    const long double fraction = 1 + static_cast<long double>(r >> 12 | 1) / 4503599627370496.0L;
    const long double x = std::ldexp(fraction, static_cast<int>(r % 8) - 5);
    values.push_back(number_from<T>(r & 256 ? x : -x));
  }
  return values;
}

/// A value, and the error bound of a computed one.
struct bounded {
  long double value;
  long double error;

  template <class R>
  bool admits(const R& computed) const {
    return std::fabs(exactly(computed) - value) <= error;
  }
};

/// The sum of the first `n` values, and the bound at the head of this file for sums in
/// `Accumulator`.
template <class Accumulator, class T>
bounded sum_of(const T* values, std::size_t n) {
  long double sum = 0, lost = 0, magnitude = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const long double x = exactly(values[i]);
    const long double next = sum + x;
    lost += std::fabs(sum) >= std::fabs(x) ? (sum - next) + x : (x - next) + sum;
    sum = next;
    magnitude += std::fabs(x);
  }
  const long double u = std::numeric_limits<Accumulator>::epsilon() / 2;
  return {sum + lost, 1.01L * static_cast<long double>(n) * u * magnitude};
}

/// Likewise the product.
template <class Accumulator, class T>
bounded product_of(const T* values, std::size_t n) {
  long double product = 1;
  for (std::size_t i = 0; i < n; ++i) product *= exactly(values[i]);
  const long double u = std::numeric_limits<Accumulator>::epsilon() / 2;
  return {product, 1.01L * static_cast<long double>(n) * u * std::fabs(product)};
}

}  // namespace test
