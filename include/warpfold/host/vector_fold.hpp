/// @file
/// Sums, sums of products, and extrema of consecutive numbers in the vector registers of one host
/// thread.
///
/// A compiler that vectorizes interleaved_fold's loop keeps the accumulators in memory, with one
/// more load and store per vector. It also computes exactly what the op says, where a whole vector
/// needs less.
///
/// Vectors have 32 bytes if the processor has AVX2, which the code finds out when it runs, and 16
/// bytes otherwise. Their results have the same bits. 256 KB, one core of an EPYC 9004, 16 -> 32
/// bytes: sum of floats 98 -> 115 GB/s, maximum 50 -> 109 GB/s, norm 35 -> 58 GB/s.
///
/// Sums of a projection of the library in `double` are folded like this too, if it defines
/// `in_double`. So are several ops in one pass.
///
/// Vectors are extensions of GCC and Clang. With other compilers nothing uses this code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <warpfold/op/extrema.hpp>
#include <warpfold/op/multiplies.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>

namespace warpfold::host {

namespace detail {

/// Several accumulators of the fold of `T`s by `Op`. Made from a first vector, it `take`s others.
/// Each `value(l)` is then a value of the accumulator's type, to be combined by the op. If there is
/// `settled(total, data, n)`, it corrects the fold of `n` elements, for example the sign of a zero.
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

/// True if a projection of two elements is their product.
template <class F>
concept multiplies_numbers = std::is_same_v<F, multiplies> || requires {
  requires std::is_same_v<typename F::multiplies_numbers, F>;
};

/// The vector fold of a view by an op; its members are those of `plain_vectors` below. Empty if
/// there is none.
template <class Op, class View>
struct vectors_of {};

}  // namespace detail

/// True if there is a vector fold of `View`'s elements by `Op` in type `A`.
template <class Op, class View, class A>
concept folds_in_vectors =
    requires { requires std::is_same_v<typename detail::vectors_of<Op, View>::accumulator, A>; };

/// True if `View` has contiguous numbers that an op folds in vectors, alone or with others.
template <class Op, class View>
concept folds_together_in_vectors = detail::has_numbers<View> && requires {
  requires sizeof(detail::vector_accumulators<Op, typename View::value_type, 16>) > 0;
};

/// The vector fold of elements `first` to `last - 1`, at least one.
///
/// Order: fixed by `last - first`.
template <class A, class Op, class View>
  requires folds_in_vectors<Op, View, A>
A vector_fold(const Op& op, const View& view, std::size_t first, std::size_t last);

/// The same by several ops in one pass; returns a tuple.
template <class... Ops, class View>
  requires(folds_together_in_vectors<Ops, View> && ...)
auto vector_fold_each(const tuple<Ops...>& ops, const View& view, std::size_t first,
                      std::size_t last);

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

// Inlined without optimization too. The same code is compiled for several instruction sets, and
// functions that take or return wide vectors have another calling convention in each of them. So
// all functions of vectors are inlined, and take them by reference.
#define WARPFOLD_HOST_INLINE __attribute__((always_inline)) inline

template <class T, int Bytes>
struct vector_of {
  typedef T type __attribute__((vector_size(Bytes)));
};
template <class T, int Bytes>
using vector_t = typename vector_of<T, Bytes>::type;

// The vectors of every x86-64 processor.
inline constexpr int narrow = 16;

template <class Vector, class T>
WARPFOLD_HOST_INLINE void load(Vector& to, const T* from) {
  __builtin_memcpy(&to, from, sizeof to);
}

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
// fold_runs takes at once. The sum of the whole elements wraps. Their difference is the sum of the
// lower halves modulo 2^32, which cannot reach 2^32.
template <class T, int Bytes>
  requires(std::is_same_v<T, int> || std::is_same_v<T, unsigned>)
struct vector_accumulators<plus, T, Bytes> {
  vector_t<unsigned, Bytes> wrapped;
  vector_t<T, Bytes> upper;

  WARPFOLD_HOST_INLINE void start(const T* from) {
    load(wrapped, from);
    load(upper, from);
    upper >>= 16;
  }
  WARPFOLD_HOST_INLINE void take(const T* from) {
    vector_t<T, Bytes> x;
    load(x, from);
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

template <class Op, class Vector>
WARPFOLD_HOST_INLINE void keep_extremum(Vector& most, const Vector& x) {
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
  requires(is_extremum<Op> && lane_integer<T> && sizeof(T) <= 4)
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
    nan |= (mask)(x != x);
  }
  // Takes a vector here and the next one in another; both NaNs are recorded here.
  WARPFOLD_HOST_INLINE void take_two(vector_accumulators& other, const T* from) {
    vector_t<T, Bytes> x, y;
    load(x, from);
    load(y, from + Bytes / sizeof(T));
    keep_extremum<Op>(most, x);
    keep_extremum<Op>(other.most, y);
    nan |= (mask)(x != x) | (mask)(y != y);
  }
  WARPFOLD_HOST_INLINE void merge(const vector_accumulators& other) {
    keep_extremum<Op>(most, other.most);
    nan |= other.nan;
  }
  T value(int l) const { return nan[l] != 0 ? std::numeric_limits<T>::quiet_NaN() : most[l]; }

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

// Several numbers as one. Its copy constructor makes it a class that functions take and return in
// memory, whatever the instruction set is, so that projections need not be inlined.
template <class T, int Bytes>
class lanes {
 public:
  vector_t<T, Bytes> of;

  lanes() = default;
  WARPFOLD_HOST_INLINE lanes(const lanes& other) : of(other.of) {}
  WARPFOLD_HOST_INLINE lanes& operator=(const lanes& other) {
    of = other.of;
    return *this;
  }

  T operator[](int l) const { return of[l]; }
  friend WARPFOLD_HOST_INLINE lanes operator+(const lanes& a, const lanes& b) {
    lanes r;
    r.of = a.of + b.of;
    return r;
  }
  friend WARPFOLD_HOST_INLINE lanes operator-(const lanes& a, T b) {
    lanes r;
    r.of = a.of - b;
    return r;
  }
  friend WARPFOLD_HOST_INLINE lanes operator*(const lanes& a, const lanes& b) {
    lanes r;
    r.of = a.of * b.of;
    return r;
  }
};

// Lines.
//
// A line is as many consecutive elements as a fold has accumulators, and takes other lines element
// by element. It consists of units, of one or two vectors. Vectors of any width have the same
// accumulators, in the same order, and so the same results.

template <class Line, class Vectors, class Source, std::size_t... r>
WARPFOLD_HOST_INLINE void start_line(Line& line, const Vectors& vectors, const Source& from,
                                     std::index_sequence<r...>) {
  (line.start(vectors, r, from + r * Line::unit), ...);
}
template <class Line, class Vectors, class Source, std::size_t... r>
WARPFOLD_HOST_INLINE void take_line(Line& line, const Vectors& vectors, const Source& from,
                                    std::index_sequence<r...> all) {
  if constexpr (requires { line.take_all(vectors, from, all); }) {
    line.take_all(vectors, from, all);
  } else {
    (line.take(vectors, r, from + r * Line::unit), ...);
  }
}

// The line's accumulators in vectors of 16 bytes. A line has `columns` accumulators of several
// vectors each.
template <int Bytes, class Line, class Narrow>
WARPFOLD_HOST_INLINE void split_line(const Line& line, Narrow& to) {
  constexpr std::size_t parts = Bytes / narrow, columns = sizeof to.of / sizeof to.of[0];
  constexpr std::size_t rows = sizeof to.of[0] / narrow;
  const auto* const in = reinterpret_cast<const char*>(&line.of);
  auto* const out = reinterpret_cast<char*>(&to.of);
  for (std::size_t i = 0; i < columns; ++i) {
    for (std::size_t j = 0; j < rows; ++j) {
      __builtin_memcpy(out + (i * rows + j) * narrow,
                       in + (i / parts * rows + j) * Bytes + i % parts * narrow, narrow);
    }
  }
}

// Elements that are folded at once, 256 KB or more: shorter streams limit prefetching. 256 MB of
// ints, two cores, 128 KB -> 256 KB: 8 % faster. The sum of this many halves of an `int` fits 32
// bits, and this many doubles stay in the second-level cache for a second pass.
template <class T>
inline constexpr std::size_t longest_run = std::size_t{1} << (sizeof(T) == 1   ? 18
                                                              : sizeof(T) == 2 ? 17
                                                                               : 16);

// `T`s folded by one op.
template <class Op, class T, std::size_t Elements, int Bytes>
struct plain_line {
  static constexpr std::size_t unit = Bytes / sizeof(T), units = Elements / unit;
  using accumulators = vector_accumulators<Op, T, Bytes>;
  accumulators of[units];

  template <class Vectors>
  WARPFOLD_HOST_INLINE void start(const Vectors&, std::size_t r, const T* from) {
    of[r].start(from);
  }
  template <class Vectors>
  WARPFOLD_HOST_INLINE void take(const Vectors&, std::size_t r, const T* from) {
    of[r].take(from);
  }
  template <class Vectors, std::size_t... r>
    requires requires(accumulators& a, const T* from) { a.take_two(a, from); } && (units % 2 == 0)
  WARPFOLD_HOST_INLINE void take_all(const Vectors&, const T* from, std::index_sequence<r...>) {
    ((r % 2 == 0 ? of[r].take_two(of[r | 1], from + r * unit) : void()), ...);
  }
  template <class Vectors>
  WARPFOLD_HOST_INLINE void merge(const Vectors&, std::size_t r, std::size_t other) {
    of[r].merge(of[other]);
  }
  auto value(std::size_t l) const { return of[0].value(static_cast<int>(l)); }
  WARPFOLD_HOST_INLINE void split(plain_line<Op, T, Elements, narrow>& to) const {
    split_line<Bytes>(*this, to);
  }
};

template <class Op, class T>
struct plain_vectors {
  using accumulator = typename Op::template accumulator<T>;
  // Sums have eight registers of 32 bytes, or four of two integers: enough independent operations
  // to hide the latency of an addition, and to round little.
  static constexpr std::size_t line_bytes = is_extremum<Op>         ? 128
                                            : std::is_integral_v<T> ? 64
                                                                    : 256;
  static constexpr std::size_t line_elements = line_bytes / sizeof(T);
  static constexpr std::size_t longest = longest_run<T>;
  static constexpr std::size_t streams = 8;
  template <int Bytes>
  using line = plain_line<Op, T, line_elements, Bytes>;

  Op op;

  accumulator element(const T* from) const { return static_cast<accumulator>(*from); }
  accumulator combined(const accumulator& a, const accumulator& b) const { return op(a, b); }
  accumulator settled(const accumulator& total, const T* data, std::size_t n) const {
    if constexpr (requires { vector_accumulators<Op, T, narrow>::settled(total, data, n); }) {
      return vector_accumulators<Op, T, narrow>::settled(total, data, n);
    } else {
      return total;
    }
  }
};

template <class Op, class View>
  requires folds_together_in_vectors<Op, View>
struct vectors_of<Op, View> : plain_vectors<Op, typename View::value_type> {
  vectors_of(const Op& f, const View&) : plain_vectors<Op, typename View::value_type>{f} {}

  static const auto* data(const View& view) { return view.data(); }
};

// Sums of a projection of several numbers at once, each as a `double`. It may compute several sums;
// their class then has `value(l)` and `added(other)`.
template <int Bytes>
using doubles = lanes<double, Bytes>;

template <class T>
concept converts_in_vectors = warpfold::detail::is_ieee_v<T> || std::is_same_v<T, int>;

// Element by element, which gives one vcvtps2pd: for __builtin_convertvector GCC 12 makes four
// instructions.
template <class T, int Bytes, std::size_t... l>
WARPFOLD_HOST_INLINE void load_doubles(doubles<Bytes>& to, const T* from,
                                       std::index_sequence<l...>) {
  if constexpr (sizeof(T) == 8) {
    load(to.of, from);
  } else {
    to.of = vector_t<double, Bytes>{static_cast<double>(from[l])...};
  }
}

template <class Sum>
auto value_of(const Sum& sum, int l) {
  if constexpr (std::is_same_v<Sum, doubles<narrow>>) {
    return sum[l];
  } else {
    return sum.value(l);
  }
}

// `exactly` excludes projections that inherit `in_double`.
template <class Op, class F>
concept has_sums_in_double = requires(const F& f, const doubles<narrow>& x) {
  requires std::is_same_v<typename F::exactly, F>;
  requires std::is_same_v<Op, plus> == std::is_same_v<decltype(f.in_double(x)), doubles<narrow>>;
  requires std::is_same_v<Op, plus> || requires { f.in_double(x).added(f.in_double(x)).value(0); };
};

template <class F, class T, std::size_t Elements, int Bytes>
struct sums_line {
  using sum = decltype(std::declval<const F&>().in_double(std::declval<const doubles<Bytes>&>()));
  static constexpr std::size_t unit = Bytes / sizeof(double), units = Elements / unit;
  sum of[units];

  template <class Vectors>
  WARPFOLD_HOST_INLINE void start(const Vectors& vectors, std::size_t r, const T* from) {
    doubles<Bytes> x;
    load_doubles(x, from, std::make_index_sequence<unit>{});
    of[r] = vectors.f.in_double(x);
  }
  template <class Vectors>
  WARPFOLD_HOST_INLINE void take(const Vectors& vectors, std::size_t r, const T* from) {
    doubles<Bytes> x;
    load_doubles(x, from, std::make_index_sequence<unit>{});
    add(of[r], vectors.f.in_double(x));
  }
  template <class Vectors>
  WARPFOLD_HOST_INLINE void merge(const Vectors&, std::size_t r, std::size_t other) {
    add(of[r], of[other]);
  }
  auto value(std::size_t l) const { return value_of(of[0], static_cast<int>(l)); }
  WARPFOLD_HOST_INLINE void split(sums_line<F, T, Elements, narrow>& to) const {
    split_line<Bytes>(*this, to);
  }

 private:
  static WARPFOLD_HOST_INLINE void add(sum& to, const sum& x) {
    if constexpr (std::is_same_v<sum, doubles<Bytes>>) {
      to.of += x.of;
    } else {
      to = to.added(x);
    }
  }
};

template <class Op, class View, class F>
  requires(has_numbers<View> && converts_in_vectors<typename View::value_type> &&
           has_sums_in_double<Op, F>)
struct vectors_of<Op, transform_view<View, F>> {
  using element_type = typename View::value_type;
  static constexpr std::size_t line_elements = 16;
  static constexpr std::size_t longest = longest_run<element_type>;
  static constexpr std::size_t streams = 8;
  template <int Bytes>
  using line = sums_line<F, element_type, line_elements, Bytes>;
  using accumulator = decltype(std::declval<const line<narrow>&>().value(0));

  Op op;
  F f;

  vectors_of(const Op& own, const transform_view<View, F>& view) : op(own), f(view.function()) {}

  static const element_type* data(const transform_view<View, F>& view) {
    return view.base().data();
  }
  accumulator element(const element_type* from) const { return f(*from); }
  accumulator combined(const accumulator& a, const accumulator& b) const { return op(a, b); }
  accumulator settled(const accumulator& total, const element_type*, std::size_t) const {
    return total;
  }
};

// Sums of the products of two arrays.
template <class T>
struct two_arrays {
  const T* a;
  const T* b;

  WARPFOLD_HOST_INLINE two_arrays operator+(std::size_t i) const { return {a + i, b + i}; }
};

template <class T, std::size_t Elements, int Bytes>
struct products_line {
  static constexpr std::size_t unit = Bytes / sizeof(T), units = Elements / unit;
  lanes<T, Bytes> of[units];

  template <class Vectors>
  WARPFOLD_HOST_INLINE void start(const Vectors&, std::size_t r, const two_arrays<T>& from) {
    vector_t<T, Bytes> a, b;
    load(a, from.a);
    load(b, from.b);
    of[r].of = a * b;
  }
  template <class Vectors>
  WARPFOLD_HOST_INLINE void take(const Vectors&, std::size_t r, const two_arrays<T>& from) {
    vector_t<T, Bytes> a, b;
    load(a, from.a);
    load(b, from.b);
    of[r].of += a * b;
  }
  template <class Vectors>
  WARPFOLD_HOST_INLINE void merge(const Vectors&, std::size_t r, std::size_t other) {
    of[r].of += of[other].of;
  }
  T value(std::size_t l) const { return of[0][static_cast<int>(l)]; }
  WARPFOLD_HOST_INLINE void split(products_line<T, Elements, narrow>& to) const {
    split_line<Bytes>(*this, to);
  }
};

template <class A, class B, class F>
  requires(has_numbers<A> && has_numbers<B> &&
           warpfold::detail::is_ieee_v<typename A::value_type> &&
           std::is_same_v<typename A::value_type, typename B::value_type> && multiplies_numbers<F>)
struct vectors_of<plus, transform_view<zip_view<A, B>, F>> {
  using accumulator = typename A::value_type;
  using view_type = transform_view<zip_view<A, B>, F>;
  static constexpr std::size_t line_elements = 256 / sizeof(accumulator);
  static constexpr std::size_t longest = longest_run<accumulator>;
  // Of each array. 256 MB of floats, two cores, 4 -> 2: 3 % faster.
  static constexpr std::size_t streams = 2;
  template <int Bytes>
  using line = products_line<accumulator, line_elements, Bytes>;

  vectors_of(const plus&, const view_type&) {}

  static two_arrays<accumulator> data(const view_type& view) {
    const auto& both = view.base().views();
    return {get<0>(both).data(), get<1>(both).data()};
  }
  accumulator element(const two_arrays<accumulator>& from) const { return *from.a * *from.b; }
  accumulator combined(accumulator a, accumulator b) const { return a + b; }
  accumulator settled(accumulator total, const two_arrays<accumulator>&, std::size_t) const {
    return total;
  }
};

// Several lines. Not a wf::tuple: its comparison could be device code, which has no vector types.
template <std::size_t, class Line>
struct held_line {
  Line own;
};
template <class Indices, class... Lines>
struct lines_of_each;
template <std::size_t... I, class... Lines>
struct lines_of_each<std::index_sequence<I...>, Lines...> : held_line<I, Lines>... {};

template <std::size_t I, class Line>
WARPFOLD_HOST_INLINE Line& nth_line(held_line<I, Line>& held) {
  return held.own;
}
template <std::size_t I, class Line>
WARPFOLD_HOST_INLINE const Line& nth_line(const held_line<I, Line>& held) {
  return held.own;
}

// `T`s folded by several ops.
template <class T, std::size_t Elements, int Bytes, class Indices, class... Ops>
struct lines_together;
template <class T, std::size_t Elements, int Bytes, std::size_t... I, class... Ops>
struct lines_together<T, Elements, Bytes, std::index_sequence<I...>, Ops...> {
  static constexpr std::size_t unit = Bytes / sizeof(T), units = Elements / unit;
  lines_of_each<std::index_sequence<I...>, plain_line<Ops, T, Elements, Bytes>...> each;

  template <class Vectors>
  WARPFOLD_HOST_INLINE void start(const Vectors& vectors, std::size_t r, const T* from) {
    (nth_line<I>(each).start(vectors, r, from), ...);
  }
  template <class Vectors>
  WARPFOLD_HOST_INLINE void take(const Vectors& vectors, std::size_t r, const T* from) {
    (nth_line<I>(each).take(vectors, r, from), ...);
  }
  template <class Vectors, class Units>
  WARPFOLD_HOST_INLINE void take_all(const Vectors& vectors, const T* from, Units all) {
    (take_line(nth_line<I>(each), vectors, from, all), ...);
  }
  template <class Vectors>
  WARPFOLD_HOST_INLINE void merge(const Vectors& vectors, std::size_t r, std::size_t other) {
    (nth_line<I>(each).merge(vectors, r, other), ...);
  }
  auto value(std::size_t l) const {
    return warpfold::detail::tuple_of(nth_line<I>(each).value(l)...);
  }
  template <class Narrow>
  WARPFOLD_HOST_INLINE void split(Narrow& to) const {
    (nth_line<I>(each).split(nth_line<I>(to.each)), ...);
  }
};

template <class T, class... Ops>
struct vectors_together {
  using accumulator = tuple<typename plain_vectors<Ops, T>::accumulator...>;
  static constexpr std::size_t line_elements = 64 / sizeof(T);
  static constexpr std::size_t longest = longest_run<T>;
  static constexpr std::size_t streams = 8;
  template <int Bytes>
  using line = lines_together<T, line_elements, Bytes, std::index_sequence_for<Ops...>, Ops...>;

  tuple<plain_vectors<Ops, T>...> each;

  accumulator element(const T* from) const {
    return of_each([&](auto i) { return get<i>(each).element(from); });
  }
  accumulator combined(const accumulator& a, const accumulator& b) const {
    return of_each([&](auto i) { return get<i>(each).combined(get<i>(a), get<i>(b)); });
  }
  accumulator settled(const accumulator& total, const T* data, std::size_t n) const {
    return of_each([&](auto i) { return get<i>(each).settled(get<i>(total), data, n); });
  }

 private:
  template <class F>
  static auto of_each(const F& f) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return warpfold::detail::tuple_of(f(std::integral_constant<std::size_t, I>{})...);
    }(std::index_sequence_for<Ops...>{});
  }
};

// Folds as many whole lines as `n` elements have, at least one; returns how many elements these
// are.
template <int Bytes, class Vectors, class Source>
WARPFOLD_HOST_INLINE std::size_t fold_lines(const Vectors& vectors, const Source& data,
                                            std::size_t n,
                                            typename Vectors::template line<narrow>& to) {
  using line_type = typename Vectors::template line<Bytes>;
  constexpr std::make_index_sequence<line_type::units> units{};
  constexpr std::size_t line = Vectors::line_elements;
  constexpr std::size_t streams = Vectors::streams;
  const Vectors own = vectors;  // a copy, which stores cannot alias
  line_type p;
  start_line(p, own, data, units);
  std::size_t i = line;
  const std::size_t length = (n - i) / (streams * line) * line;  // of a stream, in elements
  for (const std::size_t end = i + length; i < end; i += line) {
    for (std::size_t s = 0; s < streams; ++s) take_line(p, own, data + (i + s * length), units);
  }
  i += (streams - 1) * length;
  for (; n - i >= line; i += line) take_line(p, own, data + i, units);
  p.split(to);
  return i;
}

#if defined(__x86_64__) && !defined(__AVX2__)
template <class Vectors, class Source>
__attribute__((target("avx2"))) std::size_t fold_lines_avx2(
    const Vectors& vectors, const Source& data, std::size_t n,
    typename Vectors::template line<narrow>& to) {
  return fold_lines<32>(vectors, data, n, to);
}
#endif

// The vectors of 16 bytes of any processor, and the widest that this one is fast with. With AVX-512
// on an EPYC 9004, vectors of 64 bytes are no faster from the second-level cache (sum of 512 KB of
// floats: 96 and 91 GB/s), and GCC 12 makes slow code for extrema of floats.
struct narrow_vectors {
  template <class Vectors, class Source, class Line>
  static std::size_t fold(const Vectors& vectors, const Source& data, std::size_t n, Line& to) {
    return fold_lines<narrow>(vectors, data, n, to);
  }
};
struct widest_vectors {
  template <class Vectors, class Source, class Line>
  static std::size_t fold(const Vectors& vectors, const Source& data, std::size_t n, Line& to) {
#if defined(__AVX2__)
    return fold_lines<32>(vectors, data, n, to);
#else
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return fold_lines_avx2(vectors, data, n, to);
#endif
    return fold_lines<narrow>(vectors, data, n, to);
#endif
  }
};

// The fold of `n` elements, at least one.
template <class Widest = widest_vectors, class Vectors, class Source>
typename Vectors::accumulator fold_batch(const Vectors& vectors, const Source& data,
                                         std::size_t n) {
  using accumulator = typename Vectors::accumulator;
  using line_type = typename Vectors::template line<narrow>;
  constexpr std::size_t unit = line_type::unit;
  line_type p;
  std::size_t i = 0, units = line_type::units;
  if (n >= Vectors::line_elements) {
    i = Widest::fold(vectors, data, n, p);
    for (std::size_t r = 0; n - i >= unit; ++r, i += unit) p.take(vectors, r, data + i);
  } else {
    units = n / unit;
    for (std::size_t r = 0; r < units; ++r, i += unit) p.start(vectors, r, data + i);
  }
  accumulator total = [&] {
    if (units == 0) return vectors.element(data + i++);
    for (; units > 1; units = (units + 1) / 2) {
      for (std::size_t r = 0; r < units / 2; ++r) p.merge(vectors, r, (units + 1) / 2 + r);
    }
    accumulator partial[unit];
    for (std::size_t l = 0; l < unit; ++l) partial[l] = p.value(l);
    for (std::size_t step = unit / 2; step > 0; step /= 2) {
      for (std::size_t l = 0; l < step; ++l) {
        partial[l] = vectors.combined(partial[l], partial[l + step]);
      }
    }
    return partial[0];
  }();
  for (; i < n; ++i) total = vectors.combined(total, vectors.element(data + i));
  return vectors.settled(total, data, n);
}

// The same for any number of elements.
template <class Vectors, class Source>
typename Vectors::accumulator fold_runs(const Vectors& vectors, const Source& data, std::size_t n) {
  constexpr std::size_t longest = Vectors::longest;
  auto total = fold_batch(vectors, data, n < longest ? n : longest);
  for (std::size_t i = longest; i < n; i += longest) {
    total =
        vectors.combined(total, fold_batch(vectors, data + i, n - i < longest ? n - i : longest));
  }
  return total;
}

// The first of elements `first` to `last - 1` with `is(x)`; one of them must have it. Only elements
// with `may_be(x)`, which is called with vectors and returns a mask, are looked at one by one.
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

#undef WARPFOLD_HOST_INLINE

}  // namespace detail

template <class A, class Op, class View>
  requires folds_in_vectors<Op, View, A>
A vector_fold(const Op& op, const View& view, std::size_t first, std::size_t last) {
  using vectors = detail::vectors_of<Op, View>;
  return detail::fold_runs(vectors(op, view), vectors::data(view) + first, last - first);
}

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

template <class... Ops, class View>
  requires(folds_together_in_vectors<Ops, View> && ...)
auto vector_fold_each(const tuple<Ops...>& ops, const View& view, std::size_t first,
                      std::size_t last) {
  using T = typename View::value_type;
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto each = warpfold::detail::tuple_of(detail::plain_vectors<Ops, T>{get<I>(ops)}...);
    return detail::fold_runs(detail::vectors_together<T, Ops...>{each}, view.data() + first,
                             last - first);
  }(std::index_sequence_for<Ops...>{});
}

#endif

}  // namespace warpfold::host
